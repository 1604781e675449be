#include "plan/checker.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_SHOWN ((size_t)15)
#define WORD_MAX    64

/* Edits without case between two words, both cut at WORD_MAX. */
static unsigned edits(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    size_t n = strnlen(b, WORD_MAX);
    for (size_t k = 0; k <= n; k++) row[k] = (unsigned)k;
    for (size_t i = 0; a[i] && i < WORD_MAX; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t k = 0; k < n; k++) {
            bool same = strncasecmp(a + i, b + k, 1) == 0;
            unsigned best = diagonal + (same ? 0 : 1);
            if (row[k] + 1 < best) best = row[k] + 1;
            if (row[k + 1] + 1 < best) best = row[k + 1] + 1;
            diagonal = row[k + 1];
            row[k + 1] = best;
        }
    }
    return row[n];
}

struct ranked {
    const char *name;
    unsigned distance;
};

static int by_distance(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return strcmp(x->name, y->name);
}

const char *list_names(struct call *c, const char *word, const char *const *names, size_t count)
{
    struct buf b;
    struct ranked *ranked = call_array(c, count, sizeof *ranked);
    for (size_t i = 0; i < count; i++) ranked[i] = (struct ranked){ names[i], word ? edits(word, names[i]) : 0 };
    qsort(ranked, count, sizeof *ranked, by_distance);
    buf_init(&b, c, 16384);
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        if (i) buf_str(&b, ", ");
        buf_str(&b, ranked[i].name);
    }
    if (count > NAMES_SHOWN) buf_format(&b, " and %zu more", count - NAMES_SHOWN);
    return count ? b.data : "none";
}

static void unknown_table(struct checker *k, const struct path *p, const struct source *s, size_t matches)
{
    const struct view *v = k->view;
    if (matches > 1) {
        report(k, ERR_AMBIGUOUS_NAME, PATH(p, "table"), "The table name '%s' stands for %zu tables; name its schema.",
               s->name, matches);
        return;
    }
    const char **names = call_array(k->c, v->table_count, sizeof *names);
    for (size_t i = 0; i < v->table_count; i++) names[i] = v->tables[i].name;
    const char *nearest = NULL;
    unsigned best = WORD_MAX;
    for (size_t i = 0; i < v->table_count; i++) {
        unsigned distance = edits(s->name, names[i]);
        if (distance >= best) continue;
        best = distance;
        nearest = names[i];
    }
    if (s->schema)
        report(k, ERR_TABLE_NOT_FOUND, PATH(p, "table"), "Table '%s.%s' is not available. Available tables: %s.",
               s->schema, s->name, list_names(k->c, NULL, names, v->table_count));
    else
        report(k, ERR_TABLE_NOT_FOUND, PATH(p, "table"), "Table '%s' is not available. Available tables: %s.", s->name,
               list_names(k->c, NULL, names, v->table_count));
    if (nearest && best * 3 <= strlen(s->name)) call_hint(k->c, "Did you mean the table '%s'?", nearest);
}

/* Key columns are never NULL in a row, whatever the declaration says; elsewhere the declaration counts. */
static void bind_table(struct checker *k, const struct path *p, struct source *s)
{
    size_t matches;
    const struct table *t =
        schema_find(k->view->tables, k->view->table_count, &k->view->names, s->schema, s->name, &matches);
    if (!t) {
        unknown_table(k, p, s, matches);
        return;
    }
    s->table = t;
    s->table_index = (size_t)(t - k->view->tables);
    s->offer_count = t->column_count;
    s->offers = call_array(k->c, t->column_count, sizeof *s->offers);
    for (size_t i = 0; i < t->column_count; i++)
        s->offers[i] = (struct source_column_info){ t->columns[i].name, t->columns[i].type, t->columns[i].nullable };
}

static void copy_offers(struct checker *k, struct source *s, const struct source_column_info *offers, size_t count)
{
    s->offer_count = count;
    s->offers = call_array(k->c, count, sizeof *s->offers);
    if (count) memcpy(s->offers, offers, count * sizeof *offers);
}

static void bind_cte(struct checker *k, const struct scope *s, const struct path *p, struct source *source)
{
    size_t count = 0;
    for (const struct cte_env *e = s->ctes; e; e = e->up) {
        count++;
        if (strcasecmp(e->cte->name, source->name)) continue;
        source->cte = e->cte;
        copy_offers(k, source, e->cte->offers, e->cte->offer_count);
        return;
    }
    const char **names = call_array(k->c, count, sizeof *names);
    size_t i = 0;
    for (const struct cte_env *e = s->ctes; e; e = e->up) names[i++] = e->cte->name;
    report(k, ERR_TABLE_NOT_FOUND, PATH(p, "cte"), "There is no common table expression '%s' in sight. There are: %s.",
           source->name, list_names(k->c, source->name, names, count));
}

static void bind_subquery(struct checker *k, const struct scope *s, const struct path *p, struct source *source)
{
    check_query(k, s->up, s->ctes, PATH(p, "query"), source->query);
    copy_offers(k, source, source->query->offers, source->query->offer_count);
    if (!source->column_count) return;
    if (source->column_count != source->offer_count) {
        report(k, ERR_WRONG_ARITY, PATH(p, "columns"), "%zu column names are given for a query of %zu columns.",
               source->column_count, source->offer_count);
        return;
    }
    for (size_t i = 0; i < source->offer_count; i++) source->offers[i].name = source->columns[i];
}

static void bind_source(struct checker *k, struct scope *s, const struct path *p, struct source *source)
{
    source->table = NULL;
    source->cte = NULL;
    source->offers = NULL;
    source->offer_count = 0;
    switch (source->kind) {
    case SOURCE_TABLE:
        bind_table(k, p, source);
        break;
    case SOURCE_CTE:
        bind_cte(k, s, p, source);
        break;
    case SOURCE_QUERY:
        bind_subquery(k, s, p, source);
        break;
    }
    check_name(k, PATH(p, "alias"), source->alias);
    source->used = call_array(k->c, source->offer_count, sizeof *source->used);
    for (size_t i = 0; i < s->count; i++) {
        if (strcasecmp(s->sources[i]->alias, source->alias)) continue;
        report(k, ERR_AMBIGUOUS_NAME, PATH(p, "alias"), "Two sources have the alias '%s'.", source->alias);
        break;
    }
    s->sources[s->count++] = source;
}

static void offers_nullable(struct source *s)
{
    for (size_t i = 0; i < s->offer_count; i++) s->offers[i].nullable = true;
}

static void bind_join(struct checker *k, struct scope *s, const struct path *p, struct join *j)
{
    size_t before = s->count;
    if (j->type == JOIN_FULL && !has_feature(k, DIALECT_FULL_JOIN))
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "type"),
               "%s has no full join; write it as a union of two left joins.", k->dialect->name);
    bind_source(k, s, PATH(p, "source"), j->source);
    if (j->type == JOIN_CROSS) {
        if (j->on) report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "on"), "A cross join has no condition.");
    } else if (!j->on) {
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "This join needs a condition in 'on'.");
    } else {
        check_condition(k, s, PLACE_ON, PATH(p, "on"), &j->on);
    }
    if (j->type == JOIN_LEFT || j->type == JOIN_FULL) offers_nullable(j->source);
    if (j->type == JOIN_RIGHT || j->type == JOIN_FULL)
        for (size_t i = 0; i < before; i++) offers_nullable(s->sources[i]);
}

void bind_from(struct checker *k, struct scope *s, const struct path *p, struct from *f)
{
    if (f->source) {
        bind_source(k, s, p, f->source);
        return;
    }
    const struct path *joined = PATH(p, "joined");
    bind_from(k, s, PATH(joined, "from"), f->joined);
    for (size_t i = 0; i < f->join_count; i++) bind_join(k, s, PATH_AT(PATH(joined, "joins"), i), &f->joins[i]);
}

/* -1 when there is none, -2 when several columns could be meant. */
static ptrdiff_t find_offer(const struct source *s, const char *name)
{
    ptrdiff_t folded = -1, exact = -1;
    bool many = false, many_exact = false;
    for (size_t i = 0; i < s->offer_count; i++) {
        if (strcasecmp(s->offers[i].name, name)) continue;
        if (!strcmp(s->offers[i].name, name)) {
            many_exact |= exact >= 0;
            exact = (ptrdiff_t)i;
        }
        many |= folded >= 0;
        folded = (ptrdiff_t)i;
    }
    if (exact >= 0) return many_exact ? -2 : exact;
    return many ? -2 : folded;
}

static void unknown_column(struct checker *k, const struct path *p, const struct source *s, const char *name,
                           bool ambiguous)
{
    if (ambiguous) {
        report(k, ERR_AMBIGUOUS_NAME, PATH(p, "column"), "Several columns of '%s' are called '%s'.", s->alias, name);
        return;
    }
    const char **names = call_array(k->c, s->offer_count, sizeof *names);
    for (size_t i = 0; i < s->offer_count; i++) names[i] = s->offers[i].name;
    report(k, ERR_COLUMN_NOT_FOUND, PATH(p, "column"), "'%s' has no column '%s'. It has: %s.", s->alias, name,
           list_names(k->c, name, names, s->offer_count));
}

static void unknown_alias(struct checker *k, const struct scope *s, const struct path *p, const struct expr *e)
{
    const char *names[PLAN_SOURCES_MAX + 1];
    size_t count = 0;
    for (const struct scope *at = s; at; at = at->up)
        for (size_t i = 0; i < at->count && count < PLAN_SOURCES_MAX; i++) names[count++] = at->sources[i]->alias;
    report(k, ERR_COLUMN_NOT_FOUND, PATH(p, "table"), "No source has the alias '%s' here. There are: %s.",
           e->column.table, list_names(k->c, e->column.table, names, count));
}

static struct source *find_source(const struct scope *s, const char *alias)
{
    struct source *folded = NULL;
    for (size_t i = 0; i < s->count; i++) {
        if (strcasecmp(s->sources[i]->alias, alias)) continue;
        if (!strcmp(s->sources[i]->alias, alias)) return s->sources[i];
        folded = s->sources[i];
    }
    return folded;
}

void bind_column(struct checker *k, struct scope *s, const struct path *p, struct expr *e)
{
    int levels = 0;
    e->type = (struct value_type){ 0 };
    e->nullable = true;
    e->column.source = NULL;
    for (struct scope *at = s; at; at = at->up, levels++) {
        struct source *source = find_source(at, e->column.table);
        if (!source) continue;
        if (levels)
            s->outer_columns++;
        else
            s->own_columns++;
        ptrdiff_t i = find_offer(source, e->column.column);
        if (i < 0) {
            /* A source that could not be bound has been reported already. */
            if (source->offers) unknown_column(k, p, source, e->column.column, i == -2);
            return;
        }
        e->column.source = source;
        e->column.index = (size_t)i;
        e->column.levels_up = levels;
        e->type = source->offers[i].type;
        e->nullable = source->offers[i].nullable;
        source->used[i] = true;
        return;
    }
    unknown_alias(k, s, p, e);
}
