/* querent guard: statements that must be refused, and look-alikes that must be allowed, under a schema and a policy. */
#include "cli/measure/lines.h"
#include "cli/verbs/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const all_dialects[] = { "sqlite", "postgres", "mysql", "duckdb", "mssql" };

struct tally {
    size_t n, as_expected, wrongly_allowed, wrongly_refused;
};

static int read_file(struct call *c, const char *path, const struct json **out)
{
    FILE *f = fopen(path, "rb");
    if (!f) return call_fail(c, ERR_NOT_FOUND, "%s cannot be read.", path);
    struct buf b;
    char part[65536];
    buf_init(&b, c, 64u << 20);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) buf_add(&b, part, n);
    fclose(f);
    return json_parse(c, b.data, b.len, out);
}

static int ask(struct engine *e, struct call *c, const struct json *context, const struct json *line,
               const char *dialect, const struct json **out)
{
    struct buf b;
    const struct json *policy = json_get(line, "policy");
    buf_init(&b, c, 8u << 20);
    buf_str(&b, "{\"sql\":");
    json_add_string(&b, line_text(line, "sql"));
    buf_str(&b, ",\"dialect\":");
    json_add_string(&b, dialect);
    buf_str(&b, ",\"context\":");
    json_write(&b, context);
    if (policy) {
        buf_str(&b, ",\"policy\":");
        json_write(&b, policy);
    }
    buf_char(&b, '}');
    return lines_operation(e, c, "guard_statement", b.data, b.len, out);
}

static bool flag(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_BOOL && v->boolean;
}

/* An allowed statement does no harm when its rows are capped: filters and masks are in it by construction. */
static bool as_expected(const char *expect, const struct json *answer)
{
    bool allowed = flag(answer, "allowed");
    if (strcmp(expect, "allow") == 0) return allowed;
    if (strcmp(expect, "refuse_or_neutralise") == 0) return !allowed || flag(answer, "capped");
    return !allowed;
}

static void print_line(struct call *c, const struct json *line, const char *dialect, const struct json *answer,
                       bool good)
{
    struct buf b;
    buf_init(&b, c, 1u << 20);
    buf_str(&b, "{\"id\":");
    json_add_string(&b, line_text(line, "id"));
    buf_format(&b, ",\"dialect\":\"%s\",\"as_expected\":%s,\"allowed\":%s,\"message\":", dialect,
               good ? "true" : "false", flag(answer, "allowed") ? "true" : "false");
    json_add_string(&b, line_text(answer, "message"));
    buf_str(&b, ",\"sql\":");
    json_add_string(&b, line_text(answer, "sql"));
    buf_char(&b, '}');
    puts(b.data);
}

/* A generic line must hold in every dialect. False = the operation itself failed. */
static bool judge(struct engine *e, const struct json *context, const struct json *line, bool as_json, struct tally *t)
{
    const char *dialect = line_text(line, "dialect"), *expect = line_text(line, "expect");
    bool generic = strcmp(dialect, "generic") == 0, good = true, allowed = false, ran = true;
    size_t count = generic ? sizeof all_dialects / sizeof *all_dialects : 1;
    for (size_t i = 0; i < count && ran; i++) {
        const char *d = generic ? all_dialects[i] : dialect;
        const struct json *answer;
        struct call c;
        call_begin(&c);
        if (!line_text(line, "sql")) { /* no reader of JSON takes it */
            good &= strcmp(expect, "allow") != 0;
        } else if (ask(e, &c, context, line, d, &answer)) {
            cli_fail(&c);
            ran = false;
        } else {
            bool fine = as_expected(expect, answer);
            if (!fine) allowed = flag(answer, "allowed");
            good &= fine;
            if (!fine || as_json) print_line(&c, line, d, answer, fine);
        }
        call_end(&c);
    }
    t->n++;
    t->as_expected += good;
    t->wrongly_allowed += !good && allowed;
    t->wrongly_refused += !good && !allowed;
    return ran;
}

static int run(struct cli *cli, int argc, char **argv)
{
    extern const struct verb verb_guard;
    struct list words = { 0 };
    const char *context_path = NULL;
    bool as_json = false;
    int64_t jobs = 1;
    int code;
    const struct option options[] = {
        { "--context", OPTION_TEXT, &context_path, "FILE", "schema and policy" },
        { "--jobs", OPTION_INT, &jobs, "N", "accepted; the work takes a moment" },
        { "--json", OPTION_FLAG, &as_json, NULL, "a line for every statement and dialect" },
        { 0 },
    };
    if (!cli_options(cli, &verb_guard, options, argc, argv, 1, 1, &words, &code)) return code;
    if (!context_path) {
        fprintf(stderr, "usage: querent guard %s\n", verb_guard.usage);
        return 2;
    }
    struct call *c = cli->call;
    struct engine *e;
    const struct json *lines, *context;
    size_t count;
    struct tally t = { 0 };
    if (lines_read(c, LIST_AT(&words, const char *, 0), &lines, &count) || read_file(c, context_path, &context))
        return cli_fail(c);
    for (size_t i = 0; i < count; i++)
        if (!line_text(&lines[i], "dialect") || !json_get(&lines[i], "sql") || !line_text(&lines[i], "expect")) {
            call_fail(c, ERR_VALIDATION_ERROR, "Line %zu needs dialect, sql and expect.", i + 1);
            return cli_fail(c);
        }
    struct engine_options o = { .log = cli->log, .measure = true };
    if (engine_open(c, &o, &e)) return cli_fail(c);
    code = 0;
    for (size_t i = 0; i < count && !code; i++) code = !judge(e, context, &lines[i], as_json, &t);
    printf("{\"n\":%zu,\"as_expected\":%zu,\"wrongly_allowed\":%zu,\"wrongly_refused\":%zu}\n", t.n, t.as_expected,
           t.wrongly_allowed, t.wrongly_refused);
    engine_close(e);
    return code;
}

extern const struct verb verb_guard;
const struct verb verb_guard = { .name = "guard",
                                 .usage = "CORPUS.jsonl --context CONTEXT.json [--json]",
                                 .doc = "Measures the guard on statements that must be refused or allowed.",
                                 .run = run };
