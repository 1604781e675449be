/* What a session of MySQL or MariaDB is and what its user could do. */
#include "adapters/mysql.h"

#include <mysql.h>
#include <string.h>

#undef list_push /* the client's headers have a macro of that name */

static const char diagnosis_query[] =
    ", @@session.time_zone, @@system_time_zone, @@character_set_database,"
    " coalesce(@@global.secure_file_priv, 'nowhere'), (SELECT count(*) FROM information_schema.schemata WHERE "
    "schema_name"
    " NOT IN (DATABASE(), 'information_schema', 'performance_schema', 'sys', 'mysql'))";

int mysql_diagnose(struct call *c, struct mysql_session *s, struct list *out)
{
    int rc = OK;
    const char *cipher = mysql_get_ssl_cipher(s->conn);
    /* The same setting has two names. */
    const char *query =
        call_format(c, "SELECT @@session.%s%s", s->mariadb ? "tx_read_only" : "transaction_read_only", diagnosis_query);
    MYSQL_RES *res =
        mysql_real_query(s->conn, query, (unsigned long)strlen(query)) ? NULL : mysql_store_result(s->conn);
    MYSQL_ROW v = res ? mysql_fetch_row(res) : NULL;
    diagnosis_add(c, out, "version", call_strdup(c, mysql_get_server_info(s->conn)), FINDING_OK, NULL);
    diagnosis_add(c, out, "privileges", s->privileged ? s->privileged : "The user can only read.", FINDING_DANGER,
                  s->privileged ? "Grant the user SELECT on the database and nothing else." : NULL);
    diagnosis_add(c, out, "tls", cipher ? call_strdup(c, cipher) : "none", FINDING_WARNING,
                  cipher ? NULL : "Set tls to verify-full.");
    if (v) {
        bool system = v[1] && !strcmp(v[1], "SYSTEM");
        diagnosis_add(c, out, "read_only", *v[0] == '1' ? "yes" : "no", FINDING_DANGER,
                      *v[0] == '1' ? NULL : "The session should be read-only; check the server's version.");
        diagnosis_add(c, out, "time_zone", call_strdup(c, system ? v[2] : v[1]), FINDING_OK, NULL);
        diagnosis_add(c, out, "encoding", call_strdup(c, v[3]), FINDING_WARNING,
                      v[3] && !strncmp(v[3], "utf8mb4", 7) ? NULL : "Text is converted to UTF-8.");
        diagnosis_add(c, out, "server_files",
                      *v[4] ? call_strdup(c, strcmp(v[4], "nowhere") ? "in one folder" : "no")
                            : "anywhere, with the FILE privilege",
                      FINDING_WARNING, *v[4] ? NULL : "Set secure_file_priv on the server.");
        diagnosis_add(c, out, "other_databases", call_strdup(c, v[5]), FINDING_WARNING,
                      strcmp(v[5], "0") ? "Revoke the user's rights on the other databases." : NULL);
    } else {
        s->broken = true;
        rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The server's settings could not be read.");
        call_detail(c, "%u %s", mysql_errno(s->conn), mysql_error(s->conn));
    }
    if (res) mysql_free_result(res);
    return rc;
}
