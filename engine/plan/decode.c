/* Queries of a plan: bodies, sources, joins, common tables. */
#include "plan/decoder.h"
#include "plan/names.h"

int decode_needed_query(struct decoder *d, struct at object_at, const char *name, struct query **out)
{
    TRY(decode_required(d, object_at, name));
    return decode_query(d, MEMBER(object_at, name), out);
}

static int decode_source(struct decoder *d, struct at a, struct source **out)
{
    struct source *s = call_alloc(d->c, sizeof *s);
    if (++d->sources > PLAN_SOURCES_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, a.path), "The plan has more than %d sources.",
                            PLAN_SOURCES_MAX);
    TRY(decode_enter(d, a.path));
    if (a.j->kind != J_OBJECT) return decode_fail(d, a.path, "Expected a source object, found %s.", found_kind(a.j));
    if (json_get(a.j, "query")) {
        s->kind = SOURCE_QUERY;
        TRY(decode_object(d, a, MEMBERS("query", "alias", "columns")));
        TRY(decode_needed_query(d, a, "query", &s->query));
        TRY(decode_names(d, MEMBER(a, "columns"), &s->columns, &s->column_count));
    } else if (json_get(a.j, "cte")) {
        s->kind = SOURCE_CTE;
        TRY(decode_object(d, a, MEMBERS("cte", "alias")));
        TRY(decode_needed_name(d, a, "cte", &s->name));
    } else {
        TRY(decode_object(d, a, MEMBERS("table", "schema", "alias")));
        TRY(decode_needed_name(d, a, "table", &s->name));
        TRY(decode_name(d, MEMBER(a, "schema"), &s->schema));
    }
    TRY(decode_needed_name(d, a, "alias", &s->alias));
    decode_leave(d);
    *out = s;
    return OK;
}

static int decode_from(struct decoder *d, struct at a, struct from **out);

static int decode_join(struct decoder *d, struct at a, struct join *out)
{
    unsigned word = 0;
    TRY(decode_object(d, a, MEMBERS("type", "source", "on")));
    TRY(decode_needed_word(d, a, "type", join_type_names, &word));
    out->type = (enum join_type)word;
    TRY(decode_required(d, a, "source"));
    TRY(decode_source(d, MEMBER(a, "source"), &out->source));
    return decode_optional_expr(d, a, "on", &out->on);
}

static int decode_joined(struct decoder *d, struct at a, struct from *out)
{
    TRY(decode_object(d, a, MEMBERS("from", "joins")));
    TRY(decode_required(d, a, "from"));
    TRY(decode_required(d, a, "joins"));
    TRY(decode_from(d, MEMBER(a, "from"), &out->joined));
    struct at joins = MEMBER(a, "joins");
    TRY(decode_array(d, joins));
    if (!joins.j->count) return decode_fail(d, joins.path, "A joined from has at least one join.");
    out->joins = call_array(d->c, joins.j->count, sizeof *out->joins);
    out->join_count = joins.j->count;
    for (size_t i = 0; i < joins.j->count; i++) TRY(decode_join(d, ITEM(joins, i), &out->joins[i]));
    return OK;
}

static int decode_from(struct decoder *d, struct at a, struct from **out)
{
    struct from *f = call_alloc(d->c, sizeof *f);
    TRY(decode_enter(d, a.path));
    if (json_get(a.j, "joined")) {
        TRY(decode_object(d, a, MEMBERS("joined")));
        TRY(decode_joined(d, MEMBER(a, "joined"), f));
    } else {
        TRY(decode_source(d, a, &f->source));
    }
    decode_leave(d);
    *out = f;
    return OK;
}

static int decode_select(struct decoder *d, struct at a, struct body *b)
{
    TRY(decode_object(d, a, MEMBERS("kind", "distinct", "items", "from", "where", "group_by", "having")));
    TRY(decode_flag(d, MEMBER(a, "distinct"), &b->select.distinct));
    TRY(decode_required(d, a, "items"));
    struct at items = MEMBER(a, "items");
    TRY(decode_array(d, items));
    b->select.items = call_array(d->c, items.j->count, sizeof *b->select.items);
    b->select.item_count = items.j->count;
    for (size_t i = 0; i < items.j->count; i++) {
        struct at item = ITEM(items, i);
        TRY(decode_object(d, item, MEMBERS("expr", "alias")));
        TRY(decode_needed_expr(d, item, "expr", &b->select.items[i].expr));
        TRY(decode_needed_name(d, item, "alias", &b->select.items[i].alias));
    }
    if (json_get(a.j, "from")) TRY(decode_from(d, MEMBER(a, "from"), &b->select.from));
    TRY(decode_optional_expr(d, a, "where", &b->select.where));
    TRY(decode_some_exprs(d, MEMBER(a, "group_by"), &b->select.group_by));
    return decode_optional_expr(d, a, "having", &b->select.having);
}

static int decode_body(struct decoder *d, struct at a, struct body **out)
{
    static const char *const kinds[] = { "select", "set", "values", NULL };
    struct body *b = call_alloc(d->c, sizeof *b);
    unsigned word = 0;
    *out = b;
    if (a.j->kind != J_OBJECT) return decode_fail(d, a.path, "Expected an object, found %s.", found_kind(a.j));
    TRY(decode_needed_word(d, a, "kind", kinds, &word));
    b->kind = (enum body_kind)word;
    if (b->kind == BODY_SELECT) return decode_select(d, a, b);
    if (b->kind == BODY_SET) {
        TRY(decode_object(d, a, MEMBERS("kind", "op", "left", "right")));
        TRY(decode_needed_word(d, a, "op", set_op_names, &word));
        b->set.op = (enum set_op)word;
        TRY(decode_needed_query(d, a, "left", &b->set.left));
        return decode_needed_query(d, a, "right", &b->set.right);
    }
    TRY(decode_object(d, a, MEMBERS("kind", "rows")));
    TRY(decode_required(d, a, "rows"));
    struct at rows = MEMBER(a, "rows");
    TRY(decode_array(d, rows));
    b->values.rows = call_array(d->c, rows.j->count, sizeof *b->values.rows);
    b->values.count = rows.j->count;
    for (size_t i = 0; i < rows.j->count; i++) TRY(decode_exprs(d, ITEM(rows, i), &b->values.rows[i]));
    return OK;
}

static int decode_cte(struct decoder *d, struct at a, struct cte *out)
{
    TRY(decode_object(d, a, MEMBERS("name", "columns", "recursive", "query")));
    TRY(decode_needed_name(d, a, "name", &out->name));
    TRY(decode_names(d, MEMBER(a, "columns"), &out->columns, &out->column_count));
    TRY(decode_flag(d, MEMBER(a, "recursive"), &out->recursive));
    return decode_needed_query(d, a, "query", &out->query);
}

/* A limit or an offset: a whole number, or an expression. */
static int decode_count(struct decoder *d, struct at a, struct expr **out)
{
    if (!a.j) return OK;
    if (a.j->kind == J_OBJECT) return decode_expr(d, a, out);
    if (a.j->kind != J_INT || a.j->integer < 0 || a.j->integer > INTEGER_MAX)
        return decode_fail(d, a.path, "Expected a whole number of rows that is not negative.");
    *out = expr_integer(d->c, a.j->integer);
    return OK;
}

int decode_query(struct decoder *d, struct at a, struct query **out)
{
    struct query *q = call_alloc(d->c, sizeof *q);
    TRY(decode_enter(d, a.path));
    TRY(decode_object(d, a, MEMBERS("with", "body", "order_by", "limit", "offset")));
    if (json_get(a.j, "with")) {
        struct at with = MEMBER(a, "with");
        TRY(decode_array(d, with));
        if (!with.j->count) return decode_fail(d, with.path, "Leave an empty list out.");
        q->ctes = call_array(d->c, with.j->count, sizeof *q->ctes);
        q->cte_count = with.j->count;
        for (size_t i = 0; i < with.j->count; i++) TRY(decode_cte(d, ITEM(with, i), &q->ctes[i]));
    }
    TRY(decode_required(d, a, "body"));
    TRY(decode_body(d, MEMBER(a, "body"), &q->body));
    TRY(decode_orders(d, MEMBER(a, "order_by"), &q->order_by));
    TRY(decode_count(d, MEMBER(a, "limit"), &q->limit));
    TRY(decode_count(d, MEMBER(a, "offset"), &q->offset));
    decode_leave(d);
    *out = q;
    return OK;
}

int plan_decode(struct call *c, const struct json *j, struct query **out)
{
    struct decoder d = { .c = c };
    return decode_query(&d, (struct at){ j, NULL }, out);
}

int plan_parse(struct call *c, const char *text, size_t n, struct query **out)
{
    const struct json *j = NULL;
    TRY(json_parse_deep(c, text, n, PLAN_DEPTH_MAX * 4, &j));
    return plan_decode(c, j, out);
}
