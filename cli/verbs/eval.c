/* querent eval: questions with gold SQL, asked of the planners and judged by rows. The gold is run here and compared
 * here; nothing of it reaches the engine. A line that says nothing is left out and counted. */
#include "cli/measure/gold.h"
#include "cli/measure/gold_chart.h"
#include "cli/measure/judged.h"
#include "cli/measure/lines.h"
#include "cli/verbs/verb.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLD_ROWS_MAX 1000000
#define GOLD_STEPS    4000000 /* thousands: a minute or so */
#define GUESS_STEPS   200000  /* thousands, or as many times the gold's as the next line says */
#define GUESS_FACTOR  20
#define READINGS      3
#define JOBS_MAX      64

/* One question of a line; a line whose questions are a list has several. */
struct item {
    const struct json *id, *sql;
    const char *database, *question;
};

struct evaluation {
    struct engine *engine;
    const char *databases, *planner, *evidence, *field;
    struct list items;     /* struct item */
    struct judged *judged; /* beside items */
    atomic_bool unusable;  /* what the command line asks for is not there */
};

struct worker {
    struct evaluation *all;
    struct call keep;  /* what the judgements point at */
    struct call files; /* open databases */
    const char *database;
    struct gold_db *gold;
};

/* What is accepted as right: the rows of each gold that runs. */
struct accepted {
    struct gold_rows *rows;
    bool *ordered;
    size_t count, steps;
};

/* The database of the last question stays open: lines of one database usually stand together. */
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

/* A name of our own: a database's may be longer than one, or none. */
static const char *register_as(struct call *c, const char *database)
{
    uint64_t h = 14695981039346656037u;
    for (const char *p = database; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    return call_format(c, "db-%016llx", (unsigned long long)h);
}

/* What the product says; the call holds the strings. */
static int ask(struct worker *w, struct call *c, const struct item *item, const char *path, const struct json **out)
{
    struct buf in;
    buf_init(&in, c, 1u << 20);
    buf_format(&in, "{\"database_id\":\"%s\",\"path\":", register_as(c, item->database));
    json_add_string(&in, path);
    buf_str(&in, ",\"question\":");
    json_add_string(&in, item->question);
    if (w->all->planner) {
        buf_str(&in, ",\"planner\":");
        json_add_string(&in, w->all->planner);
    }
    if (w->all->evidence) {
        buf_str(&in, ",\"evidence\":");
        json_add_string(&in, w->all->evidence);
    }
    buf_char(&in, '}');
    return lines_operation(w->all->engine, c, "evaluation_question", in.data, in.len, out);
}

static void run_golds(struct worker *w, struct call *c, const struct json *sql, struct accepted *out)
{
    bool list = sql && sql->kind == J_ARRAY;
    size_t count = list ? sql->count : sql ? 1 : 0;
    out->rows = call_array(c, count + 1, sizeof *out->rows);
    out->ordered = call_array(c, count + 1, sizeof *out->ordered);
    for (size_t i = 0; i < count; i++) {
        const struct json *one = list ? &sql->items[i] : sql;
        struct gold_rows *rows = &out->rows[out->count];
        if (one->kind != J_STRING) continue;
        if (gold_run(w->gold, c, one->string, GOLD_ROWS_MAX, GOLD_STEPS, rows) || rows->stopped) {
            call_forgive(c);
            continue;
        }
        if (rows->steps > out->steps) out->steps = rows->steps;
        out->ordered[out->count++] = gold_is_ordered(one->string);
    }
}

static bool right(struct worker *w, struct call *c, const char *sql, const struct accepted *golds, const char **problem)
{
    struct gold_rows got;
    size_t steps = golds->steps * GUESS_FACTOR < GUESS_STEPS ? GUESS_STEPS : golds->steps * GUESS_FACTOR;
    if (gold_run(w->gold, c, sql, GOLD_ROWS_MAX + 1, steps, &got)) {
        *problem = call_strdup(&w->keep, c->err.message);
        call_forgive(c);
        return false;
    }
    for (size_t i = 0; i < golds->count; i++)
        if (gold_equal(c, &golds->rows[i], &got, golds->ordered[i])) return true;
    return false;
}

static double number(const struct json *j)
{
    return !j ? 0 : j->kind == J_INT ? (double)j->integer : j->real;
}

static void judge_readings(struct worker *w, struct call *c, const struct json *readings, const struct accepted *golds,
                           struct judged *out)
{
    for (size_t i = 0; readings && i < readings->count && i < READINGS; i++) {
        const struct json *reading = &readings->items[i];
        const char *problem = NULL;
        struct arena_mark mark = arena_mark(&c->arena);
        bool ok = right(w, c, line_text(reading, "sql"), golds, &problem);
        arena_reset(&c->arena, mark);
        out->top3 |= ok;
        if (i > 0 || out->detail) continue;
        out->outcome = ok ? CORRECT : problem ? FAILED : WRONG;
        out->detail = problem;
        out->sql = call_strdup(&w->keep, line_text(reading, "sql"));
        out->reading = call_strdup(&w->keep, line_text(reading, "reading"));
        out->confidence = number(json_get(reading, "confidence"));
    }
}

/* Without this the whole run would be a list of the same refusal. */
static bool asks_for_nothing(const struct call *c)
{
    return c->err.field && (!strcmp(c->err.field, "/planner") || !strcmp(c->err.field, "/evidence"));
}

static void left(struct judged *out, enum left_out why)
{
    out->outcome = LEFT_OUT;
    out->left = why;
}

static void judge(struct worker *w, struct call *c, const struct item *item, struct judged *out)
{
    struct accepted golds = { 0 };
    const struct json *answer;
    if (!item->database || !item->question || !item->sql) {
        left(out, LEFT_MALFORMED);
        return;
    }
    const char *path = call_format(c, "%s/%s/%s.sqlite", w->all->databases, item->database, item->database);
    if (open_gold(w, item->database, path)) {
        left(out, LEFT_NO_DATABASE);
        return;
    }
    run_golds(w, c, item->sql, &golds);
    if (!golds.count) {
        left(out, LEFT_GOLD_FAILED);
        return;
    }
    const struct json *first = item->sql->kind == J_ARRAY ? &item->sql->items[0] : item->sql;
    out->hardness = hardness_of(first->kind == J_STRING ? first->string : "");
    out->outcome = UNANSWERED;
    if (ask(w, c, item, path, &answer)) {
        if (asks_for_nothing(c)) w->all->unusable = true;
        out->detail = call_strdup(&w->keep, c->err.message);
        call_forgive(c);
        return;
    }
    out->answered = !strcmp(line_text(answer, "verdict"), "answer");
    out->us = (int64_t)number(json_get(answer, "us"));
    out->fit = number(json_get(answer, "fit"));
    out->detail = call_strdup(&w->keep, line_text(answer, "rejected"));
    if (out->detail) out->outcome = REJECTED;
    judge_readings(w, c, json_get(answer, "readings"), &golds, out);
    if (!out->detail) out->detail = call_strdup(&w->keep, line_text(answer, "missing"));
}

static void judge_one(void *worker, size_t i)
{
    struct worker *w = worker;
    struct call c;
    if (w->all->unusable) return;
    call_begin(&c);
    judge(w, &c, &LIST_AT(&w->all->items, struct item, i), &w->all->judged[i]);
    call_end(&c);
}

/* ---- questions ---- */

static const struct json *numbered(struct call *c, const struct json *id, size_t n)
{
    struct json *out = call_alloc(c, sizeof *out);
    struct buf text;
    buf_init(&text, c, 1u << 20);
    if (id && id->kind == J_STRING)
        buf_str(&text, id->string);
    else if (id)
        json_write(&text, id);
    buf_format(&text, "#%zu", n);
    *out = (struct json){ .kind = J_STRING, .string = text.data, .count = text.len };
    return out;
}

/* What draws the chart of a line, as the list that a gold may be. */
static const struct json *chart_sql(struct call *c, const struct json *line)
{
    const char *golds[CHART_GOLDS_MAX];
    struct json *out = call_alloc(c, sizeof *out);
    size_t n = gold_charts(c, line, golds);
    struct json *items = call_array(c, n + 1, sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = (struct json){ .kind = J_STRING, .string = golds[i], .count = strlen(golds[i]) };
    *out = (struct json){ .kind = J_ARRAY, .items = items, .count = n };
    return out;
}

static void add_items(struct call *c, struct evaluation *e, const struct json *line)
{
    const struct json *sql = gold_is_chart(line) ? chart_sql(c, line) : json_get(line, "sql");
    const struct json *asked = json_get(line, e->field);
    bool list = asked && asked->kind == J_ARRAY;
    size_t count = list ? asked->count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct json *one = list ? &asked->items[i] : asked;
        const struct json *id = json_get(line, "id");
        *(struct item *)list_push(c, &e->items, sizeof(struct item)) =
            (struct item){ .id = list ? numbered(c, id, i + 1) : id,
                           .database = line_text(line, "db_id"),
                           .question = one && one->kind == J_STRING ? one->string : NULL,
                           .sql = sql };
    }
}

static int read_questions(struct call *c, const char *path, struct evaluation *e)
{
    const struct json *lines;
    size_t count, bad;
    int rc = lines_read_good(c, path, &lines, &count, &bad);
    if (rc) return rc;
    for (size_t i = 0; i < count; i++) add_items(c, e, &lines[i]);
    for (size_t i = 0; i < bad; i++) list_push(c, &e->items, sizeof(struct item));
    return OK;
}

static int evaluate(struct call *c, struct evaluation *e, size_t jobs, bool as_json)
{
    struct worker *workers = call_array(c, jobs, sizeof *workers);
    size_t count = e->items.count;
    e->judged = call_array(c, count + 1, sizeof *e->judged);
    for (size_t i = 0; i < jobs; i++) {
        workers[i].all = e;
        call_begin(&workers[i].keep);
        call_begin(&workers[i].files);
    }
    lines_work(count, jobs, workers, sizeof *workers, judge_one);
    if (e->unusable) {
        for (size_t i = 0; i < count; i++)
            if (e->judged[i].detail) fprintf(stderr, "Error: %s\n", e->judged[count = i].detail);
    } else {
        for (size_t i = 0; as_json && i < count; i++)
            if (e->judged[i].outcome != LEFT_OUT) judged_print(c, LIST_AT(&e->items, struct item, i).id, &e->judged[i]);
        judged_summary(c, e->judged, count, as_json);
    }
    for (size_t i = 0; i < jobs; i++) {
        gold_close(workers[i].gold);
        call_end(&workers[i].keep);
        call_end(&workers[i].files);
    }
    return e->unusable ? 2 : 0;
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
        { "--field", OPTION_TEXT, &e.field, "NAME", "member of a line that holds the question, or a list of them" },
        { "--jobs", OPTION_INT, &jobs, "N", "threads" },
        { "--json", OPTION_FLAG, &as_json, NULL, "a line for each question, then the summary" },
        { 0 },
    };
    if (!cli_options(cli, &verb_eval, options, argc, argv, 1, 1, &words, &code)) return code;
    if (!e.databases || jobs < 1 || jobs > JOBS_MAX) {
        fprintf(stderr, "usage: querent eval %s\n", verb_eval.usage);
        return 2;
    }
    struct call *c = cli->call;
    if (read_questions(c, LIST_AT(&words, const char *, 0), &e)) return cli_fail(c);
    struct engine_options o = { .log = cli->log, .measure = true };
    if (engine_open(c, &o, &e.engine)) return cli_fail(c);
    code = evaluate(c, &e, (size_t)jobs, as_json);
    engine_close(e.engine);
    return code;
}

extern const struct verb verb_eval;
const struct verb verb_eval = {
    .name = "eval",
    .usage = "QUESTIONS.jsonl --databases DIR [--planner NAME] [--evidence KIND] [--field NAME] [--jobs N] [--json]",
    .doc = "Measures the planners on questions with gold SQL.",
    .run = run
};
