/* Numbers of a reading: its tables, and which of two rival keys ties them. */
#include "planners/lexical/use.h"

#include <string.h>

static bool edge_said(const struct use *u, const struct edge *e)
{
    const struct lex_table *t = &u->l->tables[e->owner];
    for (size_t n = 0; n < e->key->column_count; n++)
        for (size_t i = 0; i < t->column_count; i++)
            if (strcmp(t->table->columns[i].name, e->key->columns[n]) == 0 &&
                kind_of(&u->l->columns[t->first_column + i]) <= MENTION_PART)
                return true;
    return false;
}

/* Said words of a's name that b's has not. */
static int words_ahead(const struct linked *l, const struct lex_column *a, const struct lex_column *b)
{
    int n = 0;
    for (size_t i = 0; i < a->word_count; i++) {
        bool shared = false;
        for (size_t k = 0; k < b->word_count; k++) shared |= a->words[i].hash == b->words[k].hash;
        n += !shared && name_word_said(l, &a->words[i]);
    }
    return n;
}

static const struct lex_column *key_column(const struct linked *l, const struct edge *e)
{
    const struct lex_table *t = &l->tables[e->owner];
    for (size_t i = 0; i < t->column_count && e->key->column_count == 1; i++)
        if (strcasecmp(t->table->columns[i].name, e->key->columns[0]) == 0) return &l->columns[t->first_column + i];
    return NULL;
}

/* Of two keys between the same tables, home and away, the one whose own words were said; and a key of such a pair is
 * hardly shown or compared itself. */
static void dense_rivals(struct use *u, const struct core *core, const struct edge *a)
{
    const struct graph *g = u->k->context->graph;
    const struct lex_column *x = key_column(u->l, a);
    for (size_t e = 0; e < g->edge_count && x; e++) {
        const struct edge *b = &g->edges[e];
        bool pair = a != b &&
                    ((a->owner == b->owner && a->other == b->other) || (a->owner == b->other && a->other == b->owner));
        const struct lex_column *y = pair ? key_column(u->l, b) : NULL;
        if (!y) continue;
        int ahead = words_ahead(u->l, x, y) - words_ahead(u->l, y, x);
        u->d[D_EDGE_RIVAL] += ahead > 0 ? 1.0f : ahead < 0 ? -1.0f : 0;
        for (int i = 0; i < core->where_count; i++)
            u->d[D_EDGE_COLUMN] += core->where[i].left.column == (int)(x - u->l->columns);
        for (int i = 0; i < core->item_count; i++)
            u->d[D_EDGE_COLUMN] += core->items[i].column == (int)(x - u->l->columns);
    }
}

void dense_tables(struct use *u, const struct core *core)
{
    float *d = u->d;
    const struct graph *g = u->k->context->graph;
    for (int i = 0; i < core->table_count; i++) {
        int t = core->tables[i];
        float s = u->k->scores->table[t * TABLE_ROLES + ROLE_FROM];
        d[D_TABLES] += s;
        least(&d[D_TABLE_MIN], s);
        d[D_TABLE_SILENT] += u->l->tables[t].mention_count == 0;
        bool used = false;
        for (int k = 0; k < u->column_count; k++) used |= (int)u->l->columns[u->columns[k]].table == t;
        d[D_TABLE_EXTRA] += !used && core->table_count > 1;
        d[D_TABLE_BRIDGE] += !used && u->l->tables[t].bridge;
    }
    d[D_TABLE_COUNT] = (float)core->table_count;
    for (int i = 0; i + 1 < core->table_count; i++) {
        d[D_EDGE_SAID] += edge_said(u, core->edges[i]);
        dense_rivals(u, core, core->edges[i]);
        for (size_t e = 0; e < g->edge_count; e++) {
            const struct edge *a = core->edges[i], *b = &g->edges[e];
            d[D_TREE_PARALLEL] += a != b && a->owner == b->owner && a->other == b->other;
        }
    }
}
