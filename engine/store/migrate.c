#include "store/driver.h"

#include "base/clock.h"
#include "base/embed.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER "migrations/"

static const struct field migration_fields[] = {
    FIELD(struct migration, version, K_INT, .flags = F_REQUIRED, .doc = "Number of the migration."),
    FIELD(struct migration, name, K_STR, .flags = F_REQUIRED, .doc = "Its name."),
    FIELD(struct migration, sha256, K_STR, .flags = F_REQUIRED, .doc = "SHA-256 of its text when it was applied."),
    FIELD(struct migration, applied_at, K_TIME, .flags = F_REQUIRED, .doc = "When it was applied."),
    { 0 },
};
const struct type migration_type = TYPE(struct migration, "Migration", migration_fields);

struct numbered {
    int64_t version;
    const char *name; /* 0001_core */
    const struct embedded *file;
    const char *sha256;
};

/* A migration of this driver: NNNN_name.sql or NNNN_name.<driver>.sql. */
static bool ours(struct call *c, const struct embedded *f, const char *driver, struct numbered *out)
{
    size_t folder = strlen(FOLDER);
    if (strncmp(f->name, FOLDER, folder)) return false;
    const char *name = f->name + folder, *dot = strchr(name, '.');
    if (!dot || strspn(name, "0123456789") != 4 || name[4] != '_') return false;
    if (strcmp(dot, ".sql") && strcmp(dot, call_format(c, ".%s.sql", driver))) return false;
    *out = (struct numbered){ .version = strtoll(name, NULL, 10),
                              .name = call_strndup(c, name, (size_t)(dot - name)),
                              .file = f,
                              .sha256 = hash_hex(c, f->begin, (size_t)(f->end - f->begin)) };
    return true;
}

/* The embedded files are sorted by name, so the steps are in order. */
static struct list steps(struct call *c, const char *driver)
{
    struct list l = { 0 };
    struct numbered s;
    for (const struct embedded *f = embedded_files; f->name; f++)
        if (ours(c, f, driver, &s)) *(struct numbered *)list_push(c, &l, sizeof s) = s;
    return l;
}

static int applied(struct db *db, struct call *c, struct list *out)
{
    return db_query(db, c, "SELECT version, name, sha256, applied_at FROM migrations ORDER BY version", NULL, 0,
                    &migration_type, out);
}

int db_migrations(struct db *db, struct call *c, struct list *out)
{
    return applied(db, c, out);
}

/* The store's history must be the beginning of ours. */
static int compare(struct call *c, const struct list *done, const struct list *all)
{
    for (size_t i = 0; i < done->count; i++) {
        const struct migration *m = &LIST_AT(done, struct migration, i);
        if (i >= all->count)
            return call_fail(c, ERR_STORE_FAILED,
                             "The store was made by a newer Querent: it has migration %lld, this program knows %zu. "
                             "Use the newer program.",
                             (long long)m->version, all->count);
        const struct numbered *s = &LIST_AT(all, struct numbered, i);
        if (m->version != s->version || strcmp(m->sha256, s->sha256))
            return call_fail(c, ERR_STORE_FAILED,
                             "The store's migration %lld (%s) is not the one this program has (%s).",
                             (long long)m->version, m->name, s->name);
    }
    return OK;
}

struct work {
    const struct list *all;
    bool more;
};

/* One migration in its own transaction. The history is read inside it, so two programs that start together take turns.
 */
static int apply_next(struct db *db, struct call *c, void *ctx)
{
    struct work *w = ctx;
    struct list done;
    int rc = applied(db, c, &done);
    if (!rc) rc = compare(c, &done, w->all);
    w->more = !rc && done.count < w->all->count;
    if (!w->more) return rc;
    const struct numbered *s = &LIST_AT(w->all, struct numbered, done.count);
    rc = db->driver->script(db, c, s->file->begin);
    if (rc) return rc;
    return db_exec(db, c, "INSERT INTO migrations (version, name, sha256, applied_at) VALUES ($1, $2, $3, $4)",
                   PARAMS(P_I(s->version), P_T(s->name), P_T(s->sha256), P_I(clock_utc_us())), NULL);
}

static int make_history(struct db *db, struct call *c, void *ctx)
{
    (void)ctx;
    if (db->driver->foreign(db, c))
        return call_fail(c, ERR_STORE_FAILED, "The file is a database, but not a store of Querent.");
    return db_exec(db, c,
                   "CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, "
                   "sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL)",
                   NULL, 0, NULL);
}

int db_migrate(struct db *db, struct call *c)
{
    struct list all = steps(c, db->driver->name);
    struct work w = { .all = &all, .more = true };
    /* A migration that a loss of power undoes is applied again at the next start; waiting for the disk gains nothing.
     */
    int rc = db_transaction_as(db, c, false, make_history, NULL);
    while (!rc && w.more) rc = db_transaction_as(db, c, false, apply_next, &w);
    return rc;
}
