/* results: answered rows, kept for a week, read only by their owner, and only while the owner may still see them. */
#ifndef QUERENT_RESULTS_H
#define QUERENT_RESULTS_H

#include "domain/world.h"
#include "guard/guard.h"
#include "results/formats/format.h"
#include "results/recorder.h"
#include "store/results.h"

#define RESULT_KEPT_US (7LL * 24 * 3600 * 1000000)

/* What a run leaves behind. */
struct result_made {
    const char *question, *reading;
    const struct guarded *guarded;
    const struct recorder *rows;
    const struct run_stats *stats;
    struct receipt *receipt;
};
/* Stores it for the caller; *id is the new result. */
int result_store(struct call *c, struct db *store, const struct result_made *m, const char **id);

/* A result that the caller may read now. */
struct opened_result {
    struct stored_result stored;
    const struct datasource *datasource;
    const struct view *view;
};
/* ERR_NOT_FOUND for an unknown, foreign or expired id, and for rows that the caller's present view would not show. */
int result_open(struct call *c, const struct world *w, struct db *store, const char *id, struct opened_result *out);

/* At most `count` stored rows from `first` on, as a JSON array of arrays; *got is how many. */
int result_rows(struct call *c, struct db *store, const struct opened_result *r, int64_t first, int64_t count,
                struct raw *rows, int64_t *got);

/* The plan once more, as the caller, under the export ceilings, written to the call's sink. `current` is asked between
 * batches and ends the export with ERR_POLICY_CHANGED when it says no; NULL = not asked. An error after the first byte
 * leaves the output incomplete: the door must break the stream. */
struct export_request {
    const struct export_format *format;
    int formulas;     /* enum formulas */
    struct db *store; /* of the audit trail */
    bool (*current)(void *ctx);
    void *ctx;
};
int result_export(struct call *c, const struct opened_result *r, const struct export_request *request,
                  struct export_end *out);

#endif
