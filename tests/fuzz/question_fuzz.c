/* Any bytes as a question to the offline planner over a small schema. Every plan it proposes is one that check accepts
 * and that renders. */
#include "planners/planner.h"
#include "shop.h"
#include "sql/dialects/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fact, const char *what)
{
    if (fact) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static const struct planner *lexical(void)
{
    for (size_t i = 0; planners[i]; i++)
        if (!strcmp(planners[i]->name, "lexical")) return planners[i];
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dialect *d = dialect_find("sqlite");
    struct call c;
    struct proposal p = { 0 };
    struct planner_env env = { .view = &shop_view, .evidence = EVIDENCE_OFF };
    call_begin(&c);
    /* The operation takes texts of valid UTF-8 of at most 4,000 bytes. */
    const char *question = call_strndup(&c, (const char *)data, strnlen((const char *)data, size < 4000 ? size : 4000));
    if (utf8_valid(question, strlen(question)) && !lexical()->plan(&c, &env, question, &p))
        for (size_t i = 0; i < p.candidates.count; i++) {
            const struct candidate *k = &LIST_AT(&p.candidates, struct candidate, i);
            struct check_result checked = { 0 };
            struct statement *s;
            struct query *q = plan_copy(&c, k->plan);
            need(!plan_check(&c, &shop_view, &d->support, ORIGIN_PLANNER, q, &checked),
                 c.err.message ? c.err.message : "check");
            need(!sql_render(&c, "sqlite", q, 100, &s), "render");
        }
    call_end(&c);
    return 0;
}
