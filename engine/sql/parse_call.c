#include "sql/parse.h"

#include <strings.h>

static struct node *call_node(struct parser *p, const char *name, uint32_t at)
{
    struct node *n = node_new(p, NODE_CALL, at);
    if (!n) return NULL;
    n->call = call_alloc(p->call, sizeof *n->call);
    if (name) idents_push(p, &n->call->name, (struct ident){ .text = name });
    return n;
}

static bool add_arg(struct parser *p, struct node *call, struct node *arg)
{
    if (!arg || !node_holds(p, call, arg->height)) return false;
    nodes_push(p, &call->call->args, arg);
    return true;
}

static bool parse_bound(struct parser *p, struct syntax_bound *out)
{
    const struct token *t = peek_token(p, 0);
    if (t->keyword == KW_UNBOUNDED) {
        take_token(p);
        if (take_word_if(p, KW_PRECEDING))
            out->kind = BOUND_UNBOUNDED_PRECEDING;
        else if (take_word_if(p, KW_FOLLOWING))
            out->kind = BOUND_UNBOUNDED_FOLLOWING;
        else
            return parse_fails(p, "PRECEDING or FOLLOWING");
        return true;
    }
    if (t->keyword == KW_CURRENT && at_word_next(p, KW_ROW)) {
        take_token(p);
        take_token(p);
        out->kind = BOUND_CURRENT;
        return true;
    }
    out->offset = parse_expr(p, BIND_LIKE);
    if (!out->offset) return false;
    if (take_word_if(p, KW_PRECEDING))
        out->kind = BOUND_PRECEDING;
    else if (take_word_if(p, KW_FOLLOWING))
        out->kind = BOUND_FOLLOWING;
    else
        return parse_fails(p, "PRECEDING or FOLLOWING");
    return true;
}

static bool parse_frame(struct parser *p, struct syntax_window *w)
{
    w->has_frame = true;
    w->unit = at_word(p, KW_ROWS) ? FRAME_ROWS : at_word(p, KW_RANGE) ? FRAME_RANGE : FRAME_GROUPS;
    take_token(p);
    w->end.kind = BOUND_CURRENT;
    if (take_word_if(p, KW_BETWEEN)) {
        if (!parse_bound(p, &w->start) || !expect_word(p, KW_AND, "AND") || !parse_bound(p, &w->end)) return false;
    } else if (!parse_bound(p, &w->start)) {
        return false;
    }
    if (!take_word_if(p, KW_EXCLUDE)) return true;
    if (take_word_if(p, KW_CURRENT)) {
        w->exclude = EXCLUDE_CURRENT;
        return expect_word(p, KW_ROW, "ROW");
    }
    if (take_word_if(p, KW_NO)) return expect_word(p, KW_OTHERS, "OTHERS");
    if (take_word_if(p, KW_GROUP))
        w->exclude = EXCLUDE_GROUP;
    else if (take_word_if(p, KW_TIES))
        w->exclude = EXCLUDE_TIES;
    else
        return parse_fails(p, "CURRENT ROW, GROUP, TIES or NO OTHERS");
    return true;
}

bool parse_window(struct parser *p, struct syntax_window *out)
{
    out->at = peek_token(p, 0)->at;
    if (!expect_kind(p, '(', "'('")) return false;
    const struct token *t = peek_token(p, 0);
    bool keyword = at_word(p, KW_PARTITION) || at_word(p, KW_ORDER) || at_word(p, KW_ROWS) || at_word(p, KW_RANGE) ||
                   at_word(p, KW_GROUPS);
    if (token_names(t, false) && !keyword) {
        struct token name = take_token(p);
        out->name = token_ident(p, &name);
    }
    if (take_word_if(p, KW_PARTITION)) {
        if (!expect_word(p, KW_BY, "BY after PARTITION") || !parse_expr_list(p, &out->partition)) return false;
    }
    if (at_word(p, KW_ORDER) && !parse_order_by(p, &out->order)) return false;
    if ((at_word(p, KW_ROWS) || at_word(p, KW_RANGE) || at_word(p, KW_GROUPS)) && !parse_frame(p, out)) return false;
    return expect_kind(p, ')', "')'");
}

static bool take_nulls_words(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if ((t->keyword != KW_IGNORE && t->keyword != KW_RESPECT) || t->kind != TOKEN_WORD || !at_word_next(p, KW_NULLS))
        return true;
    if (t->keyword == KW_IGNORE) refuse_feature(p, t->at, "IGNORE NULLS");
    take_token(p);
    take_token(p);
    return true;
}

static bool parse_over(struct parser *p, struct syntax_call *call)
{
    if (!at_word(p, KW_OVER)) return true;
    const struct token *next = peek_token(p, 1);
    if (next->kind != '(' && !token_names(next, false)) return true;
    uint32_t at = take_token(p).at;
    call->over = call_alloc(p->call, sizeof *call->over);
    if (peek_token(p, 0)->kind == '(') return parse_window(p, call->over);
    struct token name = take_token(p);
    call->over->name = token_ident(p, &name);
    call->over->only_name = true;
    call->over->at = at;
    return true;
}

/* FILTER (WHERE …), WITHIN GROUP (…), OVER …: what stands behind the arguments. */
static struct node *parse_call_after(struct parser *p, struct node *n)
{
    struct syntax_call *call = n->call;
    take_nulls_words(p);
    if (at_word(p, KW_WITHIN) && at_word_next(p, KW_GROUP)) {
        take_token(p);
        take_token(p);
        if (!expect_kind(p, '(', "'('")) return NULL;
        if (!at_word(p, KW_ORDER)) return parse_fail(p, "ORDER BY");
        if (!parse_order_by(p, &call->within) || !expect_kind(p, ')', "')'")) return NULL;
    }
    if (at_word(p, KW_FILTER) && peek_token(p, 1)->kind == '(') {
        take_token(p);
        take_token(p);
        if (!take_word_if(p, KW_WHERE) && p->tongue != TONGUE_DUCKDB) return parse_fail(p, "WHERE");
        call->filter = parse_expr(p, BIND_ANY);
        if (!call->filter || !node_holds(p, n, call->filter->height) || !expect_kind(p, ')', "')'")) return NULL;
    }
    take_nulls_words(p);
    if (!parse_over(p, call)) return NULL;
    unsigned tallest = 0;
    reach_orders(&tallest, &call->order);
    reach_orders(&tallest, &call->within);
    if (call->over) reach_window(&tallest, call->over);
    return node_holds(p, n, tallest) ? n : NULL;
}

static bool parse_argument(struct parser *p, struct node *call)
{
    const struct token *t = peek_token(p, 0);
    uint16_t after = peek_token(p, 1)->kind;
    if (token_is(t, "variadic") && (after == TOKEN_WORD || after == TOKEN_TEXT || after == TOKEN_QUOTED))
        refuse_feature(p, take_token(p).at, "VARIADIC");
    t = peek_token(p, 0);
    uint16_t sign = peek_token(p, 1)->kind;
    if (token_names(t, true) && (sign == TOKEN_ASSIGN || sign == TOKEN_NAMED)) {
        refuse_feature(p, t->at, "an argument by name");
        take_token(p);
        take_token(p);
    }
    if (peek_token(p, 0)->kind == '*') {
        struct node *star = node_new(p, NODE_STAR, take_token(p).at);
        if (p->tongue == TONGUE_DUCKDB)
            while (peek_token(p, 0)->kind != ')' && peek_token(p, 0)->kind != ',' &&
                   peek_token(p, 0)->kind != TOKEN_END) {
                refuse_feature(p, peek_token(p, 0)->at, "a list of columns by pattern");
                if (peek_token(p, 0)->kind != '(')
                    take_token(p);
                else if (!skip_brackets(p))
                    return false;
            }
        return add_arg(p, call, star);
    }
    struct node *arg;
    if (at_query(p, 0)) {
        refuse_feature(p, peek_token(p, 0)->at, "a query as an argument without brackets");
        struct syntax_query *q = parse_query(p);
        arg = q ? scalar_query(p, q) : NULL;
    } else {
        arg = parse_expr(p, BIND_ANY);
    }
    if (!add_arg(p, call, arg)) return false;
    if (at_word(p, KW_AS) && p->tongue == TONGUE_DUCKDB) {
        refuse_feature(p, take_token(p).at, "an argument by name");
        take_token(p);
    }
    if (peek_token(p, 0)->kind == TOKEN_ASSIGN) {
        refuse_feature(p, take_token(p).at, "an assignment");
        return parse_expr(p, BIND_ANY) != NULL;
    }
    return true;
}

/* Functions whose arguments have a grammar of their own and that no plan says. */
static bool foreign_arguments(const char *name)
{
    static const char *const names[] = {
        "xmlelement", "xmlforest",     "xmltable",       "xmlparse",      "xmlserialize", "xmlpi",
        "xmlroot",    "xmlexists",     "json_table",     "json_object",   "json_array",   "json_value",
        "json_query", "json_exists",   "json_objectagg", "json_arrayagg", "overlay",      "match",
        "char",       "weight_string", "get_format",     "openjson",      "struct",       "list_transform",
        "collation",  "normalize",     "json_objectagg", "xmlcolattval",  "xmlconcat"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(names[i], name) == 0) return true;
    return false;
}

struct node *parse_call(struct parser *p, struct idents name, uint32_t at)
{
    struct node *n = call_node(p, NULL, at);
    if (!n) return NULL;
    n->call->name = name;
    const char *last = name.items[name.count - 1].text;
    if (foreign_arguments(last)) {
        refuse_function(p, last);
        if (!skip_brackets(p)) return NULL;
        if (token_is(peek_token(p, 0), "against")) { /* MATCH (…) AGAINST (…) */
            take_token(p);
            if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return NULL;
        }
        return parse_call_after(p, n);
    }
    if (!expect_kind(p, '(', "'('") || !parse_deeper(p)) return NULL;
    if (take_word_if(p, KW_DISTINCT))
        n->call->distinct = true;
    else if (at_word(p, KW_ALL) && peek_token(p, 1)->kind != '(')
        take_token(p);
    if (peek_token(p, 0)->kind != ')' && !at_word(p, KW_ORDER)) {
        do {
            if (!parse_argument(p, n)) return NULL;
        } while (take_kind(p, ','));
    }
    take_nulls_words(p);
    if (at_word(p, KW_ORDER) && !parse_order_by(p, &n->call->order)) return NULL;
    if (take_word_if(p, KW_SEPARATOR)) {
        n->call->separator = parse_operand(p);
        if (!n->call->separator) return NULL;
    }
    if (at_word(p, KW_LIMIT) || at_word(p, KW_HAVING) || at_word(p, KW_ON)) {
        refuse_feature(p, peek_token(p, 0)->at, "a clause inside a function's brackets");
        while (peek_token(p, 0)->kind != ')' && peek_token(p, 0)->kind != TOKEN_END)
            if (peek_token(p, 0)->kind != '(')
                take_token(p);
            else if (!skip_brackets(p))
                return NULL;
    }
    take_nulls_words(p);
    if (at_word(p, KW_USING)) {
        refuse_feature(p, take_token(p).at, "USING inside a function's brackets");
        take_token(p);
    }
    parse_shallower(p);
    if (!expect_kind(p, ')', "')'")) return NULL;
    return parse_call_after(p, n);
}

static struct node *case_node(struct parser *p)
{
    struct node *n = node_new(p, NODE_CASE, take_token(p).at);
    if (!n || !parse_deeper(p)) return NULL;
    if (!at_word(p, KW_WHEN)) {
        n->cases.operand = parse_expr(p, BIND_ANY);
        if (!n->cases.operand || !node_holds(p, n, n->cases.operand->height)) return NULL;
    }
    while (take_word_if(p, KW_WHEN)) {
        struct node *when = parse_expr(p, BIND_ANY);
        if (!when || !node_holds(p, n, when->height) || !expect_word(p, KW_THEN, "THEN")) return NULL;
        struct node *then = parse_expr(p, BIND_ANY);
        if (!then || !node_holds(p, n, then->height)) return NULL;
        nodes_push(p, &n->cases.whens, when);
        nodes_push(p, &n->cases.whens, then);
    }
    if (!n->cases.whens.count) return parse_fail(p, "WHEN");
    if (take_word_if(p, KW_ELSE)) {
        n->cases.otherwise = parse_expr(p, BIND_ANY);
        if (!n->cases.otherwise || !node_holds(p, n, n->cases.otherwise->height)) return NULL;
    }
    parse_shallower(p);
    return expect_word(p, KW_END, "END") ? n : NULL;
}

static struct node *cast_node(struct parser *p)
{
    struct token word = take_token(p);
    struct node *n = node_new(p, NODE_CAST, word.at);
    take_token(p);
    if (!n) return NULL;
    n->try_cast = word.keyword == KW_TRY_CAST;
    n->cast.arg = parse_expr(p, BIND_ANY);
    if (!n->cast.arg || !expect_word(p, KW_AS, "AS") || !(n->cast.type = parse_type(p))) return NULL;
    if (token_is(peek_token(p, 0), "format") || token_is(peek_token(p, 0), "at")) {
        refuse_feature(p, peek_token(p, 0)->at, "CAST with a format or zone");
        while (peek_token(p, 0)->kind == TOKEN_WORD || peek_token(p, 0)->kind == TOKEN_TEXT) take_token(p);
    }
    return expect_kind(p, ')', "')'") ? node_over(p, n, n->cast.arg, NULL, NULL) : NULL;
}

/* CONVERT(x, type) and CONVERT(x USING charset) in MySQL, CONVERT(type, x, style) in T-SQL. */
static struct node *convert_node(struct parser *p)
{
    struct token word = take_token(p);
    struct node *n = node_new(p, NODE_CAST, word.at);
    take_token(p);
    if (!n) return NULL;
    n->try_cast = token_is(&word, "try_convert");
    if (p->tongue == TONGUE_MYSQL) {
        n->cast.arg = parse_expr(p, BIND_ANY);
        if (!n->cast.arg) return NULL;
        if (at_word(p, KW_USING)) {
            refuse_feature(p, take_token(p).at, "a character set");
            take_token(p);
            return expect_kind(p, ')', "')'") ? n->cast.arg : NULL;
        }
        if (!expect_kind(p, ',', "','") || !(n->cast.type = parse_type(p))) return NULL;
        if (token_is(peek_token(p, 0), "character") || token_is(peek_token(p, 0), "charset")) {
            refuse_feature(p, take_token(p).at, "a character set");
            while (peek_token(p, 0)->kind == TOKEN_WORD) take_token(p);
        }
    } else {
        if (!(n->cast.type = parse_type(p)) || !expect_kind(p, ',', "','") || !(n->cast.arg = parse_expr(p, BIND_ANY)))
            return NULL;
        if (take_kind(p, ',')) {
            refuse_feature(p, peek_token(p, 0)->at, "a style of CONVERT");
            if (!parse_expr(p, BIND_ANY)) return NULL;
        }
    }
    return expect_kind(p, ')', "')'") ? node_over(p, n, n->cast.arg, NULL, NULL) : NULL;
}

/* EXTRACT(unit FROM x): a call with the unit as text. */
static struct node *extract_node(struct parser *p)
{
    struct node *n = call_node(p, "extract", take_token(p).at);
    take_token(p);
    if (!n) return NULL;
    struct token unit = take_token(p);
    if (unit.kind != TOKEN_WORD && unit.kind != TOKEN_TEXT && unit.kind != TOKEN_QUOTED) return parse_fail(p, "a unit");
    if (!add_arg(p, n, text_node(p, call_strndup(p->call, unit.text, unit.n), unit.at))) return NULL;
    if (!take_kind(p, ',') && !expect_word(p, KW_FROM, "FROM")) return NULL;
    if (!add_arg(p, n, parse_expr(p, BIND_ANY))) return NULL;
    return expect_kind(p, ')', "')'") ? n : NULL;
}

/* SUBSTRING(x FROM a FOR b), or with commas. */
static struct node *substring_node(struct parser *p)
{
    struct node *n = call_node(p, "substring", take_token(p).at), *from = NULL, *length = NULL;
    take_token(p);
    if (!n || !add_arg(p, n, parse_expr(p, BIND_ANY))) return NULL;
    if (take_kind(p, ',')) {
        do {
            if (!add_arg(p, n, parse_expr(p, BIND_ANY))) return NULL;
        } while (take_kind(p, ','));
        return expect_kind(p, ')', "')'") ? n : NULL;
    }
    while (at_word(p, KW_FROM) || at_word(p, KW_FOR)) {
        struct node **to = take_token(p).keyword == KW_FROM ? &from : &length;
        if (*to) return parse_fail(p, "')'");
        if (!(*to = parse_expr(p, BIND_ANY))) return NULL;
    }
    if (at_word(p, KW_SIMILAR)) {
        refuse_feature(p, take_token(p).at, "SUBSTRING … SIMILAR");
        if (!parse_expr(p, BIND_ANY) || (take_word_if(p, KW_ESCAPE) && !parse_expr(p, BIND_ANY))) return NULL;
    }
    if (!from && length) {
        from = node_new(p, NODE_NUMBER, n->at);
        if (!from) return NULL;
        from->text = "1";
    }
    if ((from && !add_arg(p, n, from)) || (length && !add_arg(p, n, length))) return NULL;
    return expect_kind(p, ')', "')'") ? n : NULL;
}

/* TRIM([LEADING|TRAILING|BOTH] [characters] FROM x), or with commas. */
static struct node *trim_node(struct parser *p)
{
    struct node *n = call_node(p, "trim", take_token(p).at), *first = NULL, *of;
    take_token(p);
    if (!n) return NULL;
    if (at_word(p, KW_LEADING) || at_word(p, KW_TRAILING) || at_word(p, KW_BOTH)) {
        uint16_t side = take_token(p).keyword;
        n->call->name.items[0].text = side == KW_LEADING ? "ltrim" : side == KW_TRAILING ? "rtrim" : "trim";
    }
    if (!at_word(p, KW_FROM) && !(first = parse_expr(p, BIND_ANY))) return NULL;
    if (take_word_if(p, KW_FROM)) {
        if (!(of = parse_expr(p, BIND_ANY)) || !add_arg(p, n, of) || (first && !add_arg(p, n, first))) return NULL;
    } else {
        if (!add_arg(p, n, first)) return NULL;
    }
    while (take_kind(p, ','))
        if (!add_arg(p, n, parse_expr(p, BIND_ANY))) return NULL;
    return expect_kind(p, ')', "')'") ? n : NULL;
}

/* POSITION(a IN b): where a stands in b. */
static struct node *position_node(struct parser *p)
{
    struct node *n = call_node(p, "position", take_token(p).at);
    take_token(p);
    if (!n || !add_arg(p, n, parse_expr(p, BIND_OTHER))) return NULL;
    if (!take_kind(p, ',') && !expect_word(p, KW_IN, "IN")) return NULL;
    if (!add_arg(p, n, parse_expr(p, BIND_ANY))) return NULL;
    return expect_kind(p, ')', "')'") ? n : NULL;
}

/* CURRENT_DATE and its like: functions without brackets, or with a precision in them. */
static struct node *moment_node(struct parser *p)
{
    struct token word = take_token(p);
    struct node *n = call_node(p, call_strndup(p->call, word.text, word.n), word.at);
    if (!n) return NULL;
    n->call->keyword = true;
    if (peek_token(p, 0)->kind == '(') {
        take_token(p);
        if (peek_token(p, 0)->kind == TOKEN_NUMBER) take_token(p);
        if (!expect_kind(p, ')', "')'")) return NULL;
    }
    return n;
}

struct node *parse_special(struct parser *p, bool *is_one)
{
    const struct token *t = peek_token(p, 0);
    bool brackets = peek_token(p, 1)->kind == '(';
    *is_one = true;
    switch (t->keyword) {
    case KW_CASE:
        if (peek_token(p, 1)->kind == '.') break;
        return case_node(p);
    case KW_CAST:
    case KW_TRY_CAST:
        if (brackets) return cast_node(p);
        break;
    case KW_CONVERT:
        if (brackets && (p->tongue == TONGUE_MYSQL || p->tongue == TONGUE_MSSQL)) return convert_node(p);
        break;
    case KW_EXTRACT:
        if (brackets && p->tongue != TONGUE_SQLITE && p->tongue != TONGUE_MSSQL) return extract_node(p);
        break;
    case KW_SUBSTRING:
    case KW_SUBSTR:
        if (brackets) return substring_node(p);
        break;
    case KW_TRIM:
        if (brackets) return trim_node(p);
        break;
    case KW_POSITION:
        if (brackets && p->tongue != TONGUE_SQLITE && p->tongue != TONGUE_MSSQL) return position_node(p);
        break;
    case KW_CURRENT_DATE:
    case KW_CURRENT_TIME:
    case KW_CURRENT_TIMESTAMP:
        if (peek_token(p, 1)->kind != '.') return moment_node(p);
        break;
    case KW_LOCALTIME:
    case KW_LOCALTIMESTAMP:
    case KW_CURRENT_USER:
    case KW_SESSION_USER:
        if (p->tongue != TONGUE_SQLITE && peek_token(p, 1)->kind != '.') return moment_node(p);
        break;
    default:
        break;
    }
    if (brackets && p->tongue == TONGUE_MSSQL && token_is(t, "try_convert")) return convert_node(p);
    *is_one = false;
    return NULL;
}
