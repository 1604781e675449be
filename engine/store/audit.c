#include "store/audit.h"

#include "base/clock.h"
#include "base/id.h"

void audit_statement(struct call *c, const char *datasource_id, const struct statement *s, const char *plan_hash)
{
    struct buf tables, columns;
    buf_init(&tables, c, 64 * 1024);
    buf_init(&columns, c, 256 * 1024);
    for (size_t i = 0; i < s->reads.table_count; i++) {
        const struct table_read *t = &s->reads.tables[i];
        const char *name = t->schema ? call_format(c, "%s.%s", t->schema, t->table) : t->table;
        buf_str(&tables, i ? "," : "[");
        json_add_string(&tables, name);
        for (size_t k = 0; k < t->column_count; k++) {
            buf_str(&columns, columns.len ? "," : "[");
            json_add_string(&columns, call_format(c, "%s.%s", name, t->columns[k]));
        }
    }
    buf_char(&tables, ']');
    buf_char(&columns, ']');
    c->audit.datasource_id = datasource_id;
    c->audit.sql = s->sql;
    c->audit.plan_hash = plan_hash;
    /* What does not fit its ceiling is left out; the statement itself says the same. */
    c->audit.tables = tables.failed || tables.len < 2 ? NULL : tables.data;
    c->audit.columns = columns.failed || columns.len < 2 ? NULL : columns.data;
}

static int record(struct db *store, struct call *c, const char *outcome, const char *code, bool ended)
{
    const struct principal *who = &c->who;
    const struct audit_note *a = &c->audit;
    const struct param none = { .kind = P_NULL };
    return db_append(store, c,
                     "INSERT INTO audit (id, at, tenant_id, user_id, level, roles, source, key_id, trace_id, op, "
                     "outcome, code, rule, "
                     "datasource_id, object_id, question, sql, plan_hash, tables, columns, row_count, duration_us) "
                     "VALUES ($1, $2, $3, "
                     "$4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)",
                     PARAMS(P_T(id_new(c, "au")), P_I(clock_utc_us()), P_T(who->tenant), P_T(who->user),
                            P_T(level_names[who->level]), db_strings(c, who->roles, who->role_count), P_T(who->source),
                            P_T(who->key_id), P_T(c->trace_id), P_T(a->op), P_T(outcome), P_T(code), P_T(a->rule),
                            P_T(a->datasource_id), P_T(a->object_id), P_T(a->question), P_T(a->sql), P_T(a->plan_hash),
                            P_T(a->tables), P_T(a->columns), ended ? P_I(a->rows) : none,
                            ended ? P_I(clock_mono_us() - c->started_us) : none));
}

int audit_allowed(struct db *store, struct call *c)
{
    int rc = record(store, c, "allowed", NULL, false);
    if (!rc) c->audit.allowed = true;
    return rc;
}

int audit_end(struct db *store, struct call *c, enum err_code code)
{
    const struct code_row *row = code_row(code);
    const char *name = code ? row->name : c->audit.failure;
    bool refused = c->audit.rule || (code && !c->audit.allowed && row->status >= 400 && row->status < 499);
    return record(store, c, refused ? "refused" : name ? "failed" : "done", name, true);
}
