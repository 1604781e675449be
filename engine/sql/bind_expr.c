#include "sql/bind.h"

#include <string.h>
#include <strings.h>

#define CHAIN_FLAT_MAX 16 /* longer chains of AND, OR and || become balanced trees */

struct expr *bind_keep(struct binder *b, struct expr *e)
{
    if (!e) return NULL;
    if (++b->nodes <= BOUND_NODES_MAX) return e;
    if (!b->call->err.code) call_fail(b->call, ERR_PLAN_TOO_LARGE, "The SQL could not be parsed: it is too large.");
    return NULL;
}

bool kind_is_number(struct value_type t)
{
    return t.kind == TYPE_INTEGER || t.kind == TYPE_DECIMAL || t.kind == TYPE_DOUBLE;
}
bool kind_is_date(struct value_type t)
{
    return t.kind == TYPE_DATE || t.kind == TYPE_TIMESTAMP || t.kind == TYPE_TIMESTAMPTZ;
}

struct expr *with_type(struct expr *e, enum type_kind kind)
{
    if (e) e->type = (struct value_type){ .kind = kind };
    return e;
}

struct expr *bind_boolean(struct binder *b, struct expr *e)
{
    return with_type(bind_keep(b, e), TYPE_BOOLEAN);
}

/* ---- literals ---- */

static struct expr *bind_number(struct binder *b, const struct node *n)
{
    const char *text = n->text;
    size_t len = strlen(text);
    /* .5 and 1. are written out; an exponent makes a double in every engine but PostgreSQL. */
    if (*text == '.')
        text = call_format(b->call, "0%s", text);
    else if (text[len - 1] == '.')
        text = call_format(b->call, "%s0", text);
    struct expr *e = expr_number(b->call, text);
    if (e->type.kind == TYPE_INTEGER && (len > 19 || (len == 19 && strcmp(text, "9223372036854775807") > 0)))
        e->type.kind = TYPE_DECIMAL;
    return bind_keep(b, e);
}

static struct expr *bind_minus(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *arg = bind_operand(b, s, n->left, true);
    if (!arg) return NULL;
    bool number =
        arg->kind == EXPR_LITERAL && !arg->literal.null && kind_is_number(arg->type) && *arg->literal.text != '-';
    if (number) {
        arg->literal.text = call_format(b->call, "-%s", arg->literal.text);
        return arg;
    }
    struct expr *e = bind_keep(b, expr_minus(b->call, arg));
    if (e) e->type = arg->type;
    return e;
}

static bool shape(const char *text, const char *pattern)
{
    for (; *pattern; text++, pattern++)
        if (*pattern == '9' ? !(*text >= '0' && *text <= '9') : *text != *pattern) return false;
    return *text == 0;
}

/* DATE '2020-01-31' is a literal of the plan; other texts are cast. */
static struct expr *bind_typed(struct binder *b, const struct node *n)
{
    const char *text = n->cast.arg->text;
    enum type_kind kind = n->cast.type->type.kind;
    if (n->cast.type->array || kind == TYPE_UNKNOWN || kind == TYPE_INTERVAL) {
        fail_unsupported(b, n->at, "the type %s", n->cast.type->text);
        return NULL;
    }
    bool literal = (kind == TYPE_DATE && shape(text, "9999-99-99")) ||
                   (kind == TYPE_TIMESTAMP && (shape(text, "9999-99-99 99:99:99"))) ||
                   (kind == TYPE_TIME && shape(text, "99:99:99"));
    if (literal) return bind_keep(b, expr_literal(b->call, kind, text));
    struct expr *e = bind_keep(b, expr_cast(b->call, expr_text(b->call, text), kind));
    return with_type(e, kind);
}

/* ---- operators ---- */

/* What SQLite and MySQL do with a text beside an arithmetic operator: they read the number at its start. */
static struct expr *as_number(struct binder *b, struct expr *e)
{
    if (e->type.kind != TYPE_TEXT || (b->tongue != TONGUE_SQLITE && b->tongue != TONGUE_MYSQL)) return e;
    /* The parts of a date are whole numbers. */
    bool part = e->kind == EXPR_CALL && strcmp(e->call.name, "date_format") == 0;
    enum type_kind kind = part ? TYPE_INTEGER : TYPE_DECIMAL;
    return with_type(bind_keep(b, expr_cast(b->call, e, kind)), kind);
}

static enum binary_op division(const struct binder *b, struct value_type l, struct value_type r)
{
    bool truncates = b->tongue == TONGUE_SQLITE || b->tongue == TONGUE_POSTGRES || b->tongue == TONGUE_MSSQL;
    return truncates && l.kind == TYPE_INTEGER && r.kind == TYPE_INTEGER ? OP_INTDIV : OP_DIV;
}

static struct value_type arithmetic_type(enum binary_op op, struct value_type l, struct value_type r)
{
    struct value_type t = { 0 };
    if (op == OP_INTDIV)
        t.kind = TYPE_INTEGER;
    else if (l.kind == TYPE_DOUBLE || r.kind == TYPE_DOUBLE)
        t.kind = TYPE_DOUBLE;
    else if (kind_is_number(l) && kind_is_number(r))
        t.kind = op == OP_DIV || l.kind == TYPE_DECIMAL || r.kind == TYPE_DECIMAL ? TYPE_DECIMAL : TYPE_INTEGER;
    return t;
}

static struct expr *move_days(struct binder *b, struct expr *date, struct expr *days, bool minus)
{
    if (minus) days = expr_minus(b->call, days);
    struct expr *args[] = { expr_text(b->call, "day"), days, date };
    struct expr *e = call_plan(b, "date_add", 3, args);
    if (e) e->type = date->type;
    return e;
}

/* PostgreSQL and DuckDB: date - date counts days, date + 1 is the next day. NULL without an error: nothing of the kind.
 */
static struct expr *date_arithmetic(struct binder *b, enum binary_op op, struct expr *l, struct expr *r)
{
    bool counts = b->tongue == TONGUE_POSTGRES || b->tongue == TONGUE_DUCKDB;
    if (!counts) return NULL;
    if (op == OP_SUB && l->type.kind == TYPE_DATE && r->type.kind == TYPE_DATE) {
        /* Days are counted by the calendar: a timestamp cut to its date counts the same. */
        if (l->kind == EXPR_CAST) l = l->cast.arg;
        if (r->kind == EXPR_CAST) r = r->cast.arg;
        struct expr *args[] = { expr_text(b->call, "day"), l, r };
        return with_type(call_plan(b, "date_diff", 3, args), TYPE_INTEGER);
    }
    if (l->type.kind == TYPE_DATE && r->type.kind == TYPE_INTEGER) return move_days(b, l, r, op == OP_SUB);
    if (op == OP_ADD && l->type.kind == TYPE_INTEGER && r->type.kind == TYPE_DATE) return move_days(b, r, l, false);
    return NULL;
}

static bool is_literal(const struct expr *e, const char *text)
{
    return e->kind == EXPR_LITERAL && e->literal.text && strcmp(e->literal.text, text) == 0;
}

static bool times_interval(const struct node *n)
{
    return n->kind == NODE_BINARY && n->op == OP_MUL &&
           (n->left->kind == NODE_INTERVAL) != (n->right->kind == NODE_INTERVAL);
}

/* date + n * INTERVAL '1 day' */
static struct expr *move_times(struct binder *b, struct scope *s, const struct node *date_node,
                               const struct node *times, bool minus)
{
    bool first = times->left->kind == NODE_INTERVAL;
    struct expr *date = bind_expr(b, s, date_node),
                *by = date ? bind_interval(b, s, first ? times->left : times->right) : NULL;
    struct expr *count = by ? bind_expr(b, s, first ? times->right : times->left) : NULL;
    if (!count) return NULL;
    /* So many quarters, as the renderer writes them. */
    if (by->interval.unit == UNIT_MONTH && is_literal(by->interval.value, "3")) {
        by->interval.unit = UNIT_QUARTER;
        by->interval.value = expr_integer(b->call, 1);
    }
    if (by->interval.value->kind != EXPR_LITERAL || strcmp(by->interval.value->literal.text, "1") != 0)
        count = with_type(bind_keep(b, expr_binary(b->call, OP_MUL, count, by->interval.value)), TYPE_INTEGER);
    if (count && minus) count = bind_keep(b, expr_minus(b->call, count));
    if (!count) return NULL;
    struct expr *args[] = { expr_text(b->call, unit_names[by->interval.unit]), count, date };
    struct expr *e = call_plan(b, "date_add", 3, args);
    if (e && date->type.kind == TYPE_DATE && by->interval.unit > UNIT_DAY) e->type.kind = TYPE_TIMESTAMP;
    return e;
}

/* Seconds since 1970 / 86400.0 + 2440587.5 is the Julian day, which PostgreSQL has no function for. */
static struct expr *julian_day(struct binder *b, enum binary_op op, const struct expr *l, const struct expr *r)
{
    bool is = b->tongue == TONGUE_POSTGRES && op == OP_ADD && l->kind == EXPR_BINARY && l->binary.op == OP_DIV &&
              is_literal(r, "2440587.5") && is_literal(l->binary.right, "86400.0") &&
              l->binary.left->kind == EXPR_CALL && strcmp(l->binary.left->call.name, "epoch") == 0;
    return is ? call_plan(b, "julian_day", 1, l->binary.left->call.args.items) : NULL;
}

/* The plan's division by zero is NULL: where the engine needs nullif(y, 0) for that, the renderer writes it. */
static struct expr *without_nullif(const struct binder *b, enum binary_op op, struct expr *e)
{
    bool divides = op == OP_DIV || op == OP_INTDIV || op == OP_MOD;
    if (!divides || b->tongue == TONGUE_SQLITE || b->tongue == TONGUE_MYSQL || e->kind != EXPR_CALL) return e;
    if (strcmp(e->call.name, "nullif") != 0 || e->call.args.count != 2) return e;
    const struct expr *zero = e->call.args.items[1];
    bool is_zero = zero->kind == EXPR_LITERAL && zero->type.kind == TYPE_INTEGER && !zero->literal.null &&
                   strcmp(zero->literal.text, "0") == 0;
    return is_zero ? e->call.args.items[0] : e;
}

static struct expr *bind_arithmetic(struct binder *b, struct scope *s, const struct node *n)
{
    enum binary_op op = (enum binary_op)n->op;
    bool moves = op == OP_ADD || op == OP_SUB;
    if (moves && times_interval(n->right)) return move_times(b, s, n->left, n->right, op == OP_SUB);
    if (op == OP_ADD && times_interval(n->left)) return move_times(b, s, n->right, n->left, false);
    if (moves && (n->right->kind == NODE_INTERVAL || (op == OP_ADD && n->left->kind == NODE_INTERVAL))) {
        const struct node *interval = n->right->kind == NODE_INTERVAL ? n->right : n->left;
        struct expr *date = bind_expr(b, s, interval == n->right ? n->left : n->right);
        return date ? add_interval(b, date, interval, s, op == OP_SUB) : NULL;
    }
    struct expr *l = bind_operand(b, s, n->left, true), *r = l ? bind_operand(b, s, n->right, true) : NULL;
    if (!l || !r) return NULL;
    if (op == OP_ADD && b->tongue == TONGUE_MSSQL && (l->type.kind == TYPE_TEXT || r->type.kind == TYPE_TEXT)) {
        bool joins = !(kind_is_number(l->type) || kind_is_number(r->type)); /* with a number T-SQL adds */
        if (joins) return with_type(bind_keep(b, expr_binary(b->call, OP_CONCAT, l, r)), TYPE_TEXT);
    }
    if (moves) {
        struct expr *moved = julian_day(b, op, l, r);
        if (!moved && !b->call->err.code) moved = date_arithmetic(b, op, l, r);
        if (moved || b->call->err.code) return moved;
    }
    l = as_number(b, l);
    r = l ? as_number(b, r) : NULL;
    if (!r) return NULL;
    r = without_nullif(b, op, r);
    if (op == OP_DIV) op = division(b, l->type, r->type);
    struct expr *e = bind_keep(b, expr_binary(b->call, op, l, r));
    if (e) e->type = arithmetic_type(op, l->type, r->type);
    return e;
}

static struct expr *bind_binary(struct binder *b, struct scope *s, const struct node *n)
{
    if (n->op > OP_GE) return bind_arithmetic(b, s, n);
    struct expr *l = bind_operand(b, s, n->left, true), *r = l ? bind_operand(b, s, n->right, true) : NULL;
    return r ? bind_boolean(b, expr_binary(b->call, (enum binary_op)n->op, l, r)) : NULL;
}

/* Terms of a chain, those of bracketed chains of the same operator among them. */
static bool flatten(struct binder *b, struct scope *s, const struct node *n, struct exprs *out)
{
    for (size_t i = 0; i < n->of.list.count; i++) {
        const struct node *item = n->of.list.items[i];
        if (item->kind == NODE_CHAIN && item->op == n->op) {
            if (!flatten(b, s, item, out)) return false;
            continue;
        }
        struct expr *e = n->op == OP_CONCAT ? bind_operand(b, s, item, true) : bind_expr(b, s, item);
        if (!e) return false;
        exprs_push(b->call, out, e);
    }
    return true;
}

static struct expr *fold(struct binder *b, enum binary_op op, struct expr **items, size_t count)
{
    if (count == 1) return items[0];
    size_t left = count <= CHAIN_FLAT_MAX ? count - 1 : count / 2;
    struct expr *l = fold(b, op, items, left), *r = l ? fold(b, op, items + left, count - left) : NULL;
    if (!r) return NULL;
    return with_type(bind_keep(b, expr_binary(b->call, op, l, r)), op == OP_CONCAT ? TYPE_TEXT : TYPE_BOOLEAN);
}

static bool is_format(const struct expr *e)
{
    return e->kind == EXPR_CALL && strcmp(e->call.name, "date_format") == 0 &&
           e->call.args.items[1]->kind == EXPR_LITERAL;
}

/* to_char(d, 'YYYY') || '-' || to_char(d, 'MM') is one format of one date. NULL when it is something else. */
static struct expr *one_format(struct binder *b, const struct exprs *terms)
{
    struct expr *date = NULL;
    struct buf format;
    buf_init(&format, b->call, 1000);
    for (size_t i = 0; i < terms->count; i++) {
        struct expr *e = terms->items[i];
        bool text = e->kind == EXPR_LITERAL && e->type.kind == TYPE_TEXT && !strchr(e->literal.text, '%');
        if (!text && !is_format(e)) return NULL;
        if (text) {
            buf_str(&format, e->literal.text);
            continue;
        }
        if (date && !expr_equal(date, e->call.args.items[0])) return NULL;
        date = e->call.args.items[0];
        buf_str(&format, e->call.args.items[1]->literal.text);
    }
    if (!date || format.failed) return NULL;
    struct expr *args[] = { date, expr_text(b->call, format.data) };
    return call_plan(b, "date_format", 2, args);
}

static struct expr *bind_chain(struct binder *b, struct scope *s, const struct node *n)
{
    struct exprs terms = { 0 };
    if (!flatten(b, s, n, &terms)) return NULL;
    struct expr *format = n->op == OP_CONCAT && b->tongue == TONGUE_POSTGRES ? one_format(b, &terms) : NULL;
    if (format || b->call->err.code) return format;
    return fold(b, (enum binary_op)n->op, terms.items, terms.count);
}

static struct expr *bind_subquery(struct binder *b, struct scope *s, const struct node *n)
{
    struct query *q = bind_query(b, s, s->ctes, n->of.query);
    if (!q) return NULL;
    if (n->kind == NODE_EXISTS) return bind_boolean(b, expr_exists(b->call, q));
    struct expr *e = bind_keep(b, expr_query(b->call, q));
    if (e && q->offer_count == 1) e->type = q->offers[0].type;
    return e;
}

/* ---- the rest ---- */

static struct expr *bind_case(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *e = call_alloc(b->call, sizeof *e);
    e->kind = EXPR_CASE;
    e->cases.count = n->cases.whens.count / 2;
    e->cases.whens = call_array(b->call, e->cases.count, sizeof *e->cases.whens);
    for (size_t i = 0; i < e->cases.count; i++) {
        struct when *w = &e->cases.whens[i];
        const struct node *when = n->cases.whens.items[2 * i];
        if (n->cases.operand) {
            struct expr *l = bind_operand(b, s, n->cases.operand, true), *r = l ? bind_operand(b, s, when, true) : NULL;
            w->when = r ? bind_boolean(b, expr_binary(b->call, OP_EQ, l, r)) : NULL;
        } else {
            w->when = bind_expr(b, s, when);
        }
        w->then = w->when ? bind_operand(b, s, n->cases.whens.items[2 * i + 1], true) : NULL;
        if (!w->then) return NULL;
        if (e->type.kind == TYPE_UNKNOWN || e->type.kind == TYPE_NULL)
            e->type = w->then->type;
        else if (kind_is_number(e->type) && kind_is_number(w->then->type) && e->type.kind == TYPE_INTEGER)
            e->type = w->then->type;
    }
    if (n->cases.otherwise) {
        e->cases.otherwise = bind_operand(b, s, n->cases.otherwise, true);
        if (!e->cases.otherwise) return NULL;
        if (e->type.kind == TYPE_NULL || (e->type.kind == TYPE_INTEGER && kind_is_number(e->cases.otherwise->type)))
            e->type = e->cases.otherwise->type;
    }
    return bind_keep(b, e);
}

/* CAST(strftime('%Y', d) AS INTEGER) is the part of a date; date_part(…) is a whole number already, and the renderer
 * writes these casts itself. NULL when the cast is an ordinary one. */
static struct expr *implied_cast(struct binder *b, struct expr *e, enum type_kind to)
{
    static const char *const signs[] = { "%Y", "", "%m", "", "%d", "%H", "%M", "%S" };
    if (e->kind == EXPR_BINARY && to == TYPE_DATE && e->type.kind == TYPE_DATE &&
        e->binary.right->kind == EXPR_INTERVAL)
        return e;
    /* strftime('%s', d) is the text of the seconds. */
    if (to == TYPE_INTEGER && e->kind == EXPR_CAST && e->cast.to.kind == TYPE_TEXT && e->cast.arg->kind == EXPR_CALL &&
        strcmp(e->cast.arg->call.name, "epoch") == 0)
        return e->cast.arg;
    if (e->kind != EXPR_CALL) return NULL;
    const char *name = e->call.name;
    bool kept = strcmp(name, "date_add") == 0 || strcmp(name, "date_trunc") == 0;
    if (to == TYPE_DATE && (e->type.kind == TYPE_DATE || e->type.kind == TYPE_NULL) && kept) return e;
    /* DuckDB truncates a date to a date, but says so of no other: the renderer casts what comes out. */
    bool said = b->tongue == TONGUE_DUCKDB && strcmp(name, "date_trunc") == 0;
    if (said && (e->type.kind == to || e->type.kind <= TYPE_NULL)) return e;
    if (to != TYPE_INTEGER) return NULL;
    if (strcmp(name, "floor") == 0 && e->call.args.items[0]->kind == EXPR_CALL) {
        struct expr *inner = e->call.args.items[0];
        return strcmp(inner->call.name, "epoch") == 0 ? inner : NULL;
    }
    bool whole = strcmp(name, "date_part") == 0 || strcmp(name, "weekday") == 0 || strcmp(name, "yearday") == 0 ||
                 strcmp(name, "date_diff") == 0 || (strcmp(name, "sign") == 0 && b->tongue == TONGUE_POSTGRES);
    if (whole) return e;
    if (!is_format(e)) return NULL;
    const char *format = e->call.args.items[1]->literal.text;
    struct expr *date = e->call.args.items[0];
    if (strcmp(format, "%w") == 0) return call_plan(b, "weekday", 1, &date);
    if (strcmp(format, "%j") == 0) return call_plan(b, "yearday", 1, &date);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strcmp(format, signs[i]) != 0) continue;
        struct expr *args[] = { expr_text(b->call, unit_names[i]), date };
        return call_plan(b, "date_part", 2, args);
    }
    return NULL;
}

static struct expr *bind_cast(struct binder *b, struct scope *s, const struct node *n)
{
    const struct type_name *type = n->cast.type;
    if (n->try_cast || type->array || type->type.kind == TYPE_UNKNOWN || type->type.kind == TYPE_INTERVAL) {
        if (n->try_cast)
            fail_unsupported(b, n->at, "TRY_CAST");
        else
            fail_unsupported(b, n->at, "the type %s", type->text);
        return NULL;
    }
    struct expr *arg = bind_operand(b, s, n->cast.arg, true);
    struct expr *implied = arg ? implied_cast(b, arg, type->type.kind) : NULL;
    if (implied || b->call->err.code) return implied;
    struct expr *e = arg ? bind_keep(b, expr_cast(b->call, arg, type->type.kind)) : NULL;
    if (e) e->cast.to = e->type = type->type;
    return e;
}

static struct expr *bind_row(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *e = call_alloc(b->call, sizeof *e);
    e->kind = EXPR_ROW;
    for (size_t i = 0; i < n->of.list.count; i++) {
        struct expr *item = bind_operand(b, s, n->of.list.items[i], true);
        if (!item) return NULL;
        exprs_push(b->call, &e->row, item);
    }
    return bind_keep(b, e);
}

static struct expr *bind_not(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *e = bind_expr(b, s, n->left);
    if (!e) return NULL;
    if (expr_has_not(e) && !e->negated) {
        e->negated = true;
        return e;
    }
    return bind_boolean(b, expr_not(b->call, e));
}

struct expr *bind_operand(struct binder *b, struct scope *s, const struct node *n, bool text_ok)
{
    return n->kind == NODE_NAME ? bind_name(b, s, n, text_ok) : bind_expr(b, s, n);
}

struct expr *bind_expr(struct binder *b, struct scope *s, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case NODE_NULL:
        return bind_keep(b, expr_null(b->call));
    case NODE_BOOLEAN:
        return bind_boolean(b, expr_boolean(b->call, !n->negated));
    case NODE_NUMBER:
        return bind_number(b, n);
    case NODE_TEXT:
        return bind_keep(b, expr_text(b->call, n->text));
    case NODE_BINARY_TEXT:
        return bind_keep(b, expr_literal(b->call, TYPE_BINARY, n->text));
    case NODE_TYPED:
        return bind_typed(b, n);
    case NODE_NAME:
        return bind_name(b, s, n, false);
    case NODE_CALL:
        return bind_call(b, s, n);
    case NODE_MINUS:
        return bind_minus(b, s, n);
    case NODE_NOT:
        return bind_not(b, s, n);
    case NODE_BINARY:
        return bind_binary(b, s, n);
    case NODE_CHAIN:
        return bind_chain(b, s, n);
    case NODE_LIKE:
        return bind_like(b, s, n);
    case NODE_BETWEEN:
        return bind_between(b, s, n);
    case NODE_IN:
        return bind_in(b, s, n, n->negated);
    case NODE_IS_NULL:
        return bind_is_null(b, s, n);
    case NODE_IS_DISTINCT:
        return bind_is_distinct(b, s, n);
    case NODE_IS_TRUTH:
        return bind_is_truth(b, s, n);
    case NODE_EXISTS:
    case NODE_QUERY:
        return bind_subquery(b, s, n);
    case NODE_CASE:
        return bind_case(b, s, n);
    case NODE_CAST:
        return bind_cast(b, s, n);
    case NODE_INTERVAL:
        return bind_interval(b, s, n);
    case NODE_ROW:
        return bind_row(b, s, n);
    case NODE_QUANTIFIED:
        return bind_quantified(b, s, n);
    case NODE_STAR:
        fail_unsupported(b, n->at, "* in this place");
        return NULL;
    case NODE_ARRAY:
        fail_unsupported(b, n->at, "a list or array");
        return NULL;
    case NODE_OTHER:
        break;
    }
    fail_unsupported(b, n->at, "this expression");
    return NULL;
}
