/* Questions, databases, folds by database, gold answers. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *read_file(struct call *c, const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    struct buf b;
    buf_init(&b, c, 1u << 30);
    char chunk[65536];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0) buf_add(&b, chunk, got);
    fclose(f);
    *n = b.len;
    return b.data;
}

static int database_index(struct corpus *k, const struct options *o, const char *name)
{
    for (size_t i = 0; i < k->database_count; i++)
        if (strcmp(k->databases[i].name, name) == 0) return k->databases[i].view ? (int)i : -1;
    struct database *d = &k->databases[k->database_count];
    int rc = database_load(k->call, o->data, call_strdup(k->call, name), d);
    d->name = call_strdup(k->call, name);
    if (o->no_values) d->values = NULL;
    k->database_count++;
    if (rc) {
        d->view = NULL;
        call_forgive(k->call);
        return -1;
    }
    return (int)k->database_count - 1;
}

static const char *member(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING ? v->string : NULL;
}

static struct example *add_example(struct corpus *k, const struct json *line, int database, const char *question)
{
    struct example *e = &k->examples[k->count++];
    e->id = member(line, "id");
    e->question = question;
    e->sql = member(line, "sql");
    e->database = database;
    return e;
}

/* Largest databases first, each to the fold with the fewest questions so far. */
static void deal_folds(struct corpus *k)
{
    size_t load[FOLDS] = { 0 };
    bool done[1024] = { false };
    for (size_t n = 0; n < k->database_count; n++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < k->database_count; i++) {
            if (done[i]) continue;
            const struct database *a = &k->databases[i], *b = best == SIZE_MAX ? NULL : &k->databases[best];
            if (!b || a->questions > b->questions || (a->questions == b->questions && strcmp(a->name, b->name) < 0))
                best = i;
        }
        int fold = 0;
        for (int f = 1; f < FOLDS; f++)
            if (load[f] < load[fold]) fold = f;
        done[best] = true;
        k->databases[best].fold = fold;
        load[fold] += k->databases[best].questions;
    }
    for (size_t i = 0; i < k->count; i++) k->examples[i].fold = k->databases[k->examples[i].database].fold;
}

static void run_gold(struct corpus *k, struct example *e, const char *sql)
{
    struct database *d = &k->databases[e->database];
    struct gold_rows rows;
    struct arena_mark mark = arena_mark(&k->call->arena);
    if (gold_run(d->gold[0], k->call, sql, 200000, 20000, &rows) == OK && !rows.stopped)
        e->golds[e->gold_count++] = signature_of(k->call, &rows);
    else
        call_forgive(k->call);
    arena_reset(&k->call->arena, mark);
    e->ordered = gold_is_ordered(e->sql);
    e->runs = e->gold_count > 0;
}

#define CHARTS_SHARE 4 /* every fourth chart, in one of its wordings, is plenty */

static void add_chart(struct corpus *k, const struct options *o, const struct json *line)
{
    const char *golds[CHART_GOLDS_MAX];
    const struct json *asked = json_get(line, "questions");
    size_t n = gold_is_chart(line) ? gold_charts(k->call, line, golds) : 0;
    if (!n || !asked || asked->kind != J_ARRAY || !asked->count) return;
    uint32_t draw = hash_pair(hash_text(member(line, "vql")), hash_text(member(line, "db_id")));
    int database = draw % CHARTS_SHARE ? -1 : database_index(k, o, member(line, "db_id"));
    const struct json *one = &asked->items[draw / CHARTS_SHARE % asked->count];
    if (database < 0 || one->kind != J_STRING) return;
    struct example *e = add_example(k, line, database, one->string);
    e->chart = true;
    e->binned = json_get(line, "bin") && json_get(line, "bin")->kind == J_OBJECT;
    e->sql = golds[0];
    for (size_t i = 0; i < n; i++) run_gold(k, e, golds[i]);
}

static int add_charts(struct corpus *k, const struct options *o, const char *text)
{
    for (const char *p = text, *end; *p; p = end + (*end != 0)) {
        const struct json *line;
        end = p + strcspn(p, "\n");
        int rc = end > p ? json_parse(k->call, p, (size_t)(end - p), &line) : OK;
        if (rc) return rc;
        if (end > p) add_chart(k, o, line);
    }
    return OK;
}

int corpus_load(struct call *c, const struct options *o, struct corpus *k)
{
    size_t n, m = 0, lines = 0, questions = 0;
    const char *path = o->charts ? o->charts : call_format(c, "%s/../nvbench/nvbench.jsonl", o->data);
    const char *charts = o->no_charts ? NULL : read_file(c, path, &m);
    if (!o->no_charts && !charts) return call_fail(c, ERR_NOT_FOUND, "There are no charts in %s.", path);
    for (size_t i = 0; i < m; i++) lines += charts[i] == '\n';
    const char *text = read_file(c, call_format(c, "%s/train.jsonl", o->data), &n);
    if (!text) return call_fail(c, ERR_NOT_FOUND, "There is no train.jsonl in %s.", o->data);
    for (size_t i = 0; i < n; i++) lines += text[i] == '\n';
    k->call = c;
    k->databases = call_array(c, 1024, sizeof *k->databases);
    k->examples = call_array(c, lines * 2 + 2, sizeof *k->examples);
    for (const char *p = text; *p;) {
        const char *end = strchr(p, '\n');
        size_t len = end ? (size_t)(end - p) : strlen(p);
        const struct json *line;
        int rc = len ? json_parse(c, p, len, &line) : OK;
        if (rc) return rc;
        p += len + (end != NULL);
        if (!len) continue;
        int database = database_index(k, o, member(line, "db_id"));
        if (database < 0) continue;
        add_example(k, line, database, member(line, o->field));
        k->databases[database].questions++;
        const char *other = member(line, "question_syn");
        bool measured = questions++ % 3 == 0; /* of the others, stage one learns */
        if (o->synonyms && other && strcmp(other, member(line, "question")) != 0) {
            struct example *e = add_example(k, line, database, other);
            e->synonyms = true;
            e->unmeasured = !measured;
        }
        if (o->limit && k->count >= o->limit) break;
    }
    int rc = charts ? add_charts(k, o, charts) : OK;
    if (rc) return rc;
    deal_folds(k);
    for (size_t i = 0; i < k->count; i++) {
        struct example *e = &k->examples[i];
        struct database *d = &k->databases[e->database];
        link_question(c, d->view, d->values, e->question, k->now_us, &e->linked);
        graph_build(c, &e->linked, &e->graph);
        context_read(c, &e->linked, &e->graph, &e->context);
        if (e->chart) continue;
        if (!e->synonyms) {
            run_gold(k, e, e->sql);
        } else { /* the same gold, right behind */
            e->runs = e[-1].runs && !e->unmeasured;
            e->ordered = e[-1].ordered;
            e->golds[0] = e[-1].golds[0];
            e->gold_count = e[-1].gold_count;
        }
    }
    return OK;
}
