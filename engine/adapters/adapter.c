#include "adapters/adapter.h"

const char *const test_stage_names[] = { "resolve",  "connect", "tls", "authenticate", "open_database", "read_schema",
                                         "read_row", "done",    NULL };

int adapter_open(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    const struct adapter_kind *kind = adapter_kind_find(config->type);
    if (!kind) {
        const char *names[32] = { 0 };
        for (size_t i = 0; adapter_kinds[i] && i < 31; i++) names[i] = adapter_kinds[i]->name;
        const char *near = nearest_name(config->type, names);
        if (near) call_hint(c, "Did you mean '%s'?", near);
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/type", "There is no datasource type '%s'.", config->type);
    }
    if (!kind->installed()) {
        call_hint(c, "%s", kind->install_hint);
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The driver for %s is not installed.", kind->title);
    }
    if (config->unresolved) return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", config->unresolved);
    if (!config->resolved) return kind->open(c, config, out);
    struct datasource_config with = *config;
    with.connection = config->resolved;
    return kind->open(c, &with, out);
}

void adapter_close(struct adapter *a)
{
    if (a) a->kind->close(a);
}

int adapter_test(struct call *c, struct adapter *a, struct test_report *out)
{
    return a->kind->test(c, a, out);
}

int adapter_introspect(struct call *c, struct adapter *a, struct snapshot **out)
{
    return a->kind->introspect(c, a, out);
}

bool adapter_health(struct adapter *a, struct circuit_state *out)
{
    *out = (struct circuit_state){ 0 };
    if (!a || !a->kind->health) return false;
    a->kind->health(a, out);
    return true;
}

const char *const finding_state_names[] = { "ok", "warning", "danger", NULL };

int adapter_diagnose(struct call *c, struct adapter *a, struct list *out)
{
    return a->kind->diagnose(c, a, out);
}

void diagnosis_add(struct call *c, struct list *out, const char *name, const char *found, enum finding_state state,
                   const char *advice)
{
    struct diagnosis_finding *f = list_push(c, out, sizeof *f);
    *f = (struct diagnosis_finding){
        .name = name, .found = found, .state = advice ? (int)state : FINDING_OK, .advice = advice
    };
}

int adapter_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out)
{
    return a->kind->inspect(c, a, s, out);
}

int adapter_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                    const struct row_sink *sink, struct run_stats *stats)
{
    return a->kind->execute(c, a, s, limits, sink, stats);
}

int adapter_timed_out(struct call *c, int64_t time_ms)
{
    if (time_ms % 1000)
        return call_fail(c, ERR_EXECUTION_TIMEOUT, "The query took longer than %lld milliseconds and was stopped.",
                         (long long)time_ms);
    return call_fail(c, ERR_EXECUTION_TIMEOUT, "The query took longer than %lld second%s and was stopped.",
                     (long long)(time_ms / 1000), time_ms == 1000 ? "" : "s");
}

int adapter_changed(struct call *c)
{
    call_hint(c, "Its structure is read anew; send it again.");
    return call_fail(c, ERR_SCHEMA_CHANGED, "The database no longer has what the query reads.");
}
