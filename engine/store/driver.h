/* driver: what an engine of the store must do. A new engine is one file and one row in table.c. Statements run on the
 * transaction's connection when the call has one open. */
#ifndef QUERENT_DRIVER_H
#define QUERENT_DRIVER_H

#include "store/db.h"

struct db_driver {
    const char *name;                /* also the infix of its own migrations: NNNN_name.<driver>.sql */
    bool (*takes)(const char *path); /* is this path its own? */
    int (*open)(struct call *c, const char *path, struct db **out);
    void (*close)(struct db *db);
    /* Each cell of each row, left to right; `row` counts from 0. A param carries the cell. */
    int (*query)(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
                 int (*cell)(void *ctx, struct call *c, size_t row, const char *column, const struct param *value),
                 void *ctx);
    int (*exec)(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
                int64_t *changed);
    int (*append)(struct db *db, struct call *c, const struct db_write *writes, size_t count);
    int (*begin)(struct db *db, struct call *c, bool durable); /* durable: also survives a loss of power */
    int (*end)(struct db *db, struct call *c, bool commit);
    int (*script)(struct db *db, struct call *c, const char *sql); /* several statements, inside a transaction */
    int (*backup)(struct db *db, struct call *c, const char *path);
    /* A store that holds tables but no `migrations` is somebody else's. */
    bool (*foreign)(struct db *db, struct call *c);
};

struct db { /* first member of every driver's own */
    const struct db_driver *driver;
};

extern const struct db_driver db_sqlite;
extern const struct db_driver *const db_drivers[]; /* NULL-terminated */

/* db_transaction, with the choice. */
int db_transaction_as(struct db *db, struct call *c, bool durable, int (*fn)(struct db *db, struct call *c, void *ctx),
                      void *ctx);

/* Brings a freshly opened store to this program's version. */
int db_migrate(struct db *db, struct call *c);

/* Reads a cell into the member of its name; a column without a member is a mistake of ours. */
int row_set(struct call *c, const struct type *type, void *row, const char *column, const struct param *value);

#endif
