#include "plan/checker.h"
#include "plan/walk.h"

#include <string.h>
#include <strings.h>

static void add_error(struct checker *k, enum err_code code, const struct path *p, const char *text)
{
    const char *pointer = path_pointer(k->c, p);
    call_fail_at(k->c, code, pointer, "%s", text);
    if (k->errors++ < FINDINGS_MAX) call_finding(k->c, pointer, code_row(code)->name, "%s", text);
}

static void add_warning(struct checker *k, enum err_code code, const struct path *p, const char *text)
{
    if (k->origin == ORIGIN_SYSTEM || !k->out || k->out->warnings.count >= FINDINGS_MAX) return;
    struct plan_warning *w = list_push(k->c, &k->out->warnings, sizeof *w);
    *w = (struct plan_warning){ code_row(code)->name, path_pointer(k->c, p), text };
}

void report(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_error(k, code, p, call_vformat(k->c, fmt, ap));
    va_end(ap);
}

void warn(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_warning(k, code, p, call_vformat(k->c, fmt, ap));
    va_end(ap);
}

void report_by_origin(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = call_vformat(k->c, fmt, ap);
    va_end(ap);
    if (from_person(k))
        add_warning(k, code, p, text);
    else
        add_error(k, code, p, text);
}

void report_type(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = call_vformat(k->c, fmt, ap);
    va_end(ap);
    if (lenient(k))
        add_warning(k, code, p, text);
    else
        add_error(k, code, p, text);
}

bool has_feature(const struct checker *k, enum dialect_feature f)
{
    return (k->dialect->features & (unsigned)f) != 0;
}

bool from_person(const struct checker *k)
{
    return k->origin != ORIGIN_PLANNER && k->origin != ORIGIN_MODEL;
}

bool lenient(const struct checker *k)
{
    return has_feature(k, DIALECT_COERCES) && from_person(k);
}

void check_name(struct checker *k, const struct path *p, const char *name)
{
    if (name && strlen(name) > PLAN_NAME_BYTES)
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A name has at most %d bytes.", PLAN_NAME_BYTES);
}

/* ---- the result of a query ---- */

static void offer_items(struct checker *k, struct query *q, const struct path *body)
{
    const struct body *b = q->body;
    q->offer_count = b->select.item_count;
    q->offers = call_array(k->c, q->offer_count, sizeof *q->offers);
    for (size_t i = 0; i < q->offer_count; i++) {
        const struct select_item *item = &b->select.items[i];
        q->offers[i] = (struct source_column_info){ item->alias, item->expr->type, item->expr->nullable };
        if (item->expr->kind != EXPR_COLUMN) check_name(k, PATH(PATH_AT(PATH(body, "items"), i), "alias"), item->alias);
    }
    for (size_t i = 0; i < q->offer_count && !from_person(k); i++)
        for (size_t n = 0; n < i; n++)
            if (!strcasecmp(q->offers[i].name, q->offers[n].name)) {
                report(k, ERR_AMBIGUOUS_NAME, PATH(PATH_AT(PATH(body, "items"), i), "alias"),
                       "Two select items have the alias '%s'.", q->offers[i].name);
                break;
            }
}

static void check_output(struct checker *k, const struct path *p, const struct query *q, struct expr *e)
{
    size_t found = 0;
    e->type = (struct value_type){ 0 };
    e->nullable = true;
    for (size_t i = 0; i < q->offer_count; i++) {
        if (strcasecmp(q->offers[i].name, e->output.name)) continue;
        if (!found++) e->output.index = i;
    }
    if (found == 1) {
        e->type = q->offers[e->output.index].type;
        e->nullable = q->offers[e->output.index].nullable;
        return;
    }
    const char **names = call_array(k->c, q->offer_count, sizeof *names);
    for (size_t i = 0; i < q->offer_count; i++) names[i] = q->offers[i].name;
    if (found)
        report(k, ERR_AMBIGUOUS_NAME, PATH(p, "name"), "Several result columns are called '%s'.", e->output.name);
    else
        report(k, ERR_COLUMN_NOT_FOUND, PATH(p, "name"), "There is no result column '%s'. There are: %s.",
               e->output.name, list_names(k->c, e->output.name, names, q->offer_count));
}

/* What SELECT DISTINCT does not show has no single value to order by. */
static bool shown(const struct query *q, const struct expr *e)
{
    for (size_t i = 0; i < q->body->select.item_count; i++)
        if (expr_equal(q->body->select.items[i].expr, e)) return true;
    return false;
}

static void check_order(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    const struct context x = { .place = PLACE_ORDER };
    bool select = q->body->kind == BODY_SELECT;
    for (size_t i = 0; i < q->order_by.count; i++) {
        const struct path *at = PATH(PATH_AT(PATH(p, "order_by"), i), "expr");
        struct expr *e = q->order_by.items[i].expr;
        if (e->kind == EXPR_OUTPUT) {
            check_output(k, at, q, e);
        } else if (!select) {
            report(k, ERR_INVALID_PLAN_STRUCTURE, at, "Only result columns may order a %s: use {\"kind\": \"output\"}.",
                   q->body->kind == BODY_SET ? "set operation" : "values list");
        } else if (e->kind == EXPR_LITERAL) {
            report(k, ERR_INVALID_PLAN_STRUCTURE, at, "A constant orders nothing; name a result column or a column.");
        } else {
            check_expr(k, s, &x, at, &q->order_by.items[i].expr);
            if (q->body->select.distinct && !has_feature(k, DIALECT_DISTINCT_ORDER) && !shown(q, e))
                report(k, ERR_INVALID_PLAN_STRUCTURE, at,
                       "With distinct, a result is ordered only by what it shows; add this expression to the items.");
        }
    }
}

static void check_count(struct checker *k, struct scope *s, const struct path *p, struct expr **slot)
{
    const struct context x = { .place = PLACE_LIMIT };
    struct expr *e = *slot;
    if (!e) return;
    check_expr(k, s, &x, p, slot);
    e = *slot;
    if (e->kind == EXPR_LITERAL) {
        if (e->literal.null || e->type.kind != TYPE_INTEGER || !literal_valid(TYPE_INTEGER, e->literal.text) ||
            *e->literal.text == '-' || strlen(e->literal.text) > 18)
            report(k, ERR_INVALID_PLAN_STRUCTURE, p, "This is a whole number of rows that is not negative.");
        return;
    }
    if (!has_feature(k, DIALECT_LIMIT_EXPRESSION))
        report(k, ERR_PLAN_NOT_SUPPORTED, p, "%s takes only a number here.", k->dialect->name);
    if (!type_is_any(e->type) && e->type.kind != TYPE_INTEGER)
        report(k, ERR_TYPE_MISMATCH, p, "A number of rows is an integer, not %s.", type_text(k->c, e->type));
}

/* ---- bodies ---- */

static void check_select(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    struct body *b = q->body;
    const struct path *body = PATH(p, "body");
    const struct context item = { .place = PLACE_ITEM }, group = { .place = PLACE_GROUP };
    b->select.aggregated = false;
    if (b->select.from) bind_from(k, s, PATH(body, "from"), b->select.from);
    if (b->select.where) check_condition(k, s, PLACE_WHERE, PATH(body, "where"), &b->select.where);
    for (size_t i = 0; i < b->select.group_by.count; i++) {
        const struct path *at = PATH_AT(PATH(body, "group_by"), i);
        check_expr(k, s, &group, at, &b->select.group_by.items[i]);
        if (b->select.group_by.items[i]->kind == EXPR_LITERAL)
            report(k, ERR_INVALID_PLAN_STRUCTURE, at, "A constant groups nothing; leave it out.");
    }
    if (b->select.having) check_condition(k, s, PLACE_HAVING, PATH(body, "having"), &b->select.having);
    if (!b->select.item_count)
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(body, "items"), "A select shows at least one item.");
    for (size_t i = 0; i < b->select.item_count; i++)
        check_expr(k, s, &item, PATH(PATH_AT(PATH(body, "items"), i), "expr"), &b->select.items[i].expr);
    offer_items(k, q, body);
    check_order(k, s, p, q);
    check_grouping(k, s, p, q);
    check_joins(k, s, p, q);
}

static void check_set(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    struct body *b = q->body;
    const struct path *body = PATH(p, "body");
    bool all = b->set.op == SET_INTERSECT_ALL || b->set.op == SET_EXCEPT_ALL;
    bool plain = b->set.op == SET_INTERSECT || b->set.op == SET_EXCEPT;
    if ((all && !has_feature(k, DIALECT_INTERSECT_ALL)) || (plain && !has_feature(k, DIALECT_INTERSECT)))
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(body, "op"), "%s does not have this set operation.", k->dialect->name);
    check_query(k, s->up, s->ctes, PATH(body, "left"), b->set.left);
    check_query(k, s->up, s->ctes, PATH(body, "right"), b->set.right);
    const struct query *left = b->set.left, *right = b->set.right;
    if (left->offer_count != right->offer_count)
        report(k, ERR_WRONG_ARITY, body, "The left side has %zu columns and the right side %zu.", left->offer_count,
               right->offer_count);
    q->offer_count = left->offer_count;
    q->offers = call_array(k->c, q->offer_count, sizeof *q->offers);
    for (size_t i = 0; i < q->offer_count; i++) {
        q->offers[i] = left->offers[i];
        if (i >= right->offer_count) continue;
        q->offers[i].nullable |= right->offers[i].nullable;
        if (type_common(left->offers[i].type, right->offers[i].type, &q->offers[i].type)) continue;
        q->offers[i].type = (struct value_type){ 0 };
        report_type(k, ERR_TYPE_MISMATCH, body, "Column %zu is %s on the left side and %s on the right side.", i + 1,
                    type_text(k->c, left->offers[i].type), type_text(k->c, right->offers[i].type));
    }
    check_order(k, s, p, q);
}

static void check_row(struct checker *k, struct scope *s, const struct path *p, struct query *q, size_t row)
{
    const struct context x = { .place = PLACE_VALUES };
    struct exprs *l = &q->body->values.rows[row];
    if (l->count != q->offer_count) {
        report(k, ERR_WRONG_ARITY, p, "This row has %zu values, the first one %zu.", l->count, q->offer_count);
        return;
    }
    for (size_t i = 0; i < l->count; i++) {
        check_expr(k, s, &x, PATH_AT(p, i), &l->items[i]);
        q->offers[i].nullable |= l->items[i]->nullable;
        if (!row) {
            q->offers[i].type = l->items[i]->type;
        } else if (!type_common(q->offers[i].type, l->items[i]->type, &q->offers[i].type)) {
            report_type(k, ERR_TYPE_MISMATCH, PATH_AT(p, i), "This value is %s where the rows before have %s.",
                        type_text(k->c, l->items[i]->type), type_text(k->c, q->offers[i].type));
            q->offers[i].type = (struct value_type){ 0 };
        }
    }
}

static void check_values(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    const struct path *rows = PATH(PATH(p, "body"), "rows");
    struct body *b = q->body;
    if (!has_feature(k, DIALECT_VALUES_BODY))
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "body"), "%s has no list of values as a query.", k->dialect->name);
    if (!b->values.count || !b->values.rows[0].count) {
        report(k, ERR_INVALID_PLAN_STRUCTURE, rows, "Values have at least one row of at least one value.");
        return;
    }
    q->offer_count = b->values.rows[0].count;
    q->offers = call_array(k->c, q->offer_count, sizeof *q->offers);
    for (size_t i = 0; i < q->offer_count; i++) q->offers[i].name = call_format(k->c, "column%zu", i + 1);
    for (size_t i = 0; i < b->values.count; i++) check_row(k, s, PATH_AT(rows, i), q, i);
    check_order(k, s, p, q);
}

/* ---- common table expressions ---- */

struct self_search {
    const char *name;
    size_t found;
};

static bool find_self(void *ctx, struct source *s)
{
    struct self_search *search = ctx;
    if (s->kind == SOURCE_CTE && s->name && !strcasecmp(s->name, search->name)) search->found++;
    return true;
}

static size_t count_self(struct query *q, const char *name, bool flat)
{
    struct self_search search = { .name = name };
    struct plan_visitor v = { .ctx = &search, .source = find_self, .flat = flat };
    plan_walk(&v, q);
    return search.found;
}

static void offer_cte(struct checker *k, const struct path *p, struct cte *t, const struct query *q)
{
    t->offer_count = q->offer_count;
    t->offers = call_array(k->c, q->offer_count, sizeof *t->offers);
    if (q->offer_count) memcpy(t->offers, q->offers, q->offer_count * sizeof *t->offers);
    if (!t->column_count) return;
    if (t->column_count != t->offer_count) {
        report(k, ERR_WRONG_ARITY, PATH(p, "columns"), "%zu column names are given for a query of %zu columns.",
               t->column_count, t->offer_count);
        return;
    }
    for (size_t i = 0; i < t->offer_count; i++) t->offers[i].name = t->columns[i];
}

/* The recursive member reads its own rows once, in its FROM, and neither groups nor thins them out. */
static void check_member(struct checker *k, const struct path *p, struct query *q, const char *name)
{
    const struct body *b = q->body;
    if (b->kind != BODY_SELECT || q->cte_count || count_self(q, name, true) != 1 || count_self(q, name, false) != 1)
        report(k, ERR_PLAN_NOT_SUPPORTED, p,
               "The recursive side is one select that reads '%s' exactly once, in its from.", name);
    else if (b->select.aggregated || b->select.distinct || q->order_by.count || q->limit || q->offset)
        report(k, ERR_PLAN_NOT_SUPPORTED, p, "The recursive side cannot group, be distinct, be ordered or be limited.");
}

/* How a recursion ends: by itself, by counting to a bound, by a cap. A cap is seen when it is reached only at the top.
 */
static void check_end(struct checker *k, const struct path *query, struct cte *t, bool top)
{
    t->counted = recursion_counted(t);
    if (!recursion_ends(t))
        report(k, ERR_PLAN_NOT_SUPPORTED, query, "'%s' never ends: its step needs a condition.", t->name);
    else if (!has_feature(k, DIALECT_RECURSIVE_CAP) && !t->counted)
        report(
            k, ERR_PLAN_NOT_SUPPORTED, query,
            "A recursive query cannot be capped in %s: let a column count the steps from a number, and compare it with "
            "a number at most 10,000 steps away.",
            k->dialect->name);
    else if (!t->counted && !top)
        report(k, ERR_PLAN_NOT_SUPPORTED, query,
               "A recursive query that may need its cap stands in the outermost WITH.");
}

static void check_recursive(struct checker *k, struct scope *up, const struct cte_env *outer, const struct path *p,
                            struct cte *t, bool top)
{
    struct query *q = t->query;
    struct body *b = q->body;
    const struct path *query = PATH(p, "query"), *body = PATH(query, "body");
    struct cte_env self = { .up = outer, .cte = t };
    if (b->kind != BODY_SET || (b->set.op != SET_UNION && b->set.op != SET_UNION_ALL) || q->cte_count ||
        count_self(b->set.left, t->name, false)) {
        report(k, ERR_INVALID_PLAN_STRUCTURE, query,
               "A recursive query is a union of a start that does not read '%s' and a step that does.", t->name);
        return;
    }
    if (q->order_by.count || q->limit || q->offset)
        report(k, ERR_PLAN_NOT_SUPPORTED, query, "Order and limit the query that reads '%s', not '%s' itself.", t->name,
               t->name);
    check_query(k, up, outer, PATH(body, "left"), b->set.left);
    offer_cte(k, p, t, b->set.left);
    for (size_t i = 0; i < t->offer_count; i++) t->offers[i].nullable = true;
    check_query(k, up, &self, PATH(body, "right"), b->set.right);
    check_member(k, PATH(body, "right"), b->set.right, t->name);
    if (b->set.right->offer_count != t->offer_count)
        report(k, ERR_WRONG_ARITY, body, "The start has %zu columns and the step %zu.", t->offer_count,
               b->set.right->offer_count);
    for (size_t i = 0; i < t->offer_count && i < b->set.right->offer_count; i++) {
        struct value_type common;
        if (!type_common(t->offers[i].type, b->set.right->offers[i].type, &common))
            report_type(k, ERR_TYPE_MISMATCH, body, "Column %zu is %s in the start and %s in the step.", i + 1,
                        type_text(k->c, t->offers[i].type), type_text(k->c, b->set.right->offers[i].type));
    }
    q->offers = t->offers;
    q->offer_count = t->offer_count;
    check_end(k, query, t, top);
}

static void check_cte(struct checker *k, struct scope *up, const struct cte_env *outer, const struct path *p,
                      struct query *q, size_t i)
{
    struct cte *t = &q->ctes[i];
    k->has_ctes = true;
    for (size_t n = 0; n < i; n++)
        if (!strcasecmp(q->ctes[n].name, t->name))
            report(k, ERR_AMBIGUOUS_NAME, PATH(p, "name"), "Two common table expressions are called '%s'.", t->name);
    check_name(k, PATH(p, "name"), t->name);
    t->recurses = t->recursive && count_self(t->query, t->name, false) > 0;
    if (t->recurses) {
        check_recursive(k, up, outer, p, t, q == k->root);
    } else {
        check_query(k, up, outer, PATH(p, "query"), t->query);
        offer_cte(k, p, t, t->query);
    }
}

/* ---- a query ---- */

void check_query(struct checker *k, struct scope *up, const struct cte_env *outer, const struct path *p,
                 struct query *q)
{
    q->offers = NULL;
    q->offer_count = 0;
    if (q->cte_count && p && !has_feature(k, DIALECT_NESTED_WITH))
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "with"), "%s takes 'with' only around the whole query.",
               k->dialect->name);
    struct cte_env *env = call_array(k->c, q->cte_count, sizeof *env);
    for (size_t i = 0; i < q->cte_count; i++) {
        check_cte(k, up, outer, PATH_AT(PATH(p, "with"), i), q, i);
        env[i] = (struct cte_env){ .up = outer, .cte = &q->ctes[i] };
        outer = &env[i];
    }
    struct scope s = { .up = up, .ctes = outer };
    struct source *sources[PLAN_SOURCES_MAX];
    s.sources = sources;
    switch (q->body->kind) {
    case BODY_SELECT:
        check_select(k, &s, p, q);
        break;
    case BODY_SET:
        check_set(k, &s, p, q);
        break;
    case BODY_VALUES:
        check_values(k, &s, p, q);
        break;
    }
    check_count(k, &s, PATH(p, "limit"), &q->limit);
    check_count(k, &s, PATH(p, "offset"), &q->offset);
}

/* ---- the whole plan ---- */

struct name_search {
    const char *name;
    bool table, cte; /* some source reads a table, a CTE of the name */
};

static bool find_name(void *ctx, struct source *s)
{
    struct name_search *n = ctx;
    if (s->kind != SOURCE_QUERY && !strcasecmp(s->name, n->name)) {
        n->table |= s->kind == SOURCE_TABLE;
        n->cte |= s->kind == SOURCE_CTE;
    }
    return true;
}

static struct name_search search_name(struct query *q, const char *name)
{
    struct name_search n = { .name = name };
    struct plan_visitor v = { .ctx = &n, .source = find_name };
    plan_walk(&v, q);
    return n;
}

static bool rename_ctes(void *ctx, struct query *q)
{
    struct checker *k = ctx;
    for (size_t i = 0; i < q->cte_count; i++) {
        if (!search_name(k->root, q->ctes[i].name).table) continue;
        const char *was = q->ctes[i].name, *name = call_format(k->c, "%s_cte", was);
        for (int n = 2;; n++) {
            struct name_search used = search_name(k->root, name);
            if (!used.table && !used.cte) break;
            name = call_format(k->c, "%s_cte%d", was, n);
        }
        q->ctes[i].name = name;
    }
    return true;
}

static bool rename_cte_sources(void *ctx, struct source *s)
{
    (void)ctx;
    if (s->cte) s->name = s->cte->name;
    return true;
}

/* Once written as SQL, a CTE would hide a table of the same name that the plan reads: it gets another one. */
static void uncover_tables(struct checker *k)
{
    struct plan_visitor ctes = { .ctx = k, .query = rename_ctes };
    struct plan_visitor sources = { .ctx = k, .source = rename_cte_sources };
    plan_walk(&ctes, k->root);
    plan_walk(&sources, k->root);
}

int plan_check(struct call *c, const struct view *view, const struct dialect_support *dialect, enum origin origin,
               struct query *q, struct check_result *out)
{
    struct checker k = { .c = c, .view = view, .dialect = dialect, .origin = origin, .out = out, .root = q };
    if (out) *out = (struct check_result){ 0 };
    check_size(&k, q);
    if (!k.errors) check_query(&k, NULL, NULL, NULL, q);
    if (k.errors) return (int)c->err.code;
    if (k.has_ctes) uncover_tables(&k);
    return OK;
}
