#include "plan/names.h"
#include "plan/plan.h"

#include <string.h>

const char *const expr_kind_names[] = { "literal", "column",   "output",  "call",        "unary",  "binary", "like",
                                        "between", "in",       "is_null", "is_distinct", "exists", "query",  "case",
                                        "cast",    "interval", "row",     "star",        NULL };
const char *const join_type_names[] = { "inner", "left", "right", "full", "cross", NULL };
const char *const set_op_names[] = { "union", "union_all", "intersect", "intersect_all", "except", "except_all", NULL };
const char *const frame_unit_names[] = { "rows", "range", "groups", NULL };
const char *const bound_kind_names[] = { "unbounded_preceding", "preceding",           "current",
                                         "following",           "unbounded_following", NULL };
const char *const frame_exclude_names[] = { "none", "current", "group", "ties", NULL };

static void encode_expr(struct buf *b, const struct expr *e);

/* `"name":` with a comma before it unless it opens an object. */
static void member(struct buf *b, const char *name)
{
    if (b->len && b->data[b->len - 1] != '{') buf_char(b, ',');
    buf_char(b, '"');
    buf_str(b, name);
    buf_str(b, "\":");
}

static void member_text(struct buf *b, const char *name, const char *text)
{
    if (!text) return;
    member(b, name);
    json_add_string(b, text);
}

static void member_true(struct buf *b, const char *name, bool v)
{
    if (!v) return;
    member(b, name);
    buf_str(b, "true");
}

static void member_expr(struct buf *b, const char *name, const struct expr *e)
{
    if (!e) return;
    member(b, name);
    encode_expr(b, e);
}

static void member_query(struct buf *b, const char *name, const struct query *q)
{
    if (!q) return;
    member(b, name);
    plan_encode(b, q);
}

static void encode_exprs(struct buf *b, const struct exprs *l)
{
    buf_char(b, '[');
    for (size_t i = 0; i < l->count; i++) {
        if (i) buf_char(b, ',');
        encode_expr(b, l->items[i]);
    }
    buf_char(b, ']');
}

static void member_exprs(struct buf *b, const char *name, const struct exprs *l)
{
    if (!l->count) return;
    member(b, name);
    encode_exprs(b, l);
}

static void member_names(struct buf *b, const char *name, const char *const *names, size_t count)
{
    if (!count) return;
    member(b, name);
    buf_char(b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_char(b, ',');
        json_add_string(b, names[i]);
    }
    buf_char(b, ']');
}

static void member_orders(struct buf *b, const char *name, const struct orders *l)
{
    if (!l->count) return;
    member(b, name);
    buf_char(b, '[');
    for (size_t i = 0; i < l->count; i++) {
        buf_str(b, i ? ",{" : "{");
        member_expr(b, "expr", l->items[i].expr);
        if (l->items[i].direction == DIR_DESC) member_text(b, "direction", "desc");
        if (l->items[i].nulls == NULLS_FIRST) member_text(b, "nulls", "first");
        buf_char(b, '}');
    }
    buf_char(b, ']');
}

static void member_type(struct buf *b, const char *name, struct value_type t)
{
    member(b, name);
    if (t.kind != TYPE_DECIMAL || !t.precision) {
        json_add_string(b, type_kind_names[t.kind]);
        return;
    }
    buf_format(b, "{\"kind\":\"decimal\",\"precision\":%d", t.precision);
    if (t.scale) buf_format(b, ",\"scale\":%d", t.scale);
    buf_char(b, '}');
}

static void encode_literal(struct buf *b, const struct expr *e)
{
    if (e->type.kind != TYPE_NULL) member_type(b, "type", e->type);
    if (e->literal.null) {
        member_true(b, "null", true);
        return;
    }
    member(b, "value");
    if (e->type.kind == TYPE_BOOLEAN)
        buf_str(b, e->literal.text && !strcmp(e->literal.text, "true") ? "true" : "false");
    else
        json_add_string(b, e->literal.text);
}

static void member_bound(struct buf *b, const char *name, const struct frame_bound *bound)
{
    member(b, name);
    buf_char(b, '{');
    member_text(b, "kind", bound_kind_names[bound->kind]);
    member_expr(b, "offset", bound->offset);
    buf_char(b, '}');
}

static void encode_window(struct buf *b, const struct window *w)
{
    buf_char(b, '{');
    member_exprs(b, "partition_by", &w->partition_by);
    member_orders(b, "order_by", &w->order_by);
    if (w->frame) {
        member(b, "frame");
        buf_char(b, '{');
        member_text(b, "unit", frame_unit_names[w->frame->unit]);
        member_bound(b, "start", &w->frame->start);
        member_bound(b, "end", &w->frame->end);
        if (w->frame->exclude) member_text(b, "exclude", frame_exclude_names[w->frame->exclude]);
        buf_char(b, '}');
    }
    buf_char(b, '}');
}

static void encode_call(struct buf *b, const struct expr *e)
{
    member_text(b, "function", e->call.name);
    member(b, "args");
    encode_exprs(b, &e->call.args);
    member_true(b, "distinct", e->call.distinct);
    member_expr(b, "filter", e->call.filter);
    member_orders(b, "within", &e->call.within);
    if (!e->call.over) return;
    member(b, "over");
    encode_window(b, e->call.over);
}

static void encode_case(struct buf *b, const struct expr *e)
{
    member(b, "whens");
    buf_char(b, '[');
    for (size_t i = 0; i < e->cases.count; i++) {
        buf_str(b, i ? ",{" : "{");
        member_expr(b, "when", e->cases.whens[i].when);
        member_expr(b, "then", e->cases.whens[i].then);
        buf_char(b, '}');
    }
    buf_char(b, ']');
    member_expr(b, "else", e->cases.otherwise);
}

static void encode_in(struct buf *b, const struct expr *e)
{
    member_expr(b, "arg", e->in.arg);
    if (e->in.query) {
        member_query(b, "query", e->in.query);
    } else {
        member(b, "list");
        encode_exprs(b, &e->in.list);
    }
}

static void encode_members(struct buf *b, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        encode_literal(b, e);
        break;
    case EXPR_COLUMN:
        member_text(b, "table", e->column.table);
        member_text(b, "column", e->column.column);
        break;
    case EXPR_OUTPUT:
        member_text(b, "name", e->output.name);
        break;
    case EXPR_CALL:
        encode_call(b, e);
        break;
    case EXPR_UNARY:
        member_text(b, "op", e->unary.op == UNARY_NOT ? "not" : "-");
        member_expr(b, "arg", e->unary.arg);
        break;
    case EXPR_BINARY:
        member_text(b, "op", binary_op_names[e->binary.op]);
        member_expr(b, "left", e->binary.left);
        member_expr(b, "right", e->binary.right);
        break;
    case EXPR_LIKE:
        member_expr(b, "arg", e->like.arg);
        member_expr(b, "pattern", e->like.pattern);
        member_expr(b, "escape", e->like.escape);
        break;
    case EXPR_BETWEEN:
        member_expr(b, "arg", e->between.arg);
        member_expr(b, "low", e->between.low);
        member_expr(b, "high", e->between.high);
        break;
    case EXPR_IN:
        encode_in(b, e);
        break;
    case EXPR_IS_NULL:
        member_expr(b, "arg", e->is.left);
        break;
    case EXPR_IS_DISTINCT:
        member_expr(b, "left", e->is.left);
        member_expr(b, "right", e->is.right);
        break;
    case EXPR_EXISTS:
    case EXPR_QUERY:
        member_query(b, "query", e->query);
        break;
    case EXPR_CASE:
        encode_case(b, e);
        break;
    case EXPR_CAST:
        member_expr(b, "arg", e->cast.arg);
        member_type(b, "to", e->cast.to);
        break;
    case EXPR_INTERVAL:
        member_expr(b, "value", e->interval.value);
        member_text(b, "unit", unit_names[e->interval.unit]);
        break;
    case EXPR_ROW:
        member(b, "items");
        encode_exprs(b, &e->row);
        break;
    case EXPR_STAR:
        break;
    }
}

static void encode_expr(struct buf *b, const struct expr *e)
{
    buf_char(b, '{');
    member_text(b, "kind", e->kind == EXPR_LIKE && e->like.fold ? "ilike" : expr_kind_names[e->kind]);
    encode_members(b, e);
    member_true(b, "not", e->negated);
    buf_char(b, '}');
}

static void encode_source(struct buf *b, const struct source *s)
{
    buf_char(b, '{');
    if (s->kind == SOURCE_TABLE) {
        member_text(b, "table", s->name);
        member_text(b, "schema", s->schema);
    } else if (s->kind == SOURCE_CTE) {
        member_text(b, "cte", s->name);
    } else {
        member_query(b, "query", s->query);
    }
    member_text(b, "alias", s->alias);
    if (s->kind == SOURCE_QUERY) member_names(b, "columns", s->columns, s->column_count);
    buf_char(b, '}');
}

static void encode_from(struct buf *b, const struct from *f)
{
    if (f->source) {
        encode_source(b, f->source);
        return;
    }
    buf_str(b, "{\"joined\":{\"from\":");
    encode_from(b, f->joined);
    buf_str(b, ",\"joins\":[");
    for (size_t i = 0; i < f->join_count; i++) {
        buf_str(b, i ? ",{" : "{");
        member_text(b, "type", join_type_names[f->joins[i].type]);
        member(b, "source");
        encode_source(b, f->joins[i].source);
        member_expr(b, "on", f->joins[i].on);
        buf_char(b, '}');
    }
    buf_str(b, "]}}");
}

static void encode_select(struct buf *b, const struct body *body)
{
    member_true(b, "distinct", body->select.distinct);
    member(b, "items");
    buf_char(b, '[');
    for (size_t i = 0; i < body->select.item_count; i++) {
        buf_str(b, i ? ",{" : "{");
        member_expr(b, "expr", body->select.items[i].expr);
        member_text(b, "alias", body->select.items[i].alias);
        buf_char(b, '}');
    }
    buf_char(b, ']');
    if (body->select.from) {
        member(b, "from");
        encode_from(b, body->select.from);
    }
    member_expr(b, "where", body->select.where);
    member_exprs(b, "group_by", &body->select.group_by);
    member_expr(b, "having", body->select.having);
}

static void encode_body(struct buf *b, const struct body *body)
{
    static const char *const kinds[] = { "select", "set", "values" };
    buf_char(b, '{');
    member_text(b, "kind", kinds[body->kind]);
    switch (body->kind) {
    case BODY_SELECT:
        encode_select(b, body);
        break;
    case BODY_SET:
        member_text(b, "op", set_op_names[body->set.op]);
        member_query(b, "left", body->set.left);
        member_query(b, "right", body->set.right);
        break;
    case BODY_VALUES:
        member(b, "rows");
        buf_char(b, '[');
        for (size_t i = 0; i < body->values.count; i++) {
            if (i) buf_char(b, ',');
            encode_exprs(b, &body->values.rows[i]);
        }
        buf_char(b, ']');
        break;
    }
    buf_char(b, '}');
}

/* A count is a bare number where the reader takes it for the same literal. */
static void member_count(struct buf *b, const char *name, const struct expr *e)
{
    if (!e) return;
    bool plain = e->kind == EXPR_LITERAL && e->type.kind == TYPE_INTEGER && !e->literal.null && *e->literal.text;
    size_t digits = plain ? strlen(e->literal.text) : 0;
    plain = plain && digits <= 15 && strspn(e->literal.text, "0123456789") == digits &&
            (e->literal.text[0] != '0' || digits == 1);
    if (!plain) {
        member_expr(b, name, e);
        return;
    }
    member(b, name);
    buf_str(b, e->literal.text);
}

static void encode_ctes(struct buf *b, const struct query *q)
{
    if (!q->cte_count) return;
    member(b, "with");
    buf_char(b, '[');
    for (size_t i = 0; i < q->cte_count; i++) {
        const struct cte *t = &q->ctes[i];
        buf_str(b, i ? ",{" : "{");
        member_text(b, "name", t->name);
        member_names(b, "columns", t->columns, t->column_count);
        member_true(b, "recursive", t->recursive);
        member_query(b, "query", t->query);
        buf_char(b, '}');
    }
    buf_char(b, ']');
}

void plan_encode(struct buf *b, const struct query *q)
{
    buf_char(b, '{');
    encode_ctes(b, q);
    member(b, "body");
    encode_body(b, q->body);
    member_orders(b, "order_by", &q->order_by);
    member_count(b, "limit", q->limit);
    member_count(b, "offset", q->offset);
    buf_char(b, '}');
}
