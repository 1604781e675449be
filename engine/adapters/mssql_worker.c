/* The worker's side: the only code that runs FreeTDS's db-lib, one connection a process. The library's handlers belong
 * to the process and are told no context while it logs in: until then they write what they hear to the parent straight
 * away; afterwards their state hangs off the DBPROCESS. */
#define MSDBLIB 1

#include "adapters/mssql.h"
#include "adapters/mssql_probe.h"
#include "adapters/mssql_values.h"
#include "base/clock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sybdb.h>
#include <sybfront.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY_BYTES ((size_t)1024 * 1024 * 1024)
#define ROW_MAX      ((size_t)48 * 1024 * 1024)
#define BATCH_BYTES  ((size_t)64 * 1024)

enum { WORKER_FD = 3, FLUSH_US = 50000, CHECK_ROWS = 64, LAST_INFORMATION = 10, PACKET_BYTES = 16384 };

struct link {
    int fd; /* to the parent */
    DBPROCESS *db;
    int number; /* the first error since the last statement began; 0 = none */
    char text[2048];
    bool cancelled;
    int64_t text_size;
    struct buf *batch; /* rows that the parent has not got yet */
    int64_t flushed_us;
};

/* ---- what the library says ---- */

static bool send_trouble(int fd, enum mssql_frame kind, int number, const char *text)
{
    char frame[4 + 2048];
    size_t n = strlen(text);
    if (n > sizeof frame - 4) n = sizeof frame - 4;
    memcpy(frame, &number, 4);
    memcpy(frame + 4, text, n);
    return worker_send(fd, (char)kind, frame, 4 + n);
}

static void hear(DBPROCESS *db, int number, const char *text)
{
    struct link *l = db ? (struct link *)dbgetuserdata(db) : NULL;
    if (!l) {
        send_trouble(WORKER_FD, FRAME_MESSAGE, number, text);
    } else if (!l->number) {
        l->number = number;
        snprintf(l->text, sizeof l->text, "%s", text);
    }
}

static int on_message(DBPROCESS *db, DBINT number, int state, int severity, char *text, char *server, char *procedure,
                      int line)
{
    (void)state, (void)server, (void)procedure, (void)line;
    if (severity > LAST_INFORMATION) hear(db, number ? number : TROUBLE_CLIENT, text ? text : "");
    return 0;
}

/* The library's own errors have numbers of 20000 and more; a server's message has come through on_message already. */
static int on_error(DBPROCESS *db, int severity, int number, int system, char *text, char *system_text)
{
    (void)severity, (void)system, (void)system_text;
    struct link *l = db ? (struct link *)dbgetuserdata(db) : NULL;
    if (number == SYBETIME && l && l->cancelled) return INT_TIMEOUT; /* sends an attention and waits for its answer */
    if (number == SYBESMSG) return INT_CANCEL;
    int trouble = TROUBLE_CLIENT;
    if (number == SYBEICONVI || number == SYBEICONVO || number == SYBEICONVIU) trouble = TROUBLE_TEXT;
    if (number == SYBESEOF || number == SYBEREAD || number == SYBEWRIT || number == SYBETIME) trouble = TROUBLE_LOST;
    if (number == SYBETIME && !l) trouble = TROUBLE_SILENT;
    hear(db, trouble, text ? text : "");
    return INT_CANCEL;
}

/* ---- stopping: whatever the parent sends while a statement runs means that it wants no more ---- */

static bool asked_to_stop(const struct link *l)
{
    struct pollfd parent = { .fd = l->fd, .events = POLLIN };
    return poll(&parent, 1, 0) > 0;
}

static bool flush(struct link *l)
{
    bool ok = worker_write(l->fd, l->batch->data, l->batch->len);
    buf_clear(l->batch);
    l->flushed_us = clock_mono_us();
    return ok;
}

/* Asked once a second while the library waits: rows that wait with it go out. */
static int must_stop(void *db)
{
    struct link *l = (struct link *)dbgetuserdata(db);
    if (!l || !l->batch) return FALSE; /* only a statement of the parent's is stopped */
    if (l->batch->len) flush(l);
    if (!asked_to_stop(l)) return FALSE;
    bool first = !l->cancelled;
    l->cancelled = true;
    return first;
}

static int stop(void *db)
{
    (void)db;
    return INT_CANCEL;
}

/* ---- logging in ---- */

/* The library takes TLS only from a file, which is memory here; no other file of configuration is read. */
static bool configure(const char *const *m)
{
    char text[1024];
    int fd = memfd_create("freetds", MFD_CLOEXEC);
    int n = snprintf(text, sizeof text, "[server]\nhost = %s\nport = %s\nencryption = %s\n", m[MEMBER_HOST],
                     m[MEMBER_PORT], m[MEMBER_ENCRYPTION]);
    if (*m[MEMBER_CA] && n > 0 && (size_t)n < sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, "ca file = %s\ncheck certificate hostname = %s\n",
                      m[MEMBER_CA], m[MEMBER_CHECK_HOST]);
    if (fd < 0 || n < 0 || (size_t)n >= sizeof text || write(fd, text, (size_t)n) != n) return false;
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return !setenv("FREETDSCONF", path, 1);
}

/* A file's name may hold what the library's configuration could not: it is named by its number. */
static const char *open_ca(struct call *c, const char *path)
{
    if (!*path || !strcmp(path, "system")) return path;
    FILE *f = fopen(path, "rb");
    return f ? call_format(c, "/proc/self/fd/%d", fileno(f)) : NULL;
}

static DBPROCESS *log_in(const char *const *m)
{
    LOGINREC *login = dblogin();
    if (!login) abort();
    const struct {
        int which;
        const char *value;
    } names[] = { { DBSETUSER, m[MEMBER_USER] },
                  { DBSETPWD, m[MEMBER_PASSWORD] },
                  { DBSETAPP, m[MEMBER_APPLICATION] },
                  { DBSETCHARSET, "UTF-8" },
                  { DBSETDBNAME, m[MEMBER_DATABASE] } };
    bool ok = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ok = ok && dbsetlname(login, names[i].value, names[i].which) == SUCCEED;
    ok = ok && dbsetlversion(login, DBVERSION_74) == SUCCEED && dbsetllong(login, PACKET_BYTES, DBSETPACKET) == SUCCEED;
    if (*m[MEMBER_INTENT]) ok = ok && dbsetlbool(login, 1, DBSETREADONLY) == SUCCEED;
    dbsetlogintime((int)strtol(m[MEMBER_SECONDS], NULL, 10));
    DBPROCESS *db = ok ? dbopen(login, "server") : NULL;
    dbloginfree(login);
    return db;
}

static bool plain(struct link *l, const char *sql)
{
    l->number = 0;
    bool ok = dbcmd(l->db, sql) == SUCCEED && dbsqlexec(l->db) == SUCCEED;
    for (RETCODE rc; ok && (rc = dbresults(l->db)) != NO_MORE_RESULTS;) {
        ok = rc == SUCCEED;
        while (ok && dbnextrow(l->db) != NO_MORE_ROWS) ok = !dbdead(l->db);
    }
    return ok && !l->number;
}

/* Everything a session must have before a statement of ours comes near it. Whatever a statement did would have to be
 * committed, and nothing ever is: each runs in a transaction that is rolled back. */
static const char session_setup[] =
    "SET NOCOUNT ON; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS ON; SET LOCK_TIMEOUT 2000; SET DEADLOCK_PRIORITY "
    "LOW; "
    "SET ANSI_NULLS ON; SET ANSI_PADDING ON; SET ANSI_WARNINGS ON; SET ARITHABORT ON; SET QUOTED_IDENTIFIER ON; "
    "SET CONCAT_NULL_YIELDS_NULL ON; SET NUMERIC_ROUNDABORT OFF; SET LANGUAGE us_english; SET DATEFORMAT ymd; "
    "SET DATEFIRST 7; SET ROWCOUNT 0; SET TRANSACTION ISOLATION LEVEL READ COMMITTED";
static const char roll_back[] = "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION";

static bool open_database(struct call *c, struct link *l, const char *payload, size_t n)
{
    const char *m[MEMBERS], *at = payload;
    for (size_t i = 0; i < MEMBERS; i++) {
        m[i] = at;
        at += strnlen(at, (size_t)(payload + n - at)) + 1;
        if (at > payload + n) return false;
    }
    m[MEMBER_CA] = open_ca(c, m[MEMBER_CA]);
    if (!m[MEMBER_CA]) return send_trouble(l->fd, FRAME_ERROR, TROUBLE_TLS, "the file tls_ca cannot be read");
    if (!configure(m)) return send_trouble(l->fd, FRAME_ERROR, TROUBLE_CLIENT, "no configuration");
    worker_limit(MEMORY_BYTES);
    if (dbinit() == FAIL) return send_trouble(l->fd, FRAME_ERROR, TROUBLE_CLIENT, "no library");
    dberrhandle(on_error);
    dbmsghandle(on_message);
    l->db = log_in(m);
    if (!l->db) {
        /* What the server said has gone to the parent; when it said nothing, why is asked of the server itself. */
        int trouble =
            mssql_probe(m[MEMBER_HOST], m[MEMBER_PORT], m[MEMBER_ENCRYPTION], (int)strtol(m[MEMBER_SECONDS], NULL, 10));
        send_trouble(l->fd, FRAME_ERROR, trouble, "no connection");
        return false;
    }
    dbsetuserdata(l->db, (BYTE *)l);
    dbsetinterrupt(l->db, must_stop, stop);
    if (!plain(l, session_setup)) {
        send_trouble(l->fd, FRAME_ERROR, l->number ? l->number : TROUBLE_CLIENT, l->text);
        return false;
    }
    return worker_send(l->fd, FRAME_DONE, "", 0);
}

/* ---- statements ---- */

static void add_byte(struct buf *b, int v)
{
    buf_char(b, (char)v);
}

static bool send_columns(struct call *c, struct link *l, const struct mssql_type **types, int count)
{
    for (int i = 0; i < count; i++) {
        struct buf b;
        const DBTYPEINFO *info = dbcoltypeinfo(l->db, i + 1);
        const char *name = dbcolname(l->db, i + 1);
        types[i] = mssql_type_of(dbcoltype(l->db, i + 1));
        if (!types[i]) {
            l->number = TROUBLE_TYPE;
            snprintf(l->text, sizeof l->text, "%s", name ? name : "");
            return true;
        }
        bool exact = types[i]->kind == TYPE_DECIMAL,
             currency = types[i]->type == SYBMONEY || types[i]->type == SYBMONEY4;
        buf_init(&b, c, (size_t)64 * 1024);
        buf_str(&b, name ? name : "");
        buf_char(&b, '\0');
        buf_str(&b, types[i]->name);
        buf_char(&b, '\0');
        add_byte(&b, (int)types[i]->kind);
        add_byte(&b, currency ? (types[i]->type == SYBMONEY ? 19 : 10) : exact && info ? info->precision : 0);
        add_byte(&b, currency ? 4 : exact && info ? info->scale : 0);
        if (!worker_send(l->fd, FRAME_COLUMN, b.data, b.len)) return false;
    }
    return true;
}

static bool add_row(struct link *l, const struct mssql_type **types, int count)
{
    struct buf *b = l->batch;
    size_t start = b->len;
    char head[5] = { [4] = FRAME_ROW };
    buf_add(b, head, sizeof head);
    for (int i = 0; i < count; i++) {
        const unsigned char *bytes = dbdata(l->db, i + 1);
        int n = dbdatlen(l->db, i + 1);
        size_t at = b->len;
        char cell[5] = { (char)(bytes ? types[i]->cell : CELL_NULL) };
        buf_add(b, cell, sizeof cell);
        if (bytes && !mssql_value(b, types[i], bytes, n > 0 ? (size_t)n : 0)) return false;
        if (b->failed) return false;
        uint32_t length = (uint32_t)(b->len - at - sizeof cell);
        memcpy(b->data + at + 1, &length, sizeof length);
    }
    uint32_t length = (uint32_t)(b->len - start - 4);
    memcpy(b->data + start, &length, sizeof length);
    return true;
}

/* False when the parent is gone. What else went wrong stands in l. */
static bool send_rows(struct link *l, const struct mssql_type **types, int count)
{
    size_t rows = 0;
    STATUS status;
    while (!l->cancelled && (status = dbnextrow(l->db)) != NO_MORE_ROWS) {
        if (status == FAIL) return true;
        if (l->number) return true;
        if (!add_row(l, types, count)) {
            l->number = TROUBLE_CLIENT;
            snprintf(l->text, sizeof l->text, "a row is too large");
            return true;
        }
        if (++rows % CHECK_ROWS == 0 && asked_to_stop(l)) l->cancelled = true;
        if (l->batch->len < BATCH_BYTES && rows > 1 && clock_mono_us() - l->flushed_us < FLUSH_US) continue;
        if (!flush(l)) return false;
    }
    return true;
}

/* The server may take its time before its first word: both ends are watched. */
static void await_answer(struct link *l)
{
    struct pollfd both[2] = { { .fd = DBIORDESC(l->db), .events = POLLIN }, { .fd = l->fd, .events = POLLIN } };
    while (poll(both, 2, -1) < 0) continue;
    if (both[1].revents) l->cancelled = true;
}

static bool set_text_size(struct call *c, struct link *l, int64_t most)
{
    /* Counted in bytes of UTF-16: what is cut off was longer than the ceiling in UTF-8 too. */
    int64_t size = most > INT32_MAX / 2 - 8 ? INT32_MAX : 2 * most + 8;
    if (l->text_size == size) return true;
    if (!plain(l, call_format(c, "SET TEXTSIZE %lld", (long long)size))) return false;
    l->text_size = size;
    return true;
}

static bool results(struct call *c, struct link *l)
{
    bool seen = false;
    for (RETCODE rc; !l->cancelled && (rc = dbresults(l->db)) != NO_MORE_RESULTS;) {
        int count = rc == SUCCEED ? dbnumcols(l->db) : 0;
        if (rc != SUCCEED || l->number) break;
        if (!count) continue;
        if (seen) {
            l->number = TROUBLE_MORE;
            break;
        }
        seen = true;
        const struct mssql_type **types = call_array(c, (size_t)count, sizeof *types);
        if (!send_columns(c, l, types, count)) return false;
        if (l->number) break;
        if (!send_rows(l, types, count)) return false;
        if (l->number) break;
    }
    return true;
}

static bool run(struct call *c, struct link *l, const char *sql)
{
    struct buf batch;
    buf_init(&batch, c, ROW_MAX);
    l->batch = &batch;
    l->number = 0;
    l->cancelled = false;
    l->flushed_us = clock_mono_us();
    bool ok = true;
    if (dbcmd(l->db, sql) == SUCCEED && dbsqlsend(l->db) == SUCCEED) {
        await_answer(l);
        if (!l->cancelled && dbsqlok(l->db) == SUCCEED && !l->number) ok = results(c, l);
    }
    ok = ok && flush(l);
    l->batch = NULL;
    if (!dbdead(l->db)) dbcancel(l->db);
    if (dbdead(l->db)) {
        send_trouble(l->fd, FRAME_ERROR, TROUBLE_LOST, l->text);
        return false;
    }
    if (l->cancelled)
        ok = ok && send_trouble(l->fd, FRAME_ERROR, TROUBLE_CANCELLED, "");
    else if (l->number)
        ok = ok && send_trouble(l->fd, FRAME_ERROR, l->number, l->text);
    else
        ok = ok && worker_send(l->fd, FRAME_DONE, "", 0);
    /* The parent has its answer and goes on meanwhile. */
    l->cancelled = false;
    return ok && plain(l, roll_back);
}

static bool serve(struct call *c, struct link *l, const char *frame, size_t n)
{
    int64_t most;
    if (*frame == FRAME_CANCEL) return true;
    if (*frame == FRAME_OPEN && !l->db) return open_database(c, l, frame + 1, n - 1);
    if (*frame != FRAME_RUN || !l->db || n <= sizeof most) return false;
    memcpy(&most, frame + 1, sizeof most);
    if (set_text_size(c, l, most)) return run(c, l, frame + 1 + sizeof most);
    send_trouble(l->fd, FRAME_ERROR, dbdead(l->db) ? TROUBLE_LOST : l->number, l->text);
    return !dbdead(l->db);
}

int mssql_worker(int fd)
{
    struct link l = { .fd = fd };
    bool ok = true;
    for (uint32_t length; ok && worker_read(fd, &length, sizeof length);) {
        struct call c;
        if (!length || length > WORKER_FRAME_MAX) return 1;
        call_begin(&c);
        char *frame = call_alloc(&c, (size_t)length + 1);
        ok = worker_read(fd, frame, length) && serve(&c, &l, frame, length);
        call_end(&c);
    }
    if (l.db) dbclose(l.db);
    return ok ? 0 : 1;
}
