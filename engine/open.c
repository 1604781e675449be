#include "running.h"

#include "config/load.h"
#include "config/references.h"
#include "indexing/index.h"
#include "jobs/jobs.h"
#include "metrics.h"
#include "policy/policy.h"
#include "schema/registry.h"
#include "store/datasources.h"
#include "store/demo.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORE_FILE "querent.db"
#define DEMO_FILE  "demo.sqlite"

static struct running *running_new(const struct engine_options *o)
{
    struct running *r = calloc(1, sizeof *r);
    if (!r) abort();
    call_begin(&r->memory);
    r->config_path = call_strdup(&r->memory, o->config_path);
    if (o->overrides) {
        /* The door's copy may end before the engine does. */
        struct buf b;
        buf_init(&b, &r->memory, (size_t)1024 * 1024);
        json_write(&b, o->overrides);
        if (json_parse(&r->memory, b.data, b.len, &r->overrides)) r->overrides = NULL;
    }
    r->engine.log = o->log;
    r->engine.measure = o->measure;
    r->engine.metrics = metrics_new();
    pthread_mutex_init(&r->engine.world_lock, NULL);
    pthread_mutex_init(&r->callers.lock, NULL);
    key_cache_init(&r->engine.keys);
    return r;
}

static int read_config(struct call *c, const struct engine_options *o, struct config **out)
{
    if (!o->measure) return config_load(c, o->config_path, o->overrides, out);
    *out = config_defaults(c);
    return OK;
}

static int open_store(struct call *c, const struct config *config, struct engine *e)
{
    const char *path = config->store->path;
    if (!path) path = e->state_dir ? call_format(c, "%s/%s", e->state_dir, STORE_FILE) : ":memory:";
    return db_open(c, path, &e->store);
}

static int put_demo(struct engine *e, struct call *c)
{
    const char *path = call_format(c, "%s/%s", e->state_dir, DEMO_FILE);
    int rc = demo_create(c, path);
    if (rc) return rc;
    static const char *const names[] = { "path" };
    const struct json value = { .kind = J_STRING, .string = path, .count = strlen(path) };
    const struct json connection = { .kind = J_OBJECT, .count = 1, .items = &value, .names = names };
    struct datasource_config d = { .id = DEMO_ID,
                                   .description =
                                       "A demonstration shop: customers, orders, products, suppliers, staff.",
                                   .type = "sqlite",
                                   .connection = &connection,
                                   .managed = true };
    rc = type_defaults(c, &datasource_options_type, &d.options);
    if (!rc) rc = registry_put(e->world->registry, c, &d);
    if (!rc) atomic_store(&((struct running *)e)->demo, DEMO_PUT);
    return rc;
}

static bool configured(const struct config *config, const char *id)
{
    for (size_t i = 0; i < config->datasources.count; i++)
        if (!strcmp(LIST_AT(&config->datasources, struct datasource_config, i).id, id)) return true;
    return false;
}

/* With references whose values are not to be had it is kept and shows as unavailable. */
static int put_one(struct engine *e, struct call *c, const struct datasource_config *stored)
{
    struct datasource_config d = *stored;
    const struct json *resolved;
    if (references_resolve(c, e->world->config, d.connection, &resolved)) {
        d.unresolved = call_strdup(c, c->err.message);
        call_forgive(c);
    } else if (resolved != d.connection) {
        d.resolved = resolved;
    }
    return registry_put(e->world->registry, c, &d);
}

/* A stored datasource that this program cannot open is reported and left out: the others must work. The file's wins
 * over a stored one of the same name. */
static void put_stored(struct engine *e, struct call *c, const struct list *stored)
{
    for (size_t i = 0; i < stored->count; i++) {
        const struct datasource_config *d = &LIST_AT(stored, struct datasource_config, i);
        if (configured(e->world->config, d->id))
            call_fail(c, ERR_CONFLICT, "The configuration file defines it, too.");
        else if (!put_one(e, c, d))
            continue;
        log_event(&e->log, LOG_WARN, "datasource.skipped", "datasource", d->id, "message", c->err.message, "detail",
                  c->err.detail, NULL);
        call_forgive(c);
    }
}

static int put_configured(struct engine *e, struct call *c, const struct config *config)
{
    int rc = OK;
    for (size_t i = 0; !rc && i < config->datasources.count; i++)
        rc = registry_put(e->world->registry, c, &LIST_AT(&config->datasources, struct datasource_config, i));
    return rc;
}

static int test_required(struct engine *e, struct call *c, const struct config *config)
{
    int rc = OK;
    for (size_t i = 0; !rc && i < config->datasources.count; i++) {
        const struct datasource_config *d = &LIST_AT(&config->datasources, struct datasource_config, i);
        const struct datasource *ds = d->required ? registry_peek(e->world->registry, c, d->id) : NULL;
        struct test_report report = { .message = ds ? ds->problem : NULL };
        if (!ds) continue;
        if (ds->adapter) rc = adapter_test(c, ds->adapter, &report);
        if (!rc && report.reached != STAGE_DONE)
            rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The datasource '%s' is required and cannot be reached: %s",
                           d->id, report.message);
    }
    return rc;
}

static int put_datasources(struct engine *e, struct call *c, bool demo)
{
    const struct config *config = e->world->config;
    struct list stored = { 0 };
    registry_learn_with(e->world->registry, (struct registry_learner){ .learn = index_learn,
                                                                       .ctx = e->store,
                                                                       .folder = e->state_dir,
                                                                       .begin = e->measure ? NULL : jobs_learn,
                                                                       .begin_ctx = e->jobs });
    int rc = put_configured(e, c, config);
    if (!rc) rc = datasources_list(e->store, c, e->master_key, &stored);
    if (rc) return rc;
    put_stored(e, c, &stored);
    if (demo && e->state_dir && !config->datasources.count && !stored.count) rc = put_demo(e, c);
    return rc ? rc : test_required(e, c, config);
}

static void log_warnings(const struct engine *e, const struct config *config)
{
    for (size_t i = 0; i < config->warnings.count; i++)
        log_event(&e->log, LOG_WARN, "config.warning", "message", LIST_AT(&config->warnings, const char *, i), NULL);
}

static void pin(void *engine, struct call *c)
{
    world_pin(engine, c);
}

int engine_open(struct call *c, const struct engine_options *o, struct engine **out)
{
    struct running *r = running_new(o);
    struct engine *e = &r->engine;
    struct config *config;
    struct held_world *world;
    int rc = read_config(c, o, &config);
    if (rc) goto out;
    log_warnings(e, config);
    rc = state_open(&r->memory, o, config, e);
    if (rc) call_fail(c, r->memory.err.code, "%s", r->memory.err.message);
    if (!rc) rc = open_store(c, config, e);
    if (rc) {
        config_free(config);
        goto out;
    }
    rc = world_build(r, c, config, &world);
    if (rc) goto out;
    world_swap(r, world);
    e->jobs = jobs_open(&(struct jobs_env){ .store = e->store, .log = &e->log, .pin = pin, .ctx = e });
    rc = put_datasources(e, c, o->demo);
out:
    if (rc)
        engine_close(e);
    else
        *out = e;
    return rc;
}

int engine_resume(struct engine *e, struct call *c)
{
    struct running *r = (struct running *)e;
    world_pin(e, c);
    if (atomic_load(&r->demo) == DEMO_PUT) {
        registry_begin(c->world->registry, DEMO_ID);
        atomic_store(&r->demo, DEMO_BEGUN);
    }
    return jobs_resume(e->jobs, c);
}

void engine_close(struct engine *e)
{
    if (!e) return;
    struct running *r = (struct running *)e;
    jobs_close(e->jobs);
    world_end(r);
    db_close(e->store);
    metrics_free(e->metrics);
    pthread_mutex_destroy(&e->world_lock);
    pthread_mutex_destroy(&r->callers.lock);
    key_cache_free(&e->keys);
    call_end(&r->memory);
    explicit_bzero(e->master_key, sizeof e->master_key);
    explicit_bzero(e->cursor_key, sizeof e->cursor_key);
    free(r);
}

/* What the file no longer names goes; what the store or the demo holds stays. */
static void remove_gone(struct engine *e, struct call *c, const struct config *before, const struct config *now)
{
    for (size_t i = 0; i < before->datasources.count; i++) {
        const char *id = LIST_AT(&before->datasources, struct datasource_config, i).id;
        if (!configured(now, id) && registry_remove(e->world->registry, c, id)) call_forgive(c);
    }
}

/* What is known of datasources, beside the policy that holds from now on. */
static void log_unmatched(struct engine *e, struct call *c)
{
    struct list ids = registry_ids(e->world->registry, c, NULL, SIZE_MAX);
    for (size_t i = 0; i < ids.count; i++) {
        const struct datasource *ds = registry_peek(e->world->registry, c, LIST_AT(&ids, const char *, i));
        if (ds && ds->snapshot) policy_log_unmatched(&e->log, c, e->world->policies, ds->snapshot);
    }
}

int engine_reload(struct engine *e, struct call *c)
{
    struct running *r = (struct running *)e;
    struct config *config;
    struct held_world *next;
    world_pin(e, c);
    const struct config *before = c->world->config;
    int rc = config_load(c, r->config_path, r->overrides, &config);
    if (!rc) rc = world_build(r, c, config, &next);
    if (rc) return rc;
    log_warnings(e, config);
    rc = put_configured(e, c, config);
    if (rc) {
        /* The old datasources stand again; the error is the first one's. */
        struct err first = c->err;
        call_forgive(c);
        put_configured(e, c, before);
        remove_gone(e, c, config, before);
        c->err = first;
        world_drop(next);
        return rc;
    }
    remove_gone(e, c, before, config);
    world_swap(r, next);
    log_unmatched(e, c);
    return OK;
}

/* Datasources connected over REST stand in no file, so this is a warning only. */
static void check_policies(struct call *c, const struct config *config, const struct policies *policies,
                           struct buf *out)
{
    const char **ids = call_array(c, config->datasources.count + 1, sizeof *ids);
    for (size_t i = 0; i < config->datasources.count; i++)
        ids[i] = LIST_AT(&config->datasources, struct datasource_config, i).id;
    struct list strays = policy_strays(c, policies, ids);
    for (size_t i = 0; i < strays.count; i++) {
        const struct unmatched *u = &LIST_AT(&strays, struct unmatched, i);
        buf_format(out, "# policies.roles.%s.%s: '%s' names no datasource of this file%s%s%s\n", u->role, u->rule,
                   u->pattern, u->near ? "; did you mean '" : ".", u->near ? u->near : "", u->near ? "'?" : "");
    }
}

int engine_check(struct call *c, const struct engine_options *o, struct buf *out)
{
    struct config *config;
    struct policies *policies;
    int rc = config_load(c, o->config_path, o->overrides, &config);
    if (rc) return rc;
    rc = policies_load(c, config->policies, &policies);
    if (!rc) {
        check_policies(c, config, policies, out);
        policies_free(policies);
        for (size_t i = 0; i < config->warnings.count; i++)
            buf_format(out, "# %s\n", LIST_AT(&config->warnings, const char *, i));
        config_show(out, config);
    }
    config_free(config);
    return rc;
}
