#include "ask/run.h"

/* Who asks is known (engine_run saw to it); without any role or level there is nothing to look at. */
int ask_admit(struct run *r)
{
    const struct principal *who = &r->call->who;
    if (!who->user || !who->tenant)
        return call_fail(r->call, ERR_UNAUTHENTICATED, "%s", code_row(ERR_UNAUTHENTICATED)->text);
    return OK;
}
