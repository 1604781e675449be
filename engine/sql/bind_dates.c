#include "sql/bind.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct expr *plan_text(struct binder *b, const char *s)
{
    return expr_text(b->call, s);
}

struct expr *plan_call1(struct binder *b, const char *name, struct expr *a)
{
    return a ? call_plan(b, name, 1, &a) : NULL;
}
struct expr *plan_call2(struct binder *b, const char *name, struct expr *a, struct expr *z)
{
    struct expr *args[] = { a, z };
    return a && z ? call_plan(b, name, 2, args) : NULL;
}

struct expr *plan_date_part(struct binder *b, enum unit unit, struct expr *date)
{
    return plan_call2(b, "date_part", plan_text(b, unit_names[unit]), date);
}

struct expr *plan_date_add(struct binder *b, enum unit unit, struct expr *count, struct expr *date)
{
    struct expr *args[] = { plan_text(b, unit_names[unit]), count, date };
    if (!count || !date) return NULL;
    struct expr *e = call_plan(b, "date_add", 3, args);
    if (e && date->type.kind == TYPE_DATE && unit > UNIT_DAY) e->type.kind = TYPE_TIMESTAMP;
    return e;
}

static struct expr *date_diff(struct binder *b, enum unit unit, struct expr *later, struct expr *earlier)
{
    struct expr *args[] = { plan_text(b, unit_names[unit]), later, earlier };
    return later && earlier ? call_plan(b, "date_diff", 3, args) : NULL;
}

struct expr *plan_today(struct binder *b)
{
    return call_plan(b, "current_date", 0, NULL);
}
struct expr *plan_now(struct binder *b)
{
    return call_plan(b, "now", 0, NULL);
}

static struct expr *plus(struct binder *b, struct expr *e, int64_t n)
{
    return e ? with_type(bind_keep(b, expr_binary(b->call, OP_ADD, e, expr_integer(b->call, n))), TYPE_INTEGER) : NULL;
}

/* Monday = 0, from Sunday = 0. */
static struct expr *from_monday(struct binder *b, struct expr *date)
{
    struct expr *moved = plus(b, plan_call1(b, "weekday", date), 6);
    return moved ? with_type(bind_keep(b, expr_binary(b->call, OP_MOD, moved, expr_integer(b->call, 7))), TYPE_INTEGER)
                 : NULL;
}

/* A part of a date by the word an engine has for it. NULL with *known false: no such word. */
static struct expr *part_of(struct binder *b, const char *word, struct expr *date, bool *known)
{
    enum unit unit;
    *known = true;
    if (strcasecmp(word, "dow") == 0 || strcasecmp(word, "dayofweek") == 0 || strcasecmp(word, "weekday") == 0)
        return plan_call1(b, "weekday", date);
    if (strcasecmp(word, "isodow") == 0) return plus(b, from_monday(b, date), 1);
    if (strcasecmp(word, "doy") == 0 || strcasecmp(word, "dayofyear") == 0) return plan_call1(b, "yearday", date);
    if (strcasecmp(word, "epoch") == 0) {
        bool stamped = b->tongue == TONGUE_POSTGRES && date->kind == EXPR_CAST && date->cast.to.kind == TYPE_TIMESTAMP;
        return plan_call1(b, "epoch", stamped ? date->cast.arg : date);
    }
    if (strcasecmp(word, "julian") == 0 && b->tongue == TONGUE_DUCKDB) return plan_call1(b, "julian_day", date);
    if (unit_find(word, &unit)) return plan_date_part(b, unit, date);
    *known = false;
    return NULL;
}

const char *node_text(const struct node *n, bool double_quotes)
{
    if (n->kind == NODE_TEXT) return n->text;
    bool quoted = double_quotes && n->kind == NODE_NAME && n->name.count == 1 && n->name.items[0].quote == '"';
    return quoted ? n->name.items[0].text : NULL;
}

struct expr *plan_format_date(struct binder *b, const char *format, struct expr *date)
{
    return plan_call2(b, "date_format", date, plan_text(b, format));
}

/* ---- arguments of the engines ---- */

static struct expr *arg(struct binder *b, struct scope *s, const struct syntax_call *from, size_t i)
{
    return bind_expr(b, s, from->args.items[i]);
}

/* The word of a unit: bare as in DATEADD(month, …), or a text as in date_trunc('month', …). */
static const char *unit_word(const struct node *n)
{
    if (n->kind == NODE_TEXT) return n->text;
    return n->kind == NODE_NAME && n->name.count == 1 ? n->name.items[0].text : NULL;
}

static bool unit_arg(struct binder *b, const struct node *n, enum unit *out)
{
    const char *word = unit_word(n);
    if (word && unit_find(word, out)) return true;
    fail_unsupported(b, n->at, "the unit '%.40s'", word ? word : "given by an expression");
    return false;
}

static struct expr *moved(struct binder *b, struct scope *s, const struct syntax_call *from, bool minus)
{
    const struct node *by = from->args.items[1];
    struct expr *date = arg(b, s, from, 0);
    if (!date) return NULL;
    if (by->kind == NODE_INTERVAL) return add_interval(b, date, by, s, minus);
    struct expr *days = bind_expr(b, s, by); /* ADDDATE(x, 3) */
    if (days && minus) days = bind_keep(b, expr_minus(b->call, days));
    return plan_date_add(b, UNIT_DAY, days, date);
}

/* MySQL's and PostgreSQL's date formats in the plan's. NULL when one of the signs has no counterpart. */
static const char *plan_format(struct binder *b, const char *format)
{
    static const struct {
        const char *from, *to;
    } mysql[] = { { "%Y", "%Y" }, { "%m", "%m" }, { "%d", "%d" }, { "%H", "%H" },       { "%i", "%M" }, { "%s", "%S" },
                  { "%S", "%S" }, { "%j", "%j" }, { "%w", "%w" }, { "%T", "%H:%M:%S" }, { NULL, NULL } },
      postgres[] = { { "YYYY", "%Y" }, { "yyyy", "%Y" }, { "MM", "%m" }, { "mm", "%m" },   { "DDD", "%j" },
                     { "ddd", "%j" },  { "DD", "%d" },   { "dd", "%d" }, { "HH24", "%H" }, { "hh24", "%H" },
                     { "MI", "%M" },   { "mi", "%M" },   { "SS", "%S" }, { "ss", "%S" },   { NULL, NULL } };
    struct buf out;
    buf_init(&out, b->call, 200);
    bool my = b->tongue == TONGUE_MYSQL;
    for (const char *p = format; *p;) {
        const char *to = NULL;
        size_t n = 0;
        for (size_t i = 0; !to && (my ? mysql[i].from : postgres[i].from); i++) {
            const char *from = my ? mysql[i].from : postgres[i].from;
            n = strlen(from);
            if (strncmp(p, from, n) == 0) to = my ? mysql[i].to : postgres[i].to;
        }
        if (to) {
            buf_str(&out, to);
            p += n;
        } else if ((*p >= '0' && *p <= '9') || strchr(" -/:.,_", *p) || (my && *p != '%' && (unsigned char)*p < 0x80)) {
            buf_char(&out, *p++);
        } else {
            return NULL;
        }
    }
    return out.failed ? NULL : out.data;
}

static struct expr *format_date(struct binder *b, struct scope *s, const struct node *n)
{
    const struct node *format = n->call->args.items[1];
    const char *written = node_text(format, false), *plan = written ? plan_format(b, written) : NULL;
    if (!plan) {
        fail_unsupported(b, format->at, "the date format '%.40s'", written ? written : "given by an expression");
        return NULL;
    }
    return plan_format_date(b, plan, arg(b, s, n->call, 0));
}

/* The last day of the month: a month on from its first day, and one day back. */
static struct expr *last_day(struct binder *b, struct expr *date)
{
    struct expr *day = plan_call1(b, "date", date);
    struct expr *first = plan_call2(b, "date_trunc", plan_text(b, "month"), day);
    struct expr *next = plan_date_add(b, UNIT_MONTH, expr_integer(b->call, 1), first);
    return plan_date_add(b, UNIT_DAY, expr_number(b->call, "-1"), next);
}

static bool is(const char *name, const char *word)
{
    return strcasecmp(name, word) == 0;
}

static struct expr *mysql_date(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one)
{
    const struct syntax_call *from = n->call;
    size_t count = from->args.count;
    enum unit unit;
    *is_one = true;
    if (count == 0 && (is(name, "now") || is(name, "sysdate") || is(name, "utc_timestamp"))) return plan_now(b);
    if (count == 0 && (is(name, "curdate") || is(name, "utc_date"))) return plan_today(b);
    if (count == 2 && (is(name, "date_add") || is(name, "adddate"))) return moved(b, s, from, false);
    if (count == 2 && (is(name, "date_sub") || is(name, "subdate"))) return moved(b, s, from, true);
    if (count == 2 && is(name, "datediff")) {
        struct expr *later = arg(b, s, from, 0);
        return later ? date_diff(b, UNIT_DAY, later, arg(b, s, from, 1)) : NULL;
    }
    if (count == 2 && is(name, "date_format")) return format_date(b, s, n);
    if (count == 3 && is(name, "timestampadd")) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        struct expr *number = arg(b, s, from, 1);
        return number ? plan_date_add(b, unit, number, arg(b, s, from, 2)) : NULL;
    }
    if (count == 3 && is(name, "timestampdiff")) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        struct expr *earlier = arg(b, s, from, 1), *later = earlier ? arg(b, s, from, 2) : NULL;
        if (!later) return NULL;
        /* It counts whole units that have passed; the plan counts boundaries. They agree for these. */
        bool days = unit == UNIT_DAY && later->type.kind == TYPE_DATE && earlier->type.kind == TYPE_DATE;
        if (unit == UNIT_SECOND || days) return date_diff(b, unit, later, earlier);
        fail_unsupported(b, n->at, "TIMESTAMPDIFF by %s", unit_names[unit]);
        return NULL;
    }
    if (count == 1) {
        struct expr *e = NULL;
        bool known = is(name, "date") || is(name, "dayofweek") || is(name, "weekday") || is(name, "dayofyear") ||
                     is(name, "weekofyear") || is(name, "dayofmonth") || is(name, "unix_timestamp") ||
                     is(name, "last_day");
        if (known && !(e = arg(b, s, from, 0))) return NULL;
        if (is(name, "date")) return plan_call1(b, "date", e);
        if (is(name, "dayofweek")) return plus(b, plan_call1(b, "weekday", e), 1);
        if (is(name, "weekday")) return from_monday(b, e);
        if (is(name, "dayofyear")) return plan_call1(b, "yearday", e);
        if (is(name, "weekofyear")) return plan_date_part(b, UNIT_WEEK, e);
        if (is(name, "dayofmonth")) return plan_date_part(b, UNIT_DAY, e);
        if (is(name, "unix_timestamp")) return plan_call1(b, "epoch", e);
        if (is(name, "last_day")) return last_day(b, e);
    }
    *is_one = false;
    return NULL;
}

static struct expr *mssql_date(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one)
{
    const struct syntax_call *from = n->call;
    size_t count = from->args.count;
    enum unit unit;
    bool known;
    *is_one = true;
    if (count == 0 &&
        (is(name, "getdate") || is(name, "sysdatetime") || is(name, "getutcdate") || is(name, "sysutcdatetime")))
        return plan_now(b);
    if (count == 3 && is(name, "dateadd")) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        struct expr *number = arg(b, s, from, 1);
        return number ? plan_date_add(b, unit, number, arg(b, s, from, 2)) : NULL;
    }
    if (count == 3 && (is(name, "datediff") || is(name, "datediff_big"))) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        if (unit == UNIT_WEEK) { /* its weeks begin on Sunday */
            fail_unsupported(b, n->at, "DATEDIFF by week");
            return NULL;
        }
        struct expr *earlier = arg(b, s, from, 1);
        return earlier ? date_diff(b, unit, arg(b, s, from, 2), earlier) : NULL;
    }
    if (count == 2 && is(name, "datepart")) {
        const char *word = unit_word(from->args.items[0]);
        struct expr *date = arg(b, s, from, 1);
        if (!date) return NULL;
        if (word && (is(word, "dw") || is(word, "weekday"))) return plus(b, plan_call1(b, "weekday", date), 1);
        if (word && (is(word, "dy") || is(word, "dayofyear") || is(word, "y"))) return plan_call1(b, "yearday", date);
        if (word && (is(word, "iso_week") || is(word, "isowk"))) return plan_date_part(b, UNIT_WEEK, date);
        bool week = word && (is(word, "week") || is(word, "wk") || is(word, "ww"));
        struct expr *e = word && !week ? part_of(b, word, date, &known) : (known = false, NULL);
        if (!known) fail_unsupported(b, n->at, "the part '%.40s' of a date", word ? word : "");
        return e;
    }
    if (count == 2 && is(name, "datetrunc")) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        return plan_call2(b, "date_trunc", plan_text(b, unit_names[unit]), arg(b, s, from, 1));
    }
    if (count == 1 && is(name, "eomonth")) {
        struct expr *date = arg(b, s, from, 0);
        return date ? last_day(b, date) : NULL;
    }
    *is_one = false;
    return NULL;
}

static struct expr *postgres_date(struct binder *b, struct scope *s, const struct node *n, const char *name,
                                  bool *is_one)
{
    const struct syntax_call *from = n->call;
    size_t count = from->args.count;
    bool duck = b->tongue == TONGUE_DUCKDB;
    enum unit unit;
    *is_one = true;
    if (count == 0 && (is(name, "now") || is(name, "transaction_timestamp") || is(name, "statement_timestamp") ||
                       is(name, "clock_timestamp") || (duck && is(name, "get_current_timestamp"))))
        return plan_now(b);
    if (count == 0 && duck && is(name, "today")) return plan_today(b);
    bool utc = count == 2 && !duck && is(name, "timezone") && from->args.items[0]->kind == NODE_TEXT &&
               is(from->args.items[0]->text, "UTC") && from->args.items[1]->kind == NODE_CALL &&
               is(from->args.items[1]->call->name.items[0].text, "now");
    if (utc) return plan_now(b);
    if (count == 2 && !duck && is(name, "decode") && from->args.items[0]->kind == NODE_TEXT &&
        from->args.items[1]->kind == NODE_TEXT && is(from->args.items[1]->text, "hex"))
        return bind_keep(b, expr_literal(b->call, TYPE_BINARY, from->args.items[0]->text));
    if (count == 2 && (is(name, "date_trunc") || (duck && is(name, "datetrunc")))) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        return plan_call2(b, "date_trunc", plan_text(b, unit_names[unit]), arg(b, s, from, 1));
    }
    if (count == 2 && (is(name, "date_part") || (duck && is(name, "datepart")))) {
        const char *word = node_text(from->args.items[0], false);
        bool known = false;
        struct expr *date = arg(b, s, from, 1), *e = NULL;
        if (!date) return NULL;
        if (word) e = part_of(b, word, date, &known);
        if (!known) fail_unsupported(b, n->at, "the part '%.40s' of a date", word ? word : "");
        return e;
    }
    if (count == 2 && !duck && is(name, "to_char")) return format_date(b, s, n);
    if (count == 2 && duck && is(name, "strftime")) {
        /* The format may stand on either side. */
        size_t at = node_text(from->args.items[1], false) ? 1 : 0;
        const char *format = node_text(from->args.items[at], false);
        if (!format) fail_unsupported(b, n->at, "a computed date format");
        return format ? plan_format_date(b, format, arg(b, s, from, 1 - at)) : NULL;
    }
    if (count == 3 && duck && (is(name, "date_diff") || is(name, "datediff"))) {
        if (!unit_arg(b, from->args.items[0], &unit)) return NULL;
        struct expr *earlier = arg(b, s, from, 1);
        return earlier ? date_diff(b, unit, arg(b, s, from, 2), earlier) : NULL;
    }
    if (count == 2 && duck && is(name, "date_add")) return moved(b, s, from, false);
    if (count == 1 && is(name, "date")) {
        struct expr *e = arg(b, s, from, 0);
        return plan_call1(b, "date", e);
    }
    if (count == 1 && duck && is(name, "last_day")) {
        struct expr *e = arg(b, s, from, 0);
        return e ? last_day(b, e) : NULL;
    }
    if (count == 1 && duck &&
        (is(name, "dayofweek") || is(name, "weekday") || is(name, "isodow") || is(name, "dayofyear") ||
         is(name, "weekofyear") || is(name, "dayofmonth") || is(name, "epoch") || is(name, "julian"))) {
        bool known;
        const char *word = is(name, "weekofyear") ? "week" : is(name, "dayofmonth") ? "day" : name;
        struct expr *date = arg(b, s, from, 0);
        return date ? part_of(b, word, date, &known) : NULL;
    }
    *is_one = false;
    return NULL;
}

/* YEAR(x), MONTH(x) …: in MySQL, DuckDB and T-SQL. */
static struct expr *unit_call(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one)
{
    static const char *const words[] = { "year", "quarter", "month", "week", "day", "hour", "minute", "second", NULL };
    *is_one = false;
    if (n->call->args.count != 1 || b->tongue == TONGUE_SQLITE || b->tongue == TONGUE_POSTGRES) return NULL;
    for (int i = 0; words[i]; i++) {
        bool week = i == UNIT_WEEK && b->tongue != TONGUE_DUCKDB; /* MySQL's weeks are not ISO's */
        bool has = b->tongue != TONGUE_MSSQL || i == UNIT_YEAR || i == UNIT_MONTH || i == UNIT_DAY;
        if (!is(name, words[i]) || week || !has) continue;
        *is_one = true;
        struct expr *date = arg(b, s, n->call, 0);
        return date ? plan_date_part(b, (enum unit)i, date) : NULL;
    }
    return NULL;
}

static struct expr *keyword_moment(struct binder *b, const struct node *n, const char *name, bool *is_one)
{
    bool moment_word = is(name, "current_date") || is(name, "current_timestamp") || is(name, "localtimestamp") ||
                       is(name, "current_time") || is(name, "localtime");
    *is_one = moment_word && !n->call->args.count;
    if (!*is_one) return NULL;
    if (is(name, "current_date")) return plan_today(b);
    if (is(name, "current_time") || (is(name, "localtime") && b->tongue != TONGUE_MYSQL))
        return plan_call1(b, "time", plan_now(b));
    return plan_now(b);
}

static struct expr *extract(struct binder *b, struct scope *s, const struct node *n)
{
    const char *word = n->call->args.items[0]->text;
    bool known;
    struct expr *date = arg(b, s, n->call, 1);
    if (!date) return NULL;
    struct expr *e = part_of(b, word, date, &known);
    bool week = b->tongue == TONGUE_MYSQL && is(word, "week");
    if (!known || week) fail_unsupported(b, n->at, "the part '%.40s' of a date", word);
    return known && !week ? e : NULL;
}

struct expr *bind_date_call(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one)
{
    const struct syntax_call *from = n->call;
    struct expr *e = keyword_moment(b, n, name, is_one);
    if (*is_one) return e;
    *is_one = is(name, "extract") && from->args.count == 2 && from->args.items[0]->kind == NODE_TEXT;
    if (*is_one) return extract(b, s, n);
    e = unit_call(b, s, n, name, is_one);
    if (*is_one) return e;
    switch (b->tongue) {
    case TONGUE_SQLITE:
        return bind_sqlite_date(b, s, n, name, is_one);
    case TONGUE_MYSQL:
        return mysql_date(b, s, n, name, is_one);
    case TONGUE_MSSQL:
        return mssql_date(b, s, n, name, is_one);
    case TONGUE_POSTGRES:
    case TONGUE_DUCKDB:
        break;
    }
    return postgres_date(b, s, n, name, is_one);
}
