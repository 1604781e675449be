#include "sql/parse.h"

/* Skips the rest of a clause that is refused anyway, up to a bracket that closes outside of it. */
bool skip_clause(struct parser *p)
{
    for (;;) {
        const struct token *t = peek_token(p, 0);
        if (t->kind == TOKEN_END || t->kind == ';' || t->kind == ')' || t->kind == ']' || t->kind == '}') return true;
        if (t->kind != '(' && t->kind != '[' && t->kind != '{')
            take_token(p);
        else if (!skip_brackets(p))
            return false;
    }
}

static bool parse_select_alias(struct parser *p, struct syntax_item *item)
{
    bool as = take_word_if(p, KW_AS);
    const struct token *t = peek_token(p, 0);
    bool text = t->kind == TOKEN_TEXT && (p->tongue == TONGUE_MYSQL || p->tongue == TONGUE_SQLITE ||
                                          p->tongue == TONGUE_MSSQL || (as && p->tongue == TONGUE_DUCKDB));
    bool word = t->kind == TOKEN_WORD && (as || !keyword_ends_alias(t->keyword));
    if (text || word || t->kind == TOKEN_QUOTED) {
        struct token name = take_token(p);
        item->alias = token_ident(p, &name);
        if (name.kind == TOKEN_TEXT) item->alias.quote = '\'';
        return true;
    }
    if (as) return parse_fails(p, "a name after AS");
    return true;
}

/* DuckDB: * EXCLUDE (a, b), * REPLACE (…), * RENAME (…). */
static bool parse_star_options(struct parser *p, struct syntax_item *item)
{
    if (p->tongue != TONGUE_DUCKDB) return true;
    const struct token *t = peek_token(p, 0);
    if (token_is(t, "exclude") || t->keyword == KW_EXCEPT) {
        if (peek_token(p, 1)->kind != '(' && t->keyword == KW_EXCEPT) return true;
        if (at_query(p, 2)) return true;
        take_token(p);
        if (peek_token(p, 0)->kind == '(') {
            if (!parse_ident_list(p, &item->except)) return false;
        } else {
            struct idents one = { 0 };
            if (!parse_name(p, &one)) return false;
            idents_push(p, &item->except, one.items[one.count - 1]);
        }
        t = peek_token(p, 0);
    }
    while (peek_token(p, 1)->kind == '(' && (token_is(t, "replace") || token_is(t, "rename"))) {
        refuse_feature(p, t->at, "* REPLACE and * RENAME");
        take_token(p);
        if (!skip_brackets(p)) return false;
        t = peek_token(p, 0);
    }
    return true;
}

/* T-SQL writes an alias as name = expression, DuckDB as name: expression. */
static bool parse_leading_alias(struct parser *p, struct syntax_item *item)
{
    const struct token *t = peek_token(p, 0);
    bool named = token_names(t, false) || (t->kind == TOKEN_TEXT && p->tongue == TONGUE_MSSQL);
    if (!named) return false;
    uint16_t sign = peek_token(p, 1)->kind;
    if (!(p->tongue == TONGUE_MSSQL && sign == '=') && !(p->tongue == TONGUE_DUCKDB && sign == ':')) return false;
    struct token name = take_token(p);
    item->alias = token_ident(p, &name);
    take_token(p);
    return true;
}

static bool parse_item(struct parser *p, struct syntax_select *s)
{
    if (s->item_count == s->item_room) {
        size_t room = s->item_room ? s->item_room * 2 : 4;
        s->items = arena_grow(&p->call->arena, s->items, s->item_room * sizeof *s->items, room * sizeof *s->items);
        s->item_room = room;
    }
    struct syntax_item *item = &s->items[s->item_count++];
    *item = (struct syntax_item){ 0 };
    bool aliased = parse_leading_alias(p, item);
    item->at = peek_token(p, 0)->at;
    if (peek_token(p, 0)->kind == '*') {
        struct token star = take_token(p);
        item->expr = node_new(p, NODE_STAR, star.at);
        return item->expr && parse_star_options(p, item);
    }
    item->expr = parse_expr(p, BIND_ANY);
    if (!item->expr) return false;
    item->end = p->last_end;
    if (item->expr->kind == NODE_STAR && !parse_star_options(p, item)) return false;
    if (peek_token(p, 0)->kind == TOKEN_ASSIGN) {
        refuse_feature(p, peek_token(p, 0)->at, "an assignment");
        take_token(p);
        if (!parse_expr(p, BIND_ANY)) return false;
    }
    return aliased || parse_select_alias(p, item);
}

static bool parse_top(struct parser *p, struct syntax_select *s)
{
    if (p->tongue != TONGUE_MSSQL || !at_word(p, KW_TOP)) return true;
    uint16_t next = peek_token(p, 1)->kind;
    if (next != '(' && next != TOKEN_NUMBER && next != TOKEN_PARAMETER) return true;
    take_token(p);
    s->top = parse_operand(p);
    if (!s->top) return false;
    if (at_word(p, KW_PERCENT)) refuse_feature(p, take_token(p).at, "TOP … PERCENT");
    if (at_word(p, KW_WITH) && token_is(peek_token(p, 1), "ties")) {
        refuse_feature(p, take_token(p).at, "WITH TIES");
        take_token(p);
    }
    return true;
}

static bool parse_distinct(struct parser *p, struct syntax_select *s)
{
    /* MySQL's modifiers change how the statement runs, not what it answers. */
    static const char *const modifiers[] = { "distinctrow",    "high_priority",      "sql_small_result",
                                             "sql_big_result", "sql_buffer_result",  "sql_no_cache",
                                             "sql_cache",      "sql_calc_found_rows" };
    for (bool more = true; more;) {
        more = false;
        if (take_word_if(p, KW_DISTINCT))
            s->distinct = more = true;
        else if (at_word(p, KW_ALL) && peek_token(p, 1)->kind != ',' && peek_token(p, 1)->kind != '.')
            more = (take_token(p), true);
        else if (p->tongue == TONGUE_MYSQL && take_word_if(p, KW_STRAIGHT_JOIN))
            more = true;
        else if (p->tongue == TONGUE_MYSQL)
            for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers && !more; i++)
                if (token_is(peek_token(p, 0), modifiers[i])) {
                    s->distinct |= i == 0;
                    take_token(p);
                    more = true;
                }
    }
    if (s->distinct && at_word(p, KW_ON) && peek_token(p, 1)->kind == '(') {
        refuse_feature(p, take_token(p).at, "DISTINCT ON");
        if (!skip_brackets(p)) return false;
    }
    return parse_top(p, s);
}

static bool parse_group_term(struct parser *p, struct syntax_select *s)
{
    const struct token *t = peek_token(p, 0);
    bool brackets = peek_token(p, 1)->kind == '(';
    if (at_word(p, KW_GROUPING) && at_word_next(p, KW_SETS)) {
        refuse_feature(p, take_token(p).at, "GROUPING SETS");
        take_token(p);
        return skip_brackets(p);
    }
    if (brackets && (at_word(p, KW_ROLLUP) || at_word(p, KW_CUBE))) {
        refuse_feature(p, t->at, at_word(p, KW_ROLLUP) ? "ROLLUP" : "CUBE");
        take_token(p);
        return skip_brackets(p);
    }
    if (t->kind == '(' && peek_token(p, 1)->kind == ')') {
        refuse_feature(p, t->at, "an empty grouping set");
        return skip_brackets(p);
    }
    struct node *n = parse_expr(p, BIND_ANY);
    if (n) nodes_push(p, &s->group_by, n);
    return n != NULL;
}

static bool parse_group_by(struct parser *p, struct syntax_select *s)
{
    take_token(p);
    if (!expect_word(p, KW_BY, "BY after GROUP")) return false;
    if (at_word(p, KW_ALL)) {
        const struct token *t = peek_token(p, 0);
        refuse_feature(p, t->at, "GROUP BY ALL");
        take_token(p);
        const struct token *next = peek_token(p, 0);
        if (next->kind == ')' || next->kind == TOKEN_END || next->kind == ';' || keyword_ends_alias(next->keyword))
            return true;
    }
    take_word_if(p, KW_DISTINCT);
    do {
        if (!parse_group_term(p, s)) return false;
    } while (take_kind(p, ','));
    if (at_word(p, KW_WITH) && (token_is(peek_token(p, 1), "rollup") || token_is(peek_token(p, 1), "cube"))) {
        refuse_feature(p, take_token(p).at, "WITH ROLLUP");
        take_token(p);
    }
    return true;
}

static bool parse_windows(struct parser *p, struct syntax_select *s)
{
    take_token(p);
    do {
        if (s->window_count == s->window_room) {
            size_t room = s->window_room ? s->window_room * 2 : 2;
            s->windows =
                arena_grow(&p->call->arena, s->windows, s->window_room * sizeof *s->windows, room * sizeof *s->windows);
            s->window_room = room;
        }
        struct syntax_window *w = &s->windows[s->window_count++];
        *w = (struct syntax_window){ 0 };
        if (!token_names(peek_token(p, 0), false)) return parse_fails(p, "the name of a window");
        struct token name = take_token(p);
        struct syntax_window spec = { 0 };
        if (!expect_word(p, KW_AS, "AS") || !parse_window(p, &spec)) return false;
        if (spec.name.text) refuse_feature(p, name.at, "a window built on another");
        *w = spec;
        w->name = token_ident(p, &name);
    } while (take_kind(p, ','));
    return true;
}

bool parse_into(struct parser *p)
{
    if (!at_word(p, KW_INTO)) return true;
    refuse_write(p, peek_token(p, 0)->at, "INTO");
    return false;
}

static bool parse_clauses(struct parser *p, struct syntax_select *s)
{
    if (!parse_into(p)) return false;
    if (!s->from && take_word_if(p, KW_FROM)) {
        s->from = parse_from(p);
        if (!s->from) return false;
    }
    if (take_word_if(p, KW_WHERE) && !(s->where = parse_expr(p, BIND_ANY))) return false;
    if (at_word(p, KW_START) || at_word(p, KW_CONNECT)) return parse_fails(p, "the end of the statement");
    if (at_word(p, KW_GROUP) && !parse_group_by(p, s)) return false;
    if (take_word_if(p, KW_HAVING) && !(s->having = parse_expr(p, BIND_ANY))) return false;
    if (at_word(p, KW_WINDOW) && token_names(peek_token(p, 1), false) && !parse_windows(p, s)) return false;
    if (at_word(p, KW_QUALIFY)) {
        refuse_feature(p, take_token(p).at, "QUALIFY");
        if (!parse_expr(p, BIND_ANY)) return false;
    }
    if (token_is(peek_token(p, 0), "using") && token_is(peek_token(p, 1), "sample")) {
        refuse_feature(p, take_token(p).at, "USING SAMPLE");
        if (!skip_clause(p)) return false;
    }
    if (at_word(p, KW_PROCEDURE)) {
        refuse_write(p, peek_token(p, 0)->at, "PROCEDURE");
        return false;
    }
    return parse_into(p);
}

struct syntax_query *parse_select(struct parser *p)
{
    struct syntax_query *q = query_new(p, QUERY_SELECT, peek_token(p, 0)->at);
    if (!q) return NULL;
    struct syntax_select *s = q->select = call_alloc(p->call, sizeof *s);
    if (take_word_if(p, KW_FROM)) { /* DuckDB: FROM t SELECT a */
        s->from = parse_from(p);
        if (!s->from) return NULL;
        if (!at_word(p, KW_SELECT)) {
            s->items = call_alloc(p->call, sizeof *s->items);
            s->item_count = s->item_room = 1;
            s->items[0].expr = node_new(p, NODE_STAR, q->at);
            return s->items[0].expr && parse_clauses(p, s) ? q : NULL;
        }
    }
    take_token(p);
    if (!parse_distinct(p, s)) return NULL;
    const struct token *t = peek_token(p, 0);
    if (p->tongue == TONGUE_POSTGRES && (t->kind == TOKEN_END || t->keyword == KW_FROM || t->kind == ')')) {
        refuse_feature(p, t->at, "an empty select list");
        return parse_clauses(p, s) ? q : NULL;
    }
    do {
        if (p->tongue == TONGUE_DUCKDB && s->item_count && (at_word(p, KW_FROM) || peek_token(p, 0)->kind == TOKEN_END))
            break;
        if (!parse_item(p, s)) return NULL;
    } while (take_kind(p, ','));
    return parse_clauses(p, s) ? q : NULL;
}

struct syntax_query *parse_values(struct parser *p)
{
    struct syntax_query *q = query_new(p, QUERY_VALUES, take_token(p).at);
    if (!q) return NULL;
    do {
        take_word_if(p, KW_ROW);
        struct node *row = node_new(p, NODE_ROW, peek_token(p, 0)->at);
        if (!row || !expect_kind(p, '(', "'('") || !parse_expr_list(p, &row->of.list) || !expect_kind(p, ')', "')'"))
            return NULL;
        nodes_push(p, &q->rows, row);
    } while (take_kind(p, ','));
    return q;
}

struct syntax_query *parse_table(struct parser *p)
{
    struct syntax_query *q = query_new(p, QUERY_SELECT, take_token(p).at);
    if (!q) return NULL;
    struct syntax_select *s = q->select = call_alloc(p->call, sizeof *s);
    s->items = call_alloc(p->call, sizeof *s->items);
    s->item_count = s->item_room = 1;
    s->items[0].expr = node_new(p, NODE_STAR, q->at);
    s->from = call_alloc(p->call, sizeof *s->from);
    s->from->at = peek_token(p, 0)->at;
    s->from->height = 1;
    return s->items[0].expr && parse_name(p, &s->from->name) ? q : NULL;
}
