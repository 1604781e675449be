/* Cases of fit: what they are made of, and what the planner makes of them, on two threads. */
#include "train/fit_cases.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct worker {
    struct fit_case *cases;
    size_t count, from, step;
    const struct weights *by_fold;
    int64_t now_us;
    struct call keep, work;
};

static void read_case(struct worker *w, struct fit_case *x)
{
    struct call *c = &w->work;
    struct arena_mark mark = arena_mark(&c->arena);
    struct question q;
    struct candidates k;
    const struct weights *weights = &w->by_fold[x->example->fold];
    question_read(c, x->database->view, x->database->values, x->example->question, w->now_us, weights, &q);
    candidates_open(c, weights, &q, &k);
    candidates_rank(c, &k);
    x->read = call_alloc(&w->keep, sizeof *x->read);
    fit_read(&k, x->read);
    x->sure = call_array(&w->keep, DENSE_MAX, sizeof *x->sure);
    x->sure_count = rank_sure(&k, x->sure);
    x->family = rank_family(&k);
    x->held = k.count && rank_held(&k.readings[k.order[0]]);
    arena_reset(&c->arena, mark);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (size_t i = w->from; i < w->count; i += w->step) read_case(w, &w->cases[i]);
    return NULL;
}

void fit_cases_read(const struct corpus *k, const struct weights *by_fold, struct fit_case *cases, size_t count)
{
    struct worker *workers = call_array(k->call, 2, sizeof *workers);
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        workers[i] = (struct worker){
            .cases = cases, .count = count, .from = i, .step = 2, .by_fold = by_fold, .now_us = k->now_us
        };
        call_begin(&workers[i].keep);
        call_begin(&workers[i].work);
        workers[i].work.who = k->call->who;
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* Columns that the gold needs, that the question names and that tie no tables. */
static int removable(const struct example *e, int out[16])
{
    const struct core *core = &e->label.left;
    int found[16], n = 0, count = 0;
    for (int i = 0; i < core->item_count; i++) found[n++] = core->items[i].column;
    for (int i = 0; i < core->where_count; i++) found[n++] = core->where[i].sub ? -1 : core->where[i].left.column;
    for (int i = 0; i < core->order_count; i++) found[n++] = core->order[i].term.column;
    qsort(found, (size_t)n, sizeof *found, compare_int);
    for (int i = 0; i < n; i++) {
        int column = found[i];
        if (column < 0 || column >= (int)e->linked.real_columns || (i && found[i - 1] == column)) continue;
        const struct lex_column *col = &e->linked.columns[column];
        bool named = col->mention_count && col->mentions[0].kind <= MENTION_HEAD;
        if (named && !col->key && !col->foreign) out[count++] = column;
    }
    return count;
}

static struct database *database_without(struct call *c, const struct example *e, const struct database *own,
                                         int column)
{
    const struct lex_column *col = &e->linked.columns[column];
    struct view *view = call_alloc(c, sizeof *view);
    *view = *own->view;
    view->tables = call_array(c, view->table_count, sizeof *view->tables);
    memcpy(view->tables, own->view->tables, view->table_count * sizeof *view->tables);
    for (size_t t = 0; t < view->table_count; t++) {
        struct table *table = &view->tables[t];
        if (strcmp(table->name, e->linked.tables[col->table].table->name) != 0) continue;
        struct column *columns = call_array(c, table->column_count + 1, sizeof *columns);
        size_t kept = 0;
        for (size_t i = 0; i < table->column_count; i++)
            if (strcmp(table->columns[i].name, col->column->name) != 0) columns[kept++] = table->columns[i];
        table->columns = columns;
        table->column_count = kept;
        if (!kept) return NULL;
    }
    struct database *out = call_alloc(c, sizeof *out);
    *out = *own;
    out->view = view;
    return out;
}

static struct fit_case *add_case(struct fit_cases *k, const struct example *e, const struct database *d)
{
    struct fit_case *x = list_push(k->call, &k->list, sizeof *x);
    *x = (struct fit_case){ .example = e, .database = d, .counted = !e->chart };
    return x;
}

static void add_cases(struct corpus *k, const struct outcome *outcomes, size_t i, struct fit_cases *out)
{
    const struct example *e = &k->examples[i];
    const struct database *own = &k->databases[e->database];
    add_case(out, e, own)->right = outcomes[i].right;
    size_t other = ((size_t)e->database + 1 + i % 97) % k->database_count;
    for (size_t tries = 0; tries < k->database_count; tries++, other = (other + 1) % k->database_count)
        if (other != (size_t)e->database && k->databases[other].view && k->databases[other].fold == e->fold) break;
    add_case(out, e, &k->databases[other])->kind = FIT_STRANGE;
    int columns[16], n = e->labelled ? removable(e, columns) : 0;
    for (int m = 0; m < n; m++) {
        const struct database *without = database_without(k->call, e, own, columns[m]);
        if (!without) continue;
        struct fit_case *x = add_case(out, e, without);
        x->kind = FIT_REMOVED;
        x->counted &= m == (int)(hash_text(e->question) % (uint32_t)n);
        const char *name = e->linked.columns[columns[m]].column->name;
        for (size_t t = 0; t < e->linked.real_columns; t++)
            x->twin |= (int)t != columns[m] && !strcasecmp(e->linked.columns[t].column->name, name);
    }
}

void fit_cases_make(struct corpus *k, const struct outcome *outcomes, struct fit_cases *out)
{
    for (size_t i = 0; i < k->count; i++)
        if (!k->examples[i].synonyms && k->examples[i].runs) add_cases(k, outcomes, i, out);
}
