/* SQLite writes a moment as a value with modifiers: date(x, '+1 day', 'start of month'). */
#include "sql/bind.h"

#include <string.h>
#include <strings.h>

static bool starts(const char *s, const char *word)
{
    return strncasecmp(s, word, strlen(word)) == 0;
}

static struct expr *minus_units(struct binder *b, struct expr *date, const char *digits, enum unit unit)
{
    struct expr *by = call_alloc(b->call, sizeof *by);
    by->kind = EXPR_INTERVAL;
    by->interval.value = expr_number(b->call, digits);
    by->interval.unit = unit;
    struct expr *e = bind_keep(b, expr_binary(b->call, OP_SUB, date, bind_keep(b, with_type(by, TYPE_INTERVAL))));
    if (e) e->type = date->type;
    return e;
}

/* One modifier of a date; NULL after an error. */
static struct expr *modify(struct binder *b, const struct node *n, struct expr *date)
{
    const char *s = n->text;
    while (*s == ' ') s++;
    if (starts(s, "start of ")) {
        enum unit unit;
        if (unit_find(s + 9, &unit) && (unit == UNIT_YEAR || unit == UNIT_MONTH || unit == UNIT_DAY)) {
            struct expr *e = plan_call2(b, "date_trunc", plan_text(b, unit_names[unit]), date);
            return e;
        }
    }
    size_t sign = *s == '+' || *s == '-', digits = strspn(s + sign, "0123456789");
    const char *word = s + sign + digits;
    word += strspn(word, " ");
    enum unit unit;
    bool known = digits && digits < 10 && *word && unit_find(word, &unit) && unit != UNIT_WEEK && unit != UNIT_QUARTER;
    if (known && *s == '-') return minus_units(b, date, call_strndup(b->call, s + 1, digits), unit);
    if (known) return plan_date_add(b, unit, expr_number(b->call, call_strndup(b->call, s + sign, digits)), date);
    fail_unsupported(b, n->at, "the date modifier '%.40s'", n->text);
    return NULL;
}

/* '-' || n || ' days' as a modifier: a computed number of units. */
static struct expr *modify_computed(struct binder *b, struct scope *s, const struct node *n, struct expr *date)
{
    const struct nodes *l = &n->of.list;
    const struct node *last = n->kind == NODE_CHAIN && n->op == OP_CONCAT ? l->items[l->count - 1] : NULL;
    enum unit unit;
    const char *word = last && last->kind == NODE_TEXT ? last->text + strspn(last->text, " ") : "";
    size_t first = 0;
    bool minus = false;
    if (last && l->count == 3 && l->items[0]->kind == NODE_TEXT && strlen(l->items[0]->text) <= 1) {
        minus = *l->items[0]->text == '-';
        first = 1;
    }
    if (!last || l->count != first + 2 || !unit_find(word, &unit)) {
        fail_unsupported(b, n->at, "a computed date modifier");
        return NULL;
    }
    struct expr *count = bind_expr(b, s, l->items[first]);
    if (count && minus) {
        struct expr *negative = bind_keep(b, expr_minus(b->call, count));
        if (negative) negative->type = count->type;
        count = negative;
    }
    return plan_date_add(b, unit, count, date);
}

static bool is_text(const struct node *n, const char *text)
{
    const char *s = node_text(n, true);
    return s && strcasecmp(s, text) == 0;
}

/* '-' || ((CAST(strftime('%m', x) AS INTEGER) - 1) % 3) || ' months' */
static bool is_back_to_quarter(const struct node *n)
{
    if (n->kind != NODE_CHAIN || n->op != OP_CONCAT || n->of.list.count != 3) return false;
    const struct node *mod = n->of.list.items[1];
    if (!is_text(n->of.list.items[0], "-") || !is_text(n->of.list.items[2], " months")) return false;
    if (mod->kind != NODE_BINARY || mod->op != OP_MOD || mod->right->kind != NODE_NUMBER) return false;
    const struct node *minus = mod->left;
    if (strcmp(mod->right->text, "3") != 0 || minus->kind != NODE_BINARY || minus->op != OP_SUB) return false;
    const struct node *cast = minus->left;
    if (minus->right->kind != NODE_NUMBER || strcmp(minus->right->text, "1") != 0 || cast->kind != NODE_CAST) return false;
    const struct node *call = cast->cast.arg;
    return call->kind == NODE_CALL && strcasecmp(call->call->name.items[0].text, "strftime") == 0 &&
           call->call->args.count == 2 && is_text(call->call->args.items[0], "%m");
}

/* Modifiers that together are the start of a week or a quarter, as the renderer writes them; how many, 0 = none. */
static size_t start_of(const struct syntax_call *from, size_t i, enum unit *unit)
{
    const struct node *const *m = (const struct node *const *)from->args.items + i;
    size_t left = from->args.count - i, day = left > 2 && is_text(m[0], "start of day");
    *unit = UNIT_WEEK;
    if (left >= 2 + day && is_text(m[day], "-6 days") && is_text(m[day + 1], "weekday 1")) return 2 + day;
    *unit = UNIT_QUARTER;
    return left >= 2 && is_text(m[0], "start of month") && is_back_to_quarter(m[1]) ? 2 : 0;
}

/* The moment that date(…), datetime(…), strftime(f, …) are about: x and its modifiers from `first` on. */
static struct expr *moment(struct binder *b, struct scope *s, const struct syntax_call *from, size_t first, bool day)
{
    if (from->args.count <= first) return day ? plan_today(b) : plan_now(b);
    const struct node *n = from->args.items[first];
    bool is_now = n->kind == NODE_TEXT && strcasecmp(n->text, "now") == 0;
    bool quoted = n->kind == NODE_NAME && n->name.count == 1 && n->name.items[0].quote == '"' &&
                  strcasecmp(n->name.items[0].text, "now") == 0;
    struct expr *date = is_now || quoted ? (day ? plan_today(b) : plan_now(b)) : bind_operand(b, s, n, true);
    /* '1970-01-01 00:00:00' with modifiers behind it is a moment. */
    if (date && from->args.count > first + 1 && n->kind == NODE_TEXT && strlen(n->text) == 19 && n->text[10] == ' ')
        with_type(date, TYPE_TIMESTAMP);
    for (size_t i = first + 1; i < from->args.count && date; i++) {
        const struct node *m = from->args.items[i];
        const char *word = node_text(m, true);
        enum unit unit;
        size_t together = start_of(from, i, &unit);
        if (together) {
            date = plan_call2(b, "date_trunc", plan_text(b, unit_names[unit]), date);
            i += together - 1;
            continue;
        }
        if (i == first + 1 && word && strcasecmp(word, "unixepoch") == 0) { /* the value counts seconds since 1970 */
            struct expr *epoch = expr_literal(b->call, TYPE_TIMESTAMP, "1970-01-01 00:00:00");
            date = plan_date_add(b, UNIT_SECOND, date, epoch);
            continue;
        }
        struct node as_text = *m;
        if (m->kind == NODE_NAME && m->name.count == 1 && m->name.items[0].quote == '"') {
            as_text.kind = NODE_TEXT;
            as_text.text = m->name.items[0].text;
        }
        date = as_text.kind == NODE_TEXT ? modify(b, &as_text, date) : modify_computed(b, s, m, date);
    }
    return date;
}

static struct expr *to_text(struct binder *b, struct expr *e)
{
    return e ? with_type(bind_keep(b, expr_cast(b->call, e, TYPE_TEXT)), TYPE_TEXT) : NULL;
}

static struct expr *sqlite_strftime(struct binder *b, struct scope *s, const struct node *n)
{
    const struct syntax_call *from = n->call;
    const char *format = from->args.count ? node_text(from->args.items[0], true) : NULL;
    if (!format) {
        /* A number holds no sign of a format: it comes back as it is. */
        struct expr *e = from->args.count == 1 ? bind_expr(b, s, from->args.items[0]) : NULL;
        if (e && kind_is_number(e->type)) return to_text(b, e);
        fail_unsupported(b, n->at, "a computed date format");
        return NULL;
    }
    struct expr *date = moment(b, s, from, 1, false);
    if (!date) return NULL;
    if (strcmp(format, "%s") == 0) return to_text(b, plan_call1(b, "epoch", date));
    if (strcmp(format, "%J") == 0) return to_text(b, plan_call1(b, "julian_day", date));
    const char *full = strcmp(format, "%F") == 0 ? "%Y-%m-%d" : strcmp(format, "%T") == 0 ? "%H:%M:%S" : format;
    return plan_format_date(b, full, date);
}

/* What came out of a function or modifier needs no date() around it when it is one already. */
static bool moves(const struct expr *e)
{
    return e->kind == EXPR_CALL || e->kind == EXPR_BINARY;
}

/* True when the renderer writes the moved or truncated moment as date(…) by itself. */
static bool is_day(const struct expr *e)
{
    if (e->kind == EXPR_LITERAL) return e->type.kind == TYPE_TEXT && !e->literal.null && strlen(e->literal.text) == 10;
    if (e->kind == EXPR_BINARY)
        return e->binary.op == OP_SUB && e->binary.right->kind == EXPR_INTERVAL &&
               e->binary.right->interval.unit <= UNIT_DAY && (is_day(e->binary.left) || e->binary.left->type.kind == TYPE_DATE);
    if (e->kind != EXPR_CALL || !e->call.args.count) return false;
    const struct expr *unit = e->call.args.items[0], *last = e->call.args.items[e->call.args.count - 1];
    bool trunc = strcmp(e->call.name, "date_trunc") == 0, add = strcmp(e->call.name, "date_add") == 0;
    enum unit u;
    if ((!trunc && !add) || unit->kind != EXPR_LITERAL || !unit_find(unit->literal.text, &u) || u > UNIT_DAY) return false;
    return is_day(last) || last->type.kind == TYPE_DATE || (trunc && last->type.kind == TYPE_TEXT);
}

struct expr *bind_sqlite_date(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one)
{
    const struct syntax_call *from = n->call;
    *is_one = true;
    if (strcasecmp(name, "date") == 0) {
        struct expr *e = moment(b, s, from, 0, true);
        if (e && moves(e) && is_day(e)) return with_type(e, TYPE_DATE);
        return e && e->type.kind == TYPE_DATE && moves(e) ? e : plan_call1(b, "date", e);
    }
    if (strcasecmp(name, "datetime") == 0) {
        struct expr *e = moment(b, s, from, 0, false);
        return e && e->type.kind == TYPE_TIMESTAMP && moves(e) ? e : plan_call1(b, "timestamp", e);
    }
    if (strcasecmp(name, "time") == 0) return plan_call1(b, "time", moment(b, s, from, 0, false));
    if (strcasecmp(name, "julianday") == 0) return plan_call1(b, "julian_day", moment(b, s, from, 0, false));
    if (strcasecmp(name, "unixepoch") == 0) return plan_call1(b, "epoch", moment(b, s, from, 0, false));
    if (strcasecmp(name, "strftime") == 0) return sqlite_strftime(b, s, n);
    *is_one = false;
    return NULL;
}
