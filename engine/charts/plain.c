/* A plain table: what is left when nothing else fits. */
#include "charts/chart_rule.h"

static bool draws(const struct chart_shape *s)
{
    (void)s;
    return true;
}

static void fill(struct call *c, const struct chart_shape *s, struct chart_spec *out)
{
    (void)c;
    (void)s;
    (void)out;
}

extern const struct chart_rule chart_plain;
const struct chart_rule chart_plain = {
    .kind = "table", .reason = "no chart fits these columns", .draws = draws, .fill = fill
};
