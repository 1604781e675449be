/* execute: what will be read is committed to the audit trail, then the statement runs. */
#include "ask/run.h"

#include "base/clock.h"
#include "store/audit.h"

int ask_execute(struct run *r)
{
    struct call *c = r->call;
    struct run_limits limits = { 0 };
    int rc = audit_allowed(r->store, c);
    if (rc) return rc;
    struct row_sink sink = recorder_begin(&r->rows, c);
    r->recording = true;
    r->receipt->at_us = clock_utc_us();
    rc = guard_run(c, r->guarded, &limits, &sink, &r->stats);
    c->audit.rows = r->stats.rows;
    return rc;
}
