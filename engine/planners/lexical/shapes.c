/* Which shapes a question may have: those of training by the sketch model, and new ones put together from the likeliest
 * factors, for what nobody has asked in just this combination. */
#include "planners/lexical/fill.h"

#include <string.h>

#define COMPOSED_PRIOR (-10.0f)
#define COMPOSED_LOSS  0.7f /* factors that were never seen together are less likely than their product */

static int keep(struct shape *out, int count, int max, const struct shape *s)
{
    int at = count;
    if (count == max && out[count - 1].score >= s->score) return count;
    if (count < max)
        count++;
    else
        at = max - 1;
    for (; at > 0 && out[at - 1].score < s->score; at--) out[at] = out[at - 1];
    out[at] = *s;
    return count;
}

static bool has(const char *s, const char *any)
{
    return strpbrk(s, any) != NULL;
}

/* Would a statement of this shape say something? Plain columns beside aggregates need a group; a group needs something
 * counted, kept or ordered by. */
static bool sensible(const struct weights *w, const uint16_t f[4])
{
    const char *select = w->names[f[0]], *tail = w->names[f[2]], *set = w->names[f[3]];
    bool columns = has(select, "cx"), aggregates = has(select, "*kdsamM"), grouped = tail[0] == 'G';
    if (set[0] && (aggregates || tail[0])) return false;
    if (grouped) return columns || aggregates;
    return !(columns && aggregates);
}

static bool seen_together(const struct weights *w, const uint16_t f[4])
{
    uint32_t joints = w->factor_first[5] - w->factor_first[4];
    uint64_t wanted, one;
    memcpy(&wanted, f, sizeof wanted);
    for (uint32_t j = 0; j < joints; j++) {
        memcpy(&one, w->joint + (size_t)j * 4, sizeof one);
        if (one == wanted) return true;
    }
    return false;
}

#define TOP_FACTORS 5

static int top_factors(const struct weights *w, const struct scores *s, int factor, uint16_t *out)
{
    int count = 0;
    for (uint32_t i = w->factor_first[factor]; i < w->factor_first[factor + 1]; i++) {
        if (count == TOP_FACTORS && s->sketch[out[count - 1]] >= s->sketch[i]) continue;
        int at = count < TOP_FACTORS ? count++ : TOP_FACTORS - 1;
        for (; at > 0 && s->sketch[out[at - 1]] < s->sketch[i]; at--) out[at] = out[at - 1];
        out[at] = (uint16_t)i;
    }
    return count;
}

static int compose(const struct weights *w, const struct scores *s, struct shape *out)
{
    uint16_t top[4][TOP_FACTORS];
    int n[4], count = 0;
    for (int f = 0; f < 4; f++) n[f] = top_factors(w, s, f, top[f]);
    for (int i = 0; i < n[0] * n[1] * n[2] * n[3]; i++) {
        struct shape one = { .composed = true, .prior = COMPOSED_PRIOR };
        float sum = 0;
        for (int f = 0, rest = i; f < 4; rest /= n[f], f++) {
            one.factors[f] = top[f][rest % n[f]];
            sum += s->sketch[one.factors[f]];
        }
        one.joint = sum - COMPOSED_LOSS;
        one.score = 0.5f * sum + 0.5f * one.joint + 0.1f * COMPOSED_PRIOR;
        bool kept = count < SKETCHES_COMPOSED || out[count - 1].score < one.score;
        if (kept && sensible(w, one.factors) && !seen_together(w, one.factors))
            count = keep(out, count, SKETCHES_COMPOSED, &one);
    }
    return count;
}

int top_shapes(const struct weights *w, const struct scores *s, struct shape *out)
{
    int joints = (int)(w->factor_first[5] - w->factor_first[4]), count = 0;
    for (int j = 0; j < joints; j++) {
        struct shape one = { .joint = s->sketch[w->factor_first[4] + (uint32_t)j], .prior = w->joint_prior[j] };
        float sum = 0;
        memcpy(one.factors, w->joint + j * 4, sizeof one.factors);
        for (int f = 0; f < 4; f++) sum += s->sketch[one.factors[f]];
        one.score = 0.5f * sum + 0.5f * one.joint + 0.1f * one.prior;
        count = keep(out, count, SKETCHES_TRIED, &one);
    }
    return count + compose(w, s, out + count);
}
