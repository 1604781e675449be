#include "sql/bind.h"

#include <string.h>
#include <strings.h>

bool unit_find(const char *text, enum unit *out)
{
    static const struct {
        const char *name;
        enum unit unit;
    } names[] = {
        { "year", UNIT_YEAR },       { "years", UNIT_YEAR },
        { "yr", UNIT_YEAR },         { "y", UNIT_YEAR },
        { "yy", UNIT_YEAR },         { "yyyy", UNIT_YEAR },
        { "quarter", UNIT_QUARTER }, { "quarters", UNIT_QUARTER },
        { "qq", UNIT_QUARTER },      { "q", UNIT_QUARTER },
        { "month", UNIT_MONTH },     { "months", UNIT_MONTH },
        { "mon", UNIT_MONTH },       { "mons", UNIT_MONTH },
        { "mm", UNIT_MONTH },        { "week", UNIT_WEEK },
        { "weeks", UNIT_WEEK },      { "wk", UNIT_WEEK },
        { "ww", UNIT_WEEK },         { "day", UNIT_DAY },
        { "days", UNIT_DAY },        { "dd", UNIT_DAY },
        { "d", UNIT_DAY },           { "hour", UNIT_HOUR },
        { "hours", UNIT_HOUR },      { "hh", UNIT_HOUR },
        { "hr", UNIT_HOUR },         { "h", UNIT_HOUR },
        { "minute", UNIT_MINUTE },   { "minutes", UNIT_MINUTE },
        { "min", UNIT_MINUTE },      { "mins", UNIT_MINUTE },
        { "mi", UNIT_MINUTE },       { "n", UNIT_MINUTE },
        { "second", UNIT_SECOND },   { "seconds", UNIT_SECOND },
        { "sec", UNIT_SECOND },      { "secs", UNIT_SECOND },
        { "ss", UNIT_SECOND },       { "s", UNIT_SECOND },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(names[i].name, text) != 0) continue;
        *out = names[i].unit;
        return true;
    }
    return false;
}

struct part {
    const char *digits;
    enum unit unit;
};

/* '1 year 2 months', '-3 days', '1 day ago' is refused. Answers how many parts, 0 when the text says no interval. */
static size_t read_parts(struct binder *b, const char *text, struct part *out, size_t room)
{
    size_t count = 0;
    for (const char *p = text;;) {
        p += strspn(p, " \t,");
        if (!*p) return count;
        size_t sign = strspn(p, "+-"), digits = strspn(p + sign, "0123456789");
        if (sign > 1 || digits == 0 || count == room) return 0;
        bool minus = *p == '-';
        out[count].digits = call_format(b->call, "%s%.*s", minus ? "-" : "", (int)digits, p + sign);
        p += sign + digits;
        p += strspn(p, " \t");
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (n == 0 || !unit_find(call_strndup(b->call, p, n), &out[count].unit)) return 0;
        p += n;
        count++;
    }
}

static struct expr *interval(struct binder *b, struct expr *value, enum unit unit)
{
    struct expr *e = call_alloc(b->call, sizeof *e);
    e->kind = EXPR_INTERVAL;
    e->interval.value = value;
    e->interval.unit = unit;
    return with_type(bind_keep(b, e), TYPE_INTERVAL);
}

/* The value of INTERVAL value unit: a number, or digits in a text. */
static struct expr *bind_value(struct binder *b, struct scope *s, const struct node *value)
{
    if (value->kind != NODE_TEXT) return bind_expr(b, s, value);
    const char *text = value->text;
    while (*text == ' ') text++;
    size_t sign = *text == '-' || *text == '+';
    size_t n = strlen(text);
    if (n > sign && strspn(text + sign, "0123456789") == n - sign)
        return bind_keep(b, expr_number(b->call, *text == '+' ? text + 1 : text));
    fail_unsupported(b, value->at, "the interval '%.40s'", text);
    return NULL;
}

static size_t parts_of(struct binder *b, const struct node *n, struct part *out, size_t room)
{
    const struct node *value = n->interval.value;
    size_t count = value->kind == NODE_TEXT ? read_parts(b, value->text, out, room) : 0;
    if (!count)
        fail_unsupported(b, n->at, "the interval '%.40s'", value->kind == NODE_TEXT ? value->text : "without a unit");
    return count;
}

struct expr *bind_interval(struct binder *b, struct scope *s, const struct node *n)
{
    enum unit unit;
    if (n->interval.unit) {
        if (!unit_find(n->interval.unit, &unit)) {
            fail_unsupported(b, n->at, "the unit %.40s", n->interval.unit);
            return NULL;
        }
        struct expr *value = bind_value(b, s, n->interval.value);
        return value ? interval(b, value, unit) : NULL;
    }
    struct part parts[2];
    size_t count = parts_of(b, n, parts, 2);
    if (count == 1) return interval(b, bind_keep(b, expr_number(b->call, parts[0].digits)), parts[0].unit);
    if (count) fail_unsupported(b, n->at, "an interval over several units in this place");
    return NULL;
}

static struct expr *add_one(struct binder *b, struct expr *date, struct expr *by, bool minus)
{
    if (!by) return NULL;
    struct expr *e = bind_keep(b, expr_binary(b->call, minus ? OP_SUB : OP_ADD, date, by));
    if (!e) return NULL;
    bool hours = by->interval.unit >= UNIT_HOUR;
    e->type = date->type;
    /* A date moved by an interval is a timestamp in PostgreSQL and DuckDB; the plan keeps it a date up to days. */
    if (date->type.kind == TYPE_DATE && hours) e->type.kind = TYPE_TIMESTAMP;
    return e;
}

struct expr *add_interval(struct binder *b, struct expr *date, const struct node *n, struct scope *s, bool minus)
{
    if (n->interval.unit) return add_one(b, date, bind_interval(b, s, n), minus);
    struct part parts[8];
    size_t count = parts_of(b, n, parts, 8);
    if (!count) return NULL;
    for (size_t i = 0; i < count && date; i++)
        date = add_one(b, date, interval(b, bind_keep(b, expr_number(b->call, parts[i].digits)), parts[i].unit), minus);
    return date;
}
