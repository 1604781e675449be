#include "sql/parse.h"

#include <string.h>

struct syntax_query *query_new(struct parser *p, enum syntax_query_kind kind, uint32_t at)
{
    if (++p->nodes > SYNTAX_NODES_MAX) {
        parse_fail(p, "a smaller statement");
        return NULL;
    }
    struct syntax_query *q = call_alloc(p->call, sizeof *q);
    q->kind = kind;
    q->at = at;
    q->height = 1;
    return q;
}

static struct syntax_query *parse_term(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (t->kind == '(') {
        uint32_t at = take_token(p).at;
        if (!parse_deeper(p)) return NULL;
        struct syntax_query *inner = parse_query(p);
        parse_shallower(p);
        if (!inner || !expect_kind(p, ')', "')'")) return NULL;
        if (!inner->cte_count && !inner->order.count && !inner->limit && !inner->offset &&
            !(inner->kind == QUERY_SELECT && inner->select->top))
            return inner;
        struct syntax_query *q = query_new(p, QUERY_NESTED, at);
        if (q) q->left = inner;
        return q;
    }
    switch (t->kind == TOKEN_WORD ? t->keyword : 0) {
    case KW_SELECT:
        return parse_select(p);
    case KW_FROM:
        return p->tongue == TONGUE_DUCKDB ? parse_select(p) : parse_fail(p, "SELECT");
    case KW_VALUES:
        return parse_values(p);
    case KW_TABLE:
        if (at_query(p, 0)) return parse_table(p);
        break;
    case KW_WITH:
        return parse_query(p);
    default:
        break;
    }
    if (p->tongue == TONGUE_DUCKDB && (at_word(p, KW_PIVOT) || at_word(p, KW_UNPIVOT))) {
        refuse_feature(p, t->at, at_word(p, KW_PIVOT) ? "PIVOT" : "UNPIVOT");
        struct syntax_query *q = query_new(p, QUERY_VALUES, t->at);
        return skip_clause(p) ? q : NULL;
    }
    if (starts_other_statement(t)) {
        refuse_write(p, t->at, "the statement");
        return NULL;
    }
    return parse_fail(p, "SELECT");
}

/* 1 for UNION, EXCEPT and, in SQLite, INTERSECT; 2 for INTERSECT, which binds tighter elsewhere; 0 = no set operator.
 */
static int set_level(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (t->kind != TOKEN_WORD) return 0;
    if (t->keyword == KW_UNION || t->keyword == KW_EXCEPT) return 1;
    if (t->keyword == KW_MINUS && p->tongue == TONGUE_MYSQL) return 1;
    if (t->keyword == KW_INTERSECT) return p->tongue == TONGUE_SQLITE ? 1 : 2;
    return 0;
}

static enum set_op parse_set_op(struct parser *p)
{
    struct token t = take_token(p);
    bool all = take_word_if(p, KW_ALL);
    if (!all) take_word_if(p, KW_DISTINCT);
    if (t.keyword == KW_UNION) return all ? SET_UNION_ALL : SET_UNION;
    if (t.keyword == KW_INTERSECT) return all ? SET_INTERSECT_ALL : SET_INTERSECT;
    return all ? SET_EXCEPT_ALL : SET_EXCEPT;
}

static struct syntax_query *parse_sets(struct parser *p, struct syntax_query *left, int least)
{
    for (int level; left && (level = set_level(p)) >= least && level > 0;) {
        struct syntax_query *q = query_new(p, QUERY_SET, left->at);
        if (!q) return NULL;
        q->op = parse_set_op(p);
        const struct token *t = peek_token(p, 0);
        if (token_is(t, "by") && token_is(peek_token(p, 1), "name")) {
            refuse_feature(p, take_token(p).at, "UNION BY NAME");
            take_token(p);
        } else if (token_is(t, "corresponding")) {
            refuse_feature(p, take_token(p).at, "CORRESPONDING");
        }
        struct syntax_query *right = parse_term(p);
        if (right && set_level(p) > level) right = parse_sets(p, right, level + 1);
        if (!right) return NULL;
        q->left = left;
        q->right = right;
        unsigned height = left->height > right->height ? left->height : right->height;
        if (height >= SYNTAX_HEIGHT_MAX) {
            call_fail(p->call, ERR_PLAN_TOO_LARGE, "The SQL could not be parsed: too many set operators.");
            return NULL;
        }
        q->height = (uint16_t)(height + 1);
        left = q;
    }
    return left;
}

bool parse_order_by(struct parser *p, struct order_terms *out)
{
    take_token(p);
    if (token_is(peek_token(p, 0), "siblings")) return parse_fails(p, "BY after ORDER");
    if (!expect_word(p, KW_BY, "BY after ORDER")) return false;
    do {
        if (out->count == out->room) {
            size_t room = out->room ? out->room * 2 : 2;
            out->items =
                arena_grow(&p->call->arena, out->items, out->room * sizeof *out->items, room * sizeof *out->items);
            out->room = room;
        }
        struct order_term *term = &out->items[out->count++];
        *term = (struct order_term){ .at = peek_token(p, 0)->at };
        const struct token *t = peek_token(p, 0);
        if (t->keyword == KW_ALL && p->tongue == TONGUE_DUCKDB) {
            refuse_feature(p, t->at, "ORDER BY ALL");
            take_token(p);
            term->expr = node_new(p, NODE_OTHER, term->at);
        } else {
            term->expr = parse_expr(p, BIND_ANY);
        }
        if (!term->expr) return false;
        if (take_word_if(p, KW_DESC))
            term->descending = true;
        else
            take_word_if(p, KW_ASC);
        if (at_word(p, KW_USING)) {
            refuse_feature(p, take_token(p).at, "ORDER BY … USING");
            take_token(p);
        }
        if (take_word_if(p, KW_NULLS)) {
            if (take_word_if(p, KW_FIRST))
                term->nulls = NULLS_FIRST;
            else if (take_word_if(p, KW_LAST))
                term->nulls = NULLS_LAST;
            else
                return parse_fails(p, "FIRST or LAST");
        }
    } while (take_kind(p, ','));
    if (at_word(p, KW_WITH) && token_is(peek_token(p, 1), "fill")) return parse_fails(p, "the end of the statement");
    return true;
}

static bool take_rows_word(struct parser *p)
{
    return take_word_if(p, KW_ROWS) || take_word_if(p, KW_ROW);
}

static bool parse_limit(struct parser *p, struct syntax_query *q)
{
    uint32_t at = take_token(p).at;
    if (q->limit) return parse_fails(p, "one LIMIT only");
    if (at_word(p, KW_ALL) && p->tongue != TONGUE_MSSQL) {
        take_token(p);
        return true;
    }
    bool percent =
        p->tongue == TONGUE_DUCKDB && peek_token(p, 0)->kind == TOKEN_NUMBER && peek_token(p, 1)->kind == '%';
    struct node *n = percent ? parse_operand(p) : parse_expr(p, BIND_ANY);
    if (!n) return false;
    if (peek_token(p, 0)->kind == '%' || at_word(p, KW_PERCENT)) {
        refuse_feature(p, at, "LIMIT … PERCENT");
        take_token(p);
    }
    q->limit = n;
    if (peek_token(p, 0)->kind == ',' && (p->tongue == TONGUE_MYSQL || p->tongue == TONGUE_SQLITE)) {
        take_token(p);
        q->offset = n; /* LIMIT offset, count */
        q->limit = parse_expr(p, BIND_ANY);
        return q->limit != NULL;
    }
    if (token_is(peek_token(p, 0), "by")) refuse_feature(p, at, "LIMIT … BY");
    return true;
}

static bool parse_fetch(struct parser *p, struct syntax_query *q)
{
    take_token(p);
    if (!take_word_if(p, KW_FIRST) && !take_word_if(p, KW_NEXT)) return parse_fails(p, "FIRST or NEXT");
    if (at_word(p, KW_ROW) || at_word(p, KW_ROWS)) {
        q->limit = node_new(p, NODE_NUMBER, peek_token(p, 0)->at);
        if (!q->limit) return false;
        q->limit->text = "1";
    } else if (!(q->limit = parse_operand(p))) {
        return false;
    }
    if (at_word(p, KW_PERCENT)) refuse_feature(p, take_token(p).at, "FETCH … PERCENT");
    if (!take_rows_word(p)) return parse_fails(p, "ROWS");
    if (at_word(p, KW_WITH)) {
        refuse_feature(p, take_token(p).at, "WITH TIES");
        take_token(p);
        return true;
    }
    return expect_word(p, KW_ONLY, "ONLY");
}

bool at_query_tail(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (set_level(p)) return true;
    return t->kind == TOKEN_WORD &&
           (t->keyword == KW_ORDER || t->keyword == KW_LIMIT || t->keyword == KW_OFFSET || t->keyword == KW_FETCH);
}

/* FOR UPDATE, LOCK IN SHARE MODE and the like take locks; FOR XML and FOR JSON change what comes out. */
static bool parse_locks(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    bool lock = t->kind == TOKEN_WORD && (t->keyword == KW_FOR || (t->keyword == KW_LOCK && at_word_next(p, KW_IN)));
    if (!lock) return parse_into(p);
    if (token_is(peek_token(p, 1), "xml") || token_is(peek_token(p, 1), "json")) {
        refuse_feature(p, t->at, "FOR XML or FOR JSON");
        return skip_clause(p);
    }
    refuse_write(p, t->at, "the locking clause");
    return false;
}

static bool parse_tail(struct parser *p, struct syntax_query *q)
{
    if (at_word(p, KW_ORDER) && !parse_order_by(p, &q->order)) return false;
    for (;;) {
        const struct token *t = peek_token(p, 0);
        uint16_t keyword = t->kind == TOKEN_WORD ? t->keyword : 0;
        if (keyword == KW_LIMIT) {
            if (!parse_limit(p, q)) return false;
        } else if (keyword == KW_FETCH) {
            if (q->limit) return parse_fails(p, "one LIMIT only");
            if (!parse_fetch(p, q)) return false;
        } else if (keyword == KW_OFFSET) {
            take_token(p);
            if (q->offset) return parse_fails(p, "one OFFSET only");
            if (!(q->offset = parse_expr(p, BIND_ANY))) return false;
            take_rows_word(p);
        } else {
            break;
        }
    }
    if (p->tongue == TONGUE_MSSQL && at_word(p, KW_OPTION)) { /* hints of the optimiser change no answer */
        take_token(p);
        if (peek_token(p, 0)->kind != '(' || !skip_brackets(p)) return parse_fails(p, "'('");
    }
    return parse_locks(p);
}

static void reach_over(unsigned *tallest, const struct node *n)
{
    if (n && n->height > *tallest) *tallest = n->height;
}

static void reach_list(unsigned *tallest, const struct nodes *l)
{
    for (size_t i = 0; i < l->count; i++) reach_over(tallest, l->items[i]);
}

void reach_orders(unsigned *tallest, const struct order_terms *l)
{
    for (size_t i = 0; i < l->count; i++) reach_over(tallest, l->items[i].expr);
}

void reach_window(unsigned *tallest, const struct syntax_window *w)
{
    reach_list(tallest, &w->partition);
    reach_orders(tallest, &w->order);
    reach_over(tallest, w->start.offset);
    reach_over(tallest, w->end.offset);
}

static void reach_select(unsigned *tallest, const struct syntax_select *s)
{
    for (size_t i = 0; i < s->item_count; i++) reach_over(tallest, s->items[i].expr);
    if (s->from && s->from->height > *tallest) *tallest = s->from->height;
    reach_over(tallest, s->where);
    reach_list(tallest, &s->group_by);
    reach_over(tallest, s->having);
    for (size_t i = 0; i < s->window_count; i++) reach_window(tallest, &s->windows[i]);
    reach_over(tallest, s->top);
}

/* How high the tree of a query is, so that whoever walks it knows how deep that goes. */
static bool measure_query(struct parser *p, struct syntax_query *q)
{
    unsigned tallest = q->height;
    if (q->kind == QUERY_SELECT) reach_select(&tallest, q->select);
    for (size_t i = 0; i < q->rows.count; i++) reach_list(&tallest, &q->rows.items[i]->of.list);
    for (size_t i = 0; i < q->cte_count; i++)
        if (q->ctes[i].query->height > tallest) tallest = q->ctes[i].query->height;
    if ((q->kind == QUERY_NESTED || q->kind == QUERY_SET) && q->left->height > tallest) tallest = q->left->height;
    reach_orders(&tallest, &q->order);
    reach_over(&tallest, q->limit);
    reach_over(&tallest, q->offset);
    if (tallest >= SYNTAX_HEIGHT_MAX) return parse_too_deep(p);
    q->height = (uint16_t)(tallest + 1);
    return true;
}

struct syntax_query *parse_query_after(struct parser *p, struct syntax_query *left)
{
    struct syntax_query *q = parse_sets(p, left, 1);
    if (!q) return NULL;
    bool tail = at_word(p, KW_ORDER) || at_word(p, KW_LIMIT) || at_word(p, KW_OFFSET) || at_word(p, KW_FETCH);
    /* A bracketed query with an order of its own, ordered again: the outer order goes around it. */
    if (tail && (q->order.count || q->limit || q->offset || q->cte_count)) {
        struct syntax_query *outer = query_new(p, QUERY_NESTED, q->at);
        if (!outer) return NULL;
        outer->left = q;
        q = outer;
    }
    return parse_tail(p, q) && measure_query(p, q) ? q : NULL;
}

static bool parse_cte(struct parser *p, struct syntax_query *q)
{
    if (q->cte_count == q->cte_room) {
        size_t room = q->cte_room ? q->cte_room * 2 : 2;
        q->ctes = arena_grow(&p->call->arena, q->ctes, q->cte_room * sizeof *q->ctes, room * sizeof *q->ctes);
        q->cte_room = room;
    }
    struct syntax_cte *cte = &q->ctes[q->cte_count++];
    *cte = (struct syntax_cte){ .at = peek_token(p, 0)->at };
    if (!token_names(peek_token(p, 0), false)) return parse_fails(p, "the name of a WITH query");
    struct token name = take_token(p);
    cte->name = token_ident(p, &name);
    if (peek_token(p, 0)->kind == '(' && !parse_ident_list(p, &cte->columns)) return false;
    if (token_is(peek_token(p, 0), "using") && token_is(peek_token(p, 1), "key")) {
        refuse_feature(p, take_token(p).at, "USING KEY");
        take_token(p);
        if (peek_token(p, 0)->kind != '(' || !skip_brackets(p)) return parse_fails(p, "'('");
    }
    if (!expect_word(p, KW_AS, "AS")) return false;
    if (at_word(p, KW_NOT) && at_word_next(p, KW_MATERIALIZED)) take_token(p);
    take_word_if(p, KW_MATERIALIZED);
    if (!expect_kind(p, '(', "'('") || !parse_deeper(p)) return false;
    cte->query = parse_query(p);
    parse_shallower(p);
    if (!cte->query || !expect_kind(p, ')', "')'")) return false;
    if (token_is(peek_token(p, 0), "search") || (token_is(peek_token(p, 0), "cycle") && !at_query(p, 0))) {
        refuse_feature(p, peek_token(p, 0)->at, "SEARCH and CYCLE");
        while (peek_token(p, 0)->kind != TOKEN_END && peek_token(p, 0)->kind != ',' && !at_query(p, 0)) take_token(p);
    }
    return true;
}

struct syntax_query *parse_query(struct parser *p)
{
    if (!parse_deeper(p)) return NULL;
    struct syntax_query with = { .at = peek_token(p, 0)->at }, *q = NULL;
    if (take_word_if(p, KW_WITH)) {
        with.recursive = take_word_if(p, KW_RECURSIVE);
        do {
            if (!parse_cte(p, &with)) return NULL;
        } while (take_kind(p, ','));
        if (p->tongue == TONGUE_MSSQL) with.recursive = true; /* T-SQL has no word for it */
    }
    q = parse_term(p);
    if (q) q = parse_query_after(p, q);
    if (!q) return NULL;
    if (with.cte_count && q->cte_count) {
        struct syntax_query *outer = query_new(p, QUERY_NESTED, q->at);
        if (!outer) return NULL;
        outer->left = q;
        q = outer;
    }
    if (with.cte_count) {
        q->ctes = with.ctes;
        q->cte_count = with.cte_count;
        q->recursive = with.recursive;
        if (!measure_query(p, q)) return NULL;
    }
    parse_shallower(p);
    return q;
}
