#include "indexing/indexer.h"

#include <ctype.h>
#include <string.h>

/* Names as they are compared: letters and digits only, in lower case. */
enum { TABLES_MOST = 500, FOLDED_BYTES = 64 };

struct parent {
    const struct table *table;
    const struct column *key; /* the one column of its primary key, or one whose values all differ */
    bool whole;               /* the latter: only a column of the very same name refers to it */
    char name[FOLDED_BYTES], one[FOLDED_BYTES], key_name[FOLDED_BYTES]; /* tables, table, key */
};

static void fold(const char *name, char out[FOLDED_BYTES])
{
    size_t n = 0;
    for (; *name && n < FOLDED_BYTES - 1; name++)
        if (isalnum((unsigned char)*name) || (unsigned char)*name >= 0x80)
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

static void singular(const char *name, char out[FOLDED_BYTES])
{
    size_t n = strlen(name);
    memcpy(out, name, n + 1);
    if (n > 4 && !strcmp(out + n - 3, "ies"))
        memcpy(out + n - 3, "y", 2);
    else if (n > 4 && (!strcmp(out + n - 4, "sses") || !strcmp(out + n - 3, "xes") || !strcmp(out + n - 4, "ches")))
        out[n - 2] = '\0';
    else if (n > 2 && out[n - 1] == 's' && out[n - 2] != 's')
        out[n - 1] = '\0';
}

static bool generic(const char *key)
{
    static const char *const names[] = {
        "id", "key", "code", "no", "nr", "number", "name", "pk", "uid", "rowid", NULL
    };
    for (size_t i = 0; names[i]; i++)
        if (!strcmp(names[i], key)) return true;
    return false;
}

static bool joined(const char *column, const char *a, const char *b)
{
    size_t n = strlen(a);
    return n && *b && !strncmp(column, a, n) && !strcmp(column + n, b);
}

/* start_station_id, home_team_id: the parent's name stands behind the part that it plays. */
static bool plays_part(const char *column, const struct parent *p)
{
    char tail[FOLDED_BYTES * 2];
    size_t n = strlen(column), one = strlen(p->one), key = strlen(p->key_name);
    if (one < 4) return false;
    memcpy(tail, p->one, one);
    bool whole = key > one && !strncmp(p->key_name, p->one, one); /* station_id of station */
    memcpy(tail + one, whole ? p->key_name + one : p->key_name, (whole ? key - one : key) + 1);
    size_t m = strlen(tail);
    return n > m && !strcmp(column + n - m, tail);
}

/* How well a column's name says that it refers to the parent; 0 = it does not. */
static int names_parent(const char *column, const struct parent *p)
{
    size_t n = strlen(column);
    if (p->whole) /* people of one name are not one person */
        return !strcmp(column, p->key_name) && !generic(column) && (n < 4 || strcmp(column + n - 4, "name")) ? 1 : 0;
    if (joined(column, p->one, p->key_name) || joined(column, p->name, p->key_name)) return 3;
    if (!strcmp(column, p->key_name) && !generic(column)) return !strncmp(column, p->one, strlen(p->one)) ? 3 : 2;
    if (joined(column, p->one, "id") || joined(column, p->one, "key") || joined(column, p->one, "code") ||
        joined(column, p->one, "no"))
        return 2;
    return !strcmp(column, p->one) || plays_part(column, p) ? 1 : 0;
}

static bool same_kind(const struct column *a, const struct column *b)
{
    enum type_kind x = a->type.kind, y = b->type.kind;
    return x == y || x == TYPE_UNKNOWN || y == TYPE_UNKNOWN ||
           ((x == TYPE_INTEGER || x == TYPE_DECIMAL) && (y == TYPE_INTEGER || y == TYPE_DECIMAL));
}

static bool declared(const struct table *t, const char *column)
{
    for (size_t i = 0; i < t->foreign_key_count; i++)
        for (size_t j = 0; j < t->foreign_keys[i].column_count; j++)
            if (!strcmp(t->foreign_keys[i].columns[j], column)) return true;
    return false;
}

static int orphan_row(struct indexer *x, void *ctx, const struct cell *cells, size_t count)
{
    (void)x, (void)cells;
    if (count) *(bool *)ctx = true;
    return OK;
}

/* Every value of the column stands in the parent's key: no row without a parent. */
static bool values_agree(struct indexer *x, const struct table *t, const struct column *col, const struct parent *p,
                         int *rc)
{
    struct call *c = x->call;
    bool orphan = false;
    struct query *match = query_select(c), *q = query_select(c);
    query_item(c, match, expr_integer(c, 1), "one");
    query_from(c, match, p->table->schema, p->table->name, "p");
    query_where(c, match, expr_binary(c, OP_EQ, expr_column(c, "p", p->key->name), expr_column(c, "t", col->name)));
    query_item(c, q, expr_integer(c, 1), "orphan");
    query_from(c, q, t->schema, t->name, "t");
    query_where(c, q, expr_negated(c, expr_is_null(c, expr_column(c, "t", col->name))));
    query_where(c, q, expr_negated(c, expr_exists(c, match)));
    query_limit(c, q, 1);
    return indexer_run(x, q, orphan_row, &orphan, rc) && !orphan;
}

static bool possible(const struct table *t, const struct column *col, const struct parent *p)
{
    if (p->table == t || !same_kind(col, p->key)) return false;
    /* Two keys of one name: the smaller table leans on the larger one. */
    if (col->primary_key && col->unique && t->row_count >= p->table->row_count) return false;
    return t->row_count <= 0 || col->null_count < t->row_count;
}

static void add_key(struct indexer *x, struct table *t, const struct column *col, const struct parent *p)
{
    struct foreign_key *keys = call_array(&x->keep, t->foreign_key_count + 1, sizeof *keys);
    const char **names = call_array(&x->keep, 2, sizeof *names);
    names[0] = col->name;
    names[1] = p->key->name;
    if (t->foreign_key_count) memcpy(keys, t->foreign_keys, t->foreign_key_count * sizeof *keys);
    keys[t->foreign_key_count++] = (struct foreign_key){ .columns = &names[0],
                                                         .column_count = 1,
                                                         .schema = p->table->schema,
                                                         .table = p->table->name,
                                                         .referred = &names[1],
                                                         .inferred = true };
    t->foreign_keys = keys;
}

/* Neither end changed since it was looked at. */
static bool settled(const struct indexer *x, const struct table *t, const struct table *parent)
{
    return x->kept[t - x->snapshot->tables] && x->kept[parent - x->snapshot->tables];
}

static int look_for_parent(struct indexer *x, struct table *t, const struct column *col, const struct list *parents)
{
    char name[FOLDED_BYTES];
    fold(col->name, name);
    for (int fit = 3; fit > 0; fit--) {
        for (size_t i = 0; i < parents->count; i++) {
            const struct parent *p = &LIST_AT(parents, struct parent, i);
            int rc = OK;
            if (names_parent(name, p) != fit || !possible(t, col, p) || settled(x, t, p->table)) continue;
            bool agree = values_agree(x, t, col, p, &rc);
            if (rc) return rc;
            if (!agree) continue;
            add_key(x, t, col, p);
            return OK;
        }
    }
    return OK;
}

static void add_parent(struct indexer *x, struct list *parents, const struct table *t, const struct column *key,
                       bool whole)
{
    struct parent *p = list_push(&x->keep, parents, sizeof *p);
    p->table = t;
    p->key = key;
    p->whole = whole;
    fold(t->name, p->name);
    singular(p->name, p->one);
    fold(key->name, p->key_name);
}

/* The primary key of one column. Where there is none, the columns whose values all differ: classroom of teachers. */
static void add_parents(struct indexer *x, struct list *parents, const struct table *t)
{
    const struct column *key = NULL;
    size_t members = 0;
    for (size_t j = 0; j < t->column_count; j++)
        if (t->columns[j].primary_key && ++members) key = &t->columns[j];
    if (members == 1) add_parent(x, parents, t, key, false);
    for (size_t j = 0; members != 1 && t->row_count > 1 && j < t->column_count; j++)
        if (t->columns[j].distinct_count >= t->row_count) add_parent(x, parents, t, &t->columns[j], true);
}

static struct list find_parents(struct indexer *x)
{
    struct list parents = { 0 };
    for (size_t i = 0; i < x->snapshot->table_count; i++)
        if (x->snapshot->tables[i].kind == TABLE_BASE) add_parents(x, &parents, &x->snapshot->tables[i]);
    return parents;
}

int index_keys(struct indexer *x)
{
    int rc = OK;
    if (x->snapshot->table_count > TABLES_MOST) return OK;
    struct list parents = find_parents(x);
    for (size_t i = 0; i < x->snapshot->table_count; i++) {
        struct table *t = &x->snapshot->tables[i];
        indexer_progress(x, "keys", i, x->snapshot->table_count, 50, 60);
        for (size_t j = 0; t->kind == TABLE_BASE && !rc && j < t->column_count && !indexer_late(x); j++) {
            struct arena_mark mark = arena_mark(&x->call->arena);
            if (!declared(t, t->columns[j].name)) rc = look_for_parent(x, t, &t->columns[j], &parents);
            if (!rc) arena_reset(&x->call->arena, mark);
        }
    }
    return rc;
}
