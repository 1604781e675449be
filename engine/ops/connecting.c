#include "ops/connecting.h"

#include "config/references.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Of a file that is not there, its folder must be: what a test then says concerns an open folder only. */
static const char *real_path(struct call *c, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real)) return call_strdup(c, real);
    const char *slash = strrchr(path, '/');
    if (!slash || !slash[1] || !strcmp(slash, "/..") || !strcmp(slash, "/.")) return NULL;
    if (!realpath(slash == path ? "/" : call_strndup(c, path, (size_t)(slash - path)), real)) return NULL;
    return call_format(c, "%s%s", real, slash);
}

static bool under(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/') n--;
    return !strncmp(path, folder, n) && (path[n] == '/' || n == 1);
}

/* The connection with one member replaced. */
static const struct json *with_member(struct call *c, const struct json *from, const char *name, const char *text)
{
    struct json *copy = call_alloc(c, sizeof *copy), *items = call_array(c, from->count, sizeof *items);
    *copy = *from;
    memcpy(items, from->items, from->count * sizeof *items);
    for (size_t i = 0; i < from->count; i++)
        if (!strcmp(from->names[i], name))
            items[i] = (struct json){ .kind = J_STRING, .string = text, .count = strlen(text) };
    copy->items = items;
    return copy;
}

int connecting_confine(struct call *c, struct datasource_config *d)
{
    const struct adapter_kind *kind = adapter_kind_find(d->type);
    const struct json *member = kind && kind->file_member ? json_get(d->connection, kind->file_member) : NULL;
    if (!member || member->kind != J_STRING || c->who.level >= LEVEL_OPERATOR) return OK;
    const struct list *folders = &c->world->config->connect->folders;
    const char *real = *member->string == '/' ? real_path(c, member->string) : NULL;
    for (size_t i = 0; real && i < folders->count; i++) {
        if (!under(real, LIST_AT(folders, const char *, i))) continue;
        d->connection = with_member(c, d->connection, kind->file_member, real);
        return OK;
    }
    call_hint(
        c, "Files are connected from the folders that connect.folders of the configuration names, by absolute path.");
    return call_fail_at(c, ERR_VALIDATION_ERROR, call_format(c, "/connection/%s", kind->file_member),
                        "The file is not in a folder that is open for connecting.");
}

int connecting_stored(struct call *c, const char *id, const struct datasource **out)
{
    const struct datasource *ds = registry_peek(c->world->registry, c, id);
    if (!ds) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    if (!ds->adapter)
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", ds->problem ? ds->problem : "The driver is missing.");
    *out = ds;
    return OK;
}

int connecting_test(struct call *c, const struct datasource_config *d)
{
    struct adapter *a = NULL;
    struct test_report report = { 0 };
    int rc = adapter_open(c, d, &a);
    if (!rc) rc = adapter_test(c, a, &report);
    adapter_close(a);
    if (rc || report.reached == STAGE_DONE) return rc;
    if (report.fix) call_hint(c, "%s", report.fix);
    return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection fails at the stage %s: %s",
                     test_stage_names[report.reached], report.message);
}

int connecting_resolve(struct call *c, struct datasource_config *d)
{
    const struct json *resolved;
    int rc = references_resolve(c, c->world->config, d->connection, &resolved);
    d->resolved = rc || resolved == d->connection ? NULL : resolved;
    return rc;
}

static const struct field tested_fields[] = {
    FIELD(struct tested, ok, K_BOOL, .flags = F_REQUIRED),
    FIELD(struct tested, stage, K_STR, .flags = F_REQUIRED, .doc = "done, or the stage that failed."),
    FIELD(struct tested, message, K_STR, .doc = "What is wrong."),
    FIELD(struct tested, fix, K_STR, .doc = "What would be right."),
    FIELD(struct tested, tables, K_INT, .flags = F_REQUIRED, .doc = "Tables and views found."),
    FIELD(struct tested, server_version, K_STR),
    { 0 },
};
const struct type tested_type = TYPE(struct tested, "DatasourceTestResult", tested_fields);

void show_test(const struct test_report *report, struct tested *out)
{
    *out = (struct tested){ .ok = report->reached == STAGE_DONE,
                            .stage = test_stage_names[report->reached],
                            .message = report->message,
                            .fix = report->fix,
                            .tables = report->tables,
                            .server_version = report->server_version };
}
