/* parse_bench QUERIES.jsonl DATABASES [ROUNDS]: reading SQL beside libpg_query, on the same texts, in one process and
 * in alternating rounds: each text once a round through each reader. Only texts that all read are counted. Prints the
 * median of the rounds' microseconds a text, and the ratios. DATABASES/<db_id>/<db_id>.sqlite gives the names to bind
 * to.
 *
 * libpg_query is measured three ways: its grammar alone (what our parse does), as its public calls that hand the tree
 * over as protobuf and as JSON. */
#include "adapters/adapter.h"
#include "base/clock.h"
#include "sql/sql.h"

#include <errno.h>
#include <pg_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of libpg_query's own header, which is not installed. */
struct raw_result {
    void *tree;
    char *stderr_buffer;
    PgQueryError *error;
};
struct raw_result pg_query_raw_parse(const char *input);
void *pg_query_enter_memory_context(void);
void pg_query_exit_memory_context(void *context);

struct text {
    const char *sql;
    const struct view *view;
};

enum { OUR_PARSE, OUR_PLAN, THEIR_GRAMMAR, THEIR_PROTOBUF, THEIR_JSON, READERS };
static const char *const reader_names[] = { "parse", "parse and bind", "libpg_query grammar", "libpg_query protobuf",
                                            "libpg_query JSON" };

static bool our_parse(struct call *c, const struct text *t)
{
    const char *refusal = NULL;
    return !sql_parse(c, "sqlite", t->sql, strlen(t->sql), &refusal) && !refusal;
}

static bool our_plan(struct call *c, const struct text *t)
{
    struct query *q;
    return !sql_to_plan(c, "sqlite", t->sql, strlen(t->sql), t->view, &q);
}

static bool their_grammar(const struct text *t)
{
    void *context = pg_query_enter_memory_context();
    bool ok = !pg_query_raw_parse(t->sql).error;
    pg_query_exit_memory_context(context);
    return ok;
}

static bool their_protobuf(const struct text *t)
{
    PgQueryProtobufParseResult r = pg_query_parse_protobuf(t->sql);
    bool ok = !r.error;
    pg_query_free_protobuf_parse_result(r);
    return ok;
}

static bool their_json(const struct text *t)
{
    PgQueryParseResult r = pg_query_parse(t->sql);
    bool ok = !r.error;
    pg_query_free_parse_result(r);
    return ok;
}

static bool read_text(int reader, const struct text *t)
{
    struct call c;
    bool ok;
    switch (reader) {
    case OUR_PARSE:
    case OUR_PLAN:
        call_begin(&c);
        ok = reader == OUR_PARSE ? our_parse(&c, t) : our_plan(&c, t);
        call_end(&c);
        return ok;
    case THEIR_GRAMMAR:
        return their_grammar(t);
    case THEIR_PROTOBUF:
        return their_protobuf(t);
    default:
        return their_json(t);
    }
}

/* ---- texts and the databases they speak of ---- */

struct database {
    const char *name;
    struct view view;
};

static const struct view *view_of(struct call *c, struct list *known, const char *folder, const char *name)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct database *d = LIST_AT(known, struct database *, i);
        if (!strcmp(d->name, name)) return d->view.snapshot ? &d->view : NULL;
    }
    static const char *const names[] = { "path" };
    const char *path = call_format(c, "%s/%s/%s.sqlite", folder, name, name);
    struct json item = { .kind = J_STRING, .string = path, .count = strlen(path) };
    struct json connection = { .kind = J_OBJECT, .count = 1, .items = &item, .names = names };
    struct datasource_config config = { .id = name, .type = "sqlite", .connection = &connection };
    struct adapter *a = NULL;
    struct snapshot *s = NULL;
    struct database *d = call_alloc(c, sizeof *d);
    d->name = name;
    int rc = adapter_open(c, &config, &a);
    if (!rc) rc = adapter_introspect(c, a, &s);
    adapter_close(a);
    call_forgive(c);
    if (!rc)
        d->view = (struct view){ .snapshot = s,
                                 .tables = s->tables,
                                 .access = call_array(c, s->table_count, sizeof(struct table_access)),
                                 .table_count = s->table_count,
                                 .key = name };
    *(struct database **)list_push(c, known, sizeof d) = d;
    return rc ? NULL : &d->view;
}

static struct list texts_of(struct call *c, const char *file, const char *folder)
{
    struct list texts = { 0 }, known = { 0 };
    FILE *f = fopen(file, "r");
    if (!f) {
        fprintf(stderr, "%s: %s\n", file, strerror(errno));
        exit(1);
    }
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
        const struct json *j, *sql, *name;
        if (json_parse(c, line, (size_t)n, &j)) {
            call_forgive(c);
            continue;
        }
        sql = json_get(j, "sql");
        name = json_get(j, "db_id");
        if (!sql || sql->kind != J_STRING || !name || name->kind != J_STRING) continue;
        struct text t = { sql->string, view_of(c, &known, folder, name->string) };
        bool all = t.view != NULL;
        for (int r = 0; all && r < READERS; r++) all = read_text(r, &t);
        if (all) *(struct text *)list_push(c, &texts, sizeof t) = t;
    }
    free(line);
    fclose(f);
    return texts;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return values[n / 2];
}

int main(int argc, char **argv)
{
    struct call c;
    size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 15;
    if (argc < 3 || !rounds || rounds > 1000) {
        fprintf(stderr, "usage: parse_bench QUERIES.jsonl DATABASES [ROUNDS]\n");
        return 2;
    }
    call_begin(&c);
    struct list texts = texts_of(&c, argv[1], argv[2]);
    double *us = call_array(&c, READERS * rounds, sizeof *us), middle[READERS];
    for (size_t round = 0; round < rounds; round++)
        for (int r = 0; r < READERS; r++) {
            int64_t began = clock_mono_us();
            for (size_t i = 0; i < texts.count; i++) read_text(r, &LIST_AT(&texts, struct text, i));
            us[(size_t)r * rounds + round] = (double)(clock_mono_us() - began) / (double)texts.count;
        }
    for (int r = 0; r < READERS; r++) middle[r] = median(us + (size_t)r * rounds, rounds);
    printf("%zu texts, %zu rounds; microseconds a text, and beside libpg_query's JSON, protobuf, grammar\n",
           texts.count, rounds);
    for (int r = 0; r < READERS; r++)
        printf("%-22s %8.2f  %5.2f %5.2f %5.2f\n", reader_names[r], middle[r], middle[r] / middle[THEIR_JSON],
               middle[r] / middle[THEIR_PROTOBUF], middle[r] / middle[THEIR_GRAMMAR]);
    call_end(&c);
    return texts.count ? 0 : 1;
}
