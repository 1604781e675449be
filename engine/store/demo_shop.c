#include "store/demo_shop.h"

#include "store/demo_tables.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { DAYS = 730 }; /* 2024-09-01 and the two years after it */
enum { CUSTOMERS = 3000, SUPPLIERS = 40, STORES = 12 };
enum { PRODUCTS_MAX = DEMO_SHELVES * 3 * DEMO_LINES };

struct random {
    uint64_t state;
};

static uint64_t random_next(struct random *r)
{
    uint64_t z = r->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int pick(struct random *r, int count) /* 0 <= result < count */
{
    return (int)(random_next(r) % (uint64_t)count);
}

static int between(struct random *r, int least, int most)
{
    return least + pick(r, most - least + 1);
}

static bool chance(struct random *r, int percent)
{
    return pick(r, 100) < percent;
}

/* Favours small numbers: the least of some throws. */
static int pick_low(struct random *r, int count, int throws)
{
    int least = pick(r, count);
    while (--throws > 0) {
        int other = pick(r, count);
        if (other < least) least = other;
    }
    return least;
}

#define PICK(r, names) (names)[pick((r), (int)(sizeof(names) / sizeof(names)[0]))]

struct product {
    const struct shelf *shelf;
    int cents, cost_cents, launched_day; /* days since the first one, may be negative */
    bool discontinued, sold;
};

struct shop {
    struct call *call;
    sqlite3 *db;
    sqlite3_stmt *insert; /* of the table being filled */
    struct random random;
    int rc; /* sticky; what stands in the call came first */
    struct product products[PRODUCTS_MAX];
    int product_count;
    int staff_first[STORES], staff_count[STORES]; /* employees of each store */
    int registered[CUSTOMERS];                    /* day of registration, rising */
    bool buys[CUSTOMERS];
    int64_t payment_id, return_id;
};

static void fail(struct shop *s)
{
    if (s->rc) return;
    s->rc = call_fail(s->call, ERR_STORE_FAILED, "The demo datasource could not be written.");
    call_detail(s->call, "demo: %s", sqlite3_errmsg(s->db));
}

static void run(struct shop *s, const char *sql)
{
    if (!s->rc && sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK) fail(s);
}

static void into(struct shop *s, const char *sql)
{
    sqlite3_finalize(s->insert);
    s->insert = NULL;
    if (!s->rc && sqlite3_prepare_v2(s->db, sql, -1, &s->insert, NULL) != SQLITE_OK) fail(s);
}

enum { DAY_TEXT = 48 };

/* Civil date of a day counted from 2024-09-01, as ISO text. */
static void day_text(int day, char out[DAY_TEXT])
{
    int z = day + 19967 + 719468; /* days since 0000-03-01 */
    int era = z / 146097, doe = z - era * 146097;
    int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int mp = (5 * doy + 2) / 153;
    int d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9, y = yoe + era * 400 + (m <= 2);
    snprintf(out, DAY_TEXT, "%04d-%02d-%02d", y, m, d);
}

static int month_of(int day)
{
    char text[DAY_TEXT];
    day_text(day, text);
    return (text[5] - '0') * 10 + text[6] - '0';
}

#define NONE INT64_MIN
#define I(v) ((int64_t)(v))

/* One row. kinds: i integer, m money in cents, d day (each NULL for NONE), t text. */
static void row(struct shop *s, const char *kinds, ...)
{
    if (s->rc) return;
    va_list ap;
    va_start(ap, kinds);
    for (int i = 1; kinds[i - 1]; i++) {
        char text[DAY_TEXT];
        if (kinds[i - 1] == 't') {
            sqlite3_bind_text(s->insert, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
            continue;
        }
        int64_t v = va_arg(ap, int64_t);
        if (v == NONE) {
            sqlite3_bind_null(s->insert, i);
        } else if (kinds[i - 1] == 'm') {
            sqlite3_bind_double(s->insert, i, (double)v / 100.0);
        } else if (kinds[i - 1] == 'd') {
            day_text((int)v, text);
            sqlite3_bind_text(s->insert, i, text, -1, SQLITE_TRANSIENT);
        } else {
            sqlite3_bind_int64(s->insert, i, v);
        }
    }
    va_end(ap);
    if (sqlite3_step(s->insert) != SQLITE_DONE) fail(s);
    sqlite3_reset(s->insert);
}

static int shop_price(struct random *r, int least, int most)
{
    static const int endings[] = { 0, 50, 90, 95, 99 };
    return (least + pick_low(r, most - least, 3)) / 100 * 100 + endings[pick(r, 5)];
}

static void add_categories(struct shop *s)
{
    into(s, "INSERT INTO categories VALUES (?, ?, ?)");
    for (int i = 0; i < DEMO_DEPARTMENTS; i++) row(s, "iti", I(i + 1), demo_departments[i], NONE);
    for (int i = 0; i < DEMO_SHELVES; i++) {
        int parent = 0;
        while (strcmp(demo_departments[parent], demo_shelves[i].parent) != 0) parent++;
        row(s, "iti", I(DEMO_DEPARTMENTS + i + 1), demo_shelves[i].name, I(parent + 1));
    }
}

static void add_product(struct shop *s, int shelf_index, const char *line, const char *thing)
{
    struct random *r = &s->random;
    const struct shelf *shelf = &demo_shelves[shelf_index];
    struct product *p = &s->products[s->product_count++];
    p->shelf = shelf;
    p->cents = shop_price(r, shelf->least_cents, shelf->most_cents);
    p->cost_cents = p->cents * between(r, 42, 68) / 100;
    p->launched_day = chance(r, 70) ? -between(r, 30, 2200) : between(r, 1, DAYS - 60);
    p->discontinued = chance(r, 7);
    p->sold = !chance(r, 4);
    char sku[32], name[64];
    snprintf(sku, sizeof sku, "%c%c-%04d", shelf->parent[0], shelf->name[0], 1000 + s->product_count * 7);
    snprintf(name, sizeof name, "%s %s", line, thing);
    int grams = between(r, shelf->least_grams, shelf->most_grams);
    row(s, "ittimmidi", I(s->product_count), sku, name, I(DEMO_DEPARTMENTS + shelf_index + 1), I(p->cents),
        I(p->cost_cents), chance(r, 8) ? NONE : I(grams), I(p->launched_day), I(p->discontinued));
}

static void add_products(struct shop *s)
{
    into(s, "INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (int i = 0; i < DEMO_SHELVES; i++)
        for (int thing = 0; thing < 3; thing++)
            for (int line = 0; line < DEMO_LINES; line++)
                if ((line * 7 + thing * 5 + i * 3) % 9 <= 3)
                    add_product(s, i, demo_lines[line], demo_shelves[i].things[thing]);
}

static void add_suppliers(struct shop *s)
{
    struct random *r = &s->random;
    into(s, "INSERT INTO suppliers VALUES (?, ?, ?, ?, ?, ?)");
    for (int i = 0; i < SUPPLIERS; i++) {
        const struct place *place = &demo_places[(i * 11 + 3) % DEMO_PLACES];
        char name[64], email[64];
        snprintf(name, sizeof name, "%s %s", demo_supplier_names[i % 10], demo_supplier_forms[i / 10]);
        snprintf(email, sizeof email, "sales%d@supplier.example", i + 1);
        bool mail = !chance(r, 15), rated = !chance(r, 20);
        row(s, "itttti", I(i + 1), name, place->city, place->country, mail ? email : NULL,
            rated ? I(between(r, 1, 5)) : NONE);
    }
    into(s, "INSERT INTO product_suppliers VALUES (?, ?, ?, ?)");
    for (int i = 0; i < s->product_count; i++) {
        int count = between(r, 1, 3), first = pick(r, SUPPLIERS - 2); /* the last two deliver nothing */
        for (int k = 0; k < count; k++)
            row(s, "iimi", I(i + 1), I((first + k * 13) % (SUPPLIERS - 2) + 1),
                I(s->products[i].cost_cents * between(r, 88, 104) / 100), I(between(r, 2, 45)));
    }
}

static void add_employee(struct shop *s, int64_t id, const char *title, int64_t store, int64_t manager, int cents)
{
    struct random *r = &s->random;
    const char *first = PICK(r, demo_first_names), *last = PICK(r, demo_last_names);
    row(s, "itttiidm", id, first, last, title, store, manager, I(-between(r, 20, 3200)), I(cents));
}

static void add_staff(struct shop *s)
{
    static const char *const heads[] = { "Head of Retail", "Head of Purchasing", "Head of Finance",
                                         "Head of Logistics" };
    static const char *const office[] = { "Buyer", "Accountant", "Logistics Planner" };
    static const int cities[STORES] = { 0, 2, 5, 7, 9, 12, 14, 16, 18, 20, 22, 25 };
    struct random *r = &s->random;
    into(s, "INSERT INTO stores VALUES (?, ?, ?, ?, ?, ?)");
    for (int i = 0; i < STORES; i++) {
        const struct place *place = &demo_places[cities[i]];
        char name[64];
        snprintf(name, sizeof name, "%s %s", place->city, i % 3 ? "Centre" : "Station");
        row(s, "itttdi", I(i + 1), name, place->city, place->country, I(-between(r, 400, 4200)),
            I(between(r, 18, 95) * 10));
    }
    into(s, "INSERT INTO employees VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    int id = 1;
    add_employee(s, id++, "Managing Director", NONE, NONE, 18500000);
    for (int i = 0; i < 4; i++) add_employee(s, id++, heads[i], NONE, 1, between(r, 9200, 11800) * 1000);
    for (int i = 0; i < 9; i++) add_employee(s, id++, office[i % 3], NONE, 3 + i % 3, between(r, 4200, 6100) * 1000);
    for (int store = 0; store < STORES; store++) {
        int manager = id, count = between(r, 7, 13);
        add_employee(s, id++, "Store Manager", store + 1, 2, between(r, 4800, 6600) * 1000);
        s->staff_first[store] = id;
        s->staff_count[store] = count;
        for (int i = 0; i < count; i++)
            add_employee(s, id++, chance(r, 25) ? "Senior Sales Assistant" : "Sales Assistant", store + 1, manager,
                         between(r, 2700, 4100) * 1000);
    }
}

static void add_customers(struct shop *s)
{
    struct random *r = &s->random;
    into(s, "INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (int i = 0; i < CUSTOMERS; i++) {
        /* Half of them were there before the first day; the rest join evenly. */
        s->registered[i] = i < CUSTOMERS / 2 ? i - CUSTOMERS / 2 : (i - CUSTOMERS / 2) * (DAYS - 3) / (CUSTOMERS / 2);
        s->buys[i] = !chance(r, 6);
        const struct place *place = &demo_places[pick_low(r, DEMO_PLACES, 2)];
        const char *first = PICK(r, demo_first_names), *last = PICK(r, demo_last_names);
        char email[64], phone[32];
        snprintf(email, sizeof email, "customer%d@mail.example", i + 1);
        snprintf(phone, sizeof phone, "+00 %03d %04d", between(r, 100, 999), between(r, 1000, 9999));
        int kind = pick(r, 100);
        bool mail = !chance(r, 9), call = !chance(r, 32), born = !chance(r, 21);
        int64_t birth = -between(r, 18 * 365, 78 * 365);
        row(s, "itttttttddi", I(i + 1), first, last, mail ? email : NULL, call ? phone : NULL, place->city,
            place->country,
            kind < 78   ? "consumer"
            : kind < 95 ? "business"
                        : "wholesale",
            born ? birth : NONE, I(s->registered[i]), I(chance(r, 41)));
    }
}

static bool in_season(enum season season, int month)
{
    return (season == SUMMER && month >= 4 && month <= 8) || (season == SPRING && month >= 3 && month <= 6) ||
           (season == WINTER && (month >= 11 || month == 1));
}

/* A product on sale that day; earlier ones sell better, and each kind sells in its season. */
static int pick_product(struct shop *s, int day, int month)
{
    struct random *r = &s->random;
    for (;;) {
        int i = pick_low(r, s->product_count, 3) * 139 % s->product_count;
        const struct product *p = &s->products[i];
        if (!p->sold || p->launched_day > day || (p->discontinued && day > DAYS / 2)) continue;
        if (p->shelf->season == ALL_YEAR || in_season(p->shelf->season, month) || chance(r, 35)) return i;
    }
}

static int pick_customer(struct shop *s, int day)
{
    for (;;) {
        int i = pick_low(&s->random, CUSTOMERS, 2) * 1231 % CUSTOMERS;
        if (s->buys[i] && s->registered[i] <= day) return i;
    }
}

/* Everything about the orders of the shop lands in four tables, so their statements stay open together. */
struct sale {
    sqlite3_stmt *orders, *items, *payments, *returns;
};

static void add_payment(struct shop *s, int64_t order, const char *method, int64_t cents, int day)
{
    struct random *r = &s->random;
    char date[DAY_TEXT], at[DAY_TEXT + 32];
    day_text(day, date);
    snprintf(at, sizeof at, "%s %02d:%02d:%02d", date, between(r, 8, 21), pick(r, 60), pick(r, 60));
    row(s, "iitmt", ++s->payment_id, order, method, cents, at);
}

static void pay(struct shop *s, struct sale *sale, int64_t order, int64_t cents, int day, bool online)
{
    struct random *r = &s->random;
    int kind = pick(r, 100);
    const char *method = online      ? kind < 64   ? "card"
                                       : kind < 88 ? "bank transfer"
                                                   : "invoice"
                         : kind < 58 ? "card"
                         : kind < 93 ? "cash"
                                     : "invoice";
    s->insert = sale->payments;
    if (cents > 5000 && chance(r, 5)) {
        add_payment(s, order, "voucher", 2500, day);
        cents -= 2500;
    }
    add_payment(s, order, method, cents, day);
}

static void add_order(struct shop *s, struct sale *sale, int64_t order, int day)
{
    struct random *r = &s->random;
    int month = month_of(day), customer = pick_customer(s, day), store = pick_low(r, STORES, 3);
    bool online = chance(r, 63), cancelled = chance(r, 4);
    int delay = online ? between(r, 1, 6) : 0;
    bool waits = !cancelled && day + delay >= DAYS;
    const char *status = cancelled                           ? "cancelled"
                         : waits                             ? "processing"
                         : online && day + delay + 4 >= DAYS ? "shipped"
                                                             : "delivered";
    int64_t fee = !online ? 0 : chance(r, 30) ? 0 : chance(r, 80) ? 490 : 990, total = fee;
    int64_t seller = online ? NONE : s->staff_first[store] + pick(r, s->staff_count[store]);
    s->insert = sale->orders;
    row(s, "iiiittddm", order, I(customer + 1), online ? NONE : I(store + 1), seller, online ? "online" : "store",
        status, I(day), cancelled || waits ? NONE : I(day + delay), fee);
    int lines_count = 1 + pick_low(r, 8, 3);
    int64_t amounts[8];
    for (int line = 0; line < lines_count; line++) {
        const struct product *p = &s->products[pick_product(s, day, month)];
        int quantity = chance(r, 72) ? 1 : 1 + pick_low(r, 9, 3);
        int cents = day < 300 ? p->cents * 96 / 100 : p->cents; /* prices rose once */
        amounts[line] = I(cents) * quantity;
        total += amounts[line];
        s->insert = sale->items;
        row(s, "iiiimm", order, I(line + 1), I(p - s->products + 1), I(quantity), I(cents), amounts[line]);
    }
    if (cancelled) return;
    if (!waits || chance(r, 60)) pay(s, sale, order, total, day, online);
    if (waits || day + delay + 12 >= DAYS || !chance(r, 7)) return;
    int line = pick(r, lines_count);
    bool said = !chance(r, 15);
    const char *reason = PICK(r, demo_reasons);
    s->insert = sale->returns;
    row(s, "iiidtm", ++s->return_id, order, I(line + 1), I(day + delay + between(r, 3, 12)), said ? reason : NULL,
        amounts[line]);
}

static void add_orders(struct shop *s)
{
    static const int months[] = { 82, 78, 90, 98, 108, 106, 97, 90, 96, 101, 136, 168 };
    struct sale sale = { 0 };
    static const char *const inserts[] = { "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                           "INSERT INTO order_items VALUES (?, ?, ?, ?, ?, ?)",
                                           "INSERT INTO payments VALUES (?, ?, ?, ?, ?)",
                                           "INSERT INTO returns VALUES (?, ?, ?, ?, ?, ?)" };
    sqlite3_stmt **const open[] = { &sale.orders, &sale.items, &sale.payments, &sale.returns };
    sqlite3_finalize(s->insert);
    for (int i = 0; i < 4; i++) {
        s->insert = NULL;
        into(s, inserts[i]);
        *open[i] = s->insert;
    }
    int64_t order = 0;
    for (int day = 0; day < DAYS && !s->rc; day++) {
        int weekday = day % 7; /* the first day is a Sunday */
        int share = 1500 * months[month_of(day) - 1] / 100 * (100 + day * 12 / DAYS) / 100;
        if (weekday == 6) share = share * 13 / 10;
        if (weekday == 0) share = share * 8 / 10;
        int count = share / 100 + between(&s->random, -3, 3);
        for (int i = 0; i < count; i++) add_order(s, &sale, ++order, day);
    }
    for (int i = 0; i < 4; i++) sqlite3_finalize(*open[i]);
    s->insert = NULL;
}

static void add_reviews(struct shop *s)
{
    struct random *r = &s->random;
    into(s, "INSERT INTO reviews VALUES (?, ?, ?, ?, ?, ?)");
    for (int i = 0, id = 0; i < DAYS; i++) {
        for (int k = between(r, 1, 7); k > 0; k--) {
            int product = pick_product(s, i, month_of(i)), customer = pick_customer(s, i);
            int rating = 5 - pick_low(r, 5, 3);
            const char *comment = demo_comments[rating - 1][pick(r, 4)];
            row(s, "iiiitd", I(++id), I(product + 1), I(customer + 1), I(rating), chance(r, 38) ? NULL : comment, I(i));
        }
    }
}

int demo_generate(struct call *c, const char *path, const char *mark)
{
    struct shop *s = call_alloc(c, sizeof *s);
    s->call = c;
    s->random.state = 20240901;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        fail(s);
    run(s, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    run(s, demo_schema_sql);
    void (*const parts[])(struct shop *) = { add_categories, add_products, add_suppliers, add_staff,
                                             add_customers,  add_orders,   add_reviews };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) parts[i](s);
    sqlite3_finalize(s->insert);
    s->insert = NULL;
    run(s, demo_index_sql);
    run(s, mark);
    run(s, "COMMIT");
    sqlite3_close(s->db);
    return s->rc;
}
