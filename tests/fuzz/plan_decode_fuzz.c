/* Any bytes as a plan: what reads is written and read again as the same tree; check answers; what it accepts has a
 * canonical form that it accepts too, and is rendered for every engine; PostgreSQL's own parser sees no more in it than
 * the plan says, and SQLite's text reads again. */
#include "guard/opinion.h"
#include "shop.h"
#include "sql/dialects/dialect.h"

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

static void render_for(struct call *c, const struct dialect *d, struct query *q)
{
    struct check_result result;
    struct statement *s;
    struct query *again;
    struct reads seen = { 0 };
    struct table_read table;
    const char *what;
    if (plan_check(c, &shop_view, &d->support, ORIGIN_TEXT, q, &result)) {
        call_forgive(c);
        return;
    }
    int rc = sql_render(c, d->name, q, 1000, &s);
    need(!rc || rc == ERR_PLAN_TOO_LARGE);
    if (!rc && !strcmp(d->name, "postgres")) {
        need(!adapter_kind_find("postgres")->inspect(c, NULL, s, &seen));
        need(opinion_agrees(shop_view.snapshot, &s->reads, &seen, &table, &what));
    } else if (!rc && !strcmp(d->name, "sqlite") && s->n <= 65536) {
        rc = sql_to_plan(c, "sqlite", s->sql, s->n, &shop_view, &again);
        need(!rc || rc == ERR_PLAN_TOO_LARGE);
    }
    call_forgive(c);
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
        for (size_t i = 0; dialects[i]; i++) render_for(&c, dialects[i], plan_copy(&c, q));
    }
    call_end(&c);
    return 0;
}
