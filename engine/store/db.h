/* db: our own store. One driver a row of table.c (sqlite now, postgres later). Statements are written once with $1 $2 … and
 * checked as constants; values are only ever bound. Rows become structs by their type: a column is read into the member of
 * the same name; a list or raw member is stored as JSON text. */
#ifndef QUERENT_DB_H
#define QUERENT_DB_H

#include "json.h"

struct db;

/* Parameters: a NULL-terminated argument list is error-prone in C, so a small array is built. */
enum param_kind { P_NULL, P_INT, P_TEXT, P_BLOB };
struct param {
    enum param_kind kind;
    int64_t integer;
    const char *text;
    size_t n;
};
#define P_I(v) ((struct param){ .kind = P_INT, .integer = (v) })
#define P_T(s) db_text(s) /* NULL becomes NULL */
struct param db_text(const char *s);
struct param db_blob(const void *bytes, size_t n);
#define PARAMS(...) ((const struct param[]){ __VA_ARGS__ }), (sizeof((const struct param[]){ __VA_ARGS__ }) / sizeof(struct param))

/* path ":memory:" keeps everything in memory. Runs the migrations unless the store is newer (ERR_STORE_FAILED). */
int db_open(struct call *c, const char *path, struct db **out);
void db_close(struct db *db);

/* Rows into `out` (list of structs of `type`). */
int db_query(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
             const struct type *type, struct list *out);
/* One row into `out`; ERR_NOT_FOUND is not raised: *found says it. */
int db_one(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
           const struct type *type, void *out, bool *found);
/* changed may be NULL. */
int db_exec(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count, int64_t *changed);
/* Everything fn does is one transaction: committed when it returns OK, rolled back otherwise. Not nested. */
int db_transaction(struct db *db, struct call *c, int (*fn)(struct db *db, struct call *c, void *ctx), void *ctx);
bool db_healthy(struct db *db, struct call *c);

#endif
