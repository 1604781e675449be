/* The key graph: which tables meet along which keys, and the smallest trees that hold a set of tables. */
#include "planners/lexical/reading.h"

#include <string.h>

static int table_index(const struct linked *l, const char *schema, const char *name)
{
    for (size_t i = 0; i < l->table_count; i++) {
        const struct table *t = l->tables[i].table;
        if (strcasecmp(t->name, name) == 0 && (!schema || !t->schema || strcasecmp(t->schema, schema) == 0))
            return (int)i;
    }
    return -1;
}

static bool in_name(const struct lex_table *t, uint32_t hash)
{
    for (size_t i = 0; i < t->word_count; i++)
        if (t->words[i].hash == hash) return true;
    return false;
}

static int words_said(const struct linked *l, const struct edge *e)
{
    const struct lex_table *owner = &l->tables[e->owner], *other = &l->tables[e->other];
    int said = 0;
    for (size_t i = owner->first_column; i < owner->first_column + owner->column_count; i++) {
        const struct lex_column *col = &l->columns[i];
        if (strcmp(col->column->name, e->key->columns[0]) != 0) continue;
        for (size_t k = 0; k < col->word_count; k++) {
            const struct name_word *w = &col->words[k];
            if (w->id || in_name(other, w->hash) || in_name(owner, w->hash)) continue;
            for (size_t p = 0; p < l->words.count; p++) {
                const struct word *x = &l->words.items[p];
                if (x->flags & (WORD_STOP | WORD_NAMELESS)) continue;
                if (x->hash != w->hash && (!w->expanded[0] || strcmp(x->stem, w->expanded[0]) != 0)) continue;
                said++;
                break;
            }
        }
    }
    return said;
}

void graph_build(struct call *c, const struct linked *l, struct graph *g)
{
    struct list edges = { 0 };
    for (size_t i = 0; i < l->table_count; i++)
        for (size_t k = 0; k < l->tables[i].table->foreign_key_count; k++) {
            const struct foreign_key *key = &l->tables[i].table->foreign_keys[k];
            int other = table_index(l, key->schema, key->table);
            if (other < 0) continue; /* a key to its own table serves sub-queries only */
            *(struct edge *)list_push(c, &edges, sizeof(struct edge)) = (struct edge){ (int)i, other, key, 0 };
        }
    g->edges = edges.items;
    g->edge_count = edges.count;
    for (size_t i = 0; i < g->edge_count; i++) g->edges[i].said = words_said(l, &g->edges[i]);
    g->first = call_array(c, l->table_count + 2, sizeof *g->first);
    g->list = call_array(c, edges.count * 2 + 1, sizeof *g->list);
    for (size_t i = 0; i < edges.count; i++) {
        if (g->edges[i].owner == g->edges[i].other) continue;
        g->first[g->edges[i].owner + 1]++;
        g->first[g->edges[i].other + 1]++;
    }
    for (size_t t = 0; t < l->table_count; t++) g->first[t + 1] += g->first[t];
    size_t *at = call_array(c, l->table_count + 1, sizeof *at);
    for (size_t i = 0; i < edges.count; i++)
        for (int side = 0; side < 2 && g->edges[i].owner != g->edges[i].other; side++) {
            size_t t = (size_t)(side ? g->edges[i].other : g->edges[i].owner);
            g->list[g->first[t] + at[t]++] = (int)i;
        }
}

static bool tree_has(const struct tree *t, int table)
{
    for (int i = 0; i < t->table_count; i++)
        if (t->tables[i] == table) return true;
    return false;
}

/* Grows the tree by the cheapest path to `target`. A step costs 10, less through tables the question speaks of. */
static bool grow(struct call *c, const struct linked *l, const struct graph *g, struct tree *t, int target, int *cost)
{
    if (tree_has(t, target)) return true;
    size_t n = l->table_count;
    struct arena_mark mark = arena_mark(&c->arena);
    int *dist = call_array(c, n, sizeof *dist), *via = call_array(c, n, sizeof *via);
    bool *done = call_array(c, n, sizeof *done);
    for (size_t i = 0; i < n; i++) dist[i] = tree_has(t, (int)i) ? 0 : 1000000, via[i] = -1;
    for (;;) {
        int best = -1;
        for (size_t i = 0; i < n; i++)
            if (!done[i] && dist[i] < 1000000 && (best < 0 || dist[i] < dist[best])) best = (int)i;
        if (best < 0 || best == target) break;
        done[best] = true;
        for (size_t k = g->first[best]; k < g->first[best + 1]; k++) {
            const struct edge *e = &g->edges[g->list[k]];
            int next = e->owner == best ? e->other : e->owner;
            int step = l->tables[next].mention_count ? 9 : 10;
            if (e->key->inferred) step += 4;
            step -= e->said > 2 ? 2 : e->said;
            if (dist[best] + step < dist[next]) dist[next] = dist[best] + step, via[next] = g->list[k];
        }
    }
    bool ok = dist[target] < 1000000;
    int path[TABLES_MAX], steps = 0;
    for (int at = target; ok && via[at] >= 0 && !tree_has(t, at);) {
        const struct edge *e = &g->edges[via[at]];
        if (steps == TABLES_MAX)
            ok = false;
        else
            path[steps++] = via[at];
        at = e->owner == at ? e->other : e->owner;
    }
    *cost += ok ? dist[target] : 0;
    arena_reset(&c->arena, mark);
    if (!ok || t->table_count + steps > TABLES_MAX) return false;
    while (steps-- > 0) {
        const struct edge *e = &g->edges[path[steps]];
        int next = tree_has(t, e->owner) ? e->other : e->owner;
        t->edges[t->table_count - 1] = e;
        t->tables[t->table_count++] = next;
    }
    return true;
}

static bool same_tree(const struct tree *a, const struct tree *b)
{
    if (a->table_count != b->table_count) return false;
    for (int i = 0; i + 1 < a->table_count; i++) {
        bool found = false;
        for (int k = 0; k + 1 < b->table_count; k++) found |= a->edges[i] == b->edges[k];
        if (!found) return false;
    }
    return true;
}

static void add_tree(struct tree *out, size_t *count, size_t max, const struct tree *t)
{
    for (size_t i = 0; i < *count; i++)
        if (same_tree(&out[i], t)) return;
    if (*count < max) out[(*count)++] = *t;
}

/* The same tree over another key between the same two tables; keys whose words were said come first. */
static void add_parallel(const struct graph *g, struct tree *out, size_t *count, size_t max)
{
    size_t trees = *count;
    for (int said = 2; said >= 0; said--)
        for (size_t i = 0; i < trees; i++)
            for (int k = 0; k + 1 < out[i].table_count; k++)
                for (size_t e = 0; e < g->edge_count; e++) {
                    const struct edge *a = out[i].edges[k], *b = &g->edges[e];
                    bool same = (a->owner == b->owner && a->other == b->other) ||
                                (a->owner == b->other && a->other == b->owner);
                    if (!same || a == b || (b->said > 2 ? 2 : b->said) != said) continue;
                    struct tree t = out[i];
                    t.edges[k] = b;
                    add_tree(out, count, max, &t);
                }
}

size_t graph_trees(struct call *c, const struct linked *l, const struct graph *g, const int *tables, int count,
                   struct tree *out, size_t max)
{
    size_t found = 0;
    if (count < 1 || count > TABLES_MAX) return 0;
    if (count == 1) {
        out[0] = (struct tree){ .tables = { tables[0] }, .table_count = 1 };
        return 1;
    }
    int best = 1 << 30;
    for (int start = 0; start < count; start++)
        for (int turn = 0; turn < count - 1; turn++) {
            struct tree t = { .tables = { tables[start] }, .table_count = 1 };
            int cost = 0;
            bool ok = true;
            for (int k = 0; k < count - 1 && ok; k++) {
                int next = tables[(start + 1 + (turn + k) % (count - 1)) % count];
                ok = grow(c, l, g, &t, next, &cost);
            }
            if (!ok) return 0;
            if (cost < best) best = cost, found = 0;
            if (cost == best) add_tree(out, &found, max > 2 ? max - 1 : max, &t);
        }
    add_parallel(g, out, &found, max);
    return found;
}
