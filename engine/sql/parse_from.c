#include "sql/parse.h"

static struct syntax_from *parse_joins(struct parser *p, struct syntax_from *left, bool commas);

static struct syntax_from *from_new(struct parser *p, enum from_kind kind, uint32_t at)
{
    if (++p->nodes > SYNTAX_NODES_MAX) return parse_fail(p, "a smaller statement");
    struct syntax_from *f = call_alloc(p->call, sizeof *f);
    f->kind = kind;
    f->at = at;
    f->height = 1;
    return f;
}

bool parse_alias(struct parser *p, struct ident *out)
{
    bool as = take_word_if(p, KW_AS);
    const struct token *t = peek_token(p, 0);
    bool word = t->kind == TOKEN_WORD && (as ? !keyword_reserved(t->keyword) : !keyword_ends_alias(t->keyword));
    bool text = as && t->kind == TOKEN_TEXT && (p->tongue == TONGUE_SQLITE || p->tongue == TONGUE_MYSQL);
    word = word || (t->kind == TOKEN_WORD && t->keyword == KW_APPLY && p->tongue != TONGUE_MSSQL);
    if (p->tongue == TONGUE_DUCKDB && !as && t->keyword == KW_AT && peek_token(p, 1)->kind == '(') word = false;
    if (word || text || t->kind == TOKEN_QUOTED) {
        struct token name = take_token(p);
        *out = token_ident(p, &name);
        return true;
    }
    return as && t->kind != '(' ? parse_fails(p, "an alias after AS") : true;
}

/* What may follow a table: samples, hints, time travel. Hints that choose an index change no answer and are dropped. */
static bool parse_table_options(struct parser *p, bool before_alias)
{
    for (;;) {
        const struct token *t = peek_token(p, 0);
        if (t->kind != TOKEN_WORD) return true;
        bool brackets = peek_token(p, 1)->kind == '(';
        bool hints = t->keyword == KW_USE || t->keyword == KW_FORCE || t->keyword == KW_IGNORE;
        if (t->keyword == KW_TABLESAMPLE) {
            refuse_feature(p, take_token(p).at, "TABLESAMPLE");
            while (peek_token(p, 0)->kind == TOKEN_WORD || peek_token(p, 0)->kind == TOKEN_NUMBER) take_token(p);
            if (peek_token(p, 0)->kind == '%') take_token(p);
            if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return false;
            if (token_is(peek_token(p, 0), "repeatable") && (take_token(p), peek_token(p, 0)->kind == '(') &&
                !skip_brackets(p))
                return false;
        } else if (p->tongue == TONGUE_DUCKDB && t->keyword == KW_AT && brackets) {
            refuse_feature(p, take_token(p).at, "time travel");
            if (!skip_brackets(p)) return false;
        } else if (p->tongue == TONGUE_MSSQL && t->keyword == KW_WITH && brackets) {
            refuse_feature(p, take_token(p).at, "a table hint");
            if (!skip_brackets(p)) return false;
        } else if (p->tongue == TONGUE_MSSQL && t->keyword == KW_FOR && token_is(peek_token(p, 1), "system_time")) {
            refuse_feature(p, take_token(p).at, "FOR SYSTEM_TIME");
            take_token(p);
            for (t = peek_token(p, 0); t->kind != ')' && t->kind != ';' && t->kind != TOKEN_END && t->kind != ',' &&
                                       t->keyword != KW_WHERE && t->keyword != KW_JOIN && t->keyword != KW_ORDER;
                 t = peek_token(p, 0))
                if (t->kind != '(')
                    take_token(p);
                else if (!skip_brackets(p))
                    return false;
        } else if (p->tongue == TONGUE_MYSQL && t->keyword == KW_PARTITION && brackets && before_alias) {
            refuse_feature(p, take_token(p).at, "PARTITION");
            if (!skip_brackets(p)) return false;
        } else if (p->tongue == TONGUE_MYSQL && hints &&
                   (token_is(peek_token(p, 1), "index") || token_is(peek_token(p, 1), "key"))) {
            take_token(p);
            take_token(p);
            if (take_word_if(p, KW_FOR))
                while (peek_token(p, 0)->kind == TOKEN_WORD) take_token(p);
            if (peek_token(p, 0)->kind != '(' || !skip_brackets(p)) return parse_fails(p, "'('");
            take_kind(p, ',');
        } else if (p->tongue == TONGUE_SQLITE && t->keyword == KW_INDEXED && at_word_next(p, KW_BY)) {
            take_token(p);
            take_token(p);
            if (!token_names(peek_token(p, 0), false)) return parse_fails(p, "the name of an index");
            take_token(p);
        } else if (p->tongue == TONGUE_SQLITE && t->keyword == KW_NOT && at_word_next(p, KW_INDEXED)) {
            take_token(p);
            take_token(p);
        } else if ((t->keyword == KW_PIVOT || t->keyword == KW_UNPIVOT) && p->tongue != TONGUE_SQLITE) {
            refuse_feature(p, t->at, t->keyword == KW_PIVOT ? "PIVOT" : "UNPIVOT");
            take_token(p);
            while (peek_token(p, 0)->kind == TOKEN_WORD && peek_token(p, 0)->kind != '(') take_token(p);
            if (peek_token(p, 0)->kind != '(' || !skip_brackets(p)) return parse_fails(p, "'('");
        } else {
            return true;
        }
    }
}

static bool parse_alias_and_columns(struct parser *p, struct syntax_from *f)
{
    if (!parse_table_options(p, true) || !parse_alias(p, &f->alias)) return false;
    const struct token *t = peek_token(p, 0);
    bool old_hint = p->tongue == TONGUE_MSSQL && t->kind == '(' && f->kind == FROM_TABLE;
    if (old_hint) {
        refuse_feature(p, t->at, "a table hint");
        if (!skip_brackets(p)) return false;
    } else if (t->kind == '(' && (f->alias.text || f->kind == FROM_OTHER)) {
        /* A function's list may define types: it is refused anyway. */
        if (f->kind == FROM_OTHER ? !skip_brackets(p) : !parse_ident_list(p, &f->columns)) return false;
    }
    return parse_table_options(p, false);
}

static struct syntax_from *parse_table_function(struct parser *p, uint32_t at)
{
    struct syntax_from *f = from_new(p, FROM_OTHER, at);
    refuse_table_function(p);
    if (!f || !skip_brackets(p)) return NULL;
    while (take_kind(p, '.')) {
        struct idents name = { 0 };
        if (!parse_name(p, &name) || (peek_token(p, 0)->kind == '(' && !skip_brackets(p))) return NULL;
    }
    if (at_word(p, KW_WITH)) {
        take_token(p);
        if (peek_token(p, 0)->kind == '(') {
            if (!skip_brackets(p)) return NULL;
        } else if (token_is(peek_token(p, 0), "ordinality") || token_is(peek_token(p, 0), "offset")) {
            take_token(p);
        }
    }
    return parse_alias_and_columns(p, f) ? f : NULL;
}

static struct syntax_from *parse_derived(struct parser *p, struct syntax_query *q, uint32_t at)
{
    struct syntax_from *f = from_new(p, FROM_QUERY, at);
    if (!f) return NULL;
    f->query = q;
    f->height = (uint16_t)(q->height + 1);
    return parse_alias_and_columns(p, f) ? f : NULL;
}

/* After an opening bracket: a query, or a tree of joins. `query` is set when the bracket held a query only. */
static struct syntax_from *parse_bracketed(struct parser *p, struct syntax_query **query)
{
    uint32_t at = take_token(p).at;
    struct syntax_from *f = NULL;
    *query = NULL;
    if (!parse_deeper(p)) return NULL;
    if (at_query(p, 0) || at_word(p, KW_PIVOT) || at_word(p, KW_UNPIVOT)) {
        *query = parse_query(p);
        if (!*query) return NULL;
    } else if (peek_token(p, 0)->kind == '(') {
        f = parse_bracketed(p, query);
        if (*query && at_query_tail(p))
            *query = parse_query_after(p, *query);
        else if (*query && peek_token(p, 0)->kind != ')') {
            f = parse_derived(p, *query, at);
            *query = NULL;
            if (f) f = parse_joins(p, f, true);
        } else if (f) {
            f = parse_joins(p, f, true);
        }
        if (!f && !*query) return NULL;
    } else {
        f = parse_from(p);
        if (!f) return NULL;
    }
    parse_shallower(p);
    if (!expect_kind(p, ')', "')'")) {
        *query = NULL;
        return NULL;
    }
    return f;
}

static struct syntax_from *parse_source(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    uint32_t at = t->at;
    if (p->tongue == TONGUE_DUCKDB && token_names(t, false) && peek_token(p, 1)->kind == ':') { /* alias: table */
        struct token name = take_token(p);
        take_token(p);
        struct syntax_from *f = parse_source(p);
        if (f) f->alias = token_ident(p, &name);
        return f;
    }
    if (t->kind == TOKEN_WORD && t->keyword == KW_LATERAL) {
        refuse_feature(p, at, "LATERAL");
        take_token(p);
        t = peek_token(p, 0);
    }
    if (token_is(t, "rows") && at_word_next(p, KW_FROM)) {
        take_token(p);
        take_token(p);
        return peek_token(p, 0)->kind == '(' ? parse_table_function(p, at) : parse_fail(p, "'('");
    }
    if (token_is(t, "only") && (p->tongue == TONGUE_POSTGRES) && token_names(peek_token(p, 1), false)) take_token(p);
    t = peek_token(p, 0);
    if (t->kind == '(') {
        struct syntax_query *q;
        struct syntax_from *f = parse_bracketed(p, &q);
        if (q) return parse_derived(p, q, at);
        /* Brackets around joins take no alias in the engines where it would hide the tables inside. */
        if (f && f->kind == FROM_JOIN && at_word(p, KW_AS))
            refuse_feature(p, peek_token(p, 0)->at, "an alias for a bracketed join");
        if (f && f->kind == FROM_JOIN && at_word(p, KW_AS)) parse_alias_and_columns(p, f);
        return f;
    }
    if (t->kind == TOKEN_WORD && token_is(t, "values")) return parse_fail(p, "a table");
    struct syntax_from *f = from_new(p, FROM_TABLE, at);
    if (!f) return NULL;
    if (t->kind == TOKEN_TEXT) {
        struct token name = take_token(p);
        struct ident i = token_ident(p, &name);
        i.quote = '\'';
        idents_push(p, &f->name, i);
    } else if (t->kind == TOKEN_PARAMETER) {
        refuse_feature(p, t->at, t->text[0] == '@' ? "a variable" : "a parameter");
        take_token(p);
        f->kind = FROM_OTHER;
        while (peek_token(p, 0)->kind == '.') {
            take_token(p);
            take_token(p);
        }
        if (peek_token(p, 0)->kind == '(' && !skip_brackets(p)) return NULL;
    } else {
        const struct token *name = peek_token(p, 0);
        bool left_or_right =
            name->kind == TOKEN_WORD && peek_token(p, 1)->kind == '(' && !keyword_reserved(name->keyword);
        if (!left_or_right && !token_names(name, false)) return parse_fail(p, "a table");
        if (!parse_name(p, &f->name)) return NULL;
        if (peek_token(p, 0)->kind == '*' && p->tongue == TONGUE_POSTGRES) take_token(p);
    }
    if (f->kind == FROM_TABLE && peek_token(p, 0)->kind == '(') {
        bool hint = p->tongue == TONGUE_MSSQL &&
                    (token_is(peek_token(p, 1), "nolock") || token_is(peek_token(p, 1), "readpast"));
        if (!hint) return parse_table_function(p, at);
    }
    return parse_alias_and_columns(p, f) ? f : NULL;
}

static struct syntax_from *join_new(struct parser *p, struct syntax_from *left, struct syntax_from *right, uint32_t at)
{
    if (!left || !right) return NULL;
    struct syntax_from *j = from_new(p, FROM_JOIN, at);
    if (!j) return NULL;
    unsigned height = left->height > right->height ? left->height : right->height;
    if (height >= SYNTAX_HEIGHT_MAX) {
        call_fail(p->call, ERR_PLAN_TOO_LARGE, "The SQL could not be parsed: too many joins.");
        return NULL;
    }
    j->height = (uint16_t)(height + 1);
    j->left = left;
    j->right = right;
    return j;
}

struct join_words {
    bool comma, natural, cross, apply;
    enum join_type type;
};

/* The words up to and with JOIN. False when the next token joins nothing; nothing is taken then. */
static bool take_join_words(struct parser *p, bool commas, struct join_words *out)
{
    *out = (struct join_words){ .type = JOIN_INNER };
    if (commas && take_kind(p, ',')) {
        out->comma = true;
        out->type = JOIN_CROSS;
        return true;
    }
    const struct token *t = peek_token(p, 0);
    if (t->kind != TOKEN_WORD) return false;
    if (t->keyword == KW_POSITIONAL || t->keyword == KW_ASOF) {
        refuse_feature(p, t->at, t->keyword == KW_ASOF ? "ASOF JOIN" : "POSITIONAL JOIN");
        out->cross = t->keyword == KW_POSITIONAL;
        take_token(p);
        t = peek_token(p, 0);
    }
    if (take_word_if(p, KW_STRAIGHT_JOIN)) return true;
    if (take_word_if(p, KW_NATURAL)) out->natural = true;
    t = peek_token(p, 0);
    switch (t->kind == TOKEN_WORD ? t->keyword : 0) {
    case KW_CROSS:
        out->cross = true;
        out->type = JOIN_CROSS;
        break;
    case KW_INNER:
        break;
    case KW_LEFT:
        out->type = JOIN_LEFT;
        break;
    case KW_RIGHT:
        out->type = JOIN_RIGHT;
        break;
    case KW_FULL:
        out->type = JOIN_FULL;
        break;
    case KW_OUTER:
        break;
    case KW_SEMI:
    case KW_ANTI:
        refuse_feature(p, t->at, "SEMI or ANTI JOIN");
        break;
    case KW_JOIN:
        take_token(p);
        return true;
    default:
        return false;
    }
    take_token(p);
    if (out->type == JOIN_LEFT || out->type == JOIN_RIGHT || out->type == JOIN_FULL) {
        take_word_if(p, KW_OUTER);
        if (at_word(p, KW_SEMI) || at_word(p, KW_ANTI)) refuse_feature(p, take_token(p).at, "SEMI or ANTI JOIN");
    }
    if (p->tongue == TONGUE_MSSQL && at_word(p, KW_APPLY)) {
        refuse_feature(p, take_token(p).at, "APPLY");
        out->apply = true;
        return true;
    }
    if (p->tongue == TONGUE_MSSQL && (token_is(peek_token(p, 0), "hash") || token_is(peek_token(p, 0), "loop") ||
                                      token_is(peek_token(p, 0), "remote") || at_word(p, KW_MERGE)))
        take_token(p); /* join hints change no answer */
    return expect_word(p, KW_JOIN, "JOIN");
}

static bool parse_join_condition(struct parser *p, struct syntax_from *j, const struct join_words *words)
{
    if (words->comma || words->natural || words->apply) return true;
    if (take_word_if(p, KW_ON)) {
        if (words->cross && p->tongue != TONGUE_MYSQL && p->tongue != TONGUE_SQLITE)
            return parse_fails(p, "no ON after CROSS JOIN");
        j->on = parse_expr(p, BIND_ANY);
        if (j->on && j->on->height >= j->height) j->height = (uint16_t)(j->on->height + 1);
        return j->on != NULL;
    }
    if (at_word(p, KW_USING) && peek_token(p, 1)->kind == '(') {
        take_token(p);
        if (!parse_ident_list(p, &j->using_)) return false;
        if (p->tongue == TONGUE_POSTGRES && at_word(p, KW_AS)) {
            refuse_feature(p, take_token(p).at, "an alias for USING");
            take_token(p);
        }
        return true;
    }
    bool optional = p->tongue == TONGUE_SQLITE || (p->tongue == TONGUE_MYSQL && j->type == JOIN_INNER);
    if (words->cross || optional || p->out->refused) return true;
    return parse_fails(p, "ON or USING");
}

static bool joins_next(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (t->kind != TOKEN_WORD) return false;
    return t->keyword == KW_JOIN || t->keyword == KW_INNER || t->keyword == KW_LEFT || t->keyword == KW_RIGHT ||
           t->keyword == KW_FULL;
}

static struct syntax_from *parse_joins(struct parser *p, struct syntax_from *left, bool commas)
{
    struct join_words words;
    while (left && take_join_words(p, commas, &words)) {
        uint32_t at = peek_token(p, 0)->at;
        struct syntax_from *right = parse_source(p);
        /* Only in SQLite does a comma bind as tightly as JOIN. */
        if (right && words.comma && p->tongue != TONGUE_SQLITE) right = parse_joins(p, right, false);
        /* a JOIN b JOIN c ON … ON …: the second ON closes the first JOIN. */
        bool nested = !words.comma && !words.natural && !words.cross && !words.apply && p->tongue != TONGUE_SQLITE;
        if (right && nested && joins_next(p)) {
            if (!parse_deeper(p)) return NULL;
            if (p->tongue != TONGUE_MYSQL || words.type != JOIN_INNER) right = parse_joins(p, right, false);
            parse_shallower(p);
        }
        struct syntax_from *j = join_new(p, left, right, at);
        if (!j) return NULL;
        j->type = words.type;
        j->comma = words.comma;
        j->natural = words.natural;
        if (!parse_join_condition(p, j, &words)) return NULL;
        left = j;
    }
    return p->call->err.code ? NULL : left;
}

struct syntax_from *parse_from(struct parser *p)
{
    if (!parse_deeper(p)) return NULL;
    struct syntax_from *f = parse_joins(p, parse_source(p), true);
    parse_shallower(p);
    return f;
}
