/* route: which datasources may answer. Permission comes first: a datasource out of reach is as good as none. */
#include "ask/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD_BYTES  64
#define NAME_SCORE  3
#define VALUE_SCORE 2

static int add_source(struct run *r, const struct datasource *ds)
{
    const struct view *view;
    int rc = policy_view(r->call, r->world->policies, &r->call->who, ds->snapshot, &view);
    if (rc) return rc;
    struct ask_source *s = list_push(r->call, &r->sources, sizeof *s);
    *s = (struct ask_source){ .datasource = ds, .view = view };
    if (view->hides_anything) r->hides = true;
    return OK;
}

/* A datasource without a picture of its schema answers nothing. Not everybody learns why. */
static int not_ready(struct run *r, const struct datasource *ds)
{
    struct call *c = r->call;
    if (!policy_told(r->world->policies, &c->who))
        return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", ds->config->id);
    enum err_code code = ds->status == DS_UNAVAILABLE ? ERR_DATASOURCE_UNAVAILABLE : ERR_NOT_INDEXED;
    return call_fail(c, code, "%s", code_row(code)->text);
}

static int named(struct run *r, const char *id)
{
    struct call *c = r->call;
    const struct datasource *ds = registry_get(r->world->registry, c, id);
    if (!ds || !policy_reaches(r->world->policies, &c->who, ds->snapshot))
        return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    if (!ds->snapshot) return not_ready(r, ds);
    return add_source(r, ds);
}

static bool same_stem(const char *word, size_t n, const char *part, size_t m)
{
    if (n > 3 && word[n - 1] == 's') n--;
    if (m > 3 && part[m - 1] == 's') m--;
    return n == m && !strncasecmp(word, part, n);
}

/* A part of a name between underscores equals the word, plural or not. */
static bool names_word(const char *name, const char *word, size_t n)
{
    for (const char *p = name; *p;) {
        size_t m = strcspn(p, "_ ");
        if (same_stem(word, n, p, m)) return true;
        p += m + (p[m] != 0);
    }
    return false;
}

static int64_t word_score(struct run *r, const struct ask_source *s, const char *word, size_t n)
{
    struct value_hit hit;
    int64_t score = 0;
    for (size_t i = 0; i < s->view->table_count; i++) {
        const struct table *t = &s->view->tables[i];
        if (names_word(t->name, word, n)) score += NAME_SCORE;
        for (size_t k = 0; k < t->column_count; k++)
            if (names_word(t->columns[k].name, word, n)) {
                score++;
                break;
            }
    }
    if (score > 2 * NAME_SCORE) score = 2 * NAME_SCORE;
    if (!score && s->datasource->values &&
        value_index_find(s->datasource->values, r->call, s->view, call_strndup(r->call, word, n), &hit, 1))
        score = VALUE_SCORE;
    return score;
}

static void score(struct run *r, struct ask_source *s)
{
    for (const char *p = r->request->question; *p;) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || (unsigned char)p[n] >= 0x80) n++;
        if (n > 2 && n < WORD_BYTES) s->score += word_score(r, s, p, n);
        p += n ? n : 1;
    }
}

static int better(const void *a, const void *b)
{
    const struct ask_source *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return strcmp(x->datasource->config->id, y->datasource->config->id);
}

static int all(struct run *r)
{
    struct call *c = r->call;
    struct list known = registry_list(r->world->registry, c);
    const struct datasource *unready = NULL;
    for (size_t i = 0; i < known.count; i++) {
        const struct datasource *ds = LIST_AT(&known, const struct datasource *, i);
        if (!ds->snapshot) {
            unready = ds;
        } else if (!policy_reaches(r->world->policies, &c->who, ds->snapshot)) {
            r->hides = true;
        } else {
            int rc = add_source(r, ds);
            if (rc) return rc;
        }
    }
    if (r->sources.count == 0) {
        if (r->hides) return ask_cannot(r, NULL);
        if (unready) return not_ready(r, unready);
        return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource is connected.");
    }
    if (r->sources.count > 1) {
        struct ask_source *s = r->sources.items;
        for (size_t i = 0; i < r->sources.count; i++) score(r, &s[i]);
        qsort(s, r->sources.count, sizeof *s, better);
        if (r->sources.count > SOURCES_MAX) r->sources.count = SOURCES_MAX;
        while (r->sources.count > 1 && s[0].score && !s[r->sources.count - 1].score) r->sources.count--;
    }
    return OK;
}

int ask_route(struct run *r)
{
    return r->request->datasource_id ? named(r, r->request->datasource_id) : all(r);
}
