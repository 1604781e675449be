#include "sql/render.h"

#include <string.h>

bool expr_is_predicate(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_UNARY:
        return e->unary.op == UNARY_NOT;
    case EXPR_BINARY:
        return e->binary.op <= OP_GE || e->binary.op == OP_AND || e->binary.op == OP_OR;
    default:
        return expr_has_not(e);
    }
}

bool expr_is_number_literal(const struct expr *e)
{
    if (e->kind != EXPR_LITERAL || e->literal.null) return false;
    enum type_kind k = e->type.kind;
    return k == TYPE_INTEGER || k == TYPE_DECIMAL || k == TYPE_DOUBLE;
}

bool expr_is_nonzero(const struct expr *e)
{
    if (e->kind == EXPR_UNARY && e->unary.op == UNARY_MINUS) return expr_is_nonzero(e->unary.arg);
    return expr_is_number_literal(e) && strpbrk(e->literal.text, "123456789") != NULL;
}

bool expr_is_constant(const struct expr *e)
{
    return e->kind == EXPR_LITERAL ||
           (e->kind == EXPR_UNARY && e->unary.op == UNARY_MINUS && expr_is_constant(e->unary.arg));
}

const char *expr_text_literal(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && !e->literal.null && e->type.kind == TYPE_TEXT ? e->literal.text : NULL;
}

static enum level_of binds_binary(const struct render *r, const struct expr *e)
{
    switch (e->binary.op) {
    case OP_OR:
        return BINDS_OR;
    case OP_AND:
        return BINDS_AND;
    case OP_ADD:
    case OP_SUB:
        return e->binary.right->type.kind == TYPE_INTERVAL || e->binary.left->type.kind == TYPE_INTERVAL ? BINDS_PRIMARY
                                                                                                         : BINDS_ADD;
    case OP_MUL:
    case OP_DIV:
    case OP_INTDIV:
    case OP_MOD:
        return BINDS_MULTIPLY;
    case OP_CONCAT:
        return render_can(r, D_CONCAT_OPERATOR) ? BINDS_CONCAT : BINDS_PRIMARY;
    default:
        return BINDS_COMPARE;
    }
}

enum level_of render_binds(const struct render *r, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return expr_is_number_literal(e) && (e->literal.text[0] == '-' || e->literal.text[0] == '+') ? BINDS_UNARY
                                                                                                     : BINDS_PRIMARY;
    case EXPR_UNARY:
        return e->unary.op == UNARY_NOT ? BINDS_NOT : BINDS_UNARY;
    case EXPR_BINARY:
        return binds_binary(r, e);
    case EXPR_LIKE:
        if (!e->like.fold && render_can(r, D_GLOB)) return e->negated ? BINDS_NOT : BINDS_PRIMARY;
        return BINDS_COMPARE;
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        return BINDS_COMPARE;
    case EXPR_EXISTS:
        return e->negated ? BINDS_NOT : BINDS_PRIMARY;
    case EXPR_CALL:
        return r->dialect->binds ? (enum level_of)r->dialect->binds(e) : BINDS_PRIMARY;
    default:
        return BINDS_PRIMARY;
    }
}

void render_list(struct render *r, const struct exprs *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (i) render_text(r, ", ");
        render_value(r, l->items[i], BINDS_ANY);
    }
}

void render_binary(struct render *r, const struct expr *left, const char *op, const struct expr *right,
                   enum level_of least_left, enum level_of least_right)
{
    render_value(r, left, least_left);
    render_format(r, " %s ", op);
    render_value(r, right, least_right);
}

/* Both sides of = or != are rows; an engine without row values compares them member by member. */
static void row_equality(struct render *r, const struct exprs *left, const struct exprs *right, bool equal)
{
    if (left->count != right->count) {
        render_refuse(r, ERR_WRONG_ARITY, "Rows of %zu and %zu values cannot be compared.", left->count, right->count);
        return;
    }
    render_text(r, equal ? "(" : "NOT (");
    for (size_t i = 0; i < left->count; i++) {
        if (i) render_text(r, " AND ");
        render_binary(r, left->items[i], "=", right->items[i], BINDS_CONCAT, BINDS_CONCAT);
    }
    render_text(r, ")");
}

static void logical(struct render *r, const struct expr *e)
{
    enum level_of own = e->binary.op == OP_AND ? BINDS_AND : BINDS_OR;
    render_predicate(r, e->binary.left, own);
    render_text(r, e->binary.op == OP_AND ? " AND " : " OR ");
    /* a AND (b AND c) is the same as a AND b AND c; OR alike. */
    render_predicate(r, e->binary.right, own);
}

static void binary(struct render *r, const struct expr *e)
{
    const struct expr *left = e->binary.left, *right = e->binary.right;
    switch (e->binary.op) {
    case OP_AND:
    case OP_OR:
        logical(r, e);
        return;
    case OP_DIV:
    case OP_INTDIV:
    case OP_MOD:
        r->dialect->divide(r, e);
        return;
    case OP_CONCAT:
        r->dialect->concat(r, e);
        return;
    case OP_ADD:
    case OP_SUB:
        if (right->type.kind == TYPE_INTERVAL || right->kind == EXPR_INTERVAL) {
            r->dialect->shift(r, left, right, e->binary.op == OP_SUB);
        } else if (left->type.kind == TYPE_INTERVAL || left->kind == EXPR_INTERVAL) {
            if (e->binary.op == OP_SUB)
                render_refuse(r, ERR_TYPE_MISMATCH, "A date cannot be taken from an interval.");
            else
                r->dialect->shift(r, right, left, false);
        } else {
            render_binary(r, left, binary_op_names[e->binary.op], right, BINDS_ADD, BINDS_MULTIPLY);
        }
        return;
    case OP_MUL:
        render_binary(r, left, "*", right, BINDS_MULTIPLY, BINDS_UNARY);
        return;
    default:
        break;
    }
    bool equality = e->binary.op == OP_EQ || e->binary.op == OP_NE;
    if (left->kind == EXPR_ROW && right->kind == EXPR_ROW && equality && !render_knows(r, DIALECT_ROW_VALUES))
        row_equality(r, &left->row, &right->row, e->binary.op == OP_EQ);
    else
        render_binary(r, left, e->binary.op == OP_NE ? "<>" : binary_op_names[e->binary.op], right, BINDS_CONCAT,
                      BINDS_CONCAT);
}

static void in_rows(struct render *r, const struct expr *e)
{
    const struct exprs *list = &e->in.list;
    if (render_can(r, D_ROW_LISTS) || (render_knows(r, DIALECT_ROW_VALUES) && render_can(r, D_VALUES))) {
        render_value(r, e->in.arg, BINDS_PRIMARY);
        render_text(r, e->negated ? " NOT IN (" : " IN (");
        if (!render_can(r, D_ROW_LISTS)) render_text(r, "VALUES ");
        render_list(r, list);
        render_text(r, ")");
        return;
    }
    render_text(r, e->negated ? "NOT (" : "(");
    for (size_t i = 0; i < list->count; i++) {
        if (i) render_text(r, " OR ");
        if (list->items[i]->kind != EXPR_ROW)
            render_refuse(r, ERR_TYPE_MISMATCH, "Each member of the list must be a row.");
        else
            row_equality(r, &e->in.arg->row, &list->items[i]->row, true);
    }
    render_text(r, ")");
}

static void in(struct render *r, const struct expr *e)
{
    if (!e->in.query && !e->in.list.count) {
        render_text(r, e->negated ? "1 = 1" : "1 = 0");
        return;
    }
    if (e->in.arg->kind == EXPR_ROW && !e->in.query) {
        in_rows(r, e);
        return;
    }
    if (e->in.arg->kind == EXPR_ROW && !render_knows(r, DIALECT_ROW_VALUES)) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "Rows IN a query are not available for %s.", r->dialect->name);
        return;
    }
    render_value(r, e->in.arg, BINDS_CONCAT);
    render_text(r, e->negated ? " NOT IN " : " IN ");
    if (e->in.query && (e->in.query->limit || e->in.query->offset) && render_can(r, D_NO_LIMIT_IN)) {
        render_text(r, "(SELECT * FROM ");
        render_subquery(r, e->in.query);
        render_text(r, " AS ");
        render_made_up_name(r);
        render_text(r, ")");
    } else if (e->in.query) {
        render_subquery(r, e->in.query);
    } else {
        render_text(r, "(");
        render_list(r, &e->in.list);
        render_text(r, ")");
    }
}

static void cases(struct render *r, const struct expr *e)
{
    render_text(r, "CASE");
    for (size_t i = 0; i < e->cases.count; i++) {
        render_text(r, " WHEN ");
        render_predicate(r, e->cases.whens[i].when, BINDS_ANY);
        render_text(r, " THEN ");
        render_value(r, e->cases.whens[i].then, BINDS_ANY);
    }
    if (e->cases.otherwise) {
        render_text(r, " ELSE ");
        render_value(r, e->cases.otherwise, BINDS_ANY);
    }
    render_text(r, " END");
}

static void column(struct render *r, const struct expr *e)
{
    const struct source *s = e->column.source;
    render_alias(r, s ? s->alias : e->column.table);
    render_text(r, ".");
    if (s && s->kind == SOURCE_TABLE && s->table && e->column.index < s->table->column_count) {
        render_name(r, s->table->columns[e->column.index].name);
        reads_column(r, s, e->column.index);
    } else if (s && e->column.index < s->offer_count) {
        render_name(r, s->offers[e->column.index].name);
    } else {
        render_refuse(r, ERR_INTERNAL_ERROR, "Something went wrong inside; the trace id finds it.");
        call_detail(r->call, "column %s.%s is not bound", e->column.table, e->column.column);
    }
}

/* A result column named inside a larger ORDER BY expression: engines disagree on such names, so the expression itself
 * stands there. render_orders writes the plain name where that is all there is. */
static void output(struct render *r, const struct expr *e)
{
    const struct query *q = r->ordered;
    if (r->derived)
        render_name(r, e->output.name);
    else if (!q || q->body->kind != BODY_SELECT || e->output.index >= q->body->select.item_count)
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "Order by the plain name of a result column here.");
    else
        render_value(r, q->body->select.items[e->output.index].expr, BINDS_PRIMARY);
}

static void number(struct render *r, const char *digits)
{
    size_t n = strlen(digits);
    if (!n || strspn(digits, "0123456789.eE+-") != n || !strpbrk(digits, "0123456789"))
        render_refuse(r, ERR_INVALID_NUMERIC_VALUE, "A number literal has other characters than digits.");
    else
        render_text(r, digits);
}

static void literal(struct render *r, const struct expr *e)
{
    if (e->literal.null || !e->literal.text)
        render_text(r, "NULL");
    else if (expr_is_number_literal(e))
        number(r, e->literal.text);
    else
        r->dialect->literal(r, e);
}

static void is_null(struct render *r, const struct expr *e)
{
    render_value(r, e->is.left, BINDS_CONCAT);
    render_text(r, e->negated ? " IS NOT NULL" : " IS NULL");
}

static void between(struct render *r, const struct expr *e)
{
    render_value(r, e->between.arg, BINDS_CONCAT);
    render_text(r, e->negated ? " NOT BETWEEN " : " BETWEEN ");
    render_value(r, e->between.low, BINDS_CONCAT);
    render_text(r, " AND ");
    render_value(r, e->between.high, BINDS_CONCAT);
}

static bool is_negatable(const struct expr *e)
{
    bool kind = (e->kind >= EXPR_LIKE && e->kind <= EXPR_EXISTS);
    return kind && !e->negated;
}

static void unary(struct render *r, const struct expr *e)
{
    if (e->unary.op == UNARY_NOT) {
        struct expr inside = *e->unary.arg;
        if (is_negatable(&inside)) { /* has a word of its own for it */
            inside.negated = true;
            render_predicate(r, &inside, BINDS_ANY);
            return;
        }
        render_text(r, "NOT ");
        render_predicate(r, e->unary.arg, BINDS_PRIMARY);
    } else {
        render_text(r, "-");
        render_value(r, e->unary.arg, BINDS_PRIMARY);
    }
}

static void one(struct render *r, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        literal(r, e);
        break;
    case EXPR_COLUMN:
        column(r, e);
        break;
    case EXPR_OUTPUT:
        output(r, e);
        break;
    case EXPR_CALL:
        render_call(r, e);
        break;
    case EXPR_UNARY:
        unary(r, e);
        break;
    case EXPR_BINARY:
        binary(r, e);
        break;
    case EXPR_LIKE:
        r->dialect->like(r, e);
        break;
    case EXPR_BETWEEN:
        between(r, e);
        break;
    case EXPR_IN:
        in(r, e);
        break;
    case EXPR_IS_NULL:
        is_null(r, e);
        break;
    case EXPR_IS_DISTINCT:
        r->dialect->distinct_from(r, e);
        break;
    case EXPR_EXISTS:
        render_text(r, e->negated ? "NOT EXISTS " : "EXISTS ");
        render_subquery(r, e->query);
        break;
    case EXPR_QUERY:
        render_subquery(r, e->query);
        break;
    case EXPR_CASE:
        cases(r, e);
        break;
    case EXPR_CAST:
        r->dialect->cast(r, e);
        break;
    case EXPR_INTERVAL:
        render_refuse(r, ERR_TYPE_MISMATCH, "An interval stands only beside a date, after + or -.");
        break;
    case EXPR_ROW:
        render_text(r, "(");
        render_list(r, &e->row);
        render_text(r, ")");
        break;
    case EXPR_STAR:
        render_text(r, "*");
        break;
    }
}

static bool enter(struct render *r)
{
    if (r->rc) return false;
    /* Twice the plan's own ceiling: templates and wraps add levels of their own. */
    if (++r->depth > 4 * PLAN_DEPTH_MAX) {
        render_refuse(r, ERR_PLAN_TOO_LARGE, "The plan is nested too deeply.");
        return false;
    }
    return true;
}

static void wrapped(struct render *r, const struct expr *e, enum level_of least)
{
    bool parens = render_binds(r, e) < least;
    if (parens) render_text(r, "(");
    one(r, e);
    if (parens) render_text(r, ")");
}

void render_value(struct render *r, const struct expr *e, enum level_of least)
{
    if (!enter(r)) return;
    if (!render_can(r, D_BOOLEAN) && expr_is_predicate(e)) {
        /* Three states: true, false, NULL. */
        render_text(r, "CASE WHEN ");
        one(r, e);
        if (e->nullable) {
            render_text(r, " THEN CAST(1 AS BIT) WHEN NOT (");
            one(r, e);
            render_text(r, ") THEN CAST(0 AS BIT) END");
        } else {
            render_text(r, " THEN CAST(1 AS BIT) ELSE CAST(0 AS BIT) END");
        }
    } else {
        wrapped(r, e, least);
    }
    r->depth--;
}

void render_predicate(struct render *r, const struct expr *e, enum level_of least)
{
    if (!enter(r)) return;
    if (render_can(r, D_BOOLEAN) || expr_is_predicate(e)) {
        wrapped(r, e, least);
    } else {
        bool parens = BINDS_COMPARE < least;
        if (parens) render_text(r, "(");
        wrapped(r, e, BINDS_CONCAT);
        render_text(r, " = 1");
        if (parens) render_text(r, ")");
    }
    r->depth--;
}
