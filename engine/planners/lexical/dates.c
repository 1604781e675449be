/* Time expressions: in 2025, last month, between May and July 2025, since 2025-03-01, the last 30 days, Q2 2025. Each
 * becomes a half-open range of ISO dates that any date column may be held to. */
#include "planners/lexical/link.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct day {
    int year, month, day; /* month 1..12 */
};

struct period {
    struct day from, to; /* [from, to) */
    size_t end;          /* word after it */
    bool year_open;      /* a month without a year */
};

static struct day add_months(struct day d, int months)
{
    int n = d.year * 12 + d.month - 1 + months;
    d.year = n / 12;
    d.month = n % 12 + 1;
    if (d.day > clock_days_in(d.year, d.month)) d.day = clock_days_in(d.year, d.month);
    return d;
}

static struct day add_days(struct day d, int days)
{
    for (; days > 0; days--)
        if (++d.day > clock_days_in(d.year, d.month)) {
            d.day = 1;
            d = add_months(d, 1);
        }
    for (; days < 0; days++)
        if (--d.day < 1) {
            d.day = 1;
            d = add_months(d, -1);
            d.day = clock_days_in(d.year, d.month);
        }
    return d;
}

static struct day day_of(int64_t now_us)
{
    int64_t z = now_us / 86400000000 + 719468; /* civil from days, proleptic Gregorian */
    int64_t era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    struct day d = { (int)(yoe + era * 400), (int)(mp < 10 ? mp + 3 : mp - 9), (int)(doy - (153 * mp + 2) / 5 + 1) };
    if (d.month <= 2) d.year++;
    return d;
}

static int weekday(struct day d) /* 0 = Monday */
{
    static const int t[] = { 0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4 };
    int y = d.year - (d.month < 3);
    return (y + y / 4 - y / 100 + y / 400 + t[d.month - 1] + d.day + 6) % 7;
}

static const char *iso(struct call *c, struct day d)
{
    return call_format(c, "%04d-%02d-%02d", d.year, d.month, d.day);
}

static bool is(const struct words *q, size_t p, const char *word)
{
    return p < q->count && strcmp(q->items[p].fold, word) == 0;
}

static int month_of(const struct words *q, size_t p)
{
    static const char *const names[] = { "january", "february", "march",     "april",   "may",      "june",
                                         "july",    "august",   "september", "october", "november", "december" };
    if (p >= q->count) return 0;
    const struct word *x = &q->items[p];
    bool capital = x->flags & WORD_CAPITAL;
    for (int i = 0; i < 12; i++) {
        if (strcmp(x->fold, names[i]) == 0) return i == 4 || i == 2 ? (capital ? i + 1 : 0) : i + 1;
        if (capital && strlen(x->fold) == 3 && strncmp(x->fold, names[i], 3) == 0) return i + 1;
    }
    return strcmp(x->fold, "sept") == 0 ? 9 : 0;
}

static int number_at(const struct words *q, size_t p, int low, int high)
{
    if (p >= q->count) return -1;
    const struct word *x = &q->items[p];
    char *end;
    const char *digits = x->number ? x->number : x->fold;
    long n = strtol(digits, &end, 10);
    bool ordinal = !strcmp(end, "st") || !strcmp(end, "nd") || !strcmp(end, "rd") || !strcmp(end, "th");
    if (end == digits || (*end && !ordinal)) return -1;
    return n >= low && n <= high ? (int)n : -1;
}

static int year_at(const struct words *q, size_t p)
{
    if (p < q->count && strlen(q->items[p].fold) != 4) return -1;
    return number_at(q, p, 1800, 2100);
}

static size_t skip_small(const struct words *q, size_t p)
{
    while (is(q, p, ",") || is(q, p, "of") || is(q, p, "the") || is(q, p, "year")) p++;
    return p;
}

static bool read_month(const struct words *q, size_t p, struct period *out)
{
    size_t at = p;
    int day = number_at(q, at, 1, 31), month;
    if (day > 0 && !q->items[at].number && month_of(q, skip_small(q, at + 1)))
        at = skip_small(q, at + 1);
    else if (day > 0 && month_of(q, at + 1))
        at++;
    else
        day = -1;
    if (!(month = month_of(q, at))) return false;
    at++;
    if (day < 0 && (day = number_at(q, at, 1, 31)) > 0 && strlen(q->items[at].fold) <= 4) at++;
    size_t after = skip_small(q, at);
    int year = year_at(q, after);
    out->year_open = year < 0;
    if (year > 0) at = after + 1;
    struct day from = { year, month, day > 0 ? day : 1 };
    out->from = from;
    if (day > 0 && (year < 0 || day <= clock_days_in(year, month)))
        out->to = year < 0 ? from : add_days(from, 1);
    else
        out->to = year < 0 ? from : add_months(from, 1);
    if (day > 0 && year < 0) return false; /* a day without a year says too little */
    out->end = at;
    return true;
}

static bool read_quarter(const struct words *q, size_t p, struct period *out)
{
    static const char *const names[][2] = {
        { "q1", "first" }, { "q2", "second" }, { "q3", "third" }, { "q4", "fourth" }
    };
    int quarter = -1;
    size_t at = p;
    for (int i = 0; i < 4; i++) {
        if (is(q, p, names[i][0])) quarter = i, at = p + 1;
        if (is(q, p, names[i][1]) && is(q, p + 1, "quarter")) quarter = i, at = p + 2;
    }
    if (quarter < 0 && is(q, p, "q") && number_at(q, p + 1, 1, 4) > 0)
        quarter = number_at(q, p + 1, 1, 4) - 1, at = p + 2;
    if (quarter < 0) return false;
    int year = year_at(q, skip_small(q, at));
    if (year < 0) return false;
    out->from = (struct day){ year, quarter * 3 + 1, 1 };
    out->to = add_months(out->from, 3);
    out->end = skip_small(q, at) + 1;
    return true;
}

static bool read_iso(const struct words *q, size_t p, struct period *out)
{
    if (p >= q->count || !(q->items[p].flags & WORD_DATE)) return false;
    const char *s = q->items[p].fold;
    struct day d = { (int)strtol(s, NULL, 10), (int)strtol(s + 5, NULL, 10), (int)strtol(s + 8, NULL, 10) };
    if (d.month < 1 || d.month > 12 || d.day < 1 || d.day > clock_days_in(d.year, d.month)) return false;
    out->from = d;
    out->to = add_days(d, 1);
    out->end = p + 1;
    return true;
}

static struct day unit_start(struct day d, const char *unit)
{
    if (strncmp(unit, "week", 4) == 0) return add_days(d, -weekday(d));
    if (strncmp(unit, "day", 3) == 0) return d;
    d.day = 1;
    if (strncmp(unit, "quarter", 7) == 0) d.month = (d.month - 1) / 3 * 3 + 1;
    if (strncmp(unit, "year", 4) == 0) d.month = 1;
    return d;
}

static struct day unit_add(struct day d, const char *unit, int n)
{
    if (strncmp(unit, "week", 4) == 0) return add_days(d, 7 * n);
    if (strncmp(unit, "day", 3) == 0) return add_days(d, n);
    return add_months(d, n * (strncmp(unit, "year", 4) == 0 ? 12 : strncmp(unit, "quarter", 7) == 0 ? 3 : 1));
}

static const char *unit_word(const struct words *q, size_t p)
{
    static const char *const units[] = { "day",    "days",    "week",     "weeks", "month",
                                         "months", "quarter", "quarters", "year",  "years" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is(q, p, units[i])) return units[i];
    return NULL;
}

static bool read_relative(const struct words *q, size_t p, struct day today, struct period *out)
{
    const char *unit;
    if (is(q, p, "today") || is(q, p, "yesterday")) {
        out->from = is(q, p, "today") ? today : add_days(today, -1);
        out->to = add_days(out->from, 1);
        out->end = p + 1;
        return true;
    }
    bool last = is(q, p, "last") || is(q, p, "past") || is(q, p, "previous"),
         current = is(q, p, "this") || is(q, p, "current");
    if (!last && !current) return false;
    int n = number_at(q, p + 1, 1, 1000);
    if (n > 0 && last && (unit = unit_word(q, p + 2))) { /* the last 30 days: up to today */
        out->to = add_days(today, 1);
        out->from = unit_add(out->to, unit, -n);
        out->end = p + 3;
        return true;
    }
    if (!(unit = unit_word(q, p + 1)) || unit[strlen(unit) - 1] == 's') return false;
    out->from = unit_start(today, unit);
    if (last) out->from = unit_add(out->from, unit, -1);
    out->to = unit_add(out->from, unit, 1);
    out->end = p + 2;
    return true;
}

static bool read_year(const struct words *q, size_t p, struct period *out)
{
    int year = year_at(q, p);
    if (year < 0) return false;
    out->from = (struct day){ year, 1, 1 };
    out->to = (struct day){ year + 1, 1, 1 };
    out->end = p + 1;
    return true;
}

static bool read_period(const struct words *q, size_t p, struct day today, struct period *out)
{
    *out = (struct period){ 0 };
    return read_iso(q, p, out) || read_month(q, p, out) || read_quarter(q, p, out) || read_relative(q, p, today, out) ||
           read_year(q, p, out);
}

static void settle_year(struct period *a, int year)
{
    if (!a->year_open) return;
    a->from.year = year;
    a->to = add_months((struct day){ year, a->from.month, 1 }, 1);
    a->year_open = false;
}

/* "from" opens a range when it starts something or goes on: starting from May, from 2025 on. Orders from 2025 are of
 * it. */
static bool goes_on(const struct words *q, size_t from, size_t end)
{
    static const char *const behind[] = { "on", "onward", "onwards", "forward", "forwards" };
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        if (is(q, end, behind[i])) return true;
    return from > 0 && (is(q, from - 1, "starting") || is(q, from - 1, "beginning"));
}

/* The word that turns a period, which ends before word `end`, into an open range: since, after, before, until. 0 =
 * none.
 */
static char direction_before(const struct words *q, size_t p, size_t end)
{
    static const struct {
        const char *word;
        char way;
    } cues[] = { { "since", 's' }, { "after", 'a' },   { "before", 'b' }, { "until", 'u' }, { "till", 'u' },
                 { "from", 's' },  { "through", 'u' }, { "prior", 'b' },  { "later", 'a' }, { "earlier", 'b' } };
    for (size_t back = 1; back <= 3 && back <= p; back++) {
        const char *w = q->items[p - back].fold;
        for (size_t i = 0; i < sizeof cues / sizeof *cues; i++)
            if (strcmp(w, cues[i].word) == 0)
                return strcmp(w, "from") != 0 || goes_on(q, p - back, end) ? cues[i].way : 0;
        if (strcmp(w, "the") && strcmp(w, "year") && strcmp(w, "than") && strcmp(w, "to") && strcmp(w, "of")) break;
    }
    return 0;
}

static void push(struct linked *l, size_t first, size_t end, const struct day *from, const struct day *to)
{
    if (l->span_count == SPANS_MAX) return;
    struct span *s = &l->spans[l->span_count++];
    const struct words *q = &l->words;
    *s = (struct span){ .kind = SPAN_TIME, .first = first, .end = end };
    s->text = call_strndup(l->call, q->text + q->items[first].begin, q->items[end - 1].end - q->items[first].begin);
    if (from) s->range.from = iso(l->call, *from);
    if (to) s->range.to = iso(l->call, *to);
    for (size_t i = 0; i < l->real_columns && s->column_count < SPAN_COLUMNS_MAX; i++)
        if (l->columns[i].class == CLASS_DATE)
            s->columns[s->column_count++] = (struct span_column){ .column = i, .value = s->text };
}

size_t time_spans(struct linked *l, int64_t now_us)
{
    const struct words *q = &l->words;
    struct day today = day_of(now_us);
    for (size_t p = 0; p < q->count; p++) {
        struct period a, b;
        if (!read_period(q, p, today, &a)) continue;
        size_t first = p;
        bool joined = is(q, a.end, "and") || is(q, a.end, "to") || is(q, a.end, "until") || is(q, a.end, "through") ||
                      is(q, a.end, "till");
        bool opened = p > 0 && (is(q, p - 1, "between") || is(q, p - 1, "from"));
        if (joined && opened && read_period(q, a.end + 1, today, &b)) {
            settle_year(&b, today.year);
            settle_year(&a, b.from.year);
            push(l, first, b.end, &a.from, &b.to);
            p = b.end - 1;
            continue;
        }
        settle_year(&a, a.from.month > today.month ? today.year - 1 : today.year);
        char way = direction_before(q, p, a.end);
        push(l, first, a.end,
             way == 'b' || way == 'u' ? NULL
             : way == 'a'             ? &a.to
                                      : &a.from,
             way == 's' || way == 'a' ? NULL
             : way == 'b'             ? &a.from
                                      : &a.to);
        p = a.end - 1;
    }
    return l->span_count;
}
