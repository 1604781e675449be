/* What a connection to PostgreSQL is, and what its role could do if every guard failed. */
#include "adapters/postgres.h"

#include <stdlib.h>
#include <string.h>

#define USER_TABLES                                                                                                    \
    "pg_catalog.pg_class k JOIN pg_catalog.pg_namespace n ON n.oid = k.relnamespace WHERE k.relkind IN ('r','p','f')"  \
    " AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
#define MEMBER(role)                                                                                                   \
    "coalesce((SELECT pg_catalog.pg_has_role(current_user, r.oid, 'USAGE') FROM pg_catalog.pg_roles r"                 \
    " WHERE r.rolname = '" role "'), false)"

/* One row, a column a finding, in the order of `findings`. */
static const char query[] =
    "SELECT current_setting('server_version'), (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user),"
    " (SELECT count(*) FROM " USER_TABLES " AND pg_catalog.has_table_privilege(k.oid, 'INSERT, UPDATE, DELETE, "
    "TRUNCATE')),"
    " (SELECT count(*) FROM " USER_TABLES " AND pg_catalog.pg_has_role(k.relowner, 'USAGE')),"
    " " MEMBER("pg_read_server_files") " OR " MEMBER(
        "pg_write_server_files") ","
                                 " " MEMBER(
                                     "pg_execute_server_program") ","
                                                                  " pg_catalog.has_database_privilege(current_database("
                                                                  "), 'CREATE') OR EXISTS (SELECT 1 FROM "
                                                                  "pg_catalog.pg_namespace"
                                                                  " n WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname "
                                                                  "<> 'information_schema' AND"
                                                                  " pg_catalog.has_schema_privilege(n.oid, 'CREATE')),"
                                                                  " pg_catalog.has_database_privilege(current_database("
                                                                  "), 'TEMP'),"
                                                                  " (SELECT count(*) FROM pg_catalog.pg_database d "
                                                                  "WHERE d.datname <> current_database() AND NOT "
                                                                  "d.datistemplate AND"
                                                                  " pg_catalog.has_database_privilege(d.oid, "
                                                                  "'CONNECT')),"
                                                                  " (SELECT pg_catalog.string_agg(e.extname, ', ' "
                                                                  "ORDER BY e.extname) FROM pg_catalog.pg_extension e "
                                                                  "WHERE e.extname"
                                                                  " IN ('dblink', 'postgres_fdw', 'file_fdw', "
                                                                  "'plpython3u', 'plperlu', 'adminpack')),"
                                                                  " (SELECT s.version FROM pg_catalog.pg_stat_ssl s "
                                                                  "WHERE s.pid = pg_catalog.pg_backend_pid() AND "
                                                                  "s.ssl),"
                                                                  " current_setting('TimeZone'), "
                                                                  "current_setting('server_encoding'), "
                                                                  "current_setting('default_transaction_read_only'),"
                                                                  " (SELECT count(*) FROM " USER_TABLES
                                                                  " AND k.relkind = 'r' AND k.reltuples < 0)";

static const struct {
    const char *name, *well; /* well: the value when nothing is to be said; "" NULL; NULL = any */
    enum finding_state state;
    const char *advice;
} findings[] = {
    { "version", NULL, FINDING_OK, NULL },
    { "superuser", "f", FINDING_DANGER, "Connect as a role that is no superuser: it could read every file." },
    { "writable_tables", "0", FINDING_DANGER, "Revoke INSERT, UPDATE, DELETE and TRUNCATE from the role." },
    { "owned_tables", "0", FINDING_DANGER, "Let another role own the tables; an owner can drop them." },
    { "server_files", "f", FINDING_DANGER, "Revoke pg_read_server_files and pg_write_server_files." },
    { "server_programs", "f", FINDING_DANGER, "Revoke pg_execute_server_program." },
    { "creates_objects", "f", FINDING_WARNING,
      "Revoke CREATE on the database and its schemas from the role and PUBLIC." },
    { "creates_temporary_tables", "f", FINDING_WARNING, "Revoke TEMPORARY on the database from PUBLIC." },
    { "other_databases", "0", FINDING_WARNING, "Revoke CONNECT on the other databases from PUBLIC." },
    { "outbound_extensions", "", FINDING_WARNING,
      "See that the role may not use them: they reach files or other hosts." },
    { "tls", NULL, FINDING_WARNING, "Set tls to verify-full." },
    { "time_zone", NULL, FINDING_OK, NULL },
    { "encoding", "UTF8", FINDING_WARNING, "Text is converted to UTF-8; what has no equal there fails." },
    { "read_only_by_default", "on", FINDING_WARNING, NULL },
    { "tables_without_statistics", "0", FINDING_WARNING, "Run ANALYZE: row counts and costs are not known." },
};
enum { FINDINGS = sizeof findings / sizeof findings[0] };

struct taking {
    struct list *out;
};

static int take(void *ctx, struct call *c, const char *const *values)
{
    struct taking *t = ctx;
    for (size_t i = 0; i < FINDINGS; i++) {
        const char *v = values[i] ? values[i] : "";
        bool well = findings[i].well ? !strcmp(v, findings[i].well) : *v != 0;
        const char *shown = !strcmp(v, "t") ? "yes" : !strcmp(v, "f") ? "no" : *v ? v : "none";
        diagnosis_add(c, t->out, findings[i].name, call_strdup(c, shown), findings[i].state,
                      well ? NULL : findings[i].advice);
    }
    return OK;
}

int postgres_diagnose(struct call *c, struct postgres_session *s, struct list *out)
{
    struct taking t = { .out = out };
    return postgres_rows(c, s, query, NULL, 0, take, &t);
}
