/* get_schema: the tables that a question is about, with their columns, for writing SQL. */
#include "domain/name_index.h"
#include "ops/described.h"
#include "ops/reach.h"

#include <stdlib.h>
#include <string.h>

#define NAME_WORDS   8
#define FOUND_BESIDE 100 /* tables of a large view that are looked at beyond those that are wanted */

struct get_schema_in {
    const char *question, *datasource_id;
    int64_t max_tables;
};
static const struct field in_fields[] = {
    FIELD(struct get_schema_in, question, K_STR, .flags = F_REQUIRED, .max = 4000,
          .doc = "The question the SQL is meant to answer."),
    FIELD(struct get_schema_in, max_tables, K_INT, .min = 1, .max = 200, .def = "10", .doc = "Most tables to return."),
    FIELD(struct get_schema_in, datasource_id, K_STR, .max = 63,
          .doc = "Look in this datasource; left out, in all that can be reached."),
    { 0 },
};
static const struct type in_type = TYPE(struct get_schema_in, "GetSchemaRequest", in_fields);

struct brief_column {
    const char *name, *type;
};
static const struct field column_fields[] = {
    FIELD(struct brief_column, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct brief_column, type, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type brief_column_type = TYPE(struct brief_column, "BriefColumn", column_fields);

struct brief_table {
    const char *name;
    struct list columns;
};
static const struct field table_fields[] = {
    FIELD(struct brief_table, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct brief_table, columns, K_LIST, .flags = F_REQUIRED, .of = &brief_column_type),
    { 0 },
};
static const struct type brief_table_type = TYPE(struct brief_table, "BriefTable", table_fields);

struct brief_schema {
    struct list tables;
};
static const struct field out_fields[] = {
    FIELD(struct brief_schema, tables, K_LIST, .flags = F_REQUIRED, .of = &brief_table_type,
          .doc = "The tables, best first."),
    { 0 },
};
static const struct type out_type = TYPE(struct brief_schema, "BriefSchema", out_fields);

struct candidate {
    const struct view *view;
    const struct table *table;
    double score, lent; /* lent: by tables it is joined with */
};

struct search {
    struct call *call;
    struct stemmer *stemmer;
    struct words question;
    struct list candidates;
};

/* Content words of the question that the name is made of. */
static double mentions(struct search *s, const char *name)
{
    struct word words[NAME_WORDS];
    size_t n = name ? name_words(s->call, s->stemmer, name, words, NAME_WORDS) : 0, hits = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->question.count; k++) {
            const struct word *w = &s->question.items[k];
            if (w->flags & (WORD_STOP | WORD_MARK) || w->hash != words[i].hash) continue;
            hits++;
            break;
        }
    return n ? (double)hits / (double)n : 0;
}

static double score(struct search *s, const struct table *t)
{
    double sum = 3 * mentions(s, t->name) + mentions(s, t->description);
    for (size_t i = 0; i < t->column_count; i++) {
        double hit = mentions(s, t->columns[i].name) + 0.5 * mentions(s, t->columns[i].description);
        sum += hit > 0.49 ? hit : 0.25 * hit;
    }
    return sum;
}

/* The tables of a view that take part, by number, and where each stands among the candidates. */
struct part {
    const struct view *view;
    size_t first;    /* candidate */
    uint32_t *place; /* beside tables: which candidate, from 1 */
};

static void add_candidate(struct search *s, struct part *p, size_t table)
{
    if (p->place[table]) return;
    const struct table *t = &p->view->tables[table];
    struct candidate *c = list_push(s->call, &s->candidates, sizeof *c);
    *c = (struct candidate){ .view = p->view, .table = t, .score = score(s, t) };
    p->place[table] = (uint32_t)s->candidates.count;
}

/* Of a large view the tables that have words of the question, and what keys tie to them; else all. */
static void add_candidates(struct search *s, struct part *p, size_t most)
{
    const struct name_index *x = p->view->words;
    if (!x) {
        for (size_t i = 0; i < p->view->table_count; i++) add_candidate(s, p, i);
        return;
    }
    uint32_t *found = call_array(s->call, most + 1, sizeof *found);
    size_t count = name_index_tables(x, s->call, &s->question, found, most);
    for (size_t i = 0; i < count; i++) add_candidate(s, p, found[i]);
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = x->neighbour_first[found[i]];
             n < x->neighbour_first[found[i] + 1] && s->candidates.count < p->first + 4 * most; n++)
            add_candidate(s, p, x->neighbours[n]);
    for (size_t i = 0; i < p->view->table_count && !count && i < most; i++) add_candidate(s, p, i);
}

static void add_tables(struct search *s, const struct view *view, size_t wanted)
{
    struct part p = { .view = view, .first = s->candidates.count };
    p.place = call_array(s->call, view->table_count + 1, sizeof *p.place);
    add_candidates(s, &p, wanted + FOUND_BESIDE);
    /* What stands between two tables of the question is needed to join them. */
    struct candidate *all = s->candidates.items;
    for (size_t i = p.first; i < s->candidates.count; i++)
        for (size_t k = 0; k < all[i].table->foreign_key_count; k++) {
            const struct foreign_key *key = &all[i].table->foreign_keys[k];
            size_t matches;
            const struct table *to =
                schema_find(view->tables, view->table_count, &view->names, key->schema, key->table, &matches);
            if (!to || !p.place[to - view->tables]) continue;
            struct candidate *other = &all[p.place[to - view->tables] - 1];
            all[i].lent += other->score / 4;
            other->lent += all[i].score / 4;
        }
}

static int best_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    double p = x->score + x->lent, q = y->score + y->lent;
    if (p > q || p < q) return p > q ? -1 : 1;
    return strcmp(x->table->name, y->table->name);
}

static void show(struct call *c, const struct candidate *from, struct brief_schema *out)
{
    struct brief_table *t = list_push(c, &out->tables, sizeof *t);
    t->name = described_name(c, from->table);
    for (size_t i = 0; i < from->table->column_count; i++) {
        const struct column *column = &from->table->columns[i];
        struct brief_column *to = list_push(c, &t->columns, sizeof *to);
        to->name = column->name;
        to->type = column->db_type && *column->db_type ? column->db_type : type_kind_names[column->type.kind];
    }
}

static int gather(struct search *s, const char *id, size_t wanted)
{
    struct call *c = s->call;
    const struct datasource *ds;
    const struct view *view;
    if (id) {
        int rc = reach(c, id, &ds, &view);
        if (!rc) add_tables(s, view, wanted);
        return rc;
    }
    struct list all = registry_list(c->world->registry, c);
    for (size_t i = 0; i < all.count; i++) {
        ds = LIST_AT(&all, const struct datasource *, i);
        if (!ds->snapshot || !policy_reaches(c->world->policies, &c->who, ds->snapshot)) continue;
        int rc = policy_view(c, c->world->policies, &c->who, ds->snapshot, &view);
        if (rc) return rc;
        add_tables(s, view, wanted);
    }
    return OK;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct get_schema_in *in = vin;
    struct brief_schema *out = vout;
    struct search s = { .call = c, .stemmer = stemmer_open(c) };
    (void)e;
    words_read(c, s.stemmer, in->question, &s.question);
    int rc = gather(&s, in->datasource_id, (size_t)in->max_tables);
    stemmer_close(s.stemmer);
    if (rc) return rc;
    struct candidate *all = s.candidates.items;
    size_t count = s.candidates.count, most = (size_t)in->max_tables;
    if (count) qsort(all, count, sizeof *all, best_first);
    bool named = count && all[0].score > 0;
    for (size_t i = 0; i < count && i < most; i++) {
        if (named && count > most && all[i].score + all[i].lent <= 0) break;
        show(c, &all[i], out);
    }
    return OK;
}

const struct op op_get_schema = { .name = "get_schema",
                                  .doc = "The tables that a question is about, with their columns.",
                                  .level = LEVEL_VIEWER,
                                  .in = &in_type,
                                  .out = &out_type,
                                  .run = run };
