#include "sql/render.h"

#include "base/hash.h"

#include <stdarg.h>
#include <string.h>

/* Templates repeat arguments, so text may grow faster than the plan: it meets a ceiling. */
#define SQL_BYTES_MAX   ((size_t)1024 * 1024)
#define ALIAS_BYTES_MAX 60

void render_text(struct render *r, const char *s)
{
    if (!r->rc) buf_str(&r->out, s);
}

void render_format(struct render *r, const char *fmt, ...)
{
    if (r->rc) return;
    va_list ap;
    va_start(ap, fmt);
    buf_str(&r->out, call_vformat(r->call, fmt, ap));
    va_end(ap);
}

static void doubled(struct render *r, char open, char close, const char *s)
{
    if (r->rc) return;
    buf_char(&r->out, open);
    for (; *s; s++) {
        if (*s == close) buf_char(&r->out, close);
        buf_char(&r->out, *s);
    }
    buf_char(&r->out, close);
}

void render_name(struct render *r, const char *name)
{
    if (!name || !*name)
        render_refuse(r, ERR_INVALID_PLAN_STRUCTURE, "A name must not be empty.");
    else
        doubled(r, r->dialect->quote_open, r->dialect->quote_close, name);
}

/* Engines cut long names (63 bytes) or compare them by rules of their own: two aliases that differ for the plan must
 * not become one, or a column would be read of another table than the one that was checked. */
static bool is_plain(const struct render *r, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = (unsigned char)name[i];
        if (ch < ' ' || ch == 0x7F || (ch > 0x7F && !render_can(r, D_BYTE_NAMES))) return false;
    }
    return n <= ALIAS_BYTES_MAX && name[n - 1] != ' ';
}

static const char *alias_text(struct render *r, const char *name)
{
    if (!name || !*name || is_plain(r, name)) return name;
    return call_format(r->call, "t_%.32s", hash_hex(r->call, name, strlen(name)));
}

void render_alias(struct render *r, const char *name)
{
    render_name(r, alias_text(r, name));
}

void render_derived(struct render *r, const char *name)
{
    render_alias(r, name);
    reads_derived(r, alias_text(r, name));
}

void render_quoted(struct render *r, const char *text)
{
    doubled(r, '\'', '\'', text);
}

void render_refuse(struct render *r, enum err_code code, const char *fmt, ...)
{
    if (r->rc) return;
    va_list ap;
    va_start(ap, fmt);
    r->rc = call_fail(r->call, code, "%s", call_vformat(r->call, fmt, ap));
    va_end(ap);
}

bool render_can(const struct render *r, unsigned what)
{
    return (r->dialect->can & what) == what;
}

bool render_knows(const struct render *r, unsigned what)
{
    return (r->dialect->support.features & what) == what;
}

static void describe_columns(struct call *c, const struct query *q, struct statement *s)
{
    struct list lineage = { 0 };
    plan_lineage(c, q, &lineage);
    s->column_count = q->offer_count;
    s->columns = call_array(c, q->offer_count, sizeof *s->columns);
    for (size_t i = 0; i < q->offer_count; i++) {
        s->columns[i] = (struct result_column){ .name = q->offers[i].name,
                                                .type = q->offers[i].type,
                                                .nullable = q->offers[i].nullable };
        if (i >= lineage.count) continue;
        const struct list *sources = &LIST_AT(&lineage, struct list, i);
        s->columns[i].sources = sources->items;
        s->columns[i].source_count = sources->count;
    }
}

/* The database type of a result column that is a column of a table, as introspection reported it. */
static void describe_types(const struct query *q, struct statement *s)
{
    if (q->body->kind != BODY_SELECT) return;
    for (size_t i = 0; i < q->body->select.item_count && i < s->column_count; i++) {
        const struct expr *e = q->body->select.items[i].expr;
        if (e->kind != EXPR_COLUMN || !e->column.source || e->column.source->kind != SOURCE_TABLE) continue;
        const struct table *t = e->column.source->table;
        if (t && e->column.index < t->column_count) s->columns[i].db_type = t->columns[e->column.index].db_type;
    }
}

/* The query with the ceiling in its limit. A computed limit keeps its meaning below the ceiling. */
static void capped(struct render *r, const struct query *q, int64_t ceiling, struct statement *s)
{
    struct query top = *q;
    int64_t own;
    bool literal = query_literal_limit(q, &own);
    if (ceiling <= 0 || (literal && own <= ceiling)) {
        s->row_cap = literal ? own : 0;
        render_query(r, &top);
        return;
    }
    s->cap_is_ceiling = true;
    s->row_cap = ceiling < INT64_MAX ? ceiling + 1 : ceiling;
    struct expr cap = { .kind = EXPR_LITERAL,
                        .literal = { .text = call_format(r->call, "%lld", (long long)s->row_cap) },
                        .type = { TYPE_INTEGER, 0, 0 } };
    if (!q->limit || literal) {
        top.limit = &cap;
        render_query(r, &top);
        return;
    }
    render_text(r, "SELECT * FROM ");
    render_subquery(r, q);
    render_text(r, " AS ");
    render_made_up_name(r);
    render_format(r, " LIMIT %lld", (long long)s->row_cap);
}

static void finish(struct render *r, struct statement *s)
{
    reads_functions_of(r, r->out.data);
    reads_finish(r, &s->reads);
    s->sql = r->out.data;
    s->n = r->out.len;
    s->dialect = r->dialect->name;
    s->hash = hash_hex(r->call, s->sql, s->n);
}

/* SELECT (SELECT count(*) FROM recursion) for each that was capped, at a cap one row higher. */
static int count_recursions(struct render *main, const struct query *q, struct statement *of)
{
    struct call *c = main->call;
    struct render r = { .call = c, .dialect = main->dialect, .recursion_cap = RECURSION_ROWS_MAX + 1 };
    struct statement *s = call_alloc(c, sizeof *s);
    struct query *counts = query_select(c);
    counts->ctes = q->ctes;
    counts->cte_count = q->cte_count;
    for (size_t i = 0; i < q->cte_count; i++) {
        if (!q->ctes[i].recurses || q->ctes[i].counted) continue;
        struct query *one = query_select(c);
        query_from_cte(c, one, q->ctes[i].name, "r")->cte = &q->ctes[i];
        query_item(c, one, expr_count_star(c), "n");
        query_item(c, counts, expr_query(c, one), call_format(c, "n%zu", i + 1));
    }
    s->column_count = counts->body->select.item_count;
    s->columns = call_array(c, s->column_count, sizeof *s->columns);
    for (size_t i = 0; i < s->column_count; i++)
        s->columns[i] =
            (struct result_column){ .name = counts->body->select.items[i].alias, .type = { TYPE_INTEGER, 0, 0 } };
    buf_init(&r.out, c, SQL_BYTES_MAX);
    render_query(&r, counts);
    if (!r.rc && r.out.failed)
        render_refuse(&r, ERR_PLAN_TOO_LARGE, "The query is too large when it is written as SQL.");
    if (r.rc) return r.rc;
    finish(&r, s);
    of->recursion = s;
    return OK;
}

int sql_render(struct call *c, const char *dialect, const struct query *q, int64_t row_ceiling, struct statement **out)
{
    struct render r = { .call = c, .dialect = dialect_find(dialect), .recursion_cap = RECURSION_ROWS_MAX };
    if (!r.dialect)
        return call_fail(c, ERR_PLAN_NOT_SUPPORTED, "dialect '%s' is not supported", dialect ? dialect : "");
    struct statement *s = call_alloc(c, sizeof *s);
    buf_init(&r.out, c, SQL_BYTES_MAX);
    capped(&r, q, row_ceiling, s);
    if (!r.rc && r.out.failed)
        render_refuse(&r, ERR_PLAN_TOO_LARGE, "The query is too large when it is written as SQL.");
    if (r.rc) return r.rc;
    finish(&r, s);
    describe_columns(c, q, s);
    describe_types(q, s);
    *out = s;
    return r.capped ? count_recursions(&r, q, s) : OK;
}
