/* chart: what the plan knows of each column decides what can be drawn. */
#include "ask/run.h"

#include "charts/chart.h"
#include "charts/drawn.h"
#include "plan/functions.h"

#include <string.h>
#include <strings.h>

static enum chart_column_kind kind_of(enum type_kind type)
{
    switch (type) {
    case TYPE_INTEGER:
    case TYPE_DECIMAL:
    case TYPE_DOUBLE:
        return CHART_NUMBER;
    case TYPE_TEXT:
        return CHART_TEXT;
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        return CHART_TEMPORAL;
    case TYPE_BOOLEAN:
        return CHART_BOOLEAN;
    default:
        return CHART_OTHER;
    }
}

/* A key or something numbered is no height of a bar. */
static bool identifier(const struct run *r, const struct result_column *col)
{
    size_t n = strlen(col->name);
    if (!strcasecmp(col->name, "id") || (n > 3 && !strcasecmp(col->name + n - 3, "_id"))) return true;
    for (size_t i = 0; i < col->source_count; i++) {
        const struct table *t = schema_table(r->source->view->tables, r->source->view->table_count,
                                             col->sources[i].schema, col->sources[i].table);
        const struct column *base = t ? schema_column(t, col->sources[i].column) : NULL;
        if (base && base->primary_key) return true;
    }
    return false;
}

static bool calls(const struct expr *e, const char *name)
{
    return e->kind == EXPR_CALL && !strcasecmp(e->call.name, name);
}

/* date_part('year', x) reads as an axis of years. */
static bool year_part(const struct expr *e)
{
    if (!calls(e, "date_part") || !e->call.args.count) return false;
    const struct expr *unit = e->call.args.items[0];
    return unit->kind == EXPR_LITERAL && unit->literal.text && !strcasecmp(unit->literal.text, "year");
}

/* date_format with a year at the front sorts as time does. */
static bool time_text(const struct expr *e)
{
    if (!calls(e, "date_format") || e->call.args.count != 2) return false;
    const struct expr *format = e->call.args.items[1];
    return format->kind == EXPR_LITERAL && format->literal.text && !strncmp(format->literal.text, "%Y", 2);
}

static bool aggregate(const struct expr *e)
{
    const struct function *f = e->kind == EXPR_CALL ? function_find(e->call.name) : NULL;
    return f && f->class != FUNC_SCALAR && f->class != FUNC_WINDOW;
}

/* Refines a column by the item of the select list it comes from. grouped: the query has groups or aggregates. */
static void refine(const struct run *r, const struct expr *e, bool grouped, const struct result_column *col,
                   struct chart_column *out)
{
    if (calls(e, "date_trunc") || year_part(e) || time_text(e)) {
        out->kind = CHART_TEMPORAL;
        return;
    }
    bool part = grouped && (calls(e, "weekday") || calls(e, "date_part")); /* stands along x, though it is a number */
    if (out->kind != CHART_NUMBER || part) return;
    if (aggregate(e)) {
        out->measure = true;
        out->additive = calls(e, "sum") || calls(e, "total") || calls(e, "count");
    } else {
        bool plain = e->kind == EXPR_COLUMN;
        out->measure = plain ? !grouped && !identifier(r, col) : true;
    }
}

static bool any_aggregate(const struct body *b)
{
    for (size_t i = 0; i < b->select.item_count; i++)
        if (aggregate(b->select.items[i].expr)) return true;
    return false;
}

static struct chart_column *describe(struct run *r)
{
    const struct recorder *rows = &r->rows;
    const struct body *b = r->guarded->plan->body;
    struct chart_column *columns = call_array(r->call, rows->column_count, sizeof *columns);
    bool select = b->kind == BODY_SELECT && b->select.item_count == rows->column_count;
    bool grouped = select && (b->select.group_by.count || any_aggregate(b));
    for (size_t i = 0; i < rows->column_count; i++) {
        columns[i].name = rows->columns[i].name;
        columns[i].kind = kind_of(rows->columns[i].type.kind);
        if (select)
            refine(r, b->select.items[i].expr, grouped, &rows->columns[i], &columns[i]);
        else
            columns[i].measure = columns[i].kind == CHART_NUMBER && !identifier(r, &rows->columns[i]);
    }
    return columns;
}

/* The kind that the request sets, or else the question asks for. */
static const char *wished(const struct run *r)
{
    const char *set = r->request->chart;
    struct words q = { 0 };
    if (set && strcmp(set, "auto") != 0) return set;
    struct stemmer *st = stemmer_open(r->call);
    words_read(r->call, st, r->request->question, &q);
    stemmer_close(st);
    drawn_words(&q);
    return drawn_kind(&q);
}

int ask_chart(struct run *r)
{
    struct call *c = r->call;
    const char *kind = wished(r);
    struct chart_spec spec;
    struct chart_input in = { .title = r->request->question,
                              .trace_id = c->trace_id,
                              .result_id = r->result_id,
                              .columns = describe(r),
                              .column_count = r->rows.column_count,
                              .rows = r->rows.rows.items,
                              .row_count = r->rows.rows.count,
                              .truncated = r->stats.rows > (int64_t)r->rows.rows.count || r->stats.truncated };
    int rc = chart_make(c, &in, kind, &spec);
    if (rc == ERR_VALIDATION_ERROR && kind) { /* these rows cannot be drawn so */
        call_forgive(c);
        rc = chart_make(c, &in, NULL, &spec);
    }
    if (rc) return rc;
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    json_encode(&b, &chart_spec_type, &spec);
    r->out->chart = (struct raw){ b.data, b.len };
    return OK;
}
