/* querent: the composition root. Global options, then a verb. */
#include "cli/verbs/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void global_options(struct cli *cli, struct option out[4])
{
    out[0] = (struct option){ "--config", OPTION_TEXT, &cli->config_path, "FILE", "the configuration, querent.yaml" };
    out[1] = (struct option){ "--state", OPTION_TEXT, &cli->state_dir, "DIR", "where store, keys and caches live" };
    out[2] = (struct option){ "--help", OPTION_FLAG, NULL, NULL, "this text" };
    out[3] = (struct option){ 0 };
}

static void print_option(FILE *to, const struct option *o)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    fprintf(to, "  %-24s %s\n", left, o->doc);
}

static void print_options(FILE *to, const struct option *options)
{
    for (; options->name; options++) print_option(to, options);
}

static void help(FILE *to, struct cli *cli)
{
    struct option global[4];
    global_options(cli, global);
    fprintf(to, "usage: querent [--config FILE] [--state DIR] VERB …\n\n");
    for (size_t i = 0; verbs[i]; i++)
        if (verbs[i]->doc) fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->doc);
    fprintf(to, "\n");
    print_options(to, global);
    print_option(to, &(struct option){ .name = "--version", .doc = "version of this program" });
    fprintf(to, "\nquerent VERB --help says more.\n");
}

static void help_verb(FILE *to, struct cli *cli, const struct verb *v, const struct option *options)
{
    struct option global[4];
    global_options(cli, global);
    fprintf(to, "usage: querent %s%s%s\n%s\n\n", v->name, *v->usage ? " " : "", v->usage, v->doc ? v->doc : "");
    print_options(to, options);
    print_options(to, global);
}

static const struct option *find_option(const struct option *options, const char *name, size_t n)
{
    for (; options->name; options++)
        if (strlen(options->name) == n && !memcmp(options->name, name, n)) return options;
    return NULL;
}

static int wrong(const char *what, const char *word, const char *near)
{
    fprintf(stderr, "Error: %s '%s'.", what, word);
    if (near) fprintf(stderr, " Did you mean '%s'?", near);
    fprintf(stderr, "\n");
    return 2;
}

static const char *nearest_option(struct call *c, const char *word, const struct option *a, const struct option *b)
{
    struct list names = { 0 };
    for (; a->name; a++) *(const char **)list_push(c, &names, sizeof(const char *)) = a->name;
    for (; b->name; b++) *(const char **)list_push(c, &names, sizeof(const char *)) = b->name;
    *(const char **)list_push(c, &names, sizeof(const char *)) = NULL;
    return nearest_name(word, names.items);
}

/* Stores the value of one option; false = it is not acceptable. */
static bool take(struct call *c, const struct option *o, const char *value)
{
    char *end;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->to = true;
        return true;
    case OPTION_TEXT:
        *(const char **)o->to = value;
        return true;
    case OPTION_LIST:
        *(const char **)list_push(c, o->to, sizeof(const char *)) = value;
        return true;
    case OPTION_INT:
        *(int64_t *)o->to = strtoll(value, &end, 10);
        return *value && !*end;
    }
    return false;
}

/* One option at argv[*i]; *i moves over its value. OK, or the exit code. */
static int read_option(struct cli *cli, const struct option *options, const struct option *global, int argc,
                       char **argv, int *i, bool *asked_help)
{
    struct call *c = cli->call;
    const char *word = argv[*i], *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const struct option *o = find_option(options, word, n);
    if (!o) o = find_option(global, word, n);
    if (!o) return wrong("There is no option", word, nearest_option(c, call_strndup(c, word, n), options, global));
    if (!o->to) {
        *asked_help = true;
        return OK;
    }
    const char *value = equals ? equals + 1 : NULL;
    if (o->kind == OPTION_FLAG && value) return wrong("No value goes with the option", o->name, NULL);
    if (o->kind != OPTION_FLAG && !value) {
        if (*i + 1 >= argc) return wrong("A value is missing after", word, NULL);
        value = argv[++*i];
    }
    return take(c, o, value) ? OK : wrong(call_format(c, "%s is no number:", o->name), value, NULL);
}

bool cli_options(struct cli *cli, const struct verb *v, const struct option *options, int argc, char **argv,
                 size_t least_words, size_t most_words, struct list *words, int *code)
{
    struct option global[4];
    bool asked_help = false, rest = false;
    global_options(cli, global);
    *words = (struct list){ 0 };
    *code = 0;
    for (int i = 1; i < argc && !*code; i++) {
        if (!rest && !strcmp(argv[i], "--"))
            rest = true;
        else if (rest || argv[i][0] != '-' || !argv[i][1])
            *(const char **)list_push(cli->call, words, sizeof(const char *)) = argv[i];
        else
            *code = read_option(cli, options, global, argc, argv, &i, &asked_help);
    }
    if (*code) return false;
    if (asked_help) {
        help_verb(stdout, cli, v, options);
        return false;
    }
    if (words->count >= least_words && words->count <= most_words) return true;
    fprintf(stderr, "usage: querent %s%s%s\n", v->name, *v->usage ? " " : "", v->usage);
    *code = 2;
    return false;
}

void cli_override(struct cli *cli, const char *path, const char *text)
{
    struct call *c = cli->call;
    struct json *j = &cli->overrides;
    struct json *items = call_array(c, j->count + 1, sizeof *items);
    const char **names = call_array(c, j->count + 1, sizeof *names);
    for (size_t i = 0; i < j->count; i++) {
        items[i] = j->items[i];
        names[i] = j->names[i];
    }
    items[j->count] = (struct json){ .kind = J_STRING, .string = text, .count = strlen(text) };
    names[j->count] = path;
    *j = (struct json){ .kind = J_OBJECT, .count = j->count + 1, .items = items, .names = names };
}

bool cli_engine(struct cli *cli, bool demo, struct engine **out)
{
    struct engine_options o = { .config_path = cli->config_path,
                                .state_dir = cli->state_dir,
                                .overrides = &cli->overrides,
                                .log = cli->log,
                                .demo = demo };
    if (!engine_open(cli->call, &o, out)) return true;
    cli_fail(cli->call);
    return false;
}

int cli_fail(const struct call *c)
{
    const struct err *e = &c->err;
    const char *message = e->message ? e->message : code_row(e->code)->text;
    bool place = e->code == ERR_CONFIG_INVALID && e->field && !strstr(message, e->field);
    fprintf(stderr, "Error: %s%s%s\n", place ? e->field : "", place ? ": " : "", message);
    for (size_t i = 0; i < e->finding_count; i++)
        fprintf(stderr, "  %s: %s\n", e->findings[i].pointer, e->findings[i].detail);
    if (e->hint) fprintf(stderr, "%s\n", e->hint);
    return 1;
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (!strcmp(verbs[i]->name, name)) return verbs[i];
    return NULL;
}

static const char *nearest_verb(struct call *c, const char *word)
{
    struct list names = { 0 };
    for (size_t i = 0; verbs[i]; i++) *(const char **)list_push(c, &names, sizeof(const char *)) = verbs[i]->name;
    *(const char **)list_push(c, &names, sizeof(const char *)) = NULL;
    return nearest_name(word, names.items);
}

/* Global options before the verb, then the verb reads the rest. */
static int run(struct cli *cli, int argc, char **argv)
{
    struct option global[4], none[1] = { { 0 } };
    bool asked_help = false;
    int i = 1;
    global_options(cli, global);
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--version")) {
            printf("querent %s\n", querent_version);
            return 0;
        }
        int code = read_option(cli, none, global, argc, argv, &i, &asked_help);
        if (code) return code;
    }
    if (asked_help || i == argc) {
        help(asked_help ? stdout : stderr, cli);
        return asked_help ? 0 : 2;
    }
    const struct verb *v = find_verb(argv[i]);
    if (!v) return wrong("There is no verb", argv[i], nearest_verb(cli->call, argv[i]));
    return v->run(cli, argc - i, argv + i);
}

int main(int argc, char **argv)
{
    struct call life;
    call_begin(&life);
    struct cli cli = { .call = &life,
                       .overrides = { .kind = J_OBJECT },
                       .log = { .fd = STDERR_FILENO, .least = LOG_WARN } };
    int code = run(&cli, argc, argv);
    call_end(&life);
    return code;
}
