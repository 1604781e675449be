/* Any bytes as a plan: what reads is written and read again as the same tree; check answers; what it accepts has a
 * canonical form that it accepts too. */
#include "plan/plan.h"
#include "shop.h"

#include <stdlib.h>
#include <string.h>

#define PLAN_BYTES ((size_t)4 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dialect_support strict = { "strict", ~(unsigned)(DIALECT_COERCES | DIALECT_UNGROUPED), NULL };
static const struct dialect_support loose = { "loose", ~(unsigned)DIALECT_DEPENDENCE, NULL };

static void need(bool fact)
{
    if (!fact) abort();
}

static void check_both(struct call *c, const struct query *q)
{
    for (int i = 0; i < 2; i++) {
        const struct dialect_support *d = i ? &loose : &strict;
        struct query *copy = plan_copy(c, q);
        struct check_result result;
        struct list columns = { 0 }, filters = { 0 };
        if (plan_check(c, &shop_view, d, i ? ORIGIN_TEXT : ORIGIN_MODEL, copy, &result)) {
            need(c->err.finding_count > 0 && c->err.field);
            call_forgive(c);
            continue;
        }
        plan_lineage(c, copy, &columns);
        plan_filters(c, copy, &filters);
        need(columns.count == copy->offer_count);
        struct query *canonical = plan_canonical(c, copy);
        const char *hash = plan_hash(c, copy);
        need(!plan_check(c, &shop_view, d, i ? ORIGIN_TEXT : ORIGIN_MODEL, canonical, &result));
        need(!strcmp(plan_hash(c, canonical), hash));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call c;
    struct query *q, *again;
    struct buf b;
    call_begin(&c);
    if (!plan_parse(&c, (const char *)data, size, &q)) {
        buf_init(&b, &c, PLAN_BYTES);
        plan_encode(&b, q);
        need(b.failed || (!plan_parse(&c, b.data, b.len, &again) && plan_equal(q, again)));
        check_both(&c, q);
    }
    call_end(&c);
    return 0;
}
