/* querent sql: measures the road from SQL text to plan and back. roundtrip takes gold queries through plan and renderer
 * and compares rows; parse counts what the parser understands of a file of statements. */
#include "cli/measure/gold.h"
#include "cli/measure/lines.h"
#include "cli/verbs/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROWS_MAX  200000
#define STEPS_MAX 400000 /* thousands of engine steps */

enum outcome { EQUAL, DIFFERENT, NOT_PARSED, NOT_CHECKED, NOT_RENDERED, NOT_READ_BACK, NOT_RUN, LEFT_OUT, OUTCOMES };
static const char *const outcome_names[] = { "equal",  "different", "parse",   "check",
                                             "render", "read_back", "execute", "left_out" };

struct judged {
    enum outcome outcome;
    const char *sql, *reason;
    int64_t us[3]; /* text to plan, check, render */
};

struct measuring {
    struct engine *engine;
    const char *databases, *dialect, *field;
    const struct json *lines;
    size_t count;
    struct judged *judged;
};

struct worker {
    struct measuring *all;
    struct call keep; /* what the judgements point at */
    const char *database;
    struct gold_db *gold;
};

static bool open_gold(struct worker *w, const char *database, const char *path)
{
    if (w->database && strcmp(w->database, database) == 0) return w->gold != NULL;
    gold_close(w->gold);
    w->gold = NULL;
    w->database = database;
    if (gold_open(&w->keep, path, &w->gold)) call_forgive(&w->keep);
    return w->gold != NULL;
}

static int64_t number(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_INT ? v->integer : 0;
}

static int ask(struct worker *w, struct call *c, const char *database, const char *path, const char *sql,
               const struct json **out)
{
    struct buf b;
    buf_init(&b, c, 4u << 20);
    buf_str(&b, "{\"database_id\":");
    json_add_string(&b, database);
    buf_str(&b, ",\"path\":");
    json_add_string(&b, path);
    buf_str(&b, ",\"sql\":");
    json_add_string(&b, sql);
    buf_str(&b, ",\"dialect\":");
    json_add_string(&b, w->all->dialect);
    buf_char(&b, '}');
    return lines_operation(w->all->engine, c, "sql_roundtrip", b.data, b.len, out);
}

/* What was rendered for SQLite must give the rows of the gold. */
static enum outcome compare(struct worker *w, struct call *c, const char *gold, const struct gold_rows *wanted,
                            const char *sql, const char **reason)
{
    struct gold_rows got;
    if (gold_run(w->gold, c, sql, ROWS_MAX, STEPS_MAX, &got)) {
        *reason = call_strdup(&w->keep, c->err.message);
        return NOT_RUN;
    }
    if (gold_equal(c, wanted, &got, gold_is_ordered(gold))) return EQUAL;
    *reason = call_format(&w->keep, "%zu rows became %zu", wanted->rows, got.rows);
    return DIFFERENT;
}

static enum outcome roundtrip(struct worker *w, struct call *c, const struct json *line, struct judged *j)
{
    const char *database = line_text(line, "db_id"), *sql = line_text(line, w->all->field);
    struct gold_rows wanted;
    const struct json *answer;
    if (!database || !sql) return LEFT_OUT;
    const char *path = call_format(c, "%s/%s/%s.sqlite", w->all->databases, database, database);
    if (!open_gold(w, database, path)) return LEFT_OUT;
    if (gold_run(w->gold, c, sql, ROWS_MAX, STEPS_MAX, &wanted) || wanted.stopped) return LEFT_OUT;
    if (ask(w, c, database, path, sql, &answer)) {
        j->reason = call_strdup(&w->keep, c->err.message);
        return NOT_PARSED;
    }
    j->us[0] = number(answer, "parse_us");
    j->us[1] = number(answer, "check_us");
    j->us[2] = number(answer, "render_us");
    j->sql = call_strdup(&w->keep, line_text(answer, "sql"));
    j->reason = call_strdup(&w->keep, line_text(answer, "reason"));
    const char *reached = line_text(answer, "reached");
    for (enum outcome o = NOT_PARSED; o <= NOT_READ_BACK; o++)
        if (strcmp(reached, outcome_names[o]) == 0) return o;
    if (strcasecmp(w->all->dialect, "sqlite") != 0) return EQUAL;
    return compare(w, c, sql, &wanted, j->sql, &j->reason);
}

static void one(void *worker, size_t i)
{
    struct worker *w = worker;
    struct call c;
    call_begin(&c);
    w->all->judged[i].outcome = roundtrip(w, &c, &w->all->lines[i], &w->all->judged[i]);
    call_end(&c);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median(struct call *c, const struct measuring *m, int first, int last)
{
    int64_t *us = call_array(c, m->count + 1, sizeof *us);
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct judged *j = &m->judged[i];
        if (j->outcome == LEFT_OUT) continue;
        for (int k = first; k <= last; k++) us[n] += j->us[k];
        n++;
    }
    qsort(us, n, sizeof *us, by_size);
    return n ? us[n / 2] : 0;
}

static void print_failures(struct call *c, const struct measuring *m, bool as_json)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct judged *j = &m->judged[i];
        if (j->outcome == LEFT_OUT || (j->outcome == EQUAL && !as_json)) continue;
        struct buf b;
        buf_init(&b, c, 1u << 20);
        buf_str(&b, "{\"id\":");
        json_add_string(&b, line_text(&m->lines[i], "id"));
        buf_format(&b, ",\"outcome\":\"%s\"", outcome_names[j->outcome]);
        if (j->reason) {
            buf_str(&b, ",\"reason\":");
            json_add_string(&b, j->reason);
        }
        buf_str(&b, ",\"gold\":");
        json_add_string(&b, line_text(&m->lines[i], m->field));
        buf_str(&b, ",\"sql\":");
        json_add_string(&b, j->sql);
        buf_char(&b, '}');
        puts(b.data);
    }
}

static void print_summary(struct call *c, const struct measuring *m)
{
    size_t by[OUTCOMES] = { 0 };
    for (size_t i = 0; i < m->count; i++) by[m->judged[i].outcome]++;
    size_t n = m->count - by[LEFT_OUT], parsed = n - by[NOT_PARSED], checked = parsed - by[NOT_CHECKED];
    size_t rendered = checked - by[NOT_RENDERED];
    printf(
        "{\"n\":%zu,\"left_out\":%zu,\"parsed\":%zu,\"checked\":%zu,\"rendered\":%zu,\"equal\":%zu,\"coverage\":%.4f,"
        "\"parse_p50_us\":%lld,\"check_render_p50_us\":%lld}\n",
        n, by[LEFT_OUT], parsed, checked, rendered, by[EQUAL], n ? (double)by[EQUAL] / (double)n : 0,
        (long long)median(c, m, 0, 0), (long long)median(c, m, 1, 2));
}

static int run_roundtrip(struct call *c, struct measuring *m, size_t jobs, bool as_json)
{
    if (!m->databases) {
        fprintf(stderr, "querent sql roundtrip needs --databases DIR\n");
        return 2;
    }
    struct worker *workers = call_array(c, jobs, sizeof *workers);
    m->judged = call_array(c, m->count + 1, sizeof *m->judged);
    for (size_t i = 0; i < jobs; i++) {
        workers[i].all = m;
        call_begin(&workers[i].keep);
    }
    lines_work(m->count, jobs, workers, sizeof *workers, one);
    print_failures(c, m, as_json);
    print_summary(c, m);
    for (size_t i = 0; i < jobs; i++) {
        gold_close(workers[i].gold);
        call_end(&workers[i].keep);
    }
    return 0;
}

/* ---- parse ---- */

struct tally {
    const char *dialect;
    size_t n, accepted, refused;
    int64_t us;
};

/* A line's dialect by the names that sets of statements use; --dialect overrides it. */
static struct tally *tally_of(struct tally *tallies, const char *dialect)
{
    static const char *const names[][2] = { { "tsql", "mssql" },
                                            { "sqlserver", "mssql" },
                                            { "postgresql", "postgres" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(dialect, names[i][0]) == 0) dialect = names[i][1];
    for (size_t i = 0; tallies[i].dialect; i++)
        if (strcasecmp(tallies[i].dialect, dialect) == 0) return &tallies[i];
    return NULL;
}

static bool is_query(const char *sql)
{
    static const char *const words[] = { "select", "with", "values", "from " };
    sql += strspn(sql, " \t\r\n(");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(sql, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static int parse_one(struct measuring *m, struct call *c, const char *sql, struct tally *t, bool as_json)
{
    struct buf b;
    const struct json *answer;
    buf_init(&b, c, 4u << 20);
    buf_str(&b, "{\"sql\":");
    json_add_string(&b, sql);
    buf_format(&b, ",\"dialect\":\"%s\"}", t->dialect);
    int rc = lines_operation(m->engine, c, "sql_parse", b.data, b.len, &answer);
    if (rc) return rc;
    const char *outcome = line_text(answer, "outcome");
    t->n++;
    t->accepted += strcmp(outcome, "accepted") == 0;
    t->refused += strcmp(outcome, "refused") == 0;
    t->us += number(answer, "us");
    if (strcmp(outcome, "failed") != 0 && !(as_json && strcmp(outcome, "refused") == 0)) return OK;
    buf_clear(&b);
    buf_format(&b, "{\"dialect\":\"%s\",\"outcome\":\"%s\",\"reason\":", t->dialect, outcome);
    json_add_string(&b, line_text(answer, "reason"));
    buf_str(&b, ",\"sql\":");
    json_add_string(&b, sql);
    buf_char(&b, '}');
    puts(b.data);
    return OK;
}

static int run_parse(struct call *c, struct measuring *m, bool as_json)
{
    struct tally tallies[] = { { .dialect = "sqlite" }, { .dialect = "postgres" }, { .dialect = "mysql" },
                               { .dialect = "duckdb" }, { .dialect = "mssql" },    { 0 } };
    for (size_t i = 0; i < m->count; i++) {
        const char *sql = line_text(&m->lines[i], m->field), *dialect = m->dialect;
        if (!dialect) dialect = line_text(&m->lines[i], "dialect");
        struct tally *t = tally_of(tallies, dialect ? dialect : "sqlite");
        struct call one_line;
        if (!t || !sql || !is_query(sql)) continue;
        call_begin(&one_line);
        int rc = parse_one(m, &one_line, sql, t, as_json);
        if (rc) cli_fail(&one_line);
        call_end(&one_line);
        if (rc) return 1;
    }
    (void)c;
    for (struct tally *t = tallies; t->dialect; t++)
        if (t->n)
            printf("{\"dialect\":\"%s\",\"n\":%zu,\"accepted\":%zu,\"refused_by_name\":%zu,\"failed\":%zu,"
                   "\"understood\":%.4f,"
                   "\"mean_us\":%.2f}\n",
                   t->dialect, t->n, t->accepted, t->refused, t->n - t->accepted - t->refused,
                   (double)(t->accepted + t->refused) / (double)t->n, (double)t->us / (double)t->n);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    extern const struct verb verb_sql;
    struct list words = { 0 };
    struct measuring m = { .field = "sql" };
    int64_t jobs = 1;
    bool as_json = false;
    int code;
    const struct option options[] = {
        { "--databases", OPTION_TEXT, &m.databases, "DIR", "holds <db_id>/<db_id>.sqlite" },
        { "--dialect", OPTION_TEXT, &m.dialect, "NAME", "render for this engine; parse: whose rules all lines follow" },
        { "--field", OPTION_TEXT, &m.field, "NAME", "member of a line that holds the statement" },
        { "--jobs", OPTION_INT, &jobs, "N", "threads" },
        { "--json", OPTION_FLAG, &as_json, NULL, "a line for every statement" },
        { 0 },
    };
    if (!cli_options(cli, &verb_sql, options, argc, argv, 2, 2, &words, &code)) return code;
    const char *what = LIST_AT(&words, const char *, 0);
    bool parse = strcmp(what, "parse") == 0;
    if ((!parse && strcmp(what, "roundtrip") != 0) || jobs < 1 || jobs > 64) {
        fprintf(stderr, "usage: querent sql %s\n", verb_sql.usage);
        return 2;
    }
    struct call *c = cli->call;
    if (lines_read(c, LIST_AT(&words, const char *, 1), &m.lines, &m.count)) return cli_fail(c);
    struct engine_options o = { .log = cli->log, .measure = true };
    if (engine_open(c, &o, &m.engine)) return cli_fail(c);
    if (!parse && !m.dialect) m.dialect = "sqlite";
    code = parse ? run_parse(c, &m, as_json) : run_roundtrip(c, &m, (size_t)jobs, as_json);
    engine_close(m.engine);
    return code;
}

extern const struct verb verb_sql;
const struct verb verb_sql = { .name = "sql",
                               .usage =
                                   "roundtrip|parse FILE.jsonl [--databases DIR] [--dialect NAME] [--jobs N] [--json]",
                               .doc = "Measures SQL text to plan and back.",
                               .run = run };
