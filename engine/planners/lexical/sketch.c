/* Shapes of readings as short texts. select: sorted codes, c column, x all columns, * count(*), k count, d
 * count(distinct), s sum, a avg, m min, M max, after D for distinct. where: v literal, b between, z null, q<op><agg>
 * compared with an aggregate (op: = ! < l > g), n<k> and i<k> (not) in a sub-query of k conditions, joined by & or |.
 * tail: G<columns>, H<term>, O<term><a|d>, L1 or Ln. set: I E U with the where and tail of the second core. */
#include "planners/lexical/reading.h"

#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t left;
};

static void put(struct text *t, char ch)
{
    if (t->left < 2) return;
    *t->at++ = ch;
    *t->at = 0;
    t->left--;
}

static char term_code(const struct term *t)
{
    if (t->agg == AGG_COUNT) return t->column == TERM_STAR ? '*' : t->distinct ? 'd' : 'k';
    if (t->column == TERM_STAR) return 'x';
    return "c?samM"[t->agg];
}

static int compare_code(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static void put_select(struct text *t, const struct core *core)
{
    char codes[TERMS_MAX];
    for (int i = 0; i < core->item_count; i++) codes[i] = term_code(&core->items[i]);
    qsort(codes, (size_t)core->item_count, 1, compare_code);
    if (core->distinct) put(t, 'D');
    for (int i = 0; i < core->item_count; i++) put(t, codes[i]);
}

static void put_where(struct text *t, const struct core *core)
{
    static const char order[] = "vbzqin";
    bool first = true;
    for (const char *kind = order; *kind; kind++)
        for (int i = 0; i < core->where_count; i++) {
            const struct cond *w = &core->where[i];
            char code = w->op == COND_BETWEEN                          ? 'b'
                        : w->op == COND_NULL || w->op == COND_NOT_NULL ? 'z'
                        : w->op == COND_IN                             ? 'i'
                        : w->op == COND_NOT_IN                         ? 'n'
                        : w->sub                                       ? 'q'
                                                                       : 'v';
            if (code != *kind) continue;
            if (!first) put(t, core->any ? '|' : '&');
            first = false;
            put(t, code);
            if (code == 'q') {
                put(t, "=!<l>g"[w->op]);
                put(t, term_code(&w->sub->items[0]));
            }
            if (code == 'i' || code == 'n' || (code == 'q' && w->sub->where_count))
                put(t, (char)('0' + w->sub->where_count));
        }
}

static void put_tail(struct text *t, const struct core *core)
{
    if (core->group_count) {
        put(t, 'G');
        put(t, (char)('0' + core->group_count));
    }
    if (core->has_having) {
        put(t, 'H');
        put(t, term_code(&core->having.left));
    }
    for (int i = 0; i < core->order_count; i++) {
        put(t, 'O');
        put(t, term_code(&core->order[i].term));
        put(t, core->order[i].desc ? 'd' : 'a');
    }
    if (core->limit) {
        put(t, 'L');
        put(t, core->limit == 1 ? '1' : 'n');
    }
}

void reading_sketch(const struct reading *r, char out[SKETCH_MAX])
{
    struct text t = { out, SKETCH_MAX };
    out[0] = 0;
    put_select(&t, &r->left);
    put(&t, '/');
    put_where(&t, &r->left);
    put(&t, '/');
    put_tail(&t, &r->left);
    put(&t, '/');
    if (r->set == SET_NONE) return;
    put(&t, " IEU"[r->set]);
    put_where(&t, &r->right);
    if (r->right.group_count || r->right.has_having || r->right.order_count) {
        put(&t, ':');
        put_tail(&t, &r->right);
    }
}

void sketch_split(const char *sketch, char select[SKETCH_MAX], char where[SKETCH_MAX], char tail[SKETCH_MAX],
                  char set[SKETCH_MAX])
{
    char *parts[4] = { select, where, tail, set };
    for (int i = 0; i < 4; i++) parts[i][0] = 0;
    int part = 0;
    size_t n = 0;
    for (const char *p = sketch; *p; p++) {
        if (*p == '/' && part < 3) {
            part++;
            n = 0;
        } else if (n + 1 < SKETCH_MAX) {
            parts[part][n++] = *p;
            parts[part][n] = 0;
        }
    }
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 32);
}

static uint64_t mix_text(uint64_t h, const char *s)
{
    if (!s) return mix(h, 0);
    for (; *s; s++) h = mix(h, (unsigned char)*s);
    return mix(h, 1);
}

static uint64_t mix_term(uint64_t h, const struct term *t)
{
    return mix(h, (uint64_t)t->agg | (uint64_t)t->distinct << 4 | (uint64_t)(unsigned)(t->column + 8) << 8);
}

static uint64_t core_key(uint64_t h, const struct core *core);

static uint64_t cond_key(const struct cond *w)
{
    uint64_t h = mix_text(mix_text(mix_term(mix(7, (uint64_t)w->op), &w->left), w->value), w->value2);
    return w->sub ? core_key(h, w->sub) : h;
}

static uint64_t core_key(uint64_t h, const struct core *core)
{
    h = mix(h, core->distinct);
    for (int i = 0; i < core->item_count; i++) h = mix_term(h, &core->items[i]);
    uint64_t sum = 0;
    for (int i = 0; i < core->where_count; i++) sum += cond_key(&core->where[i]);
    h = mix(h, sum + core->any);
    sum = 0;
    for (int i = 0; i < core->group_count; i++) sum += mix(11, (uint64_t)core->group[i]);
    h = mix(h, sum);
    if (core->has_having) h = mix(h, cond_key(&core->having));
    for (int i = 0; i < core->order_count; i++) h = mix_term(mix(h, core->order[i].desc), &core->order[i].term);
    h = mix(h, (uint64_t)core->limit);
    sum = 0;
    for (int i = 0; i < core->table_count; i++) sum += mix(13, (uint64_t)core->tables[i]);
    for (int i = 0; i + 1 < core->table_count; i++) sum += mix(17, (uint64_t)(uintptr_t)core->edges[i]);
    return mix(h, sum);
}

uint64_t reading_key(const struct reading *r)
{
    uint64_t h = core_key(1, &r->left);
    h = mix(h, (uint64_t)r->set);
    return r->set ? core_key(h, &r->right) : h;
}

bool core_shows(const struct core *core, int column)
{
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg == AGG_NONE && core->items[i].column == column) return true;
    return false;
}

bool term_equal(const struct term *a, const struct term *b)
{
    return a->agg == b->agg && a->distinct == b->distinct && a->column == b->column;
}
