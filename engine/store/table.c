#include "store/driver.h"

#include <string.h>

const struct db_driver *const db_drivers[] = { &db_sqlite, NULL };

int db_open(struct call *c, const char *path, struct db **out)
{
    for (size_t i = 0; db_drivers[i]; i++) {
        if (!db_drivers[i]->takes(path)) continue;
        int rc = db_drivers[i]->open(c, path, out);
        if (rc) return rc;
        rc = db_migrate(*out, c);
        if (!rc) return OK;
        db_close(*out);
        *out = NULL;
        return rc;
    }
    return call_fail(c, ERR_STORE_FAILED, "No kind of store is at '%s'.", path);
}

void db_close(struct db *db)
{
    if (db) db->driver->close(db);
}

struct rows {
    const struct type *type;
    struct list *list; /* or */
    void *one;
    size_t seen; /* rows begun */
};

static int read_cell(void *ctx, struct call *c, size_t row, const char *column, const struct param *value)
{
    struct rows *r = ctx;
    if (row == r->seen) {
        r->seen++;
        if (r->list) list_push(c, r->list, r->type->size);
    }
    if (r->one) return row ? OK : row_set(c, r->type, r->one, column, value);
    return row_set(c, r->type, (char *)r->list->items + row * r->type->size, column, value);
}

int db_query(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
             const struct type *type, struct list *out)
{
    *out = (struct list){ 0 };
    struct rows rows = { .type = type, .list = out };
    return db->driver->query(db, c, sql, params, count, read_cell, &rows);
}

int db_one(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
           const struct type *type, void *out, bool *found)
{
    memset(out, 0, type->size);
    struct rows rows = { .type = type, .one = out };
    int rc = db->driver->query(db, c, sql, params, count, read_cell, &rows);
    *found = !rc && rows.seen;
    return rc;
}

int db_exec(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count, int64_t *changed)
{
    return db->driver->exec(db, c, sql, params, count, changed);
}

int db_append(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count)
{
    return db->driver->append(db, c, &(const struct db_write){ sql, params, count }, 1);
}

int db_append_all(struct db *db, struct call *c, const struct db_write *writes, size_t count)
{
    return db->driver->append(db, c, writes, count);
}

int db_transaction_as(struct db *db, struct call *c, bool durable, int (*fn)(struct db *db, struct call *c, void *ctx),
                      void *ctx)
{
    int rc = db->driver->begin(db, c, durable);
    if (rc) return rc;
    rc = fn(db, c, ctx);
    int ended = db->driver->end(db, c, !rc);
    return rc ? rc : ended;
}

int db_transaction(struct db *db, struct call *c, int (*fn)(struct db *db, struct call *c, void *ctx), void *ctx)
{
    return db_transaction_as(db, c, true, fn, ctx);
}

static int nothing(struct db *db, struct call *c, void *ctx)
{
    (void)db, (void)c, (void)ctx;
    return OK;
}

bool db_healthy(struct db *db, struct call *c)
{
    bool ok = !db_transaction(db, c, nothing, NULL);
    if (!ok) call_forgive(c);
    return ok;
}

int db_backup(struct db *db, struct call *c, const char *path)
{
    return db->driver->backup(db, c, path);
}
