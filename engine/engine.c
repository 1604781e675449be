#include "engine.h"
#include "adapters/adapter.h"

#include "base/clock.h"
#include "base/embed.h"
#include "identity/identity.h"
#include "jobs/jobs.h"
#include "metrics.h"
#include "policy/policy.h"
#include "running.h"
#include "schema/registry.h"
#include "store/audit.h"

#include <string.h>

const char querent_version[] = QUERENT_VERSION;

const struct log *engine_log(const struct engine *e)
{
    return &e->log;
}

/* Once is enough: learning anew is for the calls that need it to wait for. */
static bool demo_settled(struct engine *e, struct call *c)
{
    struct running *r = (struct running *)e;
    enum demo_state demo = atomic_load(&r->demo);
    if (demo == DEMO_SETTLED) return true;
    world_pin(e, c);
    if (demo == DEMO_PUT || registry_awaited(c->world->registry, DEMO_ID)) return false;
    atomic_store(&r->demo, DEMO_SETTLED);
    return true;
}

bool engine_ready(struct engine *e, struct call *c)
{
    return db_healthy(e->store, c) && demo_settled(e, c);
}

static void write_census(struct buf *b, struct registry_census n)
{
    buf_format(b,
               "# TYPE querent_datasources gauge\nquerent_datasources{status=\"ready\"} %zu\n"
               "querent_datasources{status=\"not_indexed\"} %zu\nquerent_datasources{status=\"unavailable\"} %zu\n"
               "# TYPE querent_schema_bytes gauge\nquerent_schema_bytes %zu\n"
               "# TYPE querent_circuits_open gauge\nquerent_circuits_open %zu\n"
               "# TYPE querent_circuits_opened_total counter\nquerent_circuits_opened_total %lld\n"
               "# TYPE querent_circuits_refused_total counter\nquerent_circuits_refused_total %lld\n",
               n.ready, n.not_indexed, n.unavailable, n.bytes, n.circuits_open, (long long)n.opened,
               (long long)n.refused);
}

void engine_metrics(struct engine *e, struct buf *b)
{
    metrics_write(e->metrics, b);
    jobs_metrics(e->jobs, b);
    world_pin(e, b->call);
    write_census(b, registry_census(b->call->world->registry));
}

void engine_observe(struct engine *e, const char *what, int status, int64_t us)
{
    metrics_request(e->metrics, what, status, us);
}

const char *engine_file(const char *name, size_t *n)
{
    const struct embedded *f = embedded_find(name);
    if (!f) return NULL;
    *n = (size_t)(f->end - f->begin);
    return f->begin;
}

int engine_identify(struct engine *e, struct call *c, const struct credential *cred)
{
    world_pin(e, c);
    return identity_resolve(c, e->store, &e->keys, c->world->config, c->world->policies, cred);
}

int engine_operator(struct engine *e, struct call *c, const char *user, const char *const *roles, size_t count)
{
    world_pin(e, c);
    return identity_operator(c, c->world->policies, user, roles, count);
}

int engine_door_config(struct engine *e, struct call *c, struct door_config *out)
{
    world_pin(e, c);
    const struct config *g = c->world->config;
    *out = (struct door_config){ .listen = g->server->listen,
                                 .threads = g->server->threads,
                                 .max_body_bytes = g->server->max_body_bytes,
                                 .body_timeout_ms = g->server->body_timeout_ms,
                                 .streams_max = g->server->streams_max,
                                 .allowed_hosts = g->api->allowed_hosts,
                                 .allowed_origins = g->api->cors_origins,
                                 .mcp_enabled = g->mcp->enabled,
                                 .mcp_path = g->mcp->path,
                                 .mcp_allowed_hosts = g->mcp->allowed_hosts,
                                 .mcp_allowed_origins = g->mcp->allowed_origins,
                                 .auth_none = g->api->auth == AUTH_NONE,
                                 .auth = auth_names[g->api->auth],
                                 .mcp_auth = auth_names[g->mcp->auth],
                                 .allow_all = policies_allow_all(c->world->policies),
                                 .default_role = policies_default_role(c->world->policies) };
    return OK;
}

static int admit(struct call *c, const struct op *op)
{
    enum level least = op->flags & OP_CLI ? LEVEL_OPERATOR : op->level;
    if (c->who.level >= least) return OK;
    call_detail(c, "level %s, needs %s", level_names[c->who.level], level_names[least]);
    return call_fail(c, ERR_FORBIDDEN, "%s", code_row(ERR_FORBIDDEN)->text);
}

/* Measuring on the command line takes as long as it takes; everything else ends. */
static void set_deadline(struct call *c, const struct op *op)
{
    if (c->deadline_us || op->flags & OP_CLI) return;
    c->deadline_us = clock_mono_us() + c->world->config->limits->request_timeout_ms * 1000;
}

static int run_admitted(struct running *r, struct call *c, const struct op *op, const void *in, void *out)
{
    bool counted = !(op->flags & OP_QUIET) && c->who.level < LEVEL_OPERATOR;
    int64_t most = c->world->config->limits->concurrent_per_caller;
    if (counted && !callers_enter(&r->callers, &c->who, most))
        return call_fail(c, ERR_RATE_LIMITED, "This caller already has %lld operations in work.", (long long)most);
    set_deadline(c, op);
    int rc = op->run(&r->engine, c, in, out);
    if (counted) callers_leave(&r->callers, &c->who);
    if (rc && !c->err.code) call_fail(c, ERR_INTERNAL_ERROR, "The operation gave no reason.");
    if (!rc) call_forgive(c); /* what it survived is not its answer */
    return rc;
}

/* A record that cannot be written does not undo what was done: what must stand before data leaves stood before. */
static void write_audit(struct engine *e, struct call *c, const struct op *op, enum err_code code)
{
    bool kept = op->flags & (OP_DATA | OP_WRITES) || code == ERR_FORBIDDEN;
    if (!kept || op->flags & OP_QUIET) return;
    struct err answer = c->err;
    c->err = (struct err){ 0 };
    if (audit_end(e->store, c, code))
        log_event(&e->log, LOG_ERROR, "audit.failed", "op", op->name, "trace_id", c->trace_id, "message",
                  c->err.message, "detail", c->err.detail, NULL);
    c->err = answer;
}

static void log_failure(const struct engine *e, const struct call *c, const struct op *op)
{
    const struct code_row *row = code_row(c->err.code);
    bool ours = row->status >= 500;
    log_event(&e->log, ours ? LOG_ERROR : LOG_INFO, "operation.failed", "op", op->name, "code", row->name, "message",
              ours ? c->err.message : NULL, "field", c->err.field, "detail", c->err.detail, "trace_id", c->trace_id,
              "request_id", c->request_id, "user", c->who.user, NULL);
}

/* The caller got a result that says no more than a code; the reason is here. */
static void log_told_failure(const struct engine *e, const struct call *c, const struct op *op)
{
    log_event(&e->log, c->audit.rule ? LOG_INFO : LOG_WARN, "run.failed", "op", op->name, "code", c->audit.failure,
              "detail", c->audit.failure_detail, "trace_id", c->trace_id, "request_id", c->request_id, "user",
              c->who.user, NULL);
}

/* Nothing of an unexpected cause leaves. */
static void hide_cause(struct call *c)
{
    if (code_row(c->err.code)->status != 500) return;
    c->err = (struct err){ .code = c->err.code, .message = code_row(c->err.code)->text };
}

int engine_run(struct engine *e, struct call *c, const struct op *op, const void *in, void *out)
{
    struct running *r = (struct running *)e;
    int64_t began = clock_mono_us();
    world_pin(e, c);
    c->audit = (struct audit_note){ .op = op->name };
    if (out && op->out) memset(out, 0, op->out->size);
    metrics_operation_begin(e->metrics);
    int rc = admit(c, op);
    if (!rc) rc = run_admitted(r, c, op, in, out);
    call_step(c, NULL);
    write_audit(e, c, op, c->err.code);
    metrics_operation_end(e->metrics, op, c->err.code, clock_mono_us() - began);
    if (rc) log_failure(e, c, op);
    if (!rc && c->audit.failure) log_told_failure(e, c, op);
    if (rc) hide_cause(c);
    return rc ? (int)c->err.code : OK;
}

int engine_worker(const char *kind, int fd)
{
    const struct adapter_kind *k = adapter_kind_find(kind);
    return k && k->worker ? k->worker(fd) : 2;
}
