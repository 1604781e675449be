/* datasource_scan: what could be connected: files under the open folders, servers on loopback. Off unless the
 * configuration says connect.scan; environment values are never read. */
#include "adapters/scan.h"
#include "domain/config.h"
#include "ops/op.h"

#include <string.h>

static const char *const found_kinds[] = { "url", "file", "port", NULL };

struct found {
    int kind;
    const char *value;
};
static const struct field found_fields[] = {
    FIELD(struct found, kind, K_ENUM, .flags = F_REQUIRED, .of = found_kinds),
    FIELD(struct found, value, K_STR, .flags = F_REQUIRED, .doc = "The file's path, or address and port."),
    { 0 },
};
static const struct type found_type = TYPE(struct found, "ScanFound", found_fields);

struct candidate {
    const char *type, *title, *install_hint;
    struct found *found;
    const struct json *connection;
    struct list missing;
    bool installed;
};
static const struct field candidate_fields[] = {
    FIELD(struct candidate, type, K_STR, .flags = F_REQUIRED),
    FIELD(struct candidate, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct candidate, found, K_OBJECT, .flags = F_REQUIRED, .of = &found_type),
    FIELD(struct candidate, connection, K_JSON, .flags = F_REQUIRED, .doc = "As far as it is known."),
    FIELD(struct candidate, missing, K_STRINGS, .flags = F_REQUIRED,
          .doc = "Members of the connection still to be given."),
    FIELD(struct candidate, installed, K_BOOL, .flags = F_REQUIRED, .doc = "Its driver is here."),
    FIELD(struct candidate, install_hint, K_STR, .doc = "How to install its driver, when it is not."),
    { 0 },
};
static const struct type candidate_type = TYPE(struct candidate, "ScanCandidate", candidate_fields);

struct scanned {
    struct list items;
    const char *next;
};
static const struct field out_fields[] = {
    FIELD(struct scanned, items, K_LIST, .flags = F_REQUIRED, .of = &candidate_type, .doc = "What could be connected."),
    FIELD(struct scanned, next, K_STR, .flags = F_NULL, .doc = "Always null: the list is whole."),
    { 0 },
};
static const struct type out_type = TYPE(struct scanned, "DatasourceScan", out_fields);

static struct json text(const char *s)
{
    return (struct json){ .kind = J_STRING, .string = s, .count = strlen(s) };
}

static void show(struct call *c, const struct scan_hit *hit, struct candidate *out)
{
    static const char *const file_names[] = { "path" }, *const server_names[] = { "host", "port" };
    static const char *const server_missing[] = { "user", "password", "database" };
    struct json *connection = call_alloc(c, sizeof *connection), *members = call_array(c, 2, sizeof *members);
    struct found *found = call_alloc(c, sizeof *found);
    *out = (struct candidate){ .type = hit->kind->name,
                               .title = hit->kind->title,
                               .found = found,
                               .connection = connection,
                               .installed = hit->kind->installed() };
    if (!out->installed) out->install_hint = hit->kind->install_hint;
    if (hit->path) {
        *found = (struct found){ .kind = 1, .value = hit->path };
        members[0] = text(hit->path);
        *connection = (struct json){ .kind = J_OBJECT, .count = 1, .items = members, .names = file_names };
        return;
    }
    *found = (struct found){ .kind = 2, .value = call_format(c, "127.0.0.1:%lld", (long long)hit->port) };
    members[0] = text("127.0.0.1");
    members[1] = (struct json){ .kind = J_INT, .integer = hit->port };
    *connection = (struct json){ .kind = J_OBJECT, .count = 2, .items = members, .names = server_names };
    for (size_t i = 0; i < sizeof server_missing / sizeof server_missing[0]; i++)
        *(const char **)list_push(c, &out->missing, sizeof(const char *)) = server_missing[i];
}

static int run(struct engine *e, struct call *c, const void *in, void *vout)
{
    const struct connect_config *open = c->world->config->connect;
    struct scanned *out = vout;
    struct list hits = { 0 };
    (void)e, (void)in;
    if (!open->scan) {
        call_hint(c, "Set connect.scan in the configuration.");
        return call_fail(c, ERR_FORBIDDEN, "Scanning is off.");
    }
    int rc = OK;
    for (size_t i = 0; !rc && i < open->folders.count; i++)
        rc = scan_folder(c, LIST_AT(&open->folders, const char *, i), &hits);
    if (!rc) rc = scan_ports(c, &hits);
    for (size_t i = 0; !rc && i < hits.count; i++)
        show(c, &LIST_AT(&hits, struct scan_hit, i), list_push(c, &out->items, sizeof(struct candidate)));
    return rc;
}

const struct op op_datasource_scan = { .name = "datasource_scan",
                                       .doc = "Looks for databases that could be connected.",
                                       .level = LEVEL_ADMIN,
                                       .out = &out_type,
                                       .run = run };
