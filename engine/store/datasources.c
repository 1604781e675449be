#include "store/datasources.h"

#include "base/clock.h"

#include <string.h>

struct row {
    const char *id, *description, *type, *connection;
    struct datasource_options *options;
};
static const struct field fields[] = {
    FIELD(struct row, id, K_STR),
    FIELD(struct row, description, K_STR),
    FIELD(struct row, type, K_STR),
    FIELD(struct row, connection, K_STR, .flags = F_SECRET),
    FIELD(struct row, options, K_OBJECT, .of = &datasource_options_type),
    { 0 },
};
static const struct type row_type = TYPE(struct row, "StoredDatasource", fields);

static const char *bound_to(struct call *c, const char *id)
{
    return call_format(c, "datasource/%s", id);
}

static struct param sealed(struct call *c, const unsigned char key[SECRET_KEY_BYTES], const struct datasource_config *d)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    json_write(&b, d->connection);
    return db_text(secret_seal(c, key, bound_to(c, d->id), b.data));
}

int datasources_add(struct db *db, struct call *c, const unsigned char key[SECRET_KEY_BYTES],
                    const struct datasource_config *d)
{
    int64_t now = clock_utc_us();
    return db_exec(db, c,
                   "INSERT INTO datasources (id, tenant_id, owner, description, type, connection, options, created_at, "
                   "updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
                   PARAMS(P_T(d->id), P_T(c->who.tenant), P_T(c->who.user), P_T(d->description), P_T(d->type),
                          sealed(c, key, d), db_object(c, &datasource_options_type, &d->options), P_I(now)),
                   NULL);
}

int datasources_replace(struct db *db, struct call *c, const unsigned char key[SECRET_KEY_BYTES],
                        const struct datasource_config *d)
{
    int64_t changed = 0;
    int rc = db_exec(
        db, c, "UPDATE datasources SET description = $2, connection = $3, options = $4, updated_at = $5 WHERE id = $1",
        PARAMS(P_T(d->id), P_T(d->description), sealed(c, key, d), db_object(c, &datasource_options_type, &d->options),
               P_I(clock_utc_us())),
        &changed);
    if (!rc && !changed) rc = call_fail(c, ERR_DATASOURCE_NOT_FOUND, "There is no datasource '%s'.", d->id);
    return rc;
}

int datasources_remove(struct db *db, struct call *c, const char *id, bool *found)
{
    int64_t changed = 0;
    int rc = db_exec(db, c, "DELETE FROM datasources WHERE id = $1", PARAMS(P_T(id)), &changed);
    *found = changed > 0;
    return rc;
}

static int unseal(struct call *c, const unsigned char key[SECRET_KEY_BYTES], const struct row *r,
                  struct datasource_config *out)
{
    const char *text = secret_open(c, key, bound_to(c, r->id), r->connection);
    if (!text)
        return call_fail(
            c, ERR_STORE_FAILED,
            "The connection of datasource '%s' cannot be opened with this master.key; put back the one that "
            "belongs to this store.",
            r->id);
    *out = (struct datasource_config){ .id = r->id, .description = r->description, .type = r->type };
    if (r->options) out->options = *r->options;
    return json_parse(c, text, strlen(text), &out->connection);
}

int datasources_list(struct db *db, struct call *c, const unsigned char key[SECRET_KEY_BYTES], struct list *out)
{
    struct list rows;
    *out = (struct list){ 0 };
    int rc = db_query(db, c, "SELECT id, description, type, connection, options FROM datasources ORDER BY id", NULL, 0,
                      &row_type, &rows);
    for (size_t i = 0; !rc && i < rows.count; i++)
        rc = unseal(c, key, &LIST_AT(&rows, struct row, i), list_push(c, out, sizeof(struct datasource_config)));
    return rc;
}
