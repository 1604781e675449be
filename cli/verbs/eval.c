/* querent eval: questions with gold SQL, asked of the planners and judged by rows. The gold is run here and compared
 * here; nothing of it reaches the engine. */
#include "cli/measure/gold.h"
#include "cli/verbs/verb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLD_ROWS_MAX 1000000
#define GUESS_STEPS   200000 /* thousands */
#define READINGS      3

enum outcome { CORRECT, WRONG, FAILED, REJECTED, UNANSWERED, LEFT_OUT, OUTCOMES };
static const char *const outcome_names[] = { "correct", "wrong", "error", "rejected", "unanswered", "left_out" };

struct judged {
    enum outcome outcome;
    bool answered, top3;
    double confidence, fit;
    const char *sql, *reading, *verdict, *detail;
    int64_t us;
};

struct evaluation {
    struct engine *engine;
    const char *databases, *planner, *evidence, *field;
    const struct json *questions; /* objects */
    size_t count;
    struct judged *judged;
    pthread_mutex_t lock;
    size_t next;
    struct worker *workers;
    int64_t jobs;
};

struct worker {
    struct evaluation *all;
    struct call keep;  /* what the judgements point at */
    struct call files; /* open databases */
    const char *database;
    struct gold_db *gold;
};

static const char *member(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING ? v->string : NULL;
}

static int open_gold(struct worker *w, const char *database, const char *path)
{
    if (w->database && !strcmp(w->database, database)) return w->gold ? OK : ERR_NOT_FOUND;
    gold_close(w->gold);
    w->gold = NULL;
    w->database = database;
    int rc = gold_open(&w->files, path, &w->gold);
    if (rc) call_forgive(&w->files);
    return rc;
}

/* What the product says; the call holds the strings. */
static int ask(struct worker *w, struct call *c, const char *database, const char *path, const char *question,
               const struct json **out)
{
    const struct op *op = op_find("evaluation_question");
    void *in = call_alloc(c, op->in->size), *answer = call_alloc(c, op->out->size);
    int rc = engine_operator(w->all->engine, c, NULL, NULL, 0);
    if (!rc) rc = type_defaults(c, op->in, in);
    if (!rc) rc = type_set_text(c, op->in, in, "database_id", database);
    if (!rc) rc = type_set_text(c, op->in, in, "path", path);
    if (!rc) rc = type_set_text(c, op->in, in, "question", question);
    if (!rc && w->all->planner) rc = type_set_text(c, op->in, in, "planner", w->all->planner);
    if (!rc && w->all->evidence) rc = type_set_text(c, op->in, in, "evidence", w->all->evidence);
    if (!rc) rc = engine_run(w->all->engine, c, op, in, answer);
    if (rc) return rc;
    struct buf b;
    buf_init(&b, c, 16u << 20);
    json_encode(&b, op->out, answer);
    return json_parse(c, b.data, b.len, out);
}

/* One accepted gold text or a list of them; at least one must run. */
static size_t run_golds(struct worker *w, struct call *c, const struct json *sql, struct gold_rows *rows, bool *ordered,
                        size_t max)
{
    size_t n = 0, count = sql && sql->kind == J_ARRAY ? sql->count : 1;
    for (size_t i = 0; sql && i < count && n < max; i++) {
        const struct json *one = sql->kind == J_ARRAY ? &sql->items[i] : sql;
        if (one->kind != J_STRING) continue;
        if (gold_run(w->gold, c, one->string, GOLD_ROWS_MAX, 0, &rows[n]) || rows[n].stopped) {
            call_forgive(c);
            continue;
        }
        ordered[n++] = gold_is_ordered(one->string);
    }
    return n;
}

static bool right(struct worker *w, struct call *c, const char *sql, const struct gold_rows *golds, const bool *ordered,
                  size_t count, const char **problem)
{
    struct gold_rows got;
    if (gold_run(w->gold, c, sql, GOLD_ROWS_MAX, GUESS_STEPS, &got)) {
        *problem = call_strdup(&w->keep, c->err.message);
        call_forgive(c);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (gold_equal(c, &golds[i], &got, ordered[i])) return true;
    return false;
}

static void judge(struct worker *w, struct call *c, const struct json *line, struct judged *out)
{
    const char *database = member(line, "db_id"), *question = member(line, w->all->field);
    struct gold_rows golds[16];
    bool ordered[16];
    out->outcome = LEFT_OUT;
    if (!database || !question) return;
    const char *path = call_format(c, "%s/%s/%s.sqlite", w->all->databases, database, database);
    if (open_gold(w, database, path)) return;
    size_t count = run_golds(w, c, json_get(line, "sql"), golds, ordered, 16);
    if (!count) return;
    const struct json *answer;
    int rc = ask(w, c, database, path, question, &answer);
    if (rc) {
        out->outcome = UNANSWERED;
        out->detail = call_strdup(&w->keep, c->err.message);
        call_forgive(c);
        return;
    }
    const struct json *readings = json_get(answer, "readings");
    out->verdict = call_strdup(&w->keep, member(answer, "verdict"));
    out->answered = !strcmp(out->verdict, "answer");
    out->us = json_get(answer, "us")->integer;
    out->fit = json_get(answer, "fit")->kind == J_INT ? (double)json_get(answer, "fit")->integer
                                                      : json_get(answer, "fit")->real;
    out->detail = call_strdup(&w->keep, member(answer, "rejected"));
    out->outcome = out->detail ? REJECTED : UNANSWERED;
    for (size_t i = 0; readings && i < readings->count && i < READINGS; i++) {
        const char *problem = NULL;
        bool ok = right(w, c, member(&readings->items[i], "sql"), golds, ordered, count, &problem);
        out->top3 |= ok;
        if (i > 0 || out->detail) continue;
        out->outcome = ok ? CORRECT : problem ? FAILED : WRONG;
        out->detail = problem;
        out->sql = call_strdup(&w->keep, member(&readings->items[0], "sql"));
        out->reading = call_strdup(&w->keep, member(&readings->items[0], "reading"));
        const struct json *confidence = json_get(&readings->items[0], "confidence");
        out->confidence = confidence->kind == J_INT ? (double)confidence->integer : confidence->real;
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (;;) {
        pthread_mutex_lock(&w->all->lock);
        size_t i = w->all->next++;
        pthread_mutex_unlock(&w->all->lock);
        if (i >= w->all->count) break;
        struct call c;
        call_begin(&c);
        judge(w, &c, &w->all->questions[i], &w->all->judged[i]);
        call_end(&c);
    }
    gold_close(w->gold);
    return NULL;
}

static int compare_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void add_number(struct buf *b, const char *name, double v)
{
    buf_format(b, ",\"%s\":%.4f", name, v);
}

static void print_line(struct call *c, const struct json *line, const struct judged *j)
{
    struct buf b;
    buf_init(&b, c, 1u << 20);
    buf_str(&b, "{\"id\":");
    json_add_string(&b, member(line, "id"));
    buf_format(&b, ",\"outcome\":\"%s\",\"answered\":%s,\"top3\":%s", outcome_names[j->outcome],
               j->answered ? "true" : "false", j->top3 ? "true" : "false");
    add_number(&b, "confidence", j->confidence);
    add_number(&b, "fit", j->fit);
    buf_str(&b, ",\"sql\":");
    json_add_string(&b, j->sql);
    if (j->reading) {
        buf_str(&b, ",\"reading\":");
        json_add_string(&b, j->reading);
    }
    add_number(&b, "ms", (double)j->us / 1000);
    if (j->detail) {
        buf_str(&b, ",\"detail\":");
        json_add_text(&b, j->detail, strcspn(j->detail, "\n"));
    }
    buf_char(&b, '}');
    puts(b.data);
}

static void print_summary(struct call *c, const struct evaluation *e, bool as_json)
{
    size_t by[OUTCOMES] = { 0 }, n = 0, answered = 0, good = 0, top3 = 0;
    int64_t *us = call_array(c, e->count + 1, sizeof *us);
    for (size_t i = 0; i < e->count; i++) {
        const struct judged *j = &e->judged[i];
        by[j->outcome]++;
        if (j->outcome == LEFT_OUT) continue;
        us[n++] = j->us;
        answered += j->answered;
        good += j->answered && j->outcome == CORRECT;
        top3 += j->top3;
    }
    qsort(us, n, sizeof *us, compare_us);
    double all = n ? (double)n : 1;
    struct buf b;
    buf_init(&b, c, 65536);
    buf_format(&b, "{\"n\":%zu", n);
    add_number(&b, "accuracy", (double)by[CORRECT] / all);
    add_number(&b, "coverage", (double)answered / all);
    add_number(&b, "precision", answered ? (double)good / (double)answered : 0);
    add_number(&b, "top3", (double)top3 / all);
    buf_str(&b, ",\"by_outcome\":{");
    for (int i = 0; i < OUTCOMES; i++) buf_format(&b, "%s\"%s\":%zu", i ? "," : "", outcome_names[i], by[i]);
    buf_char(&b, '}');
    add_number(&b, "p50_ms", n ? (double)us[n / 2] / 1000 : 0);
    add_number(&b, "p99_ms", n ? (double)us[n - 1 - n / 100] / 1000 : 0);
    buf_char(&b, '}');
    if (as_json)
        puts(b.data);
    else
        printf("%zu questions: accuracy %.1f %%, answered %.1f %% with precision %.1f %%, right among three %.1f %%; "
               "p50 %.1f ms, p99 %.1f ms\n",
               n, 100 * (double)by[CORRECT] / all, 100 * (double)answered / all,
               answered ? 100 * (double)good / (double)answered : 0, 100 * (double)top3 / all,
               n ? (double)us[n / 2] / 1000 : 0, n ? (double)us[n - 1 - n / 100] / 1000 : 0);
}

static int read_questions(struct call *c, const char *path, struct evaluation *e)
{
    FILE *f = fopen(path, "rb");
    if (!f) return call_fail(c, ERR_NOT_FOUND, "%s cannot be read.", path);
    struct buf b;
    char chunk[65536];
    size_t got;
    buf_init(&b, c, 1u << 30);
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0) buf_add(&b, chunk, got);
    fclose(f);
    struct list lines = { 0 };
    for (const char *p = b.data; *p;) {
        size_t n = strcspn(p, "\r\n");
        const struct json *j;
        if (n) {
            int rc = json_parse(c, p, n, &j);
            if (rc) return rc;
            *(struct json *)list_push(c, &lines, sizeof *j) = *j;
        }
        p += n;
        p += strspn(p, "\r\n");
    }
    e->questions = lines.items;
    e->count = lines.count;
    return OK;
}

static void evaluate(struct call *c, struct evaluation *e, int64_t jobs)
{
    struct worker *workers = call_array(c, (size_t)jobs, sizeof *workers);
    e->workers = workers;
    e->jobs = jobs;
    pthread_t *threads = call_array(c, (size_t)jobs, sizeof *threads);
    e->judged = call_array(c, e->count + 1, sizeof *e->judged);
    pthread_mutex_init(&e->lock, NULL);
    for (int64_t i = 0; i < jobs; i++) {
        workers[i].all = e;
        call_begin(&workers[i].keep);
        call_begin(&workers[i].files);
        if (i + 1 == jobs || pthread_create(&threads[i], NULL, work, &workers[i])) {
            work(&workers[i]); /* the last one works here */
            threads[i] = 0;
        }
    }
    for (int64_t i = 0; i < jobs; i++)
        if (threads[i]) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&e->lock);
}

static void evaluation_end(struct evaluation *e)
{
    for (int64_t i = 0; i < e->jobs; i++) {
        call_end(&e->workers[i].keep);
        call_end(&e->workers[i].files);
    }
}

static int run(struct cli *cli, int argc, char **argv)
{
    extern const struct verb verb_eval;
    struct list words = { 0 };
    struct evaluation e = { .field = "question" };
    int64_t jobs = 1;
    bool as_json = false;
    int code;
    const struct option options[] = {
        { "--databases", OPTION_TEXT, &e.databases, "DIR", "holds <db_id>/<db_id>.sqlite" },
        { "--planner", OPTION_TEXT, &e.planner, "NAME", "lexical, model or auto" },
        { "--evidence", OPTION_TEXT, &e.evidence, "KIND", "off, values or execute" },
        { "--field", OPTION_TEXT, &e.field, "NAME", "member of a line that holds the question" },
        { "--jobs", OPTION_INT, &jobs, "N", "threads" },
        { "--json", OPTION_FLAG, &as_json, NULL, "a line for each question, then the summary" },
        { 0 },
    };
    if (!cli_options(cli, &verb_eval, options, argc, argv, 1, 1, &words, &code)) return code;
    if (!e.databases || jobs < 1 || jobs > 64) {
        fprintf(stderr, "usage: querent eval %s\n", verb_eval.usage);
        return 2;
    }
    struct call *c = cli->call;
    if (read_questions(c, LIST_AT(&words, const char *, 0), &e)) return cli_fail(c);
    struct engine_options o = { .log = cli->log, .measure = true };
    if (engine_open(c, &o, &e.engine)) return cli_fail(c);
    evaluate(c, &e, jobs);
    for (size_t i = 0; as_json && i < e.count; i++)
        if (e.judged[i].outcome != LEFT_OUT) print_line(c, &e.questions[i], &e.judged[i]);
    print_summary(c, &e, as_json);
    evaluation_end(&e);
    engine_close(e.engine);
    return 0;
}

extern const struct verb verb_eval;
const struct verb verb_eval = {
    .name = "eval",
    .usage = "QUESTIONS.jsonl --databases DIR [--planner NAME] [--evidence KIND] [--jobs N] [--json]",
    .doc = "Measures the planners on questions with gold SQL.",
    .run = run
};
