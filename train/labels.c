/* Gold plans as readings: what the models of stage one are to predict. */
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

struct names { /* aliases in scope */
    struct {
        const char *alias;
        int table;
    } items[TABLES_MAX];
    int count;
};

struct reader {
    struct call *call;
    const struct linked *l;
    const struct graph *g;
};

static int find_table(const struct linked *l, const char *name)
{
    for (size_t i = 0; i < l->table_count; i++)
        if (strcasecmp(l->tables[i].table->name, name) == 0) return (int)i;
    return -1;
}

static bool add_source(const struct reader *r, struct names *n, const struct source *s)
{
    if (s->kind != SOURCE_TABLE || n->count == TABLES_MAX) return false;
    int t = find_table(r->l, s->name);
    if (t < 0) return false;
    for (int i = 0; i < n->count; i++)
        if (n->items[i].table == t) return false; /* a self join */
    n->items[n->count].alias = s->alias ? s->alias : s->name;
    n->items[n->count++].table = t;
    return true;
}

static bool add_from(const struct reader *r, struct names *n, const struct from *f)
{
    if (!f) return false;
    if (f->source) return add_source(r, n, f->source);
    if (!add_from(r, n, f->joined)) return false;
    for (size_t i = 0; i < f->join_count; i++)
        if (!add_source(r, n, f->joins[i].source)) return false;
    return true;
}

static int grain_item(const struct linked *l, int base, int grain)
{
    for (size_t i = l->real_columns; i < l->column_count && base >= 0; i++)
        if ((int)l->columns[i].base == base && l->columns[i].grain == grain) return (int)i;
    return -2;
}

static int column_of(const struct reader *r, const struct names *n, const struct expr *e);

/* A date in bins: a date column cut to a unit that the question names. */
static int binned_column(const struct reader *r, const struct names *n, const struct expr *e)
{
    static const struct {
        const char *format;
        int grain;
    } formats[] = { { "%Y", UNIT_YEAR }, { "%Y-%m", UNIT_MONTH }, { "%Y-%m-%d", UNIT_DAY }, { "%w", GRAIN_WEEKDAY } };
    if (e->kind == EXPR_CASE && e->cases.otherwise) { /* a year, of a date or as a number */
        int cut = binned_column(r, n, e->cases.otherwise);
        return cut >= 0 ? cut : column_of(r, n, e->cases.whens[0].then);
    }
    if (e->kind != EXPR_CALL || strcmp(e->call.name, "date_format") != 0 || e->call.args.count != 2) return -2;
    const struct expr *format = e->call.args.items[1];
    for (size_t i = 0; format->kind == EXPR_LITERAL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(format->literal.text, formats[i].format) == 0)
            return grain_item(r->l, column_of(r, n, e->call.args.items[0]), formats[i].grain);
    return -2;
}

static int column_of(const struct reader *r, const struct names *n, const struct expr *e)
{
    while (e->kind == EXPR_CAST) e = e->cast.arg; /* of two types that the engine would have matched by itself */
    if (e->kind != EXPR_COLUMN) return binned_column(r, n, e);
    for (int i = 0; i < n->count; i++) {
        if (e->column.table && strcasecmp(e->column.table, n->items[i].alias) != 0) continue;
        const struct lex_table *t = &r->l->tables[n->items[i].table];
        for (size_t k = 0; k < t->column_count; k++)
            if (strcasecmp(t->table->columns[k].name, e->column.column) == 0) return (int)(t->first_column + k);
    }
    return -2;
}

static bool read_term(const struct reader *r, const struct names *n, const struct expr *e, struct term *out)
{
    *out = (struct term){ 0 };
    while (e->kind == EXPR_CAST) e = e->cast.arg;
    out->column = column_of(r, n, e);
    if (out->column >= 0) return true;
    if (e->kind == EXPR_STAR) {
        out->column = TERM_STAR;
        return true;
    }
    if (e->kind != EXPR_CALL || e->call.args.count != 1 || e->call.over || e->call.filter) return false;
    static const char *const names[] = { "", "count", "sum", "avg", "min", "max" };
    for (int a = AGG_COUNT; a <= AGG_MAX; a++)
        if (strcasecmp(e->call.name, names[a]) == 0) out->agg = (enum agg)a;
    if (!out->agg) return false;
    out->distinct = e->call.distinct;
    if (e->call.args.items[0]->kind == EXPR_STAR) {
        out->column = TERM_STAR;
        return out->agg == AGG_COUNT;
    }
    out->column = column_of(r, n, e->call.args.items[0]);
    return out->column >= 0;
}

static bool read_core(const struct reader *r, const struct query *q, struct core *out);

static const char *literal_text(const struct expr *e)
{
    if (e->kind == EXPR_LITERAL && !e->literal.null) return e->literal.text;
    if (e->kind == EXPR_CAST) return literal_text(e->cast.arg);
    return NULL;
}

static bool read_sub(const struct reader *r, const struct query *q, struct cond *out)
{
    out->sub = call_alloc(r->call, sizeof *out->sub);
    if (!read_core(r, q, out->sub)) return false;
    const struct core *s = out->sub;
    return s->item_count == 1 && !s->has_having && !s->order_count && !s->group_count;
}

static bool read_cond(const struct reader *r, const struct names *n, const struct expr *e, struct cond *out)
{
    *out = (struct cond){ .span = -1, .span2 = -1 };
    switch (e->kind) {
    case EXPR_LIKE:
        out->op = e->negated ? COND_NOT_LIKE : COND_LIKE;
        out->value = literal_text(e->like.pattern);
        return out->value && read_term(r, n, e->like.arg, &out->left);
    case EXPR_BETWEEN:
        out->op = COND_BETWEEN;
        out->value = literal_text(e->between.low);
        out->value2 = literal_text(e->between.high);
        return !e->negated && out->value && out->value2 && read_term(r, n, e->between.arg, &out->left);
    case EXPR_IS_NULL:
        out->op = e->negated ? COND_NOT_NULL : COND_NULL;
        return read_term(r, n, e->is.left, &out->left);
    case EXPR_IN:
        out->op = e->negated ? COND_NOT_IN : COND_IN;
        return e->in.query && read_term(r, n, e->in.arg, &out->left) && read_sub(r, e->in.query, out);
    case EXPR_BINARY:
        break;
    default:
        return false;
    }
    if (e->binary.op > OP_GE) return false;
    static const enum cond_op ops[] = { COND_EQ, COND_NE, COND_LT, COND_LE, COND_GT, COND_GE };
    out->op = ops[e->binary.op];
    if (!read_term(r, n, e->binary.left, &out->left)) return false;
    if (e->binary.right->kind == EXPR_QUERY) {
        if (!read_sub(r, e->binary.right->query, out)) return false;
        const struct term *t = &out->sub->items[0];
        return t->agg != AGG_NONE;
    }
    out->value = literal_text(e->binary.right);
    return out->value != NULL;
}

static bool read_where(const struct reader *r, const struct names *n, const struct expr *e, struct core *out)
{
    if (e->kind == EXPR_BINARY && (e->binary.op == OP_AND || e->binary.op == OP_OR)) {
        bool any = e->binary.op == OP_OR;
        if (out->where_count && out->any != any) return false;
        if (!read_where(r, n, e->binary.left, out)) return false;
        if (out->where_count > 1 && out->any != any) return false;
        out->any = any;
        return read_where(r, n, e->binary.right, out) && out->any == any;
    }
    if (out->where_count == CONDS_MAX) return false;
    return read_cond(r, n, e, &out->where[out->where_count++]);
}

static bool read_tables(const struct reader *r, const struct names *n, struct core *out)
{
    int tables[TABLES_MAX];
    for (int i = 0; i < n->count; i++) tables[i] = n->items[i].table;
    struct tree t;
    if (!graph_trees(r->call, r->l, r->g, tables, n->count, &t, 1)) {
        /* joined without a key that is known: the shape still teaches */
        out->table_count = n->count;
        memcpy(out->tables, tables, sizeof tables);
        return true;
    }
    out->table_count = t.table_count;
    memcpy(out->tables, t.tables, sizeof out->tables);
    memcpy(out->edges, t.edges, sizeof out->edges);
    return true;
}

static bool read_core(const struct reader *r, const struct query *q, struct core *out)
{
    struct names n = { .count = 0 };
    *out = (struct core){ .limit_span = -1 };
    if (q->cte_count || q->offset || q->body->kind != BODY_SELECT) return false;
    const struct body *b = q->body;
    if (!add_from(r, &n, b->select.from) || !read_tables(r, &n, out)) return false;
    out->distinct = b->select.distinct;
    bool whole = false;
    for (size_t i = 0; i < b->select.item_count && !whole; i++) {
        if (out->item_count == TERMS_MAX) return false;
        if (!read_term(r, &n, b->select.items[i].expr, &out->items[out->item_count++])) return false;
        size_t all = r->l->tables[n.items[0].table].column_count; /* a star that was written out */
        if (i == 0 && b->select.item_count >= all && all > 4 && n.count == 1) whole = true;
    }
    if (whole) {
        out->item_count = 1;
        out->items[0] = (struct term){ .column = TERM_STAR };
    }
    if (b->select.where && !read_where(r, &n, b->select.where, out)) return false;
    for (size_t i = 0; i < b->select.group_by.count; i++) {
        int column = column_of(r, &n, b->select.group_by.items[i]);
        if (column < 0 || out->group_count == 2) return false;
        out->group[out->group_count++] = column;
    }
    if (b->select.having) {
        out->has_having = true;
        if (!read_cond(r, &n, b->select.having, &out->having) || out->having.sub || out->having.op > COND_GE)
            return false;
        if (!out->having.left.agg) return false;
    }
    for (size_t i = 0; i < q->order_by.count; i++) {
        const struct expr *e = q->order_by.items[i].expr;
        if (e->kind == EXPR_OUTPUT)
            for (size_t k = 0; k < b->select.item_count; k++)
                if (b->select.items[k].alias && strcasecmp(b->select.items[k].alias, e->output.name) == 0)
                    e = b->select.items[k].expr;
        if (out->order_count == 2 || !read_term(r, &n, e, &out->order[out->order_count].term)) return false;
        out->order[out->order_count++].desc = q->order_by.items[i].direction == DIR_DESC;
    }
    if (q->limit) {
        const char *digits = literal_text(q->limit);
        if (!digits) return false;
        out->limit = (int)strtol(digits, NULL, 10);
    }
    return true;
}

bool label_read(struct call *c, const struct linked *l, const struct graph *g, const struct query *q,
                struct reading *out)
{
    struct reader r = { c, l, g };
    *out = (struct reading){ 0 };
    if (q->body->kind == BODY_SELECT) return read_core(&r, q, &out->left);
    if (q->body->kind != BODY_SET || q->order_by.count || q->limit) return false;
    switch (q->body->set.op) {
    case SET_INTERSECT:
        out->set = SET_AND;
        break;
    case SET_EXCEPT:
        out->set = SET_MINUS;
        break;
    case SET_UNION:
        out->set = SET_EITHER;
        break;
    default:
        return false;
    }
    return read_core(&r, q->body->set.left, &out->left) && read_core(&r, q->body->set.right, &out->right);
}

/* ---- where the gold's literals stand in the question ---- */

static bool same_value(const char *gold, const char *value)
{
    char *end_a, *end_b;
    if (!value) return false;
    if (strcasecmp(gold, value) == 0) return true;
    double a = strtod(gold, &end_a), b = strtod(value, &end_b);
    return end_a != gold && end_b != value && !*end_a && !*end_b && a == b;
}

static const char *bare(struct call *c, const char *pattern)
{
    size_t n = strlen(pattern), a = 0;
    while (pattern[a] == '%') a++;
    while (n > a && pattern[n - 1] == '%') n--;
    return call_strndup(c, pattern + a, n - a);
}

/* The span that holds the literal for the column, or -1. */
static int span_of(struct call *c, const struct linked *l, const struct cond *w, const char *value, const bool *used)
{
    bool like = w->op == COND_LIKE || w->op == COND_NOT_LIKE;
    const char *plain = like ? bare(c, value) : value;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < l->span_count; i++) {
            if (used[i]) continue;
            for (size_t k = 0; k < l->spans[i].column_count; k++) {
                const struct span_column *sc = &l->spans[i].columns[k];
                bool column = w->left.agg ? sc->column == COLUMN_HAVING : (int)sc->column == w->left.column;
                if (!column) continue;
                if (pass == 0 ? same_value(plain, sc->value) : same_value(plain, l->spans[i].text)) return (int)i;
            }
        }
    return -1;
}

static void place_cond(struct call *c, const struct linked *l, struct cond *w, bool *used)
{
    if (w->value && (w->span = span_of(c, l, w, w->value, used)) >= 0) used[w->span] = true;
    if (w->value2 && (w->span2 = span_of(c, l, w, w->value2, used)) >= 0) used[w->span2] = true;
}

static void place_core(struct call *c, const struct linked *l, struct core *core, bool *used)
{
    for (int i = 0; i < core->where_count; i++) {
        place_cond(c, l, &core->where[i], used);
        if (core->where[i].sub) place_core(c, l, core->where[i].sub, used);
    }
    if (core->has_having) place_cond(c, l, &core->having, used);
    for (size_t i = 0; i < l->span_count && core->limit > 1 && core->limit_span < 0; i++)
        for (size_t k = 0; k < l->spans[i].column_count; k++)
            if (l->spans[i].columns[k].column == COLUMN_LIMIT && strtol(l->spans[i].text, NULL, 10) == core->limit &&
                !used[i]) {
                core->limit_span = (int)i;
                used[i] = true;
                break;
            }
}

static bool shows(const struct linked *l, const struct core *core, int column)
{
    for (int i = 0; i < core->item_count; i++) {
        int shown = core->items[i].agg ? TERM_STAR : core->items[i].column;
        if (shown == column || (shown >= (int)l->real_columns && (int)l->columns[shown].base == column)) return true;
    }
    return false;
}

/* Charts count x beside x where others count rows. */
static void count_rows(const struct linked *l, struct core *core)
{
    for (int i = 0; core->group_count && i < core->item_count + core->order_count; i++) {
        struct term *t = i < core->item_count ? &core->items[i] : &core->order[i - core->item_count].term;
        if (t->agg == AGG_COUNT && !t->distinct && shows(l, core, t->column)) t->column = TERM_STAR;
    }
}

void label_example(struct corpus *k, struct example *e)
{
    if (e->chart) count_rows(&e->linked, &e->label.left);
    bool used[SPANS_MAX] = { false };
    place_core(k->call, &e->linked, &e->label.left, used);
    if (e->label.set) place_core(k->call, &e->linked, &e->label.right, used);
    reading_sketch(&e->label, e->sketch);
    e->labelled = true;
}
