/* check: the plan through check, access and render; no database is touched. */
#include "ask/run.h"

#include "engine.h"
#include "schema/snapshot.h"
#include "store/audit.h"

/* A plan that was made earlier and now misses something: gone, or hidden since. Those are answered alike to a caller
 * from whom anything is hidden. */
static bool misses_something(enum err_code code)
{
    return code == ERR_TABLE_NOT_FOUND || code == ERR_COLUMN_NOT_FOUND || code == ERR_STAR_NEEDS_COLUMNS;
}

static void add_query(struct run *r)
{
    struct call *c = r->call;
    const struct statement *s = r->guarded->statement;
    struct answer_query *q = list_push(c, &r->out->sub_queries, sizeof *q);
    q->id = call_format(c, "sq_%.12s", r->guarded->plan_hash);
    q->datasource_id = r->source->datasource->config->id;
    q->sql = s->sql;
    q->column_types = columns_describe(c, s->columns, s->column_count);
    q->columns = columns_names(c, &q->column_types);
}

/* Of the schema as the caller sees it: a hash of all of it would tell when hidden parts change. */
static const char *seen_fingerprint(struct call *c, const struct view *v)
{
    const struct snapshot seen = { .dialect = v->snapshot->dialect,
                                   .tables = v->tables,
                                   .table_count = v->table_count };
    return v->hides_anything ? snapshot_fingerprint(c, &seen) : v->snapshot->fingerprint;
}

int ask_check(struct run *r)
{
    struct call *c = r->call;
    const struct ask_source *s = r->source;
    int rc = guard_prepare(c, s->datasource, s->view, r->plan, ORIGIN_PLANNER, 0, &r->guarded);
    if (rc && r->request->plan && r->hides && misses_something((enum err_code)rc)) {
        call_forgive(c);
        return ask_cannot(r, NULL);
    }
    if (rc) return rc;
    for (size_t i = 0; i < r->guarded->warnings.count; i++)
        ask_note(r, &r->out->warnings, LIST_AT(&r->guarded->warnings, struct plan_warning, i).code, "check", NULL);
    add_query(r);
    audit_statement(c, s->datasource->config->id, r->guarded->statement, r->guarded->plan_hash);
    r->receipt = call_alloc(c, sizeof *r->receipt);
    *r->receipt = (struct receipt){ .schema_fingerprint = seen_fingerprint(c, s->view),
                                    .policy_version = policies_version(r->world->policies),
                                    .plan_hash = r->guarded->plan_hash,
                                    .sql_hash = r->guarded->statement->hash,
                                    .engine_version = querent_version };
    if (r->request->execute) return OK;
    r->out->status = RUN_PLAN_ONLY;
    r->done = true;
    return OK;
}
