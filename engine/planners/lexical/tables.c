/* Tables and keys for a core, and the second core of a set operation. */
#include "planners/lexical/fill.h"

#include <string.h>

static void need(const struct linked *l, int *tables, int *count, int column)
{
    if (column < 0) return;
    int t = (int)l->columns[column].table;
    for (int i = 0; i < *count; i++)
        if (tables[i] == t) return;
    if (*count < TABLES_MAX + 2) tables[(*count)++] = t;
}

int needed_tables(const struct linked *l, const struct core *core, int *tables)
{
    int n = 0;
    for (int i = 0; i < core->item_count; i++) need(l, tables, &n, core->items[i].column);
    for (int i = 0; i < core->where_count; i++) need(l, tables, &n, core->where[i].left.column);
    for (int i = 0; i < core->group_count; i++) need(l, tables, &n, core->group[i]);
    if (core->has_having) need(l, tables, &n, core->having.left.column);
    for (int i = 0; i < core->order_count; i++) need(l, tables, &n, core->order[i].term.column);
    return n;
}

float table_ahead(const struct work *w, const struct core *core, int column)
{
    if (column < 0) return 0;
    int tables[TABLES_MAX + 4], n = needed_tables(w->l, core, tables), t = (int)w->l->columns[column].table;
    for (int i = 0; i < n; i++)
        if (tables[i] == t) return 0;
    return table_role(w, t, ROLE_FROM);
}

static float tree_score(const struct work *w, const struct tree *t)
{
    float sum = 0;
    for (int i = 0; i < t->table_count; i++) sum += table_role(w, t->tables[i], ROLE_FROM);
    return sum;
}

void set_tree(struct core *core, const struct tree *t)
{
    core->table_count = t->table_count;
    memcpy(core->tables, t->tables, sizeof core->tables);
    memcpy(core->edges, t->edges, sizeof core->edges);
}

/* Tables beyond the needed ones that the question may speak of, likeliest first. */
static int extra_tables(const struct work *w, const int *tables, int count, int *out, int max)
{
    int n = 0;
    for (int t = 0; t < (int)w->l->table_count; t++) {
        bool in = false;
        for (int i = 0; i < count; i++) in |= tables[i] == t;
        float s = table_role(w, t, ROLE_FROM);
        if (in || (count && s < -2.5f)) continue;
        if (n == max && table_role(w, out[n - 1], ROLE_FROM) >= s) continue;
        int at = n < max ? n++ : max - 1;
        for (; at > 0 && table_role(w, out[at - 1], ROLE_FROM) < s; at--) out[at] = out[at - 1];
        out[at] = t;
    }
    return n;
}

/* Ways to hang a core's tables together: what its columns need, and with one or two tables more that the question
 * speaks of. Best first. */
static int from_options(struct work *w, const int *tables, int count, struct tree *out, float *scores, int max)
{
    int extra[3], found = 0;
    int extras = extra_tables(w, tables, count, extra, 3);
    for (unsigned set = 0; set < 1u << extras; set++) {
        int all[TABLES_MAX + 4], n = 0;
        if (__builtin_popcount(set) > 2) continue;
        for (int i = 0; i < count; i++) all[n++] = tables[i];
        for (int i = 0; i < extras; i++)
            if (set & 1u << i) all[n++] = extra[i];
        if (!n || n > TABLES_MAX) continue;
        struct tree trees[3];
        size_t k = graph_trees(w->call, w->l, w->graph, all, n, trees, 3);
        for (size_t i = 0; i < k; i++) {
            float score = tree_score(w, &trees[i]) - 0.3f * (float)i;
            int at = found < max ? found++ : max;
            while (at > 0 && scores[at - 1] < score) {
                if (at < max) scores[at] = scores[at - 1], out[at] = out[at - 1];
                at--;
            }
            if (at < max) scores[at] = score, out[at] = trees[i];
        }
    }
    return found;
}

/* The options of a set of tables, worked out once. */
static const struct forest *forest_of(struct work *w, const int *tables, int count)
{
    for (size_t i = 0; i < w->forests.count; i++) {
        const struct forest *f = &LIST_AT(&w->forests, struct forest, i);
        if (f->count == count && memcmp(f->tables, tables, (size_t)count * sizeof *tables) == 0) return f;
    }
    struct forest *f = list_push(w->call, &w->forests, sizeof *f);
    memcpy(f->tables, tables, (size_t)count * sizeof *tables);
    f->count = count;
    f->found = from_options(w, tables, count, f->trees, f->scores, TREES_KEPT);
    return f;
}

/* Sub-queries read the tables of their own columns. */
bool close_subs(struct work *w, struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        if (!core->where[i].sub) continue;
        struct core *sub = own_sub(w, &core->where[i]);
        int tables[TABLES_MAX + 4], n = needed_tables(w->l, sub, tables);
        struct tree t;
        if (!graph_trees(w->call, w->l, w->graph, tables, n, &t, 1)) return false;
        set_tree(sub, &t);
    }
    return true;
}

/* The second core selects the same; what differs are its conditions, or a table that must not know the row. */
static void right_items(struct work *w)
{
    for (int k = 0; k < w->a->count; k++) {
        struct partial *p = nth(w->a, k);
        memcpy(p->r.right.items, p->r.left.items, sizeof p->r.right.items);
        p->r.right.item_count = p->r.left.item_count;
        if (p->r.right.has_having && p->r.left.group_count) {
            p->r.right.group_count = p->r.left.group_count;
            memcpy(p->r.right.group, p->r.left.group, sizeof p->r.right.group);
        }
    }
}

/* customer_phone and supplier_phone: one name but for the words of their tables. */
static bool same_thing(const struct lex_column *a, const struct lex_column *b)
{
    size_t i = 0, k = 0, shared = 0;
    for (;; i++, k++, shared++) {
        while (i < a->word_count && a->words[i].of_table) i++;
        while (k < b->word_count && b->words[k].of_table) k++;
        if (i == a->word_count || k == b->word_count) return shared && i == a->word_count && k == b->word_count;
        if (a->words[i].hash != b->words[k].hash) return false;
    }
}

/* The column of a table that says what `item` says: of the same name, or of names put together the name of either, or
 * of one name but for the tables' words. -1 when there is none. */
static int same_in(const struct linked *l, int item, int table, bool together)
{
    if (item < 0 || item >= (int)l->real_columns) return -1;
    const struct lex_column *col = &l->columns[item];
    const struct lex_table *t = &l->tables[table];
    int found = column_item(l, table, col->column->name);
    size_t end = t->first_column + t->column_count;
    for (size_t i = t->first_column; found < 0 && i < end; i++)
        if ((together && col->name_like && l->columns[i].name_like) || same_thing(col, &l->columns[i])) found = (int)i;
    return found;
}

/* Both tables have the column: logins of authors that are logins of students too. What is compared on the right decides
 * the table, else any that the question may speak of. */
static void elsewhere_options(struct work *w, const struct partial *p, enum table_role as)
{
    const struct core *left = &p->r.left, *right = &p->r.right;
    if (left->item_count < 1 || left->group_count) return;
    for (int t = 0; t < (int)w->l->table_count; t++) {
        bool in = t == (int)w->l->columns[left->items[0].column >= 0 ? left->items[0].column : 0].table;
        for (int i = 0; i < right->where_count; i++) in |= (int)w->l->columns[right->where[i].left.column].table != t;
        float s = table_role(w, t, as);
        if (in || s < -4.5f) continue;
        struct term items[TERMS_MAX];
        bool all = true;
        for (int i = 0; i < left->item_count; i++) {
            items[i] = left->items[i];
            items[i].column = left->items[i].agg ? -1 : same_in(w->l, left->items[i].column, t, p->r.set == SET_EITHER);
            all &= items[i].column >= 0;
        }
        struct partial *q = all ? offer(w->b, p, p->score + s) : NULL;
        if (!q) continue;
        memcpy(q->r.right.items, items, sizeof items);
        set_tree(&q->r.right, &(struct tree){ .tables = { t }, .table_count = 1 });
    }
}

/* EXCEPT without a condition: the same columns through a neighbouring table, or its key in place of the selected one.
 */
static void except_options(struct work *w, const struct partial *p)
{
    for (int t = 0; t < (int)w->l->table_count; t++) {
        float s = table_role(w, t, ROLE_NEGATED);
        if (s < -4.5f) continue;
        bool in = false;
        for (int i = 0; i < p->r.left.table_count; i++) in |= p->r.left.tables[i] == t;
        if (in) continue;
        int tables[TABLES_MAX + 4], n = needed_tables(w->l, &p->r.right, tables);
        if (n >= TABLES_MAX) continue;
        tables[n++] = t;
        struct tree tree;
        if (!graph_trees(w->call, w->l, w->graph, tables, n, &tree, 1)) continue;
        struct partial *q = offer(w->b, p, p->score + s);
        if (q) set_tree(&q->r.right, &tree);
        if (p->r.left.item_count != 1) continue;
        const struct lex_column *item = &w->l->columns[p->r.left.items[0].column];
        for (size_t e = 0; e < w->graph->edge_count; e++) {
            const struct edge *edge = &w->graph->edges[e];
            if (edge->owner != t || edge->other != (int)item->table || edge->key->column_count != 1) continue;
            if (strcasecmp(edge->key->referred[0], item->column->name) != 0) continue;
            int to = column_item(w->l, t, edge->key->columns[0]);
            if (to < 0 || !(q = offer(w->b, p, p->score + s + 0.5f))) continue;
            q->r.right.items[0] = (struct term){ .column = to };
            set_tree(&q->r.right, &(struct tree){ .tables = { t }, .table_count = 1 });
        }
    }
}

void fill_from(struct work *w, bool right)
{
    bool elsewhere = right && w->a->count;
    for (int k = 0; k < w->a->count && elsewhere; k++)
        elsewhere_options(w, nth(w->a, k), nth(w->a, k)->r.set == SET_MINUS ? ROLE_NEGATED : ROLE_FROM);
    for (int k = 0; k < w->a->count; k++) {
        const struct partial *p = nth(w->a, k);
        int tables[TABLES_MAX + 4], n = needed_tables(w->l, right ? &p->r.right : &p->r.left, tables);
        const struct forest *f = forest_of(w, tables, n);
        for (int i = 0; i < f->found; i++) {
            struct partial *q = offer(w->b, p, p->score - p->ahead + (right ? 0.5f : 1.0f) * f->scores[i]);
            if (!q) continue;
            q->ahead = 0;
            set_tree(right ? &q->r.right : &q->r.left, &f->trees[i]);
        }
    }
    turn(w);
}

void fill_right(struct work *w, const struct spec *spec, int pick)
{
    for (int k = 0; k < w->a->count; k++)
        nth(w->a, k)->r.set = spec->set == 'I' ? SET_AND : spec->set == 'E' ? SET_MINUS : SET_EITHER;
    fill_where(w, &spec->right, true, pick);
    if (spec->right.having) {
        for (int k = 0; k < w->a->count; k++) having_options(w, nth(w->a, k), spec->right.having, true);
        turn(w);
    }
    right_items(w);
    bool bare = spec->set == 'E' && !spec->right.where_count;
    if (!bare) {
        fill_from(w, true);
        return;
    }
    for (int k = 0; k < w->a->count; k++) {
        struct partial p = *nth(w->a, k);
        if (p.r.left.item_count < 1 || p.r.left.items[0].column < 0) continue;
        if (spec->right.group_count) {
            p.r.right.group_count = p.r.left.group_count ? p.r.left.group_count : 1;
            memcpy(p.r.right.group, p.r.left.group, sizeof p.r.right.group);
            if (!p.r.left.group_count) p.r.right.group[0] = p.r.left.items[0].column;
        }
        except_options(w, &p);
        elsewhere_options(w, &p, ROLE_NEGATED);
    }
    turn(w);
}
