/* What a reading uses of the question and what it leaves, as numbers. */
#include "planners/lexical/use.h"

#include <math.h>
#include <string.h>

static void cover(struct use *u, const struct mention *list, size_t count)
{
    static const float by_kind[] = { 1, 0.95f, 0.85f, 0.9f, 0.6f, 0.45f, 0.3f, 0.5f, 0 };
    for (size_t i = 0; i < count; i++)
        for (size_t p = list[i].first; p < list[i].end; p++) {
            u->covered[p] = 1;
            if (by_kind[list[i].kind] > u->strength[p]) u->strength[p] = by_kind[list[i].kind];
        }
}

static void use_column(struct use *u, int column)
{
    if (column < 0) return;
    const struct lex_column *col = &u->l->columns[column];
    cover(u, col->mentions, col->mention_count);
    for (int i = 0; i < u->column_count; i++)
        if (u->columns[i] == column) return;
    if (u->column_count < USED_COLUMNS_MAX) u->columns[u->column_count++] = column;
}

static void use_span(struct use *u, int span)
{
    if (span < 0) return;
    for (size_t p = u->l->spans[span].first; p < u->l->spans[span].end; p++) u->covered[p] = 2, u->strength[p] = 1;
}

static void use_cond(struct use *u, const struct cond *w);

static void use_core(struct use *u, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++) use_column(u, core->items[i].column);
    for (int i = 0; i < core->where_count; i++) use_cond(u, &core->where[i]);
    for (int i = 0; i < core->group_count; i++) use_column(u, core->group[i]);
    if (core->has_having) use_cond(u, &core->having);
    for (int i = 0; i < core->order_count; i++) use_column(u, core->order[i].term.column);
    if (core->limit > 1) use_span(u, core->limit_span);
    for (int i = 0; i < core->table_count; i++) {
        const struct lex_table *t = &u->l->tables[core->tables[i]];
        u->tables[core->tables[i]] = 1;
        cover(u, t->mentions, t->mention_count);
    }
}

static void use_cond(struct use *u, const struct cond *w)
{
    use_column(u, w->left.column);
    use_span(u, w->span);
    use_span(u, w->span2);
    if (w->sub) use_core(u, w->sub);
}

static float role(const struct use *u, int column, enum column_role r)
{
    return u->k->scores->column[(size_t)column * COLUMN_ROLES + r];
}

static void dense_items(struct use *u, const struct core *core)
{
    float *d = u->d;
    size_t last = 0;
    int first_table = -1;
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        if (t->column == TERM_STAR) {
            d[D_STAR] += t->agg == AGG_NONE;
            d[D_COUNT_JOINED] += t->agg != AGG_NONE && core->table_count > 1;
            continue;
        }
        const struct lex_column *col = &u->l->columns[t->column];
        enum mention_kind kind = kind_of(col);
        d[D_ITEM_SILENT] += kind == MENTION_NONE;
        d[D_ITEM_FULL] += kind <= MENTION_WINDOW;
        d[D_ITEM_PART] += kind > MENTION_WINDOW && kind <= MENTION_PART;
        d[D_ITEM_WEAK] += kind > MENTION_PART && kind < MENTION_NONE;
        d[D_ITEM_SYNONYM] += kind == MENTION_SYNONYM;
        d[D_ITEM_RIVALS] += u->k->context->rivals[t->column];
        d[D_MENTION_SUM] += kind == MENTION_NONE ? 0 : col->mentions[0].score;
        if (first_table >= 0 && first_table != (int)col->table) d[D_ITEM_TABLES] = 1;
        first_table = (int)col->table;
        if (t->agg == AGG_NONE) {
            float s = role(u, t->column, ROLE_SELECT);
            d[D_SELECT] += s;
            least(&d[D_SELECT_MIN], s);
            d[D_ITEM_ID] += col->id_like;
            d[D_ITEM_NAME] += col->name_like;
            d[D_ITEM_KEY] += col->key || col->foreign;
            d[D_DISTINCT_KEY] += core->distinct && col->key;
        } else {
            float s = role(u, t->column, ROLE_AGG);
            d[D_AGG] += s;
            least(&d[D_AGG_MIN], s);
            d[D_AGG_KEY] += t->agg != AGG_COUNT && (col->key || col->foreign);
            d[D_COUNT_KEY] += t->agg == AGG_COUNT && (col->key || col->foreign);
            d[D_AGG_TEXT] += t->agg != AGG_COUNT && col->class != CLASS_NUMBER;
        }
        if (col->mention_count) {
            if (col->mentions[0].first + 1 < last) d[D_OUT_OF_ORDER] += 1;
            last = col->mentions[0].first;
        }
    }
    d[D_ITEMS] = (float)core->item_count;
    d[D_DISTINCT] = core->distinct;
}

static void dense_tail(struct use *u, const struct core *core)
{
    float *d = u->d;
    for (int i = 0; i < core->group_count; i++) {
        const struct lex_column *col = &u->l->columns[core->group[i]];
        float s = role(u, core->group[i], ROLE_GROUP);
        d[D_GROUP] += s;
        least(&d[D_GROUP_MIN], s);
        if (core_shows(core, core->group[i]))
            d[D_GROUP_SELECTED] = 1;
        else
            d[D_GROUP_UNSELECTED] = 1;
        d[D_GROUP_KEY] += col->key || col->foreign;
        d[D_GROUP_NAME] += col->name_like;
        int64_t rows = u->l->tables[col->table].table->row_count;
        bool single = core->group_count == 1 && core->table_count == 1;
        d[D_GROUP_UNIQUE] += single && ((col->key && !col->foreign) || col->column->unique ||
                                        (rows > 1 && col->column->distinct_count >= rows));
    }
    for (int i = 0; i < core->order_count; i++) {
        const struct term *t = &core->order[i].term;
        if (t->column < 0) {
            d[D_ORDER_COUNT_JOINED] += core->table_count > 1;
            continue;
        }
        float s = role(u, t->column, ROLE_ORDER);
        d[D_ORDER] += s;
        least(&d[D_ORDER_MIN], s);
        d[D_ORDER_SELECTED] += core_shows(core, t->column);
        d[D_ORDER_TEXT] += u->l->columns[t->column].class == CLASS_TEXT && core->limit;
    }
    d[D_HAVING] = core->has_having;
    d[D_LIMIT_MANY] = core->limit > 1;
}

static void dense_cond(struct use *u, const struct core *core, const struct cond *w)
{
    float *d = u->d;
    d[D_CONDS] += 1;
    if (w->op == COND_LIKE || w->op == COND_NOT_LIKE) d[D_LIKE] += 1;
    if (w->left.column >= 0) {
        d[D_WHERE_SELECTED] += core_shows(core, w->left.column);
        const struct lex_column *col = &u->l->columns[w->left.column];
        d[D_WHERE_KEY] += !w->sub && (col->key || col->foreign);
    }
    if (w->sub && w->op <= COND_GE) d[D_COMPARE] += role(u, w->left.column, ROLE_COMPARE);
    if (w->sub)
        for (int i = 0; i < w->sub->table_count; i++)
            d[D_SUB_TABLE_SILENT] += u->l->tables[w->sub->tables[i]].mention_count == 0;
    if (w->span < 0) return;
    const struct span *s = &u->l->spans[w->span];
    d[D_FLAG] += s->kind == SPAN_FLAG;
    d[D_CODE] += s->kind == SPAN_CODE;
    for (size_t k = 0; k < s->column_count; k++) {
        if ((int)s->columns[k].column != w->left.column) continue;
        d[D_SPANS] += s->columns[k].score;
        least(&d[D_SPAN_MIN], s->columns[k].score);
        d[D_LITERAL_FOLDED] += s->columns[k].match == MATCH_FOLDED || s->columns[k].match == MATCH_STEMMED;
        d[D_LITERAL_LOOSE] += s->columns[k].match == MATCH_PARTIAL;
        d[D_LITERAL_GUESSED] += s->columns[k].match == MATCH_TRIGRAM;
    }
}

/* Two conditions of one way on one column: one of them says nothing, or both together exclude everything. */
static int way_of(enum cond_op op)
{
    return op == COND_EQ ? 1 : op == COND_LT || op == COND_LE ? 2 : op == COND_GT || op == COND_GE ? 3 : 0;
}

static void dense_where(struct use *u, const struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        dense_cond(u, core, &core->where[i]);
        for (int k = 0; k < i; k++) {
            bool same = core->where[i].left.column == core->where[k].left.column;
            if (core->any)
                u->d[same ? D_ANY : D_ANY_MIXED] += 1;
            else if (same && way_of(core->where[i].op) && way_of(core->where[i].op) == way_of(core->where[k].op))
                u->d[D_CLASH] += 1;
        }
        const struct cond *w = &core->where[i];
        for (int k = 0; w->sub && k < w->sub->where_count; k++) dense_cond(u, w->sub, &w->sub->where[k]);
    }
}

/* What is excluded, shared or added is mostly said of the same column on both sides. */
static float set_same(const struct reading *r)
{
    if (!r->set || !r->left.where_count || !r->right.where_count) return 0;
    for (int i = 0; i < r->left.where_count; i++)
        for (int k = 0; k < r->right.where_count; k++)
            if (r->left.where[i].left.column == r->right.where[k].left.column) return 1;
    return -1;
}

static void dense_lost(struct use *u)
{
    float *d = u->d;
    const struct linked *l = u->l;
    for (size_t p = 0; p < l->words.count; p++) {
        const struct word *x = &l->words.items[p];
        float weak = l->doubts[p] * (1 - u->strength[p]);
        if (weak > d[D_WEAK_MOST]) d[D_WEAK_MOST] = weak;
        if (u->covered[p] || x->flags & WORD_NAMELESS) continue;
        d[D_LOST_DOUBT] += l->doubts[p];
        if (l->doubts[p] > d[D_LOST_MOST]) d[D_LOST_MOST] = l->doubts[p];
        if (l->weights[p] >= WEIGHT_SURE) {
            switch (l->roles[p]) {
            case 'c':
                d[D_LOST_COLUMNS] += 1;
                break;
            case 't':
            case 'b':
                d[D_LOST_TABLES] += 1;
                break;
            case 'n':
                d[D_LOST_NUMBERS] += 1;
                break;
            case 'v':
                d[D_LOST_VALUES] += 1;
                break;
            default:
                break;
            }
        } else if (!(x->flags & WORD_STOP)) {
            d[D_LOST_WORDS] += 1;
        }
    }
    for (size_t i = 0; i < l->span_count; i++) {
        const struct span *s = &l->spans[i];
        if (u->covered[s->first] == 2) continue;
        d[D_UNBOUND] += s->nothing < -0.7f;
        d[D_UNBOUND_LOSS] += s->nothing;
    }
    for (size_t t = 0; t < l->table_count; t++) {
        if (u->tables[t]) continue;
        d[D_TABLE_UNUSED] += u->k->context->table_strength[t] == 3;
        float s = u->k->scores->table[t * TABLE_ROLES + ROLE_FROM];
        if (s > 0) d[D_TABLE_LEFT_OUT] += s;
    }
}

static void dense_pairs(struct use *u)
{
    for (int i = 0; i < u->column_count; i++)
        for (int k = 0; k < i; k++) {
            const struct lex_column *a = &u->l->columns[u->columns[i]], *b = &u->l->columns[u->columns[k]];
            if (strcasecmp(a->column->name, b->column->name) == 0) u->d[D_SAME_NAME] += 1;
            if (!a->mention_count || !b->mention_count) continue;
            bool meet = a->mentions[0].first < b->mentions[0].end && b->mentions[0].first < a->mentions[0].end;
            if (meet) u->d[D_SHARED] += 1;
        }
}

/* An id that stands for an entity, though nobody said id. */
static bool id_unsaid(const struct use *u, int column)
{
    const struct lex_column *col = column >= 0 ? &u->l->columns[column] : NULL;
    if (!col || !col->id_like || !col->word_count) return false;
    for (size_t p = 0; p < u->l->words.count; p++)
        if (u->l->words.items[p].hash == col->words[col->word_count - 1].hash) return false;
    return true;
}

static void dense_said(struct use *u)
{
    float *d = u->d;
    const struct core *core = &u->r->left;
    uint32_t done = reading_deeds(u->l, u->r), said = u->k->context->said;
    for (uint32_t k = 0; k < CUES; k++) {
        if (said >> k & 1)
            d[D_SAID_MOST + k] = done >> k & 1 ? 1 : -1;
        else
            d[D_UNSAID_MOST + k] = (float)(done >> k & 1);
    }
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg == AGG_NONE)
            d[D_ID_UNSAID] += id_unsaid(u, core->items[i].column);
        else if (core->items[i].column == TERM_STAR)
            d[D_COUNT_SILENT] = u->k->context->table_strength[core->tables[0]] < 2;
    for (int i = 0; i < core->group_count; i++) d[D_GROUP_ID_UNSAID] += id_unsaid(u, core->group[i]);
    size_t first = u->l->words.count;
    int lead = -1;
    for (size_t t = 0; t < u->l->table_count; t++) {
        const struct lex_table *x = &u->l->tables[t];
        if (u->k->context->table_strength[t] < 2 || x->mentions[0].first >= first) continue;
        first = x->mentions[0].first;
        lead = (int)t;
    }
    if (lead >= 0) d[D_TABLE_FIRST] = u->tables[lead] ? 1 : -1;
}

/* The lowest age of each age. */
static bool aggregates_itself(const struct core *c)
{
    for (int i = 0; i < c->item_count; i++)
        for (int k = 0; k < c->item_count; k++)
            if (c->items[i].agg > AGG_COUNT && !c->items[k].agg && c->items[i].column == c->items[k].column)
                return true;
    return false;
}

void rank_dense(struct candidates *k)
{
    const struct linked *l = k->context->linked;
    uint8_t *tables = call_array(l->call, l->table_count + 1, 1);
    struct near *near = call_alloc(l->call, sizeof *near);
    near_read(k->context, near);
    for (size_t i = 0; i < k->count; i++) {
        const struct reading *r = &k->readings[i];
        float *d = k->dense[i];
        memset(d, 0, sizeof k->dense[i]);
        memset(tables, 0, l->table_count);
        struct use u = { .k = k, .l = l, .r = r, .d = d, .tables = tables };
        use_core(&u, &r->left);
        if (r->set) use_core(&u, &r->right);
        d[D_SKETCH] = r->parts[PART_SKETCH];
        for (int f = 0; f < 4; f++) d[D_F_SELECT + f] = k->scores->sketch[r->factors[f]];
        d[D_JOINT] = r->joint;
        d[D_PRIOR] = r->prior;
        d[D_COMPOSED] = r->composed;
        d[D_OP] = r->parts[PART_FILLED];
        dense_items(&u, &r->left);
        dense_where(&u, &r->left);
        dense_tail(&u, &r->left);
        if (r->set) {
            dense_where(&u, &r->right);
            d[D_SET_ANY] = 1;
            d[D_SET_SAME] = set_same(r);
            if (r->set == SET_MINUS)
                for (int t = 0; t < r->right.table_count; t++) {
                    bool in = false;
                    for (int n = 0; n < r->left.table_count; n++) in |= r->left.tables[n] == r->right.tables[t];
                    if (!in) d[D_NEGATED] += k->scores->table[r->right.tables[t] * TABLE_ROLES + ROLE_NEGATED];
                }
        }
        dense_tables(&u, &r->left);
        near_numbers(near, r, d);
        dense_lost(&u);
        dense_said(&u);
        dense_pairs(&u);
        d[D_AGG_SELF] = aggregates_itself(&r->left);
        d[D_RANK] = logf(1.0f + (float)i);
        d[D_BEHIND] = r->score - k->readings[0].score;
    }
}
