/* querent bench: the numbers to hold that need no other program, measured on the demo in a folder of its own. What is a
 * ratio to another program is measured by tests/bench. */
#include "cli/measure/lines.h"
#include "cli/verbs/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STARTS     7
#define THRONG     16 /* threads that ask at once */
#define ROUNDS_MAX 10000

/* A number and what it should be at most; bar 0 = none is set. */
struct number {
    const char *name;
    double value, bar;
};

struct samples {
    int64_t *us;
    size_t n;
};

struct bench {
    struct cli *cli;
    const char *folder, *config;
    int64_t rounds;
    struct list numbers; /* struct number */
};

static const char *const questions[] = {
    "How many customers are there?",        "How many customers are there in each country?",
    "How many orders are there?",           "What is the average price of products?",
    "Which product has the highest price?",
};

static const char *const statements[] = {
    "SELECT count(*) FROM customers",
    "SELECT country, count(*) AS n FROM customers GROUP BY country ORDER BY n DESC LIMIT 5",
    "SELECT c.city, count(o.order_id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id "
    "WHERE c.country <> 'Germany' GROUP BY c.city HAVING count(o.order_id) > 3",
    "SELECT first_name || ' ' || last_name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders) AND "
    "city LIKE 'B%'",
    "WITH busy AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) SELECT max(n) FROM busy",
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static int64_t clock_us(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t now_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t percentile(struct samples *s, size_t percent)
{
    if (!s->n) return 0;
    qsort(s->us, s->n, sizeof *s->us, by_size);
    return s->us[(s->n - 1) * percent / 100];
}

static struct samples samples_of(struct call *c, size_t most)
{
    return (struct samples){ .us = call_array(c, most + 1, sizeof(int64_t)) };
}

static void add(struct bench *b, const char *name, double value, double bar)
{
    *(struct number *)list_push(b->cli->call, &b->numbers, sizeof(struct number)) = (struct number){ name, value, bar };
}

/* ---- the place ---- */

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    remove(path);
    return 0;
}

/* A datasource whose planner may look at data, and one on the same file whose planner may not. */
static int write_config(struct bench *b)
{
    FILE *f = fopen(b->config, "we");
    if (!f) return call_fail(b->cli->call, ERR_STORE_FAILED, "%s: %s.", b->config, strerror(errno));
    fprintf(f,
            "version: 1\ndatasources:\n"
            "  - {id: demo, type: sqlite, connection: {path: %s/demo.sqlite}}\n"
            "  - {id: blind, type: sqlite, connection: {path: %s/demo.sqlite}, options: {evidence: 'off'}}\n",
            b->folder, b->folder);
    return fclose(f) ? call_fail(b->cli->call, ERR_STORE_FAILED, "%s: %s.", b->config, strerror(errno)) : OK;
}

static int make_place(struct bench *b)
{
    struct call *c = b->cli->call;
    const char *parent = getenv("TMPDIR");
    char *folder = call_format(c, "%s/querent-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) return call_fail(c, ERR_STORE_FAILED, "%s: %s.", folder, strerror(errno));
    b->folder = folder;
    b->config = call_format(c, "%s/querent.yaml", folder);
    return write_config(b);
}

/* ---- SQL text ---- */

static int64_t member(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_INT ? v->integer : 0;
}

static int roundtrip(struct engine *e, struct call *c, const char *path, const char *sql, const struct json **out)
{
    struct buf in;
    buf_init(&in, c, 1 << 20);
    buf_str(&in, "{\"database_id\":\"demo\",\"path\":");
    json_add_string(&in, path);
    buf_str(&in, ",\"sql\":");
    json_add_string(&in, sql);
    buf_char(&in, '}');
    return lines_operation(e, c, "sql_roundtrip", in.data, in.len, out);
}

static int measure_sql(struct bench *b, struct engine *e)
{
    struct call *keep = b->cli->call;
    size_t most = (size_t)b->rounds * COUNT(statements);
    struct samples text = samples_of(keep, most), check = samples_of(keep, most);
    const char *path = call_format(keep, "%s/demo.sqlite", b->folder);
    int rc = OK;
    for (size_t i = 0; i < most && !rc; i++) {
        struct call c;
        const struct json *answer;
        call_begin(&c);
        rc = roundtrip(e, &c, path, statements[i % COUNT(statements)], &answer);
        const char *reached = rc ? NULL : line_text(answer, "reached");
        if (rc)
            call_fail(keep, c.err.code, "%s", c.err.message);
        else if (strcmp(reached, "all") != 0)
            rc = call_fail(keep, ERR_INTERNAL_ERROR, "A statement of the measurement stops at %s.", reached);
        else {
            text.us[text.n++] = member(answer, "parse_us");
            check.us[check.n++] = member(answer, "check_us") + member(answer, "render_us");
        }
        call_end(&c);
    }
    add(b, "sql_text_to_plan_p50_us", (double)percentile(&text, 50), 0);
    add(b, "check_and_render_p50_us", (double)percentile(&check, 50), 50);
    return rc;
}

/* Makes the demo's file on the way. */
static int without_store(struct bench *b)
{
    struct call *c = b->cli->call;
    struct engine_options o = { .log = b->cli->log, .measure = true };
    struct engine *e;
    struct buf in;
    const struct json *made;
    int rc = engine_open(c, &o, &e);
    if (rc) return rc;
    buf_init(&in, c, 8192);
    buf_str(&in, "{\"folder\":");
    json_add_string(&in, b->folder);
    buf_char(&in, '}');
    rc = lines_operation(e, c, "demo_create", in.data, in.len, &made);
    if (!rc) rc = measure_sql(b, e);
    engine_close(e);
    return rc;
}

/* ---- questions ---- */

static int ask(struct engine *e, struct call *c, const char *question, const char *datasource, bool execute)
{
    const struct op *op = op_find("ask");
    void *in = call_alloc(c, op->in->size), *out = call_alloc(c, op->out->size);
    int rc = type_defaults(c, op->in, in);
    if (!rc) rc = type_set_text(c, op->in, in, "question", question);
    if (!rc) rc = type_set_text(c, op->in, in, "datasource_id", datasource);
    if (!rc) rc = type_set_text(c, op->in, in, "execute", execute ? "true" : "false");
    if (!rc) rc = engine_operator(e, c, NULL, NULL, 0);
    return rc ? rc : engine_run(e, c, op, in, out);
}

static int64_t step_us(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->step_count; i++)
        if (!strcmp(c->steps[i].name, name)) return c->steps[i].us;
    return -1;
}

struct asked {
    struct samples all, cpu, record; /* whole times, of them this thread's work, and the step that stores the result */
};

static struct asked asked_of(struct call *c, size_t most)
{
    return (struct asked){ samples_of(c, most), samples_of(c, most), samples_of(c, most) };
}

static int ask_all(struct bench *b, struct engine *e, const char *datasource, bool execute, struct asked *to)
{
    int rc = OK;
    for (size_t i = 0; i < (size_t)b->rounds * COUNT(questions) && !rc; i++) {
        struct call c;
        call_begin(&c);
        int64_t began = now_us(), worked = clock_us(CLOCK_THREAD_CPUTIME_ID);
        rc = ask(e, &c, questions[i % COUNT(questions)], datasource, execute);
        to->cpu.us[to->cpu.n++] = clock_us(CLOCK_THREAD_CPUTIME_ID) - worked;
        to->all.us[to->all.n++] = now_us() - began;
        int64_t us = step_us(&c, "record");
        if (us >= 0) to->record.us[to->record.n++] = us;
        if (rc) call_fail(b->cli->call, c.err.code, "%s", c.err.message);
        call_end(&c);
    }
    return rc;
}

static int measure_asks(struct bench *b, struct engine *e)
{
    struct call *c = b->cli->call;
    size_t most = (size_t)b->rounds * COUNT(questions);
    struct asked first = asked_of(c, 2 * COUNT(questions)), plans = asked_of(c, most), asks = asked_of(c, most);
    int64_t rounds = b->rounds;
    b->rounds = 1; /* the first of each reads the schema and is not counted */
    int rc = ask_all(b, e, "blind", false, &first);
    if (!rc) rc = ask_all(b, e, "demo", true, &first);
    b->rounds = rounds;
    if (!rc) rc = ask_all(b, e, "blind", false, &plans);
    if (!rc) rc = ask_all(b, e, "demo", true, &asks);
    add(b, "ask_overhead_p50_ms", (double)percentile(&plans.all, 50) / 1e3, 1.5);
    add(b, "ask_overhead_p99_ms", (double)percentile(&plans.all, 99) / 1e3, 5);
    add(b, "ask_overhead_cpu_p50_ms", (double)percentile(&plans.cpu, 50) / 1e3, 0);
    add(b, "ask_with_evidence_p50_ms", (double)percentile(&asks.all, 50) / 1e3, 10);
    add(b, "ask_with_evidence_p99_ms", (double)percentile(&asks.all, 99) / 1e3, 40);
    add(b, "ask_with_evidence_cpu_p50_ms", (double)percentile(&asks.cpu, 50) / 1e3, 0);
    add(b, "result_record_p50_us", (double)percentile(&asks.record, 50), 0);
    return rc;
}

/* ---- many at once ---- */

struct asker {
    pthread_t thread;
    struct engine *engine;
    int64_t rounds;
    struct samples all;
    int rc;
};

static void *ask_along(void *arg)
{
    struct asker *a = arg;
    for (size_t i = 0; i < (size_t)a->rounds * COUNT(questions) && !a->rc; i++) {
        struct call c;
        call_begin(&c);
        int64_t began = now_us();
        a->rc = ask(a->engine, &c, questions[i % COUNT(questions)], "demo", true);
        a->all.us[a->all.n++] = now_us() - began;
        call_end(&c);
    }
    return NULL;
}

static int measure_throng(struct bench *b, struct engine *e)
{
    struct call *c = b->cli->call;
    size_t each = (size_t)b->rounds * COUNT(questions), started = 0;
    struct asker *askers = call_array(c, THRONG, sizeof *askers);
    struct samples all = samples_of(c, THRONG * each);
    int rc = OK;
    int64_t began = now_us();
    for (; started < THRONG; started++) {
        askers[started] = (struct asker){ .engine = e, .rounds = b->rounds, .all = samples_of(c, each) };
        if (pthread_create(&askers[started].thread, NULL, ask_along, &askers[started])) break;
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(askers[i].thread, NULL);
        if (askers[i].rc) rc = call_fail(c, ERR_INTERNAL_ERROR, "A question among many at once fails.");
        memcpy(all.us + all.n, askers[i].all.us, askers[i].all.n * sizeof *all.us);
        all.n += askers[i].all.n;
    }
    double seconds = (double)(now_us() - began) / 1e6;
    add(b, "asks_at_once", (double)started, 0);
    add(b, "asks_at_once_per_s", (double)all.n / seconds, 0);
    add(b, "asks_at_once_p50_ms", (double)percentile(&all, 50) / 1e3, 0);
    add(b, "asks_at_once_p99_ms", (double)percentile(&all, 99) / 1e3, 0);
    return rc;
}

static int with_store(struct bench *b)
{
    struct engine *e;
    struct engine_options o = { .config_path = b->config, .state_dir = b->folder, .log = b->cli->log };
    int rc = engine_open(b->cli->call, &o, &e);
    if (rc) return rc;
    rc = measure_asks(b, e);
    if (!rc) rc = measure_throng(b, e);
    engine_close(e);
    return rc;
}

/* ---- the server ---- */

static double anonymous_mib(pid_t pid)
{
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "RssAnon:", 8)) kib = strtol(line + 8, NULL, 10);
    if (f) fclose(f);
    return (double)kib / 1024;
}

/* Time the process's first thread has worked; almost all of a start is its. */
static int64_t worked_us(pid_t pid)
{
    char path[64], line[128] = "";
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    FILE *f = fopen(path, "re");
    if (f && !fgets(line, sizeof line, f)) line[0] = '\0';
    if (f) fclose(f);
    return strtoll(line, NULL, 10) / 1000;
}

static void become_server(const struct bench *b, int out)
{
    int nothing = open("/dev/null", O_WRONLY);
    dup2(out, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execl("/proc/self/exe", "querent", "--config", b->config, "--state", b->folder, "serve", "--listen", "127.0.0.1:0",
          (char *)NULL);
    _exit(127);
}

/* From its beginning to the line that says where it serves: it accepts requests then. */
static int start_once(struct bench *b, int64_t *us, int64_t *cpu_us, double *mib)
{
    int ends[2];
    char line[256];
    if (pipe2(ends, O_CLOEXEC)) return call_fail(b->cli->call, ERR_INTERNAL_ERROR, "pipe: %s.", strerror(errno));
    int64_t began = now_us();
    pid_t pid = fork();
    if (pid == 0) become_server(b, ends[1]);
    close(ends[1]);
    ssize_t n = pid > 0 ? read(ends[0], line, sizeof line) : -1;
    *us = now_us() - began;
    if (n > 0) {
        *cpu_us = worked_us(pid);
        *mib = anonymous_mib(pid);
    }
    if (pid > 0) {
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    close(ends[0]);
    return n > 0 ? OK : call_fail(b->cli->call, ERR_INTERNAL_ERROR, "The server does not start.");
}

static int measure_start(struct bench *b)
{
    struct samples starts = samples_of(b->cli->call, STARTS), cpu = samples_of(b->cli->call, STARTS);
    double mib = 0;
    int rc = OK;
    for (size_t i = 0; i < STARTS && !rc; i++) rc = start_once(b, &starts.us[starts.n++], &cpu.us[cpu.n++], &mib);
    add(b, "start_p50_ms", (double)percentile(&starts, 50) / 1e3, 50);
    add(b, "start_cpu_p50_ms", (double)percentile(&cpu, 50) / 1e3, 0);
    add(b, "idle_anonymous_mib", mib, 20);
    return rc;
}

/* ---- the verb ---- */

static void print_numbers(const struct bench *b, bool as_json)
{
    const char *between = "";
    if (as_json) printf("{\"version\":\"%s\",\"rounds\":%lld,\"numbers\":[", querent_version, (long long)b->rounds);
    for (size_t i = 0; i < b->numbers.count; i++) {
        const struct number *n = &LIST_AT(&b->numbers, struct number, i);
        bool holds = n->value <= n->bar;
        if (as_json)
            printf("%s{\"name\":\"%s\",\"value\":%.3f", between, n->name, n->value);
        else
            printf("%-28s %10.3f", n->name, n->value);
        if (n->bar > 0 && as_json) printf(",\"bar\":%g,\"holds\":%s", n->bar, holds ? "true" : "false");
        if (n->bar > 0 && !as_json) printf("   at most %g%s", n->bar, holds ? "" : ": MISSED");
        fputs(as_json ? "}" : "\n", stdout);
        between = ",";
    }
    if (as_json) puts("]}");
}

static int run(struct cli *cli, int argc, char **argv)
{
    extern const struct verb verb_bench;
    struct bench b = { .cli = cli, .rounds = 40 };
    struct list words = { 0 };
    bool as_json = false;
    int code;
    const struct option options[] = {
        { "--rounds", OPTION_INT, &b.rounds, "N", "how often each question and statement is measured" },
        { "--json", OPTION_FLAG, &as_json, NULL, "print JSON" },
        { 0 },
    };
    if (!cli_options(cli, &verb_bench, options, argc, argv, 0, 0, &words, &code)) return code;
    if (b.rounds < 1 || b.rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: querent bench %s, with N from 1 to %d\n", verb_bench.usage, ROUNDS_MAX);
        return 2;
    }
    int rc = make_place(&b);
    if (!rc) rc = without_store(&b);
    if (!rc) rc = with_store(&b);
    if (!rc) rc = measure_start(&b);
    if (b.folder) nftw(b.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (rc) return cli_fail(cli->call);
    print_numbers(&b, as_json);
    return 0;
}

extern const struct verb verb_bench;
const struct verb verb_bench = { .name = "bench",
                                 .usage = "[--rounds N] [--json]",
                                 .doc = "Measures start, memory and the steps of an ask on the demo.",
                                 .run = run };
