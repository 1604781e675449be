/* querent ask: one question, answered on the terminal: table, sentence, SQL. */
#include "cli/verbs/verb.h"

#include <stdio.h>
#include <string.h>

#define WIDTH_MAX 60

/* Characters, near enough to columns of a terminal for a table. */
static size_t width_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

/* A value of a row as one line of text. */
static const char *value_text(struct call *c, const struct json *v)
{
    struct buf b;
    if (v->kind == J_NULL) return "";
    buf_init(&b, c, 1 << 20);
    if (v->kind != J_STRING) {
        json_write(&b, v);
        return b.data;
    }
    for (const char *p = v->string; *p; p++) {
        if (width_of(b.data) == WIDTH_MAX && ((unsigned char)*p & 0xC0) != 0x80) {
            buf_str(&b, "…");
            break;
        }
        buf_char(&b, (unsigned char)*p < 0x20 || *p == 0x7F ? ' ' : *p); /* nothing that moves a cursor */
    }
    return b.data;
}

static void print_padded(const char *s, size_t width, bool right)
{
    size_t w = width_of(s), pad = w < width ? width - w : 0;
    if (right) printf("%*s", (int)pad, "");
    fputs(s, stdout);
    if (!right) printf("%*s", (int)pad, "");
}

static void print_table(struct call *c, const struct json *query)
{
    const struct json *columns = json_get(query, "columns"), *rows = json_get(query, "rows");
    if (!columns || !rows || rows->kind != J_ARRAY || !rows->count) return;
    size_t n = columns->count, *widths = call_array(c, n, sizeof *widths);
    const char **texts = call_array(c, n * rows->count, sizeof *texts);
    for (size_t k = 0; k < n; k++) widths[k] = width_of(columns->items[k].string);
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < n; k++) {
            const char *text = texts[i * n + k] = value_text(c, &rows->items[i].items[k]);
            if (width_of(text) > widths[k]) widths[k] = width_of(text);
        }
    for (size_t k = 0; k < n; k++) {
        if (k) fputs("  ", stdout);
        print_padded(columns->items[k].string, widths[k], false);
    }
    putchar('\n');
    for (size_t k = 0; k < n; k++) {
        if (k) fputs("  ", stdout);
        for (size_t i = 0; i < widths[k]; i++) putchar('-');
    }
    putchar('\n');
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < n; k++) {
            if (k) fputs("  ", stdout);
            print_padded(texts[i * n + k], widths[k], rows->items[i].items[k].kind == J_INT);
        }
        putchar('\n');
    }
    const struct json *total = json_get(query, "total_rows");
    if (total && total->integer > (int64_t)rows->count) printf("… %lld rows in all\n", (long long)total->integer);
    putchar('\n');
}

static void print_notes(const char *label, const struct json *notes)
{
    for (size_t i = 0; notes && i < notes->count; i++)
        printf("%s: %s (%s)\n", label, json_get(&notes->items[i], "message")->string,
               json_get(&notes->items[i], "code")->string);
}

static void print_answer(struct call *c, const struct json *answer)
{
    const struct json *queries = json_get(answer, "sub_queries"), *text = json_get(answer, "answer");
    const struct json *back = json_get(answer, "clarification");
    for (size_t i = 0; i < queries->count; i++) print_table(c, &queries->items[i]);
    if (text && text->kind == J_OBJECT) printf("%s\n", json_get(text, "summary")->string);
    if (back) {
        const struct json *options = json_get(back, "options");
        printf("%s\n", json_get(back, "question")->string);
        for (size_t i = 0; i < options->count; i++)
            printf("  %s) %s\n", json_get(&options->items[i], "id")->string,
                   json_get(&options->items[i], "label")->string);
    }
    print_notes("error", json_get(answer, "errors"));
    print_notes("warning", json_get(answer, "warnings"));
    for (size_t i = 0; i < queries->count; i++) printf("\nSQL: %s\n", json_get(&queries->items[i], "sql")->string);
}

/* The operation's input, by its own type. */
static int fill_input(struct call *c, const struct op *op, const char *question, const char *datasource,
                      const char *planner, bool plan_only, void **in)
{
    *in = call_alloc(c, op->in->size);
    int rc = type_defaults(c, op->in, *in);
    if (!rc) rc = type_set_text(c, op->in, *in, "question", question);
    if (!rc && datasource) rc = type_set_text(c, op->in, *in, "datasource_id", datasource);
    if (!rc && planner) rc = type_set_text(c, op->in, *in, "planner", planner);
    if (!rc && plan_only) rc = type_set_text(c, op->in, *in, "execute", "false");
    return rc;
}

static int ask_once(struct cli *cli, struct engine *e, void *in, const struct list *roles, bool as_json)
{
    struct call *c = cli->call;
    const struct op *op = op_find("ask");
    const struct json *answer;
    void *out = call_alloc(c, op->out->size);
    if (engine_operator(e, c, NULL, roles->items, roles->count) || engine_run(e, c, op, in, out)) return cli_fail(c);
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    json_encode(&b, op->out, out);
    if (json_parse(c, b.data, b.len, &answer)) return cli_fail(c);
    if (as_json)
        puts(b.data);
    else
        print_answer(c, answer);
    return strcmp(json_get(answer, "status")->string, "error") ? 0 : 1;
}

static int run(struct cli *cli, int argc, char **argv)
{
    extern const struct verb verb_ask;
    struct list words = { 0 }, roles = { 0 };
    const char *datasource = NULL, *planner = NULL;
    bool as_json = false, plan_only = false;
    struct engine *e;
    void *in;
    int code;
    const struct option options[] = {
        { "--datasource", OPTION_TEXT, &datasource, "ID", "ask this datasource" },
        { "--as", OPTION_LIST, &roles, "ROLE", "narrow to this role of the policy; may be repeated" },
        { "--planner", OPTION_TEXT, &planner, "NAME", "auto, or the name of a planner" },
        { "--plan-only", OPTION_FLAG, &plan_only, NULL, "show the SQL, run nothing" },
        { "--json", OPTION_FLAG, &as_json, NULL, "print the whole answer as JSON" },
        { 0 },
    };
    if (!cli_options(cli, &verb_ask, options, argc, argv, 1, 1, &words, &code)) return code;
    const struct op *op = op_find("ask");
    if (fill_input(cli->call, op, LIST_AT(&words, const char *, 0), datasource, planner, plan_only, &in))
        return cli_fail(cli->call);
    if (!cli_engine(cli, true, &e)) return 1;
    code = ask_once(cli, e, in, &roles, as_json);
    engine_close(e);
    return code;
}

extern const struct verb verb_ask;
const struct verb verb_ask = { .name = "ask",
                               .usage =
                                   "[--datasource ID] [--as ROLE]... [--planner NAME] [--plan-only] [--json] QUESTION",
                               .doc = "Answers a question: rows, a sentence, and the SQL that ran.",
                               .run = run };
