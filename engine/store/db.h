/* db: our own store. One driver a row of table.c. Statements are written once with $1 $2 … and are constants; values
 * are only ever bound. Rows become structs by their type: a column is read into the member of the same name; a list,
 * object, raw or JSON member is stored as JSON text, an enum as its name, a time as microseconds. Any thread may call
 * any function; each blocks while it reads or writes. What was acknowledged survives the end of the process at any
 * moment, and all but what was appended also a loss of power. */
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
struct param db_raw(struct raw json); /* JSON text; absent becomes NULL */
/* An object, and a struct list of structs of `type`, as JSON text. */
struct param db_object(struct call *c, const struct type *type, const void *obj);
struct param db_list(struct call *c, const struct type *type, const struct list *l);
struct param db_strings(struct call *c, const char *const *items, size_t count);
#define PARAMS(...)                                                                                                    \
    ((const struct param[]){ __VA_ARGS__ }), (sizeof((const struct param[]){ __VA_ARGS__ }) / sizeof(struct param))

/* path ":memory:" keeps everything in memory. Makes the file (0600) and runs the migrations. A store that is locked,
 * damaged, read-only, newer than this program or not a store at all is ERR_STORE_FAILED with a message for a terminal.
 */
int db_open(struct call *c, const char *path, struct db **out);
void db_close(struct db *db);

/* Rows into `out` (list of structs of `type`). Outside a transaction the statement may only read. */
int db_query(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
             const struct type *type, struct list *out);
/* One row into `out`; ERR_NOT_FOUND is not raised: *found says it. */
int db_one(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
           const struct type *type, void *out, bool *found);
/* changed may be NULL. A key that exists already, or a reference to nothing, is ERR_CONFLICT. */
int db_exec(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count, int64_t *changed);
/* For records that many threads write at once: the same as db_exec, but what threads bring at the same time is
 * committed together. Must not be called inside a transaction. */
int db_append(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count);
/* The same for several statements that stand or fall together. */
struct db_write {
    const char *sql;
    const struct param *params;
    size_t count;
};
int db_append_all(struct db *db, struct call *c, const struct db_write *writes, size_t count);
/* Everything fn does with this call is one transaction: committed when it returns OK, rolled back otherwise. Not
 * nested. */
int db_transaction(struct db *db, struct call *c, int (*fn)(struct db *db, struct call *c, void *ctx), void *ctx);
bool db_healthy(struct db *db, struct call *c); /* can be written */
/* A consistent copy into a new file while the store is in use; ERR_CONFLICT when the file exists. */
int db_backup(struct db *db, struct call *c, const char *path);

struct migration {
    int64_t version;
    const char *name, *sha256;
    int64_t applied_at;
};
extern const struct type migration_type;
/* What was applied to the store, oldest first: list of struct migration. */
int db_migrations(struct db *db, struct call *c, struct list *out);

#endif
