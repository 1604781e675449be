#include "sql/bind.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_MAX (4u * PLAN_SOURCES_MAX)

#define NAMES_SHOWN 15

int fail_bind(struct binder *b, enum err_code code, uint32_t at, const char *fmt, ...)
{
    if (b->call->err.code) return (int)b->call->err.code;
    va_list ap;
    va_start(ap, fmt);
    const char *what = call_vformat(b->call, fmt, ap);
    va_end(ap);
    call_fail(b->call, code, "%s", what);
    call_hint(b->call, "See %s.", lex_position(b->call, b->text, b->n, at));
    return (int)code;
}

int fail_unsupported(struct binder *b, uint32_t at, const char *fmt, ...)
{
    if (b->call->err.code) return (int)b->call->err.code;
    va_list ap;
    va_start(ap, fmt);
    const char *what = call_vformat(b->call, fmt, ap);
    va_end(ap);
    return call_fail(b->call, ERR_PLAN_NOT_SUPPORTED, "The SQL could not be parsed: %s is not supported, at %s.", what,
                     lex_position(b->call, b->text, b->n, at));
}

static const char *lower(struct call *c, const char *s)
{
    char *copy = call_strdup(c, s);
    for (char *p = copy; *p; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p | 0x20);
    return copy;
}

const char *ident_text(struct binder *b, const struct ident *i)
{
    if (b->tongue != TONGUE_POSTGRES || i->quote) return i->text;
    for (const char *p = i->text; *p; p++)
        if (*p >= 'A' && *p <= 'Z') return lower(b->call, i->text);
    return i->text;
}

bool names_left(struct binder *b, uint32_t at)
{
    if (b->aliases.count < NAMES_MAX) return true;
    fail_bind(b, ERR_PLAN_TOO_LARGE, at, "The query has more than %d sources.", PLAN_SOURCES_MAX);
    return false;
}

const char *name_unique(struct binder *b, const char *wanted)
{
    const char *name = *wanted ? wanted : "t";
    for (unsigned number = 2;; number++) {
        bool taken = false;
        for (size_t i = 0; i < b->aliases.count && !taken; i++)
            taken = strcasecmp(LIST_AT(&b->aliases, const char *, i), name) == 0;
        if (!taken) break;
        name = call_format(b->call, "%s_%u", *wanted ? wanted : "t", number);
    }
    *(const char **)list_push(b->call, &b->aliases, sizeof(const char *)) = name;
    return name;
}

struct range *scope_add(struct binder *b, struct scope *s)
{
    if (s->count == s->room) {
        size_t room = s->room ? s->room * 2 : 4;
        s->ranges = arena_grow(&b->call->arena, s->ranges, s->room * sizeof *s->ranges, room * sizeof *s->ranges);
        s->room = room;
    }
    struct range *r = &s->ranges[s->count++];
    *r = (struct range){ 0 };
    return r;
}

size_t range_width(const struct range *r)
{
    return r->columns ? r->column_count : r->table ? r->table->column_count : 0;
}

struct offered range_column(const struct range *r, size_t i)
{
    if (r->columns) return r->columns[i];
    const struct column *c = &r->table->columns[i];
    return (struct offered){ .name = c->name, .table = r->plan_alias, .column = c->name, .type = c->type };
}

struct expr *offered_expr(struct binder *b, const struct offered *o)
{
    struct expr *e;
    if (o->merged) {
        e = call_alloc(b->call, sizeof *e);
        *e = *o->merged;
        struct expr *args[] = { call_alloc(b->call, sizeof **args), call_alloc(b->call, sizeof **args) };
        for (size_t i = 0; i < 2; i++) *args[i] = *o->merged->call.args.items[i];
        e = call_plan(b, "coalesce", 2, args);
    } else {
        e = expr_column(b->call, o->table, o->column);
    }
    if (e) e->type = o->type;
    return bind_keep(b, e);
}

/* ---- tables ---- */

static int by_name(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

void fail_table(struct binder *b, const char *name)
{
    if (b->call->err.code) return;
    const struct view *v = b->view;
    const char **names = call_array(b->call, v->table_count + 1, sizeof *names);
    for (size_t i = 0; i < v->table_count; i++) names[i] = v->tables[i].name;
    qsort(names, v->table_count, sizeof *names, by_name);
    struct buf list;
    buf_init(&list, b->call, 16384);
    size_t shown = 0;
    for (size_t i = 0; i < v->table_count && shown < NAMES_SHOWN; i++, shown++)
        buf_format(&list, "%s%s", shown ? ", " : "", names[i]);
    if (v->table_count > shown) buf_format(&list, " and %zu more", v->table_count - shown);
    call_fail(b->call, ERR_TABLE_NOT_FOUND, "Table '%.128s' is not available. Available tables: %s.", name,
              shown ? list.data : "none");
    const char *nearest = nearest_name(name, (names[v->table_count] = NULL, names));
    if (nearest && strcasecmp(nearest, name) != 0) call_hint(b->call, "Did you mean the table '%s'?", nearest);
}

/* The schema that an engine looks in first when a name stands for several tables. */
static const char *usual_schema(enum tongue t)
{
    return t == TONGUE_POSTGRES ? "public" : t == TONGUE_MSSQL ? "dbo" : t == TONGUE_DUCKDB ? "main" : NULL;
}

const struct table *bind_table(struct binder *b, const struct idents *name)
{
    const struct view *v = b->view;
    size_t matches = 0;
    const struct ident *last = &name->items[name->count - 1];
    const struct table *t = NULL;
    if (name->count <= 2) {
        const char *schema = name->count == 2 ? name->items[0].text : NULL;
        t = schema_find(v->tables, v->table_count, &v->names, schema, last->text, &matches);
        if (!t && !schema && matches > 1 && usual_schema(b->tongue))
            t = schema_find(v->tables, v->table_count, &v->names, usual_schema(b->tongue), last->text, &matches);
    }
    if (t) return t;
    if (name->count > 1)
        call_fail(b->call, ERR_SQL_NOT_ALLOWED, "Use plain table names, without a schema or catalog prefix.");
    else if (matches > 1)
        call_fail(b->call, ERR_AMBIGUOUS_NAME, "The table name '%.128s' stands for %zu tables; name its schema.",
                  last->text, matches);
    else
        fail_table(b, last->text);
    return NULL;
}

/* ---- columns ---- */

struct found {
    struct offered column;
    size_t exact, folded;
};

static void consider(struct found *f, struct offered o, const char *name)
{
    if (strcasecmp(o.name, name) != 0) return;
    bool exact = strcmp(o.name, name) == 0;
    if (exact ? f->exact == 0 : f->exact == 0 && f->folded == 0) f->column = o;
    if (exact)
        f->exact++;
    else
        f->folded++;
}

static bool is_one(const struct found *f)
{
    return f->exact ? f->exact == 1 : f->folded == 1;
}
static bool is_many(const struct found *f)
{
    return f->exact ? f->exact > 1 : f->folded > 1;
}

static void search_scope(const struct scope *s, const char *name, struct found *f)
{
    if (s->visible) {
        for (size_t i = 0; i < s->visible_count; i++) consider(f, s->visible[i], name);
        return;
    }
    for (size_t r = s->first; r < s->count; r++) {
        const struct range *range = &s->ranges[r];
        size_t width = range_width(range);
        for (size_t i = 0; i < width; i++) {
            /* Most names are not it: the first letter says so before a column is put together. */
            const char *candidate = range->columns ? range->columns[i].name : range->table->columns[i].name;
            if ((candidate[0] ^ name[0]) & 0xDF) continue;
            consider(f, range_column(range, i), name);
        }
    }
}

static void list_columns(struct binder *b, const struct scope *s, struct buf *out)
{
    size_t shown = 0, more = 0;
    for (size_t r = s->first; r < s->count; r++)
        for (size_t i = 0; i < range_width(&s->ranges[r]); i++) {
            if (shown == NAMES_SHOWN) {
                more++;
                continue;
            }
            buf_format(out, "%s%s.%s", shown++ ? ", " : "", s->ranges[r].name, range_column(&s->ranges[r], i).name);
        }
    if (more) buf_format(out, " and %zu more", more);
    (void)b;
}

static struct expr *fail_column(struct binder *b, const struct scope *s, const struct node *n, const char *name)
{
    struct buf list;
    buf_init(&list, b->call, 16384);
    list_columns(b, s, &list);
    if (list.len)
        fail_bind(b, ERR_COLUMN_NOT_FOUND, n->at, "There is no column '%.128s'. There are: %s.", name, list.data);
    else
        fail_bind(b, ERR_COLUMN_NOT_FOUND, n->at, "There is no column '%.128s': nothing is selected from.", name);
    return NULL;
}

/* The select item that an alias names, bound anew. */
static struct expr *open_alias(struct binder *b, struct scope *s, const char *name, bool *is_alias)
{
    *is_alias = false;
    if (!s->aliases || !s->select || b->alias_depth >= 16) return NULL;
    for (size_t i = 0; i < s->select->item_count; i++) {
        const struct syntax_item *item = &s->select->items[i];
        if (!item->alias.text || strcasecmp(item->alias.text, name) != 0) continue;
        /* An alias means the column of that name when its expression is just that. */
        *is_alias = true;
        bool before = s->aliases;
        s->aliases = b->tongue == TONGUE_DUCKDB;
        b->alias_depth++;
        struct expr *e = bind_expr(b, s, item->expr);
        b->alias_depth--;
        s->aliases = before;
        return e;
    }
    return NULL;
}

static struct expr *bind_bare(struct binder *b, struct scope *s, const struct node *n, bool text_ok)
{
    const struct ident *last = &n->name.items[0];
    const char *name = ident_text(b, last);
    bool is_alias;
    for (struct scope *at = s; at; at = at->up) {
        struct found f = { 0 };
        if (at->no_columns) continue;
        if (at->aliases_first) {
            struct expr *e = open_alias(b, at, name, &is_alias);
            if (is_alias) return e;
        }
        search_scope(at, name, &f);
        if (is_one(&f)) return offered_expr(b, &f.column);
        if (is_many(&f)) {
            fail_bind(b, ERR_AMBIGUOUS_NAME, n->at, "The column '%.128s' is in more than one table here; say which.",
                      name);
            return NULL;
        }
        struct expr *e = open_alias(b, at, name, &is_alias);
        if (is_alias) return e;
    }
    if (text_ok && last->quote == '"' && b->tongue == TONGUE_SQLITE)
        return bind_keep(b, expr_text(b->call, last->text));
    return fail_column(b, s, n, name);
}

static bool same_range(const struct range *r, const struct idents *name, size_t qualifiers)
{
    if (strcasecmp(r->name, name->items[qualifiers - 1].text) != 0) return false;
    return qualifiers == 1 || (r->schema && strcasecmp(r->schema, name->items[0].text) == 0);
}

struct range *find_range(struct scope *s, const struct idents *name, size_t qualifiers)
{
    struct range *folded = NULL;
    for (size_t i = s->first; i < s->count; i++) {
        if (!same_range(&s->ranges[i], name, qualifiers)) continue;
        if (strcmp(s->ranges[i].name, name->items[qualifiers - 1].text) == 0) return &s->ranges[i];
        if (!folded) folded = &s->ranges[i];
    }
    return folded;
}

static struct expr *bind_qualified(struct binder *b, struct scope *s, const struct node *n)
{
    size_t qualifiers = n->name.count - 1;
    if (qualifiers > 2) {
        call_fail(b->call, ERR_SQL_NOT_ALLOWED, "Use plain table names, without a schema or catalog prefix.");
        return NULL;
    }
    const char *name = ident_text(b, &n->name.items[qualifiers]);
    for (struct scope *at = s; at; at = at->up) {
        const struct range *r = at->no_columns ? NULL : find_range(at, &n->name, qualifiers);
        if (!r) continue;
        struct found f = { 0 };
        size_t width = range_width(r);
        for (size_t i = 0; i < width; i++) consider(&f, range_column(r, i), name);
        if (is_one(&f)) return offered_expr(b, &f.column);
        struct scope one = { .ranges = (struct range *)(uintptr_t)r, .count = 1 };
        if (is_many(&f)) {
            fail_bind(b, ERR_AMBIGUOUS_NAME, n->at, "Several columns of '%s' are called '%.128s'.", r->name, name);
            return NULL;
        }
        return fail_column(b, &one, n, name);
    }
    struct buf list;
    buf_init(&list, b->call, 16384);
    for (size_t i = 0; i < s->count; i++) buf_format(&list, "%s%s", i ? ", " : "", s->ranges[i].name);
    fail_bind(b, ERR_COLUMN_NOT_FOUND, n->at, "No table here is called '%.128s'. There are: %s.",
              n->name.items[qualifiers - 1].text, list.len ? list.data : "none");
    return NULL;
}

struct expr *bind_name(struct binder *b, struct scope *s, const struct node *n, bool text_ok)
{
    return n->name.count == 1 ? bind_bare(b, s, n, text_ok) : bind_qualified(b, s, n);
}
