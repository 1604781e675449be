#include "planners/lexical/dense.h"

#include <math.h>
#include <string.h>

static float log1(double n)
{
    return logf(1.0f + (float)n);
}

void rank_evidence(struct candidates *k)
{
    float top = k->count ? k->total[k->order[0]] : 0;
    for (size_t i = 0; i < k->count; i++)
        if (k->total[i] > top) top = k->total[i];
    for (size_t i = 0; i < k->count; i++) {
        const struct trial *e = &k->evidence[i];
        const struct core *core = &k->readings[i].left;
        float *d = k->dense[i];
        memset(d + D_EVIDENCE, 0, (D_COUNT - D_EVIDENCE) * sizeof *d);
        if (!e->tried) continue;
        d[D_FAILED] = !e->ok;
        if (!e->ok) continue;
        d[D_EMPTY] = e->rows == 0 && !k->readings[i].set;
        d[D_EMPTY_SET] = e->rows == 0 && k->readings[i].set;
        d[D_ONE_ROW] = e->rows == 1;
        d[D_ROWS] = log1((double)e->rows);
        d[D_DUPLICATES] = e->rows ? (float)e->duplicates / (float)e->rows : 0;
        d[D_EMPTY_CELLS] = e->empty_cells;
        d[D_FULL_LIMIT] = core->limit > 1 && e->rows == core->limit;
        d[D_ONE_GROUP] = core->group_count && !core->limit && e->rows <= 1;
        float mass = 0, all = 0;
        int size = 0;
        for (size_t n = 0; n < k->count; n++) {
            float p = expf(k->total[n] - top);
            all += p;
            if (n != i && !(k->evidence[n].tried && k->evidence[n].ok && k->evidence[n].hash == e->hash)) continue;
            mass += p;
            size++;
        }
        d[D_CLUSTER_MASS] = logf(mass / all + 1e-4f);
        d[D_CLUSTER_SIZE] = log1(size);
    }
}

_Static_assert(D_COUNT <= DENSE_MAX, "room for each");

uint32_t rank_dense_count(void)
{
    return D_COUNT;
}

uint32_t rank_dense_plain(void)
{
    return D_EVIDENCE;
}

enum way rank_way(const struct candidates *k, bool executed)
{
    bool drawn = k->context->said >> CUE_CHART & 1;
    return drawn ? (executed ? WAY_EXECUTED_DRAWN : WAY_VALUES_DRAWN) : executed ? WAY_EXECUTED : WAY_VALUES;
}

/* Plain readings that become the same. */
static bool same_turned(const struct reading *a, const struct reading *b)
{
    return a->turned && b->turned && a->family == b->family;
}

void rank_order(struct call *c, struct candidates *k, bool executed)
{
    const struct weights *w = k->weights;
    k->total = call_array(c, k->count + 1, sizeof *k->total);
    k->probability = call_array(c, k->count + 1, sizeof *k->probability);
    k->cluster = call_array(c, k->count + 1, sizeof *k->cluster);
    k->order = call_array(c, k->count + 1, sizeof *k->order);
    float top = -1e30f, all = 0, weight[DENSE_MAX];
    bool drawn = k->context->said >> CUE_CHART & 1;
    for (uint32_t d = 0; d < w->dense_count; d++)
        weight[d] = w->dense[executed][d] + (drawn ? w->drawn[executed][d] : 0);
    for (size_t i = 0; i < k->count; i++) {
        float z = (w->dense_count ? k->sparse[i] : k->readings[i].score) + k->readings[i].grammar;
        for (uint32_t d = 0; d < w->dense_count; d++) z += weight[d] * (k->dense[i][d] - w->mean[d]) / w->spread[d];
        if (k->evidence[i].tried && !k->evidence[i].ok) z -= RANK_FAILED;
        k->total[i] = z;
        if (z > top) top = z;
    }
    for (size_t i = 0; i < k->count; i++) all += expf(k->total[i] - top);
    for (size_t i = 0; i < k->count; i++) {
        k->cluster[i] = (int)i;
        for (size_t n = 0; n < i && k->cluster[i] == (int)i; n++)
            if (same_turned(&k->readings[i], &k->readings[n]) ||
                (k->evidence[i].tried && k->evidence[i].ok && k->evidence[n].tried && k->evidence[n].ok &&
                 k->evidence[n].hash == k->evidence[i].hash))
                k->cluster[i] = (int)n;
        k->probability[k->cluster[i]] += expf(k->total[i] - top) / all;
    }
    for (size_t i = 0; i < k->count; i++) k->probability[i] = k->probability[k->cluster[i]];
    for (size_t i = 0; i < k->count; i++) {
        size_t at = i;
        while (at > 0) {
            int o = k->order[at - 1];
            bool before = k->probability[i] > k->probability[o] ||
                          (k->probability[i] == k->probability[o] && k->total[i] > k->total[o]);
            if (!before) break;
            k->order[at] = o;
            at--;
        }
        k->order[at] = (int)i;
    }
}

bool rank_probed(const struct candidates *k, size_t n, size_t run)
{
    return n < k->count && run < RANK_PROBED && (run == 0 || k->probability[k->order[n]] >= RANK_LEAST);
}

static const enum dense sure_numbers[] = {
    D_SKETCH,          D_F_SELECT,     D_F_WHERE,      D_F_TAIL,          D_F_SET,
    D_JOINT,           D_SELECT_MIN,   D_AGG_MIN,      D_GROUP_MIN,       D_ORDER_MIN,
    D_SPAN_MIN,        D_TABLE_MIN,    D_TABLE_COUNT,  D_TABLE_SILENT,    D_TABLE_EXTRA,
    D_ITEM_SILENT,     D_ITEM_RIVALS,  D_LOST_COLUMNS, D_LOST_TABLES,     D_LOST_NUMBERS,
    D_LOST_VALUES,     D_LOST_WORDS,   D_UNBOUND_LOSS, D_DISTINCT,        D_ITEMS,
    D_CONDS,           D_RANK,         D_EMPTY,        D_ONE_ROW,         D_ROWS,
    D_DUPLICATES,      D_EMPTY_CELLS,  D_CLUSTER_MASS, D_CLUSTER_SIZE,    D_GROUP_UNSELECTED,
    D_SET_ANY,         D_OUT_OF_ORDER, D_SAME_NAME,    D_LITERAL_GUESSED, D_LITERAL_LOOSE,
    D_SAID_MOST,       D_SAID_LEAST,   D_SAID_SUM,     D_SAID_AVERAGE,    D_SAID_COUNT,
    D_SAID_DISTINCT,   D_SAID_EACH,    D_SAID_NOT,     D_SAID_ORDER,      D_SAID_DESCENDING,
    D_SAID_MORE,       D_SAID_LESS,    D_SAID_BOTH,    D_SAID_EITHER,     D_SAID_BETWEEN,
    D_UNSAID_MOST,     D_UNSAID_LEAST, D_UNSAID_SUM,   D_UNSAID_AVERAGE,  D_UNSAID_COUNT,
    D_UNSAID_DISTINCT, D_UNSAID_EACH,  D_UNSAID_NOT,   D_UNSAID_ORDER,    D_UNSAID_DESCENDING,
    D_UNSAID_MORE,     D_UNSAID_LESS,  D_UNSAID_BOTH,  D_UNSAID_EITHER,   D_UNSAID_BETWEEN,
    D_LOST_DOUBT,      D_EDGE_RIVAL,   D_ITEM_PART,    D_ITEM_WEAK,       D_ITEM_FULL,
    D_ID_UNSAID,       D_COUNT_SILENT, D_TABLE_FIRST,  D_SAID_CHART,      D_SAID_BY_X,
    D_SAID_BY_Y,       D_SAID_BY_BARS, D_SAID_SERIES,  D_NEAR_ORDER,      D_AGG_SELF
};

float rank_family(const struct candidates *k)
{
    float top = k->count ? k->total[k->order[0]] : 0, all = 0, mass = 0;
    for (size_t i = 0; i < k->count; i++)
        if (k->total[i] > top) top = k->total[i];
    for (size_t i = 0; i < k->count; i++) {
        float p = expf(k->total[i] - top);
        bool in = k->cluster[i] == k->cluster[k->order[0]];
        for (size_t n = 0; n < k->count && !in; n++) /* a family that the best result belongs to */
            in = k->cluster[n] == k->cluster[k->order[0]] && k->readings[n].family == k->readings[i].family;
        all += p;
        mass += in ? p : 0;
    }
    return all > 0 ? mass / all : 0;
}

#define UNPROVED_LEAST 0.4f

bool rank_unproved(const struct candidates *k)
{
    const int best = k->count ? k->order[0] : -1;
    if (best < 0 || !k->evidence[best].tried || !k->evidence[best].ok || k->evidence[best].rows) return false;
    float all = 0, mass = 0;
    for (size_t i = 0; i < k->count; i++) {
        float p = expf(k->total[i] - k->total[best]);
        all += p;
        mass += k->readings[i].family == k->readings[best].family ? p : 0;
    }
    return mass < UNPROVED_LEAST * all;
}

bool rank_held(const struct reading *r)
{
    return r->ignores || r->leaves >= 0;
}

#define MEANT_FAMILY 0.8f
#define MEANT_LEAST  0.6f
#define MEANT_WHOLLY 0.9f /* hardly anything else is meant: then a little less is enough */
#define MEANT_THEN   0.55f

bool rank_meant(enum way way, float family, float confidence)
{
    if (way >= WAY_VALUES_DRAWN) return false;
    return family >= MEANT_FAMILY && confidence >= (family >= MEANT_WHOLLY ? MEANT_THEN : MEANT_LEAST);
}

enum verdict rank_verdict(const struct weights *w, const struct standing *s)
{
    if (s->fit < w->fit_at) return VERDICT_CANNOT;
    bool sure = s->confidence >= w->answer_at[s->way] || rank_meant(s->way, s->family, s->confidence);
    return sure && !s->held && s->fit >= w->trust_at ? VERDICT_ANSWER : VERDICT_CLARIFY;
}

/* What a reading leaves or does unasked, as one count: 0 is a reading that says all and only what was said. */
static float faults(const float *d)
{
    float n = d[D_LOST_COLUMNS] + d[D_LOST_TABLES] + d[D_LOST_NUMBERS] + d[D_LOST_VALUES] + d[D_ITEM_SILENT] +
              d[D_ID_UNSAID] + d[D_ITEM_WEAK] + d[D_COUNT_SILENT] + d[D_SAME_NAME] + d[D_TABLE_EXTRA];
    for (int k = 0; k < CUES; k++) n += (d[D_SAID_MOST + k] < 0) + (k < CUE_MORE ? d[D_UNSAID_MOST + k] : 0);
    return n;
}

/* Kinds of readings that are sure at different probabilities. */
enum sort_of { KIND_LIST, KIND_NUMBER, KIND_GROUPS, KIND_FIRST, KIND_NESTED, KINDS };

static enum sort_of sort_of(const struct reading *r)
{
    bool numbers = true;
    for (int i = 0; i < r->left.where_count; i++)
        if (r->left.where[i].sub) return KIND_NESTED;
    for (int i = 0; i < r->left.item_count; i++) numbers &= r->left.items[i].agg != AGG_NONE;
    if (r->set) return KIND_NESTED;
    if (r->left.limit) return KIND_FIRST;
    if (r->left.group_count) return KIND_GROUPS;
    return numbers ? KIND_NUMBER : KIND_LIST;
}

uint32_t rank_sure(const struct candidates *k, float out[DENSE_MAX])
{
    uint32_t n = 0;
    int best = k->count ? k->order[0] : -1, next = -1;
    float entropy = 0;
    for (size_t i = 0; i < k->count && best >= 0; i++) {
        int at = k->order[i];
        if (k->cluster[at] == k->cluster[best] || next >= 0) continue;
        next = at;
    }
    for (size_t i = 0; i < k->count; i++)
        if (k->cluster[i] == (int)i && k->probability[i] > 1e-6f)
            entropy -= k->probability[i] * logf(k->probability[i]);
    float p = best >= 0 ? k->probability[best] : 0, q = next >= 0 ? k->probability[next] : 0;
    out[n++] = p;
    out[n++] = logf((p + 1e-4f) / (1.0001f - p));
    out[n++] = logf((p + 1e-3f) / (q + 1e-3f));
    out[n++] = q;
    out[n++] = entropy;
    out[n++] = best >= 0 ? k->readings[best].score : -50;
    out[n++] = (float)k->context->linked->unexplained_count;
    out[n++] = k->context->linked->doubt;
    out[n++] = k->context->linked->doubt_most;
    float wrong = best >= 0 ? faults(k->dense[best]) : 9, family = rank_family(k);
    out[n++] = wrong > 3 ? 3 : wrong;
    out[n++] = wrong == 0;
    out[n++] = wrong == 0 && best >= 0 && k->dense[best][D_LOST_WORDS] == 0;
    out[n++] = wrong == 0 ? p : 0;
    out[n++] = family;
    out[n++] = family - p;
    for (int i = 0; i < KINDS; i++) {
        bool is = best >= 0 && (int)sort_of(&k->readings[best]) == i;
        out[n++] = is;
        out[n++] = is ? logf((p + 1e-3f) / (1.001f - p)) : 0;
    }
    for (size_t i = 0; i < sizeof sure_numbers / sizeof *sure_numbers; i++) {
        float v = best >= 0 ? k->dense[best][sure_numbers[i]] : 0;
        out[n++] = v;
    }
    return n;
}

float rank_logistic(const float *weights, uint32_t count, const float *numbers, uint32_t n)
{
    if (count != n + 1) return 0.5f;
    double z = (double)weights[n];
    for (uint32_t i = 0; i < n; i++) z += (double)weights[i] * (double)numbers[i];
    return (float)(1.0 / (1.0 + exp(-z)));
}
