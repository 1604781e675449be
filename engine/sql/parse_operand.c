#include "sql/parse.h"

#include <string.h>

static struct node *name_node(struct parser *p, struct idents name, uint32_t at)
{
    struct node *n = node_new(p, NODE_NAME, at);
    if (n) n->name = name;
    return n;
}

struct node *scalar_query(struct parser *p, struct syntax_query *q)
{
    struct node *n = node_new(p, NODE_QUERY, q->at);
    if (!n || !node_holds(p, n, q->height)) return NULL;
    n->of.query = q;
    return n;
}

/* Brackets around an expression, a row, a query, or any mixture: ((SELECT 1) + 2), ((SELECT 1) UNION (SELECT 2)). */
static struct node *parse_brackets(struct parser *p, struct syntax_query **query)
{
    struct token open = take_token(p);
    struct node *n = NULL;
    *query = NULL;
    if (!parse_deeper(p)) return NULL;
    if (at_query(p, 0)) {
        *query = parse_query(p);
        parse_shallower(p);
        if (*query && !expect_kind(p, ')', "')'")) *query = NULL;
        return NULL;
    }
    if (peek_token(p, 0)->kind == '(') {
        n = parse_brackets(p, query);
        if (*query) {
            if (at_query_tail(p)) *query = parse_query_after(p, *query);
            if (!*query) return NULL;
            if (peek_token(p, 0)->kind == ')') {
                take_token(p);
                parse_shallower(p);
                return NULL;
            }
            n = scalar_query(p, *query);
            *query = NULL;
        }
        if (n) n = parse_after(p, n);
        if (n) n = parse_infix(p, n, BIND_ANY);
    } else {
        n = parse_expr(p, BIND_ANY);
    }
    if (!n) return NULL;
    if (peek_token(p, 0)->kind == ',') {
        struct node *row = node_new(p, NODE_ROW, open.at);
        if (!row || !node_holds(p, row, n->height)) return NULL;
        nodes_push(p, &row->of.list, n);
        while (take_kind(p, ',')) {
            if (p->tongue == TONGUE_DUCKDB && peek_token(p, 0)->kind == ')') break;
            struct node *more = parse_expr(p, BIND_ANY);
            if (!more || !node_holds(p, row, more->height)) return NULL;
            nodes_push(p, &row->of.list, more);
        }
        n = row;
    }
    if (peek_token(p, 0)->kind == TOKEN_ASSIGN) {
        refuse_feature(p, take_token(p).at, "an assignment");
        if (!parse_expr(p, BIND_ANY)) return NULL;
    }
    parse_shallower(p);
    return expect_kind(p, ')', "')'") ? n : NULL;
}

static struct node *number_node(struct parser *p, struct token t)
{
    struct node *n = node_new(p, NODE_NUMBER, t.at);
    if (!n) return NULL;
    if (t.kind == TOKEN_NUMBER) {
        n->text = call_strndup(p->call, t.text, t.n);
        return n;
    }
    uint64_t value = 0;
    while (t.n > 1 && *t.text == '0') t.text++, t.n--;
    if (t.n > 16) {
        lex_fail(&p->lexer, t.at, "the number is too large");
        return NULL;
    }
    for (uint32_t i = 0; i < t.n; i++) {
        unsigned char ch = (unsigned char)t.text[i];
        value = value * 16 + (unsigned)(digit(ch) ? ch - '0' : (ch | 0x20) - 'a' + 10);
    }
    if (value > INT64_MAX) {
        lex_fail(&p->lexer, t.at, "the number is too large");
        return NULL;
    }
    n->text = call_format(p->call, "%lld", (long long)value);
    return n;
}

/* String literals that stand beside each other are one: anywhere in MySQL, on different lines in PostgreSQL. */
static struct node *string_node(struct parser *p)
{
    struct token t = take_token(p);
    const char *text = t.text;
    for (;;) {
        const struct token *next = peek_token(p, 0);
        bool joins = next->kind == TOKEN_TEXT &&
                     (p->tongue == TONGUE_MYSQL || (next->line_break && next->quote == '\'' &&
                                                    (p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_DUCKDB)));
        if (!joins) return text_node(p, text, t.at);
        struct token more = take_token(p);
        size_t n = strlen(text);
        if (n + more.n > SQL_BYTES_MAX) return parse_fail(p, "a shorter text");
        text = call_format(p->call, "%s%s", text, more.text);
    }
}

static struct node *array_node(struct parser *p, uint32_t at)
{
    struct node *n = node_new(p, NODE_ARRAY, at);
    if (!n || !expect_kind(p, '[', "'['") || !parse_deeper(p)) return NULL;
    while (peek_token(p, 0)->kind != ']') {
        bool inner = peek_token(p, 0)->kind == '[';
        struct node *item = inner ? array_node(p, peek_token(p, 0)->at) : parse_expr(p, BIND_ANY);
        if (item && inner) item = parse_infix(p, parse_after(p, item), BIND_ANY);
        if (!item || !node_holds(p, n, item->height)) return NULL;
        nodes_push(p, &n->of.list, item);
        if (at_word(p, KW_FOR)) {
            refuse_feature(p, peek_token(p, 0)->at, "a list comprehension");
            while (peek_token(p, 0)->kind != ']' && peek_token(p, 0)->kind != TOKEN_END)
                if (peek_token(p, 0)->kind != '[' && peek_token(p, 0)->kind != '(')
                    take_token(p);
                else if (!skip_brackets(p))
                    return NULL;
            break;
        }
        if (!take_kind(p, ',')) break;
    }
    parse_shallower(p);
    return expect_kind(p, ']', "']'") ? n : NULL;
}

static struct node *interval_node(struct parser *p)
{
    struct node *n = node_new(p, NODE_INTERVAL, take_token(p).at);
    if (!n) return NULL;
    if (peek_token(p, 0)->kind == TOKEN_TEXT) {
        struct token t = take_token(p);
        n->interval.value = text_node(p, t.text, t.at);
    } else {
        /* MySQL takes an expression, DuckDB a number or one in brackets. */
        n->interval.value = p->tongue == TONGUE_MYSQL ? parse_expr(p, BIND_OTHER) : parse_operand(p);
    }
    if (!n->interval.value) return NULL;
    const struct token *t = peek_token(p, 0);
    if (t->kind == TOKEN_WORD && !keyword_ends_alias(t->keyword) && (t->keyword || p->tongue != TONGUE_POSTGRES)) {
        struct token unit = *t;
        bool is_unit = false;
        static const char *const units[] = {
            "year", "quarter", "month", "week", "day", "hour", "minute", "second", NULL
        };
        for (size_t i = 0; units[i] && !is_unit; i++) {
            size_t len = strlen(units[i]);
            is_unit =
                token_is(t, units[i]) ||
                (unit.n == len + 1 && (unit.text[len] | 0x20) == 's' &&
                 token_is(&(struct token){ .kind = TOKEN_WORD, .text = unit.text, .n = (uint32_t)len }, units[i]));
        }
        bool other = p->tongue != TONGUE_POSTGRES && !is_unit &&
                     (token_is(t, "microsecond") || token_is(t, "microseconds") || token_is(t, "millisecond") ||
                      token_is(t, "milliseconds") || token_is(t, "decade") || token_is(t, "century") ||
                      token_is(t, "millennium") || token_is(t, "second_microsecond") || token_is(t, "minute_second") ||
                      token_is(t, "hour_minute") || token_is(t, "hour_second") || token_is(t, "day_hour") ||
                      token_is(t, "day_minute") || token_is(t, "day_second") || token_is(t, "year_month"));
        if (is_unit || other) {
            take_token(p);
            n->interval.unit = call_strndup(p->call, unit.text, unit.n);
            if (other) refuse_feature(p, unit.at, "the unit %s", n->interval.unit);
            if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return NULL;
            if (at_word(p, KW_TO)) {
                refuse_feature(p, take_token(p).at, "an interval over several units");
                take_token(p);
                if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return NULL;
            }
        }
    }
    return node_over(p, n, n->interval.value, NULL, NULL);
}

static struct node *typed_node(struct parser *p)
{
    struct node *n = node_new(p, NODE_TYPED, peek_token(p, 0)->at);
    if (!n) return NULL;
    n->cast.type = parse_type(p);
    if (!n->cast.type) return NULL;
    n->cast.arg = string_node(p);
    return n->cast.arg ? node_over(p, n, n->cast.arg, NULL, NULL) : NULL;
}

static struct node *exists_node(struct parser *p)
{
    struct node *n = node_new(p, NODE_EXISTS, take_token(p).at);
    if (!n || !expect_kind(p, '(', "'('")) return NULL;
    n->of.query = parse_query(p);
    if (!n->of.query || !node_holds(p, n, n->of.query->height)) return NULL;
    return expect_kind(p, ')', "')'") ? n : NULL;
}

static struct node *row_node(struct parser *p)
{
    struct node *n = node_new(p, NODE_ROW, take_token(p).at);
    if (!n || !expect_kind(p, '(', "'('")) return NULL;
    if (peek_token(p, 0)->kind != ')' && !parse_expr_list(p, &n->of.list)) return NULL;
    for (size_t i = 0; i < n->of.list.count; i++)
        if (!node_holds(p, n, n->of.list.items[i]->height)) return NULL;
    return expect_kind(p, ')', "')'") ? n : NULL;
}

/* A name: a column, name.*, or a function with its bracket. */
static struct node *named(struct parser *p)
{
    struct idents name = { 0 };
    const struct token *t = peek_token(p, 0);
    uint32_t at = t->at;
    /* LEFT(…), IF(…), REPLACE(…): words of the grammar that are functions when a bracket follows. */
    bool call = peek_token(p, 1)->kind == '(';
    bool function_word =
        call && t->kind == TOKEN_WORD &&
        (t->keyword == KW_INSERT || t->keyword == KW_VALUES || t->keyword == KW_LIKE || t->keyword == KW_SET);
    /* END is no reserved word in SQLite and MySQL, and no expression can begin with its other meaning. */
    bool end_word =
        t->kind == TOKEN_WORD && t->keyword == KW_END && (p->tongue == TONGUE_SQLITE || p->tongue == TONGUE_MYSQL);
    bool values_word = t->kind == TOKEN_WORD && t->keyword == KW_VALUES && p->tongue == TONGUE_DUCKDB;
    if (!token_names(t, function_word || end_word || values_word)) return parse_fail(p, "an expression");
    struct token first = take_token(p);
    idents_push(p, &name, token_ident(p, &first));
    while (peek_token(p, 0)->kind == '.') {
        const struct token *next = peek_token(p, 1);
        if (next->kind == '*') {
            take_token(p);
            take_token(p);
            struct node *star = node_new(p, NODE_STAR, at);
            if (star) star->name = name;
            return star;
        }
        if (next->kind == '.' && p->tongue == TONGUE_MSSQL) {
            take_token(p);
            continue;
        }
        take_token(p);
        if (!token_names(next = peek_token(p, 0), true)) return parse_fail(p, "a name after the dot");
        struct token part = take_token(p);
        idents_push(p, &name, token_ident(p, &part));
    }
    if (peek_token(p, 0)->kind == '(') return parse_call(p, name, at);
    return name_node(p, name, at);
}

static struct node *constant_word(struct parser *p, uint16_t keyword)
{
    struct node *n = node_new(p, keyword == KW_NULL ? NODE_NULL : NODE_BOOLEAN, take_token(p).at);
    if (n) n->negated = keyword == KW_FALSE;
    return n;
}

static struct node *word_operand(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    uint16_t next = peek_token(p, 1)->kind;
    bool special;
    switch (t->keyword) {
    case KW_NULL:
        return constant_word(p, KW_NULL);
    case KW_TRUE:
    case KW_FALSE:
        if (p->tongue == TONGUE_MSSQL || next == '.' || next == '(') break;
        return constant_word(p, t->keyword);
    case KW_EXISTS:
        if (next == '(') return exists_node(p);
        break;
    case KW_ROW:
        if (next == '(' && p->tongue != TONGUE_SQLITE) return row_node(p);
        break;
    case KW_INTERVAL:
        if (p->tongue == TONGUE_SQLITE || p->tongue == TONGUE_MSSQL) break;
        if (next == TOKEN_TEXT || next == TOKEN_NUMBER || next == '(' || (next == '-' && p->tongue == TONGUE_MYSQL) ||
            ((next == TOKEN_WORD || next == TOKEN_QUOTED) && p->tongue != TONGUE_POSTGRES &&
             !keyword_ends_alias(peek_token(p, 1)->keyword)))
            return interval_node(p);
        break;
    case KW_ARRAY:
        if (next == '[') return array_node(p, take_token(p).at);
        if (next == '(' && at_query(p, 2)) {
            refuse_feature(p, take_token(p).at, "ARRAY over a query");
            struct node *n = node_new(p, NODE_OTHER, t->at);
            return skip_brackets(p) ? n : NULL;
        }
        break;
    case KW_BINARY:
        if (p->tongue == TONGUE_MYSQL && next != ',' && next != ')' && next != '.' && next != TOKEN_END &&
            next != '=') {
            refuse_feature(p, take_token(p).at, "BINARY");
            return parse_operand(p);
        }
        break;
    case KW_MAP:
        if (next == '{') {
            refuse_feature(p, take_token(p).at, "a map");
            struct node *n = node_new(p, NODE_OTHER, t->at);
            return skip_brackets(p) ? parse_after(p, n) : NULL;
        }
        break;
    default:
        break;
    }
    if (type_at_text(p)) return typed_node(p);
    struct node *n = parse_special(p, &special);
    if (special) return n;
    bool introducer = t->n > 1 && t->text[0] == '_' && next == TOKEN_TEXT && p->tongue == TONGUE_MYSQL;
    if (introducer) {
        refuse_feature(p, take_token(p).at, "a character set");
        return string_node(p);
    }
    if (p->tongue == TONGUE_DUCKDB && token_is(t, "lambda") && next == TOKEN_WORD) {
        refuse_feature(p, take_token(p).at, "a lambda");
        while (peek_token(p, 0)->kind == TOKEN_WORD || peek_token(p, 0)->kind == ',') take_token(p);
        return take_kind(p, ':') ? parse_expr(p, BIND_ANY) : parse_fail(p, "':'");
    }
    return named(p);
}

static struct node *sign_node(struct parser *p)
{
    struct token sign = take_token(p);
    struct node *arg;
    if (!parse_deeper(p)) return NULL;
    arg = parse_operand(p);
    /* -2 ^ 2 and -a || b: only a tighter operator reaches under the sign, and those are refused or SQLite's ||. */
    parse_shallower(p);
    if (!arg || sign.kind == '+') return arg;
    if (sign.kind != '-') {
        refuse_feature(p, sign.at, "%s", sign.kind == '~' ? "a bit operator" : "the operator");
        return node_over(p, node_new(p, NODE_OTHER, sign.at), arg, NULL, NULL);
    }
    struct node *n = node_new(p, NODE_MINUS, sign.at);
    if (n) n->left = arg;
    return node_over(p, n, arg, NULL, NULL);
}

struct node *parse_operand(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    struct node *n = NULL;
    struct syntax_query *query = NULL;
    switch (t->kind) {
    case TOKEN_NUMBER:
    case TOKEN_HEX_NUMBER:
        n = number_node(p, take_token(p));
        break;
    case TOKEN_TEXT:
        n = string_node(p);
        break;
    case TOKEN_BINARY: {
        struct token hex = take_token(p);
        n = node_new(p, NODE_BINARY_TEXT, hex.at);
        if (n) n->text = call_strndup(p->call, hex.text, hex.n);
        break;
    }
    case TOKEN_QUOTED:
        n = named(p);
        break;
    case TOKEN_WORD:
        n = word_operand(p);
        break;
    case TOKEN_PARAMETER: {
        refuse_feature(p, t->at, t->text[0] == '@' ? "a variable" : "a parameter");
        struct token name = take_token(p);
        n = node_new(p, NODE_OTHER, name.at);
        break;
    }
    case '(':
        n = parse_brackets(p, &query);
        if (query) n = scalar_query(p, query);
        break;
    case '[':
        if (p->tongue != TONGUE_DUCKDB) return parse_fail(p, "an expression");
        n = array_node(p, t->at);
        break;
    case '{':
        refuse_feature(p, t->at, "a struct");
        n = node_new(p, NODE_OTHER, t->at);
        if (!skip_brackets(p)) return NULL;
        break;
    case '*':
        if (p->tongue != TONGUE_DUCKDB) return parse_fail(p, "an expression");
        n = node_new(p, NODE_STAR, take_token(p).at);
        if (n && token_is(peek_token(p, 0), "columns")) { /* *COLUMNS(…) */
            refuse_feature(p, take_token(p).at, "COLUMNS");
            if (peek_token(p, 0)->kind != '(' || !skip_brackets(p)) return parse_fail(p, "'('");
        }
        return n;
    case '-':
    case '+':
    case '~':
    case '!':
    case '@':
        return sign_node(p);
    case TOKEN_OPERATOR:
        if (p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_DUCKDB) return sign_node(p);
        return parse_fail(p, "an expression");
    case ':':
        /* A parameter of a driver: :name, :1. */
        return parse_fail(p, "an expression");
    case '%':
        if (p->tongue == TONGUE_POSTGRES &&
            (token_is(peek_token(p, 1), "s") || peek_token(p, 1)->kind == '(')) { /* a driver's %s */
            refuse_feature(p, take_token(p).at, "a parameter");
            if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return NULL;
            n = node_new(p, NODE_OTHER, take_token(p).at);
            break;
        }
        return parse_fail(p, "an expression");
    case '#':
        if (p->tongue == TONGUE_DUCKDB && peek_token(p, 1)->kind == TOKEN_NUMBER) {
            refuse_feature(p, take_token(p).at, "a column by its number");
            take_token(p);
            n = node_new(p, NODE_OTHER, p->last_end);
            break;
        }
        return parse_fail(p, "an expression");
    default:
        return parse_fail(p, "an expression");
    }
    return n ? parse_after(p, n) : NULL;
}

static struct node *cast_after(struct parser *p, struct node *arg)
{
    struct node *n = node_new(p, NODE_CAST, arg->at);
    take_token(p);
    if (!n) return NULL;
    n->cast.arg = arg;
    n->cast.type = parse_type(p);
    return n->cast.type ? node_over(p, n, arg, NULL, NULL) : NULL;
}

struct node *parse_after(struct parser *p, struct node *n)
{
    while (n) {
        const struct token *t = peek_token(p, 0);
        if (t->kind == TOKEN_CAST) {
            n = cast_after(p, n);
            continue;
        }
        bool subscript = t->kind == '[' && (p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_DUCKDB);
        bool field = t->kind == '.' && (p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_DUCKDB) &&
                     (peek_token(p, 1)->kind == '*' || token_names(peek_token(p, 1), true));
        bool zone = t->kind == TOKEN_WORD && t->keyword == KW_AT && token_is(peek_token(p, 1), "time");
        bool collate = t->kind == TOKEN_WORD && t->keyword == KW_COLLATE;
        if (!subscript && !field && !zone && !collate) return n;
        refuse_feature(p, t->at,
                       subscript ? "a subscript"
                       : field   ? "a field of a row"
                       : zone    ? "AT TIME ZONE"
                                 : "COLLATE");
        struct node *other = node_new(p, NODE_OTHER, n->at);
        if (!node_over(p, other, n, NULL, NULL)) return NULL;
        if (subscript) {
            if (!skip_brackets(p)) return NULL;
        } else if (field) {
            take_token(p);
            take_token(p);
            if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return NULL;
        } else if (zone) {
            take_token(p);
            take_token(p);
            if (!expect_word(p, KW_ZONE, "ZONE") || !parse_operand(p)) return NULL;
        } else {
            take_token(p);
            struct idents name = { 0 };
            if (peek_token(p, 0)->kind == TOKEN_TEXT || peek_token(p, 0)->keyword == KW_BINARY)
                take_token(p);
            else if (!parse_name(p, &name))
                return NULL;
        }
        n = other;
    }
    return NULL;
}
