/* get_schema: the tables that a question is about, with their columns, for writing SQL. */
#include "base/words.h"
#include "ops/described.h"
#include "ops/reach.h"

#include <stdlib.h>
#include <string.h>

#define NAME_WORDS 8

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

static void add_tables(struct search *s, const struct view *view)
{
    size_t first = s->candidates.count;
    for (size_t i = 0; i < view->table_count; i++) {
        struct candidate *c = list_push(s->call, &s->candidates, sizeof *c);
        *c = (struct candidate){ .view = view, .table = &view->tables[i], .score = score(s, &view->tables[i]) };
    }
    /* What stands between two tables of the question is needed to join them. */
    struct candidate *all = (struct candidate *)s->candidates.items + first;
    for (size_t i = 0; i < view->table_count; i++)
        for (size_t k = 0; k < all[i].table->foreign_key_count; k++) {
            const struct foreign_key *key = &all[i].table->foreign_keys[k];
            size_t matches;
            const struct table *to =
                schema_find(view->tables, view->table_count, &view->names, key->schema, key->table, &matches);
            if (!to) continue;
            struct candidate *other = &all[to - view->tables];
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

static int gather(struct search *s, const char *id)
{
    struct call *c = s->call;
    const struct datasource *ds;
    const struct view *view;
    if (id) {
        int rc = reach(c, id, &ds, &view);
        if (!rc) add_tables(s, view);
        return rc;
    }
    struct list all = registry_list(c->world->registry, c);
    for (size_t i = 0; i < all.count; i++) {
        ds = LIST_AT(&all, const struct datasource *, i);
        if (!ds->snapshot || !policy_reaches(c->world->policies, &c->who, ds->snapshot)) continue;
        int rc = policy_view(c, c->world->policies, &c->who, ds->snapshot, &view);
        if (rc) return rc;
        add_tables(s, view);
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
    int rc = gather(&s, in->datasource_id);
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
