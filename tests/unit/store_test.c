/* store: rows to structs, transactions, threads, migrations, and stores that are not what they should be. */
#include "store/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const colours[] = { "red", "green", NULL };
struct part {
    int64_t size;
};
static const struct field part_fields[] = { FIELD(struct part, size, K_INT), { 0 } };
static const struct type part_type = TYPE(struct part, "Part", part_fields);
struct thing {
    const char *id;
    bool flag;
    int64_t number;
    double ratio;
    int colour;
    int64_t at;
    struct list tags, parts;
    struct part *part;
    const struct json *any;
    struct raw raw;
};
static const struct field thing_fields[] = {
    FIELD(struct thing, id, K_STR),
    FIELD(struct thing, flag, K_BOOL),
    FIELD(struct thing, number, K_INT),
    FIELD(struct thing, ratio, K_NUMBER),
    FIELD(struct thing, colour, K_ENUM, .of = colours),
    FIELD(struct thing, at, K_TIME),
    FIELD(struct thing, tags, K_STRINGS),
    FIELD(struct thing, parts, K_LIST, .of = &part_type),
    FIELD(struct thing, part, K_OBJECT, .of = &part_type),
    FIELD(struct thing, any, K_JSON),
    FIELD(struct thing, raw, K_RAW),
    { 0 },
};
static const struct type thing_type = TYPE(struct thing, "Thing", thing_fields);

static const char make_things[] =
    "CREATE TABLE thing (id TEXT PRIMARY KEY, flag BIGINT, number BIGINT, ratio REAL, colour TEXT, "
    "at BIGINT, tags TEXT, parts TEXT, part TEXT, \"any\" TEXT, raw TEXT)";

/* A folder of its own for each test, removed at the end. */
struct place {
    struct call c;
    char folder[64], path[96];
    struct db *db;
};

static int enter(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/querent-store-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/querent.db", p->folder);
    call_begin(&p->c);
    *state = p;
    return 0;
}

static int leave(void **state)
{
    struct place *p = *state;
    char command[128];
    db_close(p->db);
    call_end(&p->c);
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    int rc = system(command);
    free(p);
    return rc;
}

static void rows(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
    struct part two[] = { { 7 }, { 9007199254740993 } };
    static const char *const tags[] = { "a\"b", "\xC3\xA9", "" };
    int64_t changed = 0;
    assert_int_equal(
        db_exec(p->db, c, "INSERT INTO thing VALUES ($1, $2, $3, 0.5, $4, $5, $6, $7, $8, $9, $9)",
                PARAMS(P_T("t1"), P_I(1), P_I(INT64_MIN), P_T("green"), P_I(1234567), db_strings(c, tags, 3),
                       db_list(c, &part_type, &(struct list){ .items = two, .count = 1 }),
                       db_object(c, &part_type, &two[0]), P_T("{\"x\":[1,\"2\"]}")),
                &changed),
        OK);
    assert_int_equal(changed, 1);
    assert_int_equal(db_exec(p->db, c, "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T("t2")), NULL), OK);
    struct list l;
    assert_int_equal(db_query(p->db, c, "SELECT * FROM thing WHERE id >= $2 AND $1 IS NULL ORDER BY id",
                              PARAMS(P_T(NULL), P_T("t1")), &thing_type, &l),
                     OK);
    assert_int_equal(l.count, 2);
    const struct thing *t = &LIST_AT(&l, struct thing, 0), *empty = &LIST_AT(&l, struct thing, 1);
    assert_string_equal(t->id, "t1");
    assert_true(t->flag);
    assert_true(t->number == INT64_MIN);
    assert_true(t->ratio > 0.49 && t->ratio < 0.51);
    assert_int_equal(t->colour, 1);
    assert_int_equal(t->at, 1234567);
    assert_int_equal(t->tags.count, 3);
    assert_string_equal(LIST_AT(&t->tags, const char *, 1), "\xC3\xA9");
    assert_int_equal(t->parts.count, 1);
    assert_int_equal(LIST_AT(&t->parts, struct part, 0).size, 7);
    assert_int_equal(t->part->size, 7);
    assert_int_equal(json_get(t->any, "x")->count, 2);
    assert_string_equal(t->raw.text, "{\"x\":[1,\"2\"]}");
    assert_string_equal(empty->id, "t2");
    assert_null(empty->any);
    assert_null(empty->part);
    bool found;
    struct thing one;
    assert_int_equal(
        db_one(p->db, c, "SELECT id FROM thing WHERE id = $1", PARAMS(P_T("t2")), &thing_type, &one, &found), OK);
    assert_true(found);
    assert_int_equal(
        db_one(p->db, c, "SELECT id FROM thing WHERE id = $1", PARAMS(P_T("t3")), &thing_type, &one, &found), OK);
    assert_false(found);
}

static void failures(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    assert_int_equal(db_open(c, ":memory:", &p->db), OK);
    assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
    assert_int_equal(db_exec(p->db, c, "INSERT INTO thing (id) VALUES ('a')", NULL, 0, NULL), OK);
    assert_int_equal(db_exec(p->db, c, "INSERT INTO thing (id) VALUES ('a')", NULL, 0, NULL), ERR_CONFLICT);
    call_forgive(c);
    assert_int_equal(db_append(p->db, c, "INSERT INTO thing (id) VALUES ('a')", NULL, 0), ERR_CONFLICT);
    call_forgive(c);
    assert_int_equal(db_exec(p->db, c, "UPDATE nothing SET x = 1", NULL, 0, NULL), ERR_INTERNAL_ERROR);
    assert_null(strstr(c->err.message, "nothing"));
    assert_non_null(strstr(c->err.detail, "nothing"));
    call_forgive(c);
    /* A cell that cannot be what the type says is the store's fault, not a crash. */
    static const char *const odd[] = { "INSERT INTO thing (id, number) VALUES ('n', 'x')",
                                       "INSERT INTO thing (id, colour) VALUES ('n', 'blue')",
                                       "INSERT INTO thing (id, tags) VALUES ('n', '[1]')",
                                       "INSERT INTO thing (id, parts) VALUES ('n', '{')",
                                       "INSERT INTO thing (id, part) VALUES ('n', '{\"y\":1}')" };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct list l;
        assert_int_equal(db_exec(p->db, c, odd[i], NULL, 0, NULL), OK);
        assert_int_equal(db_query(p->db, c, "SELECT * FROM thing WHERE id = 'n'", NULL, 0, &thing_type, &l),
                         ERR_STORE_FAILED);
        call_forgive(c);
        assert_int_equal(db_exec(p->db, c, "DELETE FROM thing WHERE id = 'n'", NULL, 0, NULL), OK);
    }
}

/* Writes that belong together stand or fall together, and take no others with them. */
static void together(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    struct list l;
    assert_int_equal(db_open(c, ":memory:", &p->db), OK);
    assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
    const struct db_write good[] = { { "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T("a")) },
                                     { "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T("b")) } };
    const struct db_write bad[] = { { "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T("c")) },
                                    { "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T("a")) } };
    assert_int_equal(db_append_all(p->db, c, good, 2), OK);
    assert_int_equal(db_append_all(p->db, c, bad, 2), ERR_CONFLICT);
    call_forgive(c);
    assert_int_equal(db_query(p->db, c, "SELECT id FROM thing ORDER BY id", NULL, 0, &thing_type, &l), OK);
    assert_int_equal(l.count, 2);
    assert_string_equal(LIST_AT(&l, struct thing, 1).id, "b");
    assert_int_equal(db_append_all(p->db, c, bad, 1), OK);
}

static int sync_level(struct db *db, struct call *c, void *ctx)
{
    struct thing t;
    bool found;
    int rc = db_one(db, c, "SELECT synchronous AS number FROM pragma_synchronous", NULL, 0, &thing_type, &t, &found);
    *(int64_t *)ctx = t.number;
    return rc;
}

/* A transaction waits for the disk, an appended record does not, however often they take turns. */
static void durability(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    struct thing t;
    bool found;
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
    for (int i = 0; i < 3; i++) {
        const char *id = call_format(c, "t%d", i);
        int64_t level = 0;
        assert_int_equal(db_transaction(p->db, c, sync_level, &level), OK);
        assert_int_equal(level, 2);
        assert_int_equal(db_append(p->db, c,
                                   "INSERT INTO thing (id, number) SELECT $1, synchronous FROM pragma_synchronous",
                                   PARAMS(P_T(id))),
                         OK);
        assert_int_equal(
            db_one(p->db, c, "SELECT number FROM thing WHERE id = $1", PARAMS(P_T(id)), &thing_type, &t, &found), OK);
        assert_int_equal(t.number, 1);
    }
}

struct wish {
    const char *id;
    int answer;
};

static int insert_and_answer(struct db *db, struct call *c, void *ctx)
{
    const struct wish *w = ctx;
    struct thing t;
    bool found;
    int rc = db_exec(db, c, "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T(w->id)), NULL);
    if (rc) return rc;
    /* What a transaction wrote it also reads. */
    rc = db_one(db, c, "SELECT id FROM thing WHERE id = $1", PARAMS(P_T(w->id)), &thing_type, &t, &found);
    assert_true(found);
    return rc ? rc : w->answer;
}

static void transactions(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    static const char *const kinds[] = { ":memory:", NULL };
    for (int i = 0; i < 2; i++) {
        struct list l;
        assert_int_equal(db_open(c, kinds[i] ? kinds[i] : p->path, &p->db), OK);
        assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
        struct wish yes = { "yes", OK }, no = { "no", ERR_BUSY };
        assert_int_equal(db_transaction(p->db, c, insert_and_answer, &yes), OK);
        assert_int_equal(db_transaction(p->db, c, insert_and_answer, &no), ERR_BUSY);
        assert_int_equal(db_transaction(p->db, c, insert_and_answer, &yes), ERR_CONFLICT);
        call_forgive(c);
        assert_int_equal(db_query(p->db, c, "SELECT id FROM thing", NULL, 0, &thing_type, &l), OK);
        assert_int_equal(l.count, 1);
        assert_true(db_healthy(p->db, c));
        db_close(p->db);
    }
    p->db = NULL;
}

#define WRITERS 6
#define EACH    40
struct job {
    struct db *db;
    int number;
};

static void *write_some(void *arg)
{
    const struct job *job = arg;
    struct call c;
    call_begin(&c);
    for (int i = 0; i < EACH; i++) {
        const char *id = call_format(&c, "%d-%d", job->number, i);
        struct wish w = { id, OK };
        struct list l;
        int rc = job->number % 2 ? db_transaction(job->db, &c, insert_and_answer, &w)
                                 : db_append(job->db, &c, "INSERT INTO thing (id) VALUES ($1)", PARAMS(P_T(id)));
        if (!rc) rc = db_query(job->db, &c, "SELECT id FROM thing WHERE id = $1", PARAMS(P_T(id)), &thing_type, &l);
        if (rc || l.count != 1) abort();
    }
    call_end(&c);
    return NULL;
}

static void threads(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
    pthread_t ids[WRITERS];
    struct job jobs[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        jobs[i] = (struct job){ p->db, i };
        assert_int_equal(pthread_create(&ids[i], NULL, write_some, &jobs[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) pthread_join(ids[i], NULL);
    struct list l;
    assert_int_equal(db_query(p->db, c, "SELECT id FROM thing", NULL, 0, &thing_type, &l), OK);
    assert_int_equal(l.count, WRITERS * EACH);
}

/* Two programs on one store: the other one's writing is seen at once, and a backup is whole. */
static void second_process(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    struct db *other, *copy;
    struct list l;
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    assert_int_equal(db_open(c, p->path, &other), OK);
    assert_int_equal(db_exec(p->db, c, make_things, NULL, 0, NULL), OK);
    assert_int_equal(db_exec(other, c, "INSERT INTO thing (id) VALUES ('o')", NULL, 0, NULL), OK);
    assert_int_equal(db_query(p->db, c, "SELECT id FROM thing", NULL, 0, &thing_type, &l), OK);
    assert_int_equal(l.count, 1);
    const char *to = call_format(c, "%s/copy.db", p->folder);
    assert_int_equal(db_backup(p->db, c, to), OK);
    assert_int_equal(db_backup(p->db, c, to), ERR_CONFLICT);
    call_forgive(c);
    assert_int_equal(db_backup(p->db, c, "/nowhere/copy.db"), ERR_VALIDATION_ERROR);
    call_forgive(c);
    assert_int_equal(db_open(c, to, &copy), OK);
    assert_int_equal(db_query(copy, c, "SELECT id FROM thing", NULL, 0, &thing_type, &l), OK);
    assert_int_equal(l.count, 1);
    struct stat st;
    assert_int_equal(stat(to, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    db_close(copy);
    db_close(other);
}

static void migrations(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    struct list first, again;
    struct stat st;
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(db_migrations(p->db, c, &first), OK);
    assert_true(first.count >= 1);
    for (size_t i = 0; i < first.count; i++) assert_int_equal(LIST_AT(&first, struct migration, i).version, i + 1);
    db_close(p->db);
    p->db = NULL;
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    assert_int_equal(db_migrations(p->db, c, &again), OK);
    assert_int_equal(again.count, first.count);
    assert_int_equal(LIST_AT(&again, struct migration, 0).applied_at, LIST_AT(&first, struct migration, 0).applied_at);
    /* A newer store, then a changed history. */
    assert_int_equal(db_exec(p->db, c, "INSERT INTO migrations VALUES (9999, 'later', 'x', 1)", NULL, 0, NULL), OK);
    db_close(p->db);
    p->db = NULL;
    assert_int_equal(db_open(c, p->path, &p->db), ERR_STORE_FAILED);
    assert_non_null(strstr(c->err.message, "newer"));
    call_forgive(c);
    sqlite3 *raw;
    sqlite3_open(p->path, &raw);
    sqlite3_exec(raw,
                 "DELETE FROM migrations WHERE version = 9999; UPDATE migrations SET sha256 = 'y' WHERE version = 1",
                 NULL, NULL, NULL);
    sqlite3_close(raw);
    assert_int_equal(db_open(c, p->path, &p->db), ERR_STORE_FAILED);
    assert_non_null(strstr(c->err.message, "0001_core"));
    p->db = NULL;
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void refuse(struct place *p, const char *path, const char *words)
{
    struct db *db = NULL;
    assert_int_equal(db_open(&p->c, path, &db), ERR_STORE_FAILED);
    assert_null(db);
    if (!strstr(p->c.err.message, words)) fail_msg("%s: %s", words, p->c.err.message);
    call_forgive(&p->c);
}

static void bad_stores(void **state)
{
    struct place *p = *state;
    struct call *c = &p->c;
    refuse(p, "/nowhere/at/all.db", "No such file or directory");
    refuse(p, p->folder, "cannot be opened");
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    write_file(p->path, text);
    refuse(p, p->path, "not an SQLite database");
    unlink(p->path);
    sqlite3 *raw;
    sqlite3_open(p->path, &raw);
    sqlite3_exec(raw, "CREATE TABLE theirs (x)", NULL, NULL, NULL);
    sqlite3_close(raw);
    refuse(p, p->path, "not a store of Querent");
    unlink(p->path);
    /* Damaged: the header is right, the rest is not. */
    assert_int_equal(db_open(c, p->path, &p->db), OK);
    db_close(p->db);
    p->db = NULL;
    int fd = open(p->path, O_WRONLY);
    for (off_t at = 100; at < 4096 * 4; at += (off_t)sizeof text - 1)
        assert_true(pwrite(fd, text, sizeof text - 1, at) > 0);
    close(fd);
    refuse(p, p->path, "damaged");
    unlink(p->path);
    if (getuid()) {
        assert_int_equal(db_open(c, p->path, &p->db), OK);
        db_close(p->db);
        p->db = NULL;
        chmod(p->path, 0400);
        refuse(p, p->path, "read-only");
    }
}

int main(void)
{
#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)
    const struct CMUnitTest tests[] = { STORE_TEST(rows),           STORE_TEST(failures),     STORE_TEST(together),
                                        STORE_TEST(durability),     STORE_TEST(transactions), STORE_TEST(threads),
                                        STORE_TEST(second_process), STORE_TEST(migrations),   STORE_TEST(bad_stores) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
