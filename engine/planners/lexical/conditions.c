/* Literals of the question become conditions. */
#include "planners/lexical/fill.h"

#include <string.h>

/* Walks the spans from left to right; each becomes a condition's literal, the group's number, the limit, or nothing. */
void assign_spans(struct work *w, const struct spec *spec)
{
    const struct linked *l = w->l;
    int conds = literals(&spec->left) + literals(&spec->right);
    bool having = spec->left.having != 0 || spec->right.having != 0, limit = spec->left.limit == 'n';
    w->a->count = 0;
    struct partial start = { .having_span = -1, .limit_span = -1 };
    offer(w->a, &start, 0);
    for (size_t i = 0; i < l->span_count; i++) {
        const struct span *s = &l->spans[i];
        w->b->count = 0;
        for (int k = 0; k < w->a->count; k++) {
            const struct partial *p = nth(w->a, k);
            struct partial *n;
            offer(w->b, p, p->score + s->nothing);
            bool taken = false;
            for (int j = 0; j < p->pick_count; j++) {
                const struct span *o = &l->spans[p->picks[j].span];
                taken |= o->first < s->end && s->first < o->end;
            }
            int others[] = { p->having_span, p->limit_span };
            for (int j = 0; j < 2; j++)
                taken |= others[j] >= 0 && l->spans[others[j]].first < s->end && s->first < l->spans[others[j]].end;
            if (taken) continue;
            for (size_t c = 0; c < s->column_count; c++) {
                float score = p->score + s->columns[c].score;
                if (s->columns[c].score < -7 || !would_keep(w->b, score)) continue;
                if (s->columns[c].column == COLUMN_HAVING) {
                    if (having && p->having_span < 0 && (n = offer(w->b, p, score))) n->having_span = (int)i;
                } else if (s->columns[c].column == COLUMN_LIMIT) {
                    if (limit && p->limit_span < 0 && (n = offer(w->b, p, score))) n->limit_span = (int)i;
                } else if (p->pick_count < conds && (n = offer(w->b, p, score))) {
                    n->picks[n->pick_count++] = (struct pick){ (int)i, (int)c };
                }
            }
        }
        turn(w);
    }
    int kept = 0;
    for (int k = 0; k < w->a->count; k++) {
        const struct partial *p = nth(w->a, k);
        bool whole = p->pick_count == conds && (!limit || p->limit_span >= 0) && (!having || p->having_span >= 0);
        if (!whole || kept == ASSIGNMENTS) continue;
        w->a->scores[kept] = p->score;
        w->a->order[kept++] = w->a->order[k];
    }
    w->a->count = kept;
}

enum cond_op op_of(enum op_class c)
{
    static const enum cond_op ops[] = { COND_EQ,   COND_NE,       COND_LT,      COND_LE,   COND_GT,  COND_GE,
                                        COND_LIKE, COND_NOT_LIKE, COND_BETWEEN, COND_LIKE, COND_LIKE };
    return ops[c];
}

static void set_literal(const struct work *w, struct cond *cond, const struct pick *p, enum op_class class)
{
    const struct span *s = &w->l->spans[p->span];
    const struct span_column *sc = &s->columns[p->column];
    const struct lex_column *col = &w->l->columns[sc->column];
    cond->left = (struct term){ .column = (int)sc->column };
    cond->span = p->span;
    cond->span2 = -1;
    cond->op = op_of(class);
    cond->value = sc->value;
    if (cond->op == COND_LIKE || cond->op == COND_NOT_LIKE)
        cond->value =
            call_format(w->call, "%s%s%s", class == CLASS_START ? "" : "%", s->text, class == CLASS_END ? "" : "%");
    if (col->class == CLASS_DATE && (s->range.from || s->range.to)) {
        cond->op = COND_RANGE;
        cond->value = s->range.from;
        cond->value2 = s->range.to;
    }
}

#define PART_WHOLE (-4.0f) /* a part of a text compared as if it were all of it */

/* How well each operator class suits a column: a text holds no < and a number no LIKE. */
static float op_fit(const struct lex_column *col, const struct span *s, enum op_class c)
{
    if (s->kind == SPAN_FLAG) return c == CLASS_EQ ? 0 : -30; /* a denial is in the value already */
    if (s->kind == SPAN_CODE) return c == CLASS_EQ || c == CLASS_NE ? 0 : -9;
    bool like = c == CLASS_LIKE || c == CLASS_NOT_LIKE || c == CLASS_START || c == CLASS_END;
    if (s->part && col->class == CLASS_TEXT && !like) return PART_WHOLE;
    if (col->class == CLASS_NUMBER) return like ? -5 : 0;
    bool order = c >= CLASS_LT && c <= CLASS_GE;
    return order && col->class == CLASS_TEXT && s->kind != SPAN_NUMBER ? -1 : 0;
}

/* not delivered: the word before the literal denies it. */
static bool is_denied(const struct linked *l, const struct span *s)
{
    return s->kind == SPAN_VALUE && s->first && !strcmp(l->words.items[s->first - 1].fold, "not");
}

/* Puts the next literal into cond, once for each likely operator. */
static void fill_literal(struct work *w, const struct partial *p, struct cond *(*place)(struct partial *, int), int at,
                         int pick)
{
    const struct pick *k = &p->picks[pick];
    const struct span *s = &w->l->spans[k->span];
    size_t column = s->columns[k->column].column;
    float v[OP_CLASSES];
    memcpy(v, operators(w, (size_t)k->span, column), sizeof v);
    bool range = w->l->columns[column].class == CLASS_DATE && (s->range.from || s->range.to);
    if (range) {
        struct partial *n = offer(w->b, p, p->score);
        if (n) set_literal(w, place(n, at), k, CLASS_EQ);
        return;
    }
    float best = -1e9f;
    for (int c = 0; c < OP_CLASSES; c++) {
        v[c] += op_fit(&w->l->columns[column], s, (enum op_class)c);
        if (c == CLASS_NE && is_denied(w->l, s)) v[c] += 4;
        if (c != CLASS_BETWEEN && v[c] > best) best = v[c];
    }
    for (int c = 0; c < OP_CLASSES; c++) {
        if (c == CLASS_BETWEEN || v[c] < best - 2.2f || !would_keep(w->b, p->score + v[c])) continue;
        struct partial *n = offer(w->b, p, p->score + v[c]);
        if (n) set_literal(w, place(n, at), k, (enum op_class)c);
    }
}

static struct cond *left_where(struct partial *p, int at)
{
    return &p->r.left.where[at];
}

static struct cond *right_where(struct partial *p, int at)
{
    return &p->r.right.where[at];
}

static struct cond *left_sub(struct partial *p, int at)
{
    return &p->r.left.where[at].sub->where[p->r.left.where[at].sub->where_count - 1];
}

struct core *own_sub(struct work *w, struct cond *cond)
{
    struct core *sub = call_alloc(w->call, sizeof *sub);
    if (cond->sub) *sub = *cond->sub;
    cond->sub = sub;
    return sub;
}

/* Two numbers of one column, in question order. */
static bool fill_between(struct work *w, const struct partial *p, int at, int pick, bool right)
{
    const struct pick *a = &p->picks[pick], *b = &p->picks[pick + 1];
    const struct span *s = &w->l->spans[a->span], *t = &w->l->spans[b->span];
    if (s->columns[a->column].column != t->columns[b->column].column) return false;
    struct partial *n = offer(w->b, p, p->score);
    if (!n) return false;
    struct cond *cond = right ? right_where(n, at) : left_where(n, at);
    set_literal(w, cond, a, CLASS_EQ);
    cond->op = COND_BETWEEN;
    cond->span2 = b->span;
    cond->value2 = t->columns[b->column].value;
    return true;
}

static void compare_options(struct work *w, const struct partial *p, int at, const struct cond_spec *spec)
{
    static const struct {
        char code;
        enum cond_op op;
    } ops[] = { { '=', COND_EQ }, { '!', COND_NE }, { '<', COND_LT },
                { 'l', COND_LE }, { '>', COND_GT }, { 'g', COND_GE } };
    int top[4], n = top_columns(w, ROLE_COMPARE, needs_number(spec->agg), top, 4);
    for (int i = 0; i < n; i++) {
        struct partial *q = offer(w->b, p, p->score + role(w, (size_t)top[i], ROLE_COMPARE));
        if (!q) continue;
        struct cond *cond = &q->r.left.where[at];
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
            if (ops[k].code == spec->op) cond->op = ops[k].op;
        cond->left = (struct term){ .column = top[i] };
        cond->span = cond->span2 = -1;
        struct core *sub = own_sub(w, cond);
        sub->items[0] = agg_term(spec->agg, top[i]);
        sub->item_count = 1;
    }
}

int column_item(const struct linked *l, int table, const char *name)
{
    const struct lex_table *t = &l->tables[table];
    for (size_t i = 0; i < t->column_count; i++)
        if (strcasecmp(t->table->columns[i].name, name) == 0) return (int)(t->first_column + i);
    return -1;
}

/* (not) in: along each single-column key, from the table asked for to the table that must (not) know it. */
static void member_options(struct work *w, const struct partial *p, int at, const struct cond_spec *spec)
{
    for (size_t i = 0; i < w->graph->edge_count; i++) {
        const struct edge *e = &w->graph->edges[i];
        if (e->key->column_count != 1) continue;
        for (int way = 0; way < 2; way++) {
            int asked = way ? e->owner : e->other, known = way ? e->other : e->owner;
            int from = column_item(w->l, asked, way ? e->key->columns[0] : e->key->referred[0]);
            int to = column_item(w->l, known, way ? e->key->referred[0] : e->key->columns[0]);
            if (from < 0 || to < 0) continue;
            float score =
                p->score + table_role(w, asked, ROLE_FROM) + table_role(w, known, ROLE_NEGATED) - (way ? 1.0f : 0);
            if (spec->code == 'i')
                score = p->score + table_role(w, asked, ROLE_FROM) + table_role(w, known, ROLE_FROM) - 1;
            if (!would_keep(w->b, score)) continue;
            struct partial *q = offer(w->b, p, score);
            if (!q) continue;
            struct cond *cond = &q->r.left.where[at];
            cond->op = spec->code == 'n' ? COND_NOT_IN : COND_IN;
            cond->left = (struct term){ .column = from };
            cond->span = cond->span2 = -1;
            struct core *sub = own_sub(w, cond);
            sub->items[0] = (struct term){ .column = to };
            sub->item_count = 1;
        }
    }
}

/* Conditions of one core, in the order of the sketch; literals are taken in question order. */
int fill_where(struct work *w, const struct core_spec *spec, bool right, int pick)
{
    for (int i = 0; i < spec->where_count; i++) {
        const struct cond_spec *c = &spec->where[i];
        w->b->count = 0;
        for (int k = 0; k < w->a->count; k++) {
            struct partial p = *nth(w->a, k);
            struct core *core = right ? &p.r.right : &p.r.left;
            core->where_count = i + 1;
            core->any = spec->any;
            if (c->code == 'v')
                fill_literal(w, &p, right ? right_where : left_where, i, pick);
            else if (c->code == 'b')
                fill_between(w, &p, i, pick, right);
            else if (c->code == 'q' && !right)
                compare_options(w, &p, i, c);
            else if ((c->code == 'n' || c->code == 'i') && !right)
                member_options(w, &p, i, c);
        }
        pick += c->code == 'v' ? 1 : c->code == 'b' ? 2 : 0;
        turn(w);
        for (int inner = 0; inner < c->inner && !right; inner++) {
            for (int k = 0; k < w->a->count; k++) {
                struct partial p = *nth(w->a, k);
                own_sub(w, &p.r.left.where[i])->where_count = inner + 1;
                fill_literal(w, &p, left_sub, i, pick);
            }
            pick++;
            turn(w);
        }
    }
    return pick;
}
