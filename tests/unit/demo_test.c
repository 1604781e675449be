/* demo: the shop has the shape and size that others build on, is the same everywhere, and never overwrites a stranger.
 */
#include "base/hash.h"
#include "store/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/querent-demo-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char path[64];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%d.sqlite", folder, i);
        unlink(path);
    }
    return rmdir(folder); /* fails when anything else was left behind */
}

static char *read_file(struct call *c, const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t room = (size_t)32 << 20;
    char *bytes = call_alloc(c, room);
    *n = fread(bytes, 1, room, f);
    fclose(f);
    return bytes;
}

static int64_t number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return v;
}

/* Each query counts what must not be, or yields what must be at least `least`. */
static const struct {
    const char *sql;
    int64_t least, most;
} facts[] = {
    { "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", 12, 12 },
    { "SELECT (SELECT count(*) FROM categories) + (SELECT count(*) FROM suppliers) + (SELECT count(*) FROM products) +"
      " (SELECT count(*) FROM product_suppliers) + (SELECT count(*) FROM stores) + (SELECT count(*) FROM employees) +"
      " (SELECT count(*) FROM customers) + (SELECT count(*) FROM orders) + (SELECT count(*) FROM order_items) +"
      " (SELECT count(*) FROM payments) + (SELECT count(*) FROM returns) + (SELECT count(*) FROM reviews)",
      60000, 65000 },
    { "SELECT count(*) FROM pragma_foreign_key_check", 0, 0 },
    { "SELECT count(DISTINCT order_date) FROM orders WHERE order_date BETWEEN '2024-09-01' AND '2026-08-31'", 725,
      730 },
    { "SELECT count(*) FROM orders WHERE order_date NOT BETWEEN '2024-09-01' AND '2026-08-31'", 0, 0 },
    { "SELECT count(*) FROM orders o JOIN customers c USING (customer_id) WHERE c.registered_on > o.order_date", 0, 0 },
    { "SELECT count(*) FROM order_items i JOIN orders USING (order_id) JOIN products p USING (product_id)"
      " WHERE p.launched_on > order_date",
      0, 0 },
    { "SELECT count(*) FROM order_items WHERE round(quantity * unit_price, 2) <> amount", 0, 0 },
    { "SELECT count(*) FROM (SELECT order_id, round(sum(amount), 2) AS paid FROM payments GROUP BY 1) JOIN"
      " (SELECT order_id, round(sum(amount) + shipping_fee, 2) AS due FROM order_items JOIN orders USING (order_id)"
      " GROUP BY 1) USING (order_id) WHERE paid <> due",
      0, 0 },
    { "SELECT count(*) FROM employees WHERE manager_id IS NULL", 1, 1 },
    { "SELECT count(*) FROM categories WHERE parent_category_id IS NOT NULL", 15, 20 },
    { "SELECT count(*) FROM customers WHERE phone IS NULL", 800, 1200 },
    { "SELECT count(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)", 100, 1000 },
    { "SELECT count(*) FROM suppliers WHERE supplier_id NOT IN (SELECT supplier_id FROM product_suppliers)", 2, 2 },
    { "SELECT count(*) - count(DISTINCT first_name || last_name) FROM customers", 100, 3000 },
    { "SELECT count(*) FROM customers WHERE city = 'Kraków'", 1, 3000 },
    { "SELECT count(*) FROM products WHERE typeof(price) = 'text' OR price <> round(price, 2)", 0, 0 },
};

static void shape(void **state)
{
    (void)state;
    struct call c;
    char path[64];
    sqlite3 *db;
    call_begin(&c);
    snprintf(path, sizeof path, "%s/0.sqlite", folder);
    assert_int_equal(demo_create(&c, path), OK);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        int64_t v = number(db, facts[i].sql);
        if (v < facts[i].least || v > facts[i].most) fail_msg("%s is %lld", facts[i].sql, (long long)v);
    }
    sqlite3_close(db);
    call_end(&c);
}

static void same_everywhere(void **state)
{
    (void)state;
    struct call c;
    char paths[2][64];
    const char *hashes[2];
    call_begin(&c);
    for (int i = 0; i < 2; i++) {
        size_t n;
        snprintf(paths[i], sizeof paths[i], "%s/%d.sqlite", folder, i);
        assert_int_equal(demo_create(&c, paths[i]), OK);
        char *bytes = read_file(&c, paths[i], &n);
        hashes[i] = hash_hex(&c, bytes, n);
    }
    assert_string_equal(hashes[0], hashes[1]);
    call_end(&c);
}

static void stranger(void **state)
{
    (void)state;
    struct call c;
    char path[64];
    size_t n;
    call_begin(&c);
    snprintf(path, sizeof path, "%s/2.sqlite", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("somebody's notes", f);
    fclose(f);
    assert_int_equal(demo_create(&c, path), ERR_CONFLICT);
    assert_string_equal(read_file(&c, path, &n), "somebody's notes");
    call_forgive(&c);
    assert_int_equal(demo_create(&c, "/nonexistent/folder/demo.sqlite"), ERR_STORE_FAILED);
    call_end(&c);
}

static void empty_file(void **state)
{
    (void)state;
    struct call c;
    char path[64];
    size_t n;
    call_begin(&c);
    snprintf(path, sizeof path, "%s/3.sqlite", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(demo_create(&c, path), OK);
    read_file(&c, path, &n);
    assert_true(n > 100000);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shape), cmocka_unit_test(same_everywhere),
                                        cmocka_unit_test(stranger), cmocka_unit_test(empty_file) };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
