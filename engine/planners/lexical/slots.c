/* Columns for what is shown, grouped and ordered. */
#include "planners/lexical/fill.h"

#include <stdlib.h>
#include <string.h>

struct term agg_term(char code, int column)
{
    struct term t = { .column = column };
    t.agg = code == '*' || code == 'k' || code == 'd' ? AGG_COUNT
            : code == 's'                             ? AGG_SUM
            : code == 'a'                             ? AGG_AVG
            : code == 'm'                             ? AGG_MIN
            : code == 'M'                             ? AGG_MAX
                                                      : AGG_NONE;
    t.distinct = code == 'd';
    if (code == '*' || code == 'x') t.column = TERM_STAR;
    return t;
}

/* Ties stay in the columns' order, so the first few of a long list are the short list. */
static void rank_columns(const struct work *w, enum column_role r, bool numeric, struct top *top)
{
    int count = 0;
    for (size_t i = 0; i < w->l->column_count; i++) {
        if (numeric && w->l->columns[i].class != CLASS_NUMBER) continue;
        float score = role(w, i, r);
        if (count == TOP_MAX && role(w, (size_t)top->columns[count - 1], r) >= score) continue;
        int at = count < TOP_MAX ? count++ : TOP_MAX - 1;
        while (at > 0 && role(w, (size_t)top->columns[at - 1], r) < score) {
            top->columns[at] = top->columns[at - 1];
            at--;
        }
        top->columns[at] = (int)i;
    }
    top->count = count;
    top->known = true;
}

int top_columns(struct work *w, enum column_role r, bool numeric, int *out, int max)
{
    struct top *top = &w->tops[r][numeric];
    if (!top->known) rank_columns(w, r, numeric, top);
    int count = top->count < max ? top->count : max;
    memcpy(out, top->columns, (size_t)count * sizeof *out);
    return count;
}

bool needs_number(char agg)
{
    return agg == 's' || agg == 'a';
}

static size_t first_said(const struct linked *l, int column)
{
    const struct lex_column *col = &l->columns[column];
    return col->mention_count ? col->mentions[0].first : l->words.count + (size_t)column;
}

/* The next larger set of as many. */
static unsigned next_of_size(unsigned set)
{
    unsigned lowest = set & -set, carried = set + lowest;
    return carried | (((carried ^ set) / lowest) >> 2);
}

/* Two columns that are said by the very same words: hardly both are meant. */
static bool one_mention(const struct linked *l, int a, int b)
{
    const struct lex_column *x = &l->columns[a], *y = &l->columns[b];
    return x->mention_count && y->mention_count && x->mentions[0].first == y->mentions[0].first &&
           x->mentions[0].end == y->mentions[0].end;
}

#define ONE_MENTION (-2.0f)

static const struct pairs *pairs_of(struct work *w)
{
    struct pairs *out = &w->pairs;
    int top[TOP_MAX], n = out->known ? 0 : top_columns(w, ROLE_SELECT, false, top, TOP_MAX);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            if (one_mention(w->l, top[i], top[k])) out->rivals[i] |= 1u << k;
            if (w->l->columns[top[i]].table == w->l->columns[top[k]].table) out->fellows[i] |= 1u << k;
        }
    out->known = true;
    return out;
}

/* All sets of `want` of the top columns, as sums of log-odds of columns and of the tables that they need. */
static void select_columns(struct work *w, const struct partial *p, int want)
{
    const struct pairs *pairs = pairs_of(w);
    int top[TOP_MAX], n = top_columns(w, ROLE_SELECT, false, top, want == 1 ? 8 : want == 2 ? 9 : 10);
    int base = p->r.left.item_count;
    float own[TOP_MAX], tables[TOP_MAX];
    for (int i = 0; i < n; i++) {
        own[i] = role(w, (size_t)top[i], ROLE_SELECT);
        tables[i] = table_ahead(w, &p->r.left, top[i]);
    }
    for (unsigned set = (1u << want) - 1; want <= n && set < 1u << n; set = next_of_size(set)) {
        float score = p->score, ahead = 0;
        for (int i = 0; i < n; i++) {
            if (!(set & 1u << i)) continue;
            score += own[i] + ONE_MENTION * (float)__builtin_popcount(pairs->rivals[i] & set);
            if (!(pairs->fellows[i] & set)) ahead += tables[i];
        }
        score += ahead;
        if (!would_keep(w->b, score)) continue;
        struct partial *q = offer(w->b, p, score);
        if (!q) continue;
        q->ahead += ahead;
        int at = base;
        for (int i = 0; i < n; i++) {
            if (!(set & 1u << i)) continue;
            int k = at++;
            while (k > base && first_said(w->l, q->r.left.items[k - 1].column) > first_said(w->l, top[i])) {
                q->r.left.items[k] = q->r.left.items[k - 1];
                k--;
            }
            q->r.left.items[k] = (struct term){ .column = top[i] };
        }
        q->r.left.item_count = at;
    }
}

static void aggregate_options(struct work *w, const struct partial *p, char code, int item)
{
    int top[6], n = top_columns(w, ROLE_AGG, needs_number(code), top, 5);
    for (int i = 0; i < n; i++) {
        float ahead = table_ahead(w, &p->r.left, top[i]), score = p->score + role(w, (size_t)top[i], ROLE_AGG) + ahead;
        for (int k = 0; k < p->r.left.item_count; k++) /* a second aggregate of the same column costs nothing new */
            if (p->r.left.items[k].agg > AGG_COUNT && p->r.left.items[k].column == top[i]) score = p->score + 0.5f;
        struct partial *q = offer(w->b, p, score);
        if (!q) continue;
        q->ahead += ahead;
        q->r.left.items[item] = agg_term(code, top[i]);
        q->r.left.item_count = item + 1;
    }
}

void fill_select(struct work *w, const struct spec *spec)
{
    int columns = 0;
    for (int i = 0; i < spec->item_count; i++) columns += spec->items[i] == 'c';
    for (int k = 0; k < w->a->count; k++) {
        struct partial *p = nth(w->a, k);
        p->r.left.distinct = spec->distinct;
        int tables[TABLES_MAX + 4], n = needed_tables(w->l, &p->r.left, tables);
        for (int i = 0; i < n; i++) p->ahead += table_role(w, tables[i], ROLE_FROM);
        p->score += p->ahead;
    }
    if (columns) {
        for (int k = 0; k < w->a->count; k++) select_columns(w, nth(w->a, k), columns);
        turn(w);
    }
    for (int i = 0; i < spec->item_count; i++) {
        if (spec->items[i] == 'c') continue;
        for (int k = 0; k < w->a->count; k++) {
            struct partial *p = nth(w->a, k);
            int at = p->r.left.item_count;
            if (spec->items[i] != '*' && spec->items[i] != 'x') {
                aggregate_options(w, p, spec->items[i], at);
                continue;
            }
            struct partial *q = offer(w->b, p, p->score);
            if (!q) continue;
            q->r.left.items[at] = agg_term(spec->items[i], TERM_STAR);
            q->r.left.item_count = at + 1;
        }
        turn(w);
    }
}

static void group_options(struct work *w, const struct partial *p, int at)
{
    int top[5], n = top_columns(w, ROLE_GROUP, false, top, 4);
    const struct core *core = &p->r.left;
    for (int i = 0; i < core->item_count + n; i++) {
        bool item = i < core->item_count;
        if (item && (core->items[i].agg != AGG_NONE || core->items[i].column == TERM_STAR)) continue;
        int column = item ? core->items[i].column : top[i - core->item_count];
        bool twice = at > 0 && core->group[0] == column;
        for (int k = 0; !item && k < core->item_count; k++)
            twice |= core->items[k].agg == AGG_NONE && core->items[k].column == column;
        if (twice) continue;
        float ahead = table_ahead(w, core, column);
        float score = p->score + role(w, (size_t)column, ROLE_GROUP) + (item ? 0.5f : 0) + ahead;
        struct partial *q = offer(w->b, p, score);
        if (!q) continue;
        q->ahead += ahead;
        q->r.left.group[at] = column;
        q->r.left.group_count = at + 1;
    }
}

void having_options(struct work *w, const struct partial *p, char code, bool right)
{
    const float *v = operators(w, (size_t)p->having_span, COLUMN_HAVING);
    int top[4] = { TERM_STAR }, n = code == '*' ? 1 : top_columns(w, ROLE_AGG, needs_number(code), top, 3);
    for (int i = 0; i < n; i++)
        for (int c = 0; c <= CLASS_GE; c++) {
            float score = p->score + v[c] + (code == '*' ? 0 : role(w, (size_t)top[i], ROLE_AGG));
            if (!would_keep(w->b, score) || v[c] < -4) continue;
            struct partial *q = offer(w->b, p, score);
            if (!q) continue;
            struct core *core = right ? &q->r.right : &q->r.left;
            core->has_having = true;
            core->having.op = op_of((enum op_class)c);
            core->having.left = agg_term(code, top[i]);
            core->having.span = p->having_span;
            core->having.span2 = -1;
            core->having.value = w->l->spans[p->having_span].text;
        }
}

static void order_options(struct work *w, const struct partial *p, char code, char way, int at)
{
    int top[6] = { TERM_STAR }, n = code == '*' ? 1 : top_columns(w, ROLE_ORDER, needs_number(code), top, 5);
    for (int i = 0; i < n; i++) {
        if (at > 0 && p->r.left.order[0].term.column == top[i] && code != '*') continue;
        float ahead = code == '*' ? 0 : table_ahead(w, &p->r.left, top[i]);
        float score = p->score + (code == '*' ? 0 : role(w, (size_t)top[i], ROLE_ORDER)) + ahead;
        struct partial *q = offer(w->b, p, score);
        if (!q) continue;
        q->ahead += ahead;
        q->r.left.order[at] = (struct order_term){ agg_term(code, top[i]), way == 'd' };
        q->r.left.order_count = at + 1;
    }
}

static int limit_of(const struct work *w, const struct partial *p, char limit)
{
    if (limit == '1') return 1;
    if (limit != 'n' || p->limit_span < 0) return 0;
    long n = strtol(w->l->spans[p->limit_span].text, NULL, 10);
    return n > 0 && n <= 100000 ? (int)n : 0;
}

void fill_tail(struct work *w, const struct core_spec *spec)
{
    for (int g = 0; g < spec->group_count && g < 2; g++) {
        for (int k = 0; k < w->a->count; k++) group_options(w, nth(w->a, k), g);
        turn(w);
    }
    if (spec->having) {
        for (int k = 0; k < w->a->count; k++) having_options(w, nth(w->a, k), spec->having, false);
        turn(w);
    }
    for (int i = 0; i < spec->order_count; i++) {
        for (int k = 0; k < w->a->count; k++) order_options(w, nth(w->a, k), spec->order[i], spec->way[i], i);
        turn(w);
    }
    if (spec->limit)
        for (int k = 0; k < w->a->count; k++) {
            struct partial *p = nth(w->a, k);
            p->r.left.limit = limit_of(w, p, spec->limit);
            p->r.left.limit_span = p->limit_span;
        }
}
