/* guard: the only road to a database: check -> access -> render -> opinion -> cost -> run. Fails closed at each. */
#ifndef QUERENT_GUARD_H
#define QUERENT_GUARD_H

#include "plan/plan.h"
#include "policy/policy.h"
#include "schema/registry.h"
#include "sql/sql.h"

/* A plan that passed check, access and render. */
struct guarded {
    const struct datasource *datasource;
    const struct view *view;
    struct query *plan;          /* bound, before access */
    const char *plan_hash;
    struct statement *statement;
    struct list warnings;        /* struct plan_warning */
    struct query *suggested;
    bool export;                 /* guard_run: the export ceilings stand in for the datasource's */
    bool wrapped;                /* a filter or mask applies: database errors are shown as EXECUTION_FAILED only */
};

/* The ceilings of an export, whatever the datasource's own are. */
#define EXPORT_ROWS  1000000
#define EXPORT_BYTES (1LL << 30)
#define GUARD_EXPORT (-1)

/* No database is touched. max_rows 0 = the datasource's row_limit; it can only lower it. GUARD_EXPORT = EXPORT_ROWS. */
int guard_prepare(struct call *c, const struct datasource *ds, const struct view *view, struct query *plan,
                  enum origin origin, int64_t max_rows, struct guarded **out);
/* Second opinion, cost, execution. truncated is exact: one row beyond the ceiling was seen and not delivered. */
int guard_run(struct call *c, const struct guarded *g, const struct run_limits *limits, const struct row_sink *sink,
              struct run_stats *stats);
/* SQL text of a caller: parse, bind, then guard_prepare with ORIGIN_TEXT. Messages are the contract's guard messages. */
int guard_text(struct call *c, const struct datasource *ds, const struct view *view, const char *sql, size_t n,
               int64_t max_rows, struct guarded **out);

#endif
