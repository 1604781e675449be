#include "sql/lex.h"

#include "sql/keywords.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool tongue_find(const char *dialect, enum tongue *out)
{
    static const struct {
        const char *name;
        enum tongue tongue;
    } names[] = {
        { "sqlite", TONGUE_SQLITE }, { "postgres", TONGUE_POSTGRES }, { "postgresql", TONGUE_POSTGRES },
        { "mysql", TONGUE_MYSQL },   { "mariadb", TONGUE_MYSQL },     { "duckdb", TONGUE_DUCKDB },
        { "mssql", TONGUE_MSSQL },   { "sqlserver", TONGUE_MSSQL },   { "tsql", TONGUE_MSSQL },
    };
    for (size_t i = 0; dialect && i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(dialect, names[i].name) != 0) continue;
        *out = names[i].tongue;
        return true;
    }
    return false;
}

const char *lex_position(struct call *c, const char *text, uint32_t n, uint32_t at)
{
    unsigned line = 1, column = 1;
    for (uint32_t i = 0; i < at && i < n; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    return call_format(c, "line %u, column %u", line, column);
}

int lex_fail(struct lexer *l, uint32_t at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *what = call_vformat(l->call, fmt, ap);
    va_end(ap);
    return call_fail(l->call, ERR_SQL_PARSE_ERROR, "The SQL could not be parsed: %s, at %s.", what,
                     lex_position(l->call, l->text, l->n, at));
}

static unsigned char peek(const struct lexer *l, uint32_t ahead)
{
    return l->at + ahead < l->n ? (unsigned char)l->text[l->at + ahead] : 0;
}

static bool nests_comments(enum tongue t)
{
    return t == TONGUE_POSTGRES || t == TONGUE_DUCKDB || t == TONGUE_MSSQL;
}

static int skip_block_comment(struct lexer *l)
{
    uint32_t start = l->at;
    if (l->tongue == TONGUE_MYSQL && (peek(l, 2) == '!' || (peek(l, 2) == 'M' && peek(l, 3) == '!')))
        return lex_fail(l, start, "executable comments are not supported");
    int depth = 1;
    l->at += 2;
    while (l->at < l->n) {
        if (peek(l, 0) == '*' && peek(l, 1) == '/') {
            l->at += 2;
            if (--depth == 0) return OK;
        } else if (peek(l, 0) == '/' && peek(l, 1) == '*' && nests_comments(l->tongue)) {
            l->at += 2;
            depth++;
        } else {
            l->at++;
        }
    }
    return lex_fail(l, start, "a comment is not closed");
}

static void skip_line(struct lexer *l)
{
    const char *end = memchr(l->text + l->at, '\n', l->n - l->at);
    const char *back = memchr(l->text + l->at, '\r', end ? (size_t)(end - l->text) - l->at : l->n - l->at);
    /* PostgreSQL and DuckDB end a line comment at a carriage return too. */
    if (back && (l->tongue == TONGUE_POSTGRES || l->tongue == TONGUE_DUCKDB)) end = back;
    l->at = end ? (uint32_t)(end - l->text) : l->n;
}

static bool line_comment(const struct lexer *l)
{
    if (l->tongue == TONGUE_MYSQL && peek(l, 0) == '#') return true;
    if (peek(l, 0) != '-' || peek(l, 1) != '-') return false;
    /* MySQL reads 1--1 as a subtraction: its comment needs a space after the dashes. */
    return l->tongue != TONGUE_MYSQL || l->at + 2 >= l->n || peek(l, 2) <= ' ';
}

/* Skips spaces and comments; tells whether a line break was among them. */
static int skip_blanks(struct lexer *l, bool *line_break)
{
    *line_break = false;
    for (;;) {
        unsigned char ch = peek(l, 0);
        if (l->at >= l->n) return OK;
        if (ch == ' ' || ch == '\t' || ch == '\f') {
            l->at++;
        } else if (ch == '\n' || ch == '\r') {
            *line_break = true;
            l->at++;
        } else if (line_comment(l)) {
            skip_line(l);
        } else if (ch == '/' && peek(l, 1) == '*') {
            int rc = skip_block_comment(l);
            if (rc) return rc;
        } else {
            return OK;
        }
    }
}

/* Spaces and invisible characters beyond ASCII: some engines skip them, some take them as letters of a name. */
static bool strange_space(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    if (n >= 2 && u[0] == 0xC2 && (u[1] == 0xA0 || u[1] == 0xAD || (u[1] >= 0x80 && u[1] <= 0x9F))) return true;
    if (n >= 3 && u[0] == 0xE1 && u[1] == 0x9A && u[2] == 0x80) return true;
    if (n >= 3 && u[0] == 0xE1 && u[1] == 0xA0 && u[2] == 0x8E) return true;
    if (n >= 3 && u[0] == 0xE2 && u[1] == 0x80 && ((u[2] >= 0x80 && u[2] <= 0x8F) || (u[2] >= 0xA8 && u[2] <= 0xAF)))
        return true;
    if (n >= 3 && u[0] == 0xE2 && u[1] == 0x81 && u[2] >= 0x9F && u[2] <= 0xAF) return true;
    if (n >= 3 && u[0] == 0xE3 && u[1] == 0x80 && u[2] == 0x80) return true;
    return n >= 3 && u[0] == 0xEF && u[1] == 0xBB && u[2] == 0xBF;
}

static bool word_inside(const struct lexer *l, unsigned char ch)
{
    if (word_start(ch) || digit(ch)) return true;
    if (ch == '$') return true;
    return (ch == '#' || ch == '@') && l->tongue == TONGUE_MSSQL;
}

static int take_word(struct lexer *l, struct token *out)
{
    out->kind = TOKEN_WORD;
    out->text = l->text + l->at;
    uint32_t start = l->at;
    while (l->at < l->n && word_inside(l, (unsigned char)l->text[l->at])) {
        if ((unsigned char)l->text[l->at] >= 0x80 && strange_space(l->text + l->at, l->n - l->at))
            return lex_fail(l, l->at, "an invisible character or unusual space");
        l->at++;
    }
    out->n = l->at - start;
    out->keyword = keyword_find(out->text, out->n);
    return OK;
}

static void take_exponent(struct lexer *l)
{
    if (peek(l, 0) != 'e' && peek(l, 0) != 'E') return;
    uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
    if (!digit(peek(l, 1 + sign))) return;
    l->at += 1 + sign;
    while (digit(peek(l, 0))) l->at++;
}

/* 1_000_000: the digits without the underscores. */
static int take_grouped_number(struct lexer *l, uint32_t start, struct token *out)
{
    while (digit(peek(l, 0)) || (peek(l, 0) == '_' && digit(peek(l, 1)))) l->at++;
    if (word_start(peek(l, 0)) || peek(l, 0) == '.') return lex_fail(l, start, "letters follow a number");
    char *digits = call_alloc(l->call, l->at - start + 1);
    uint32_t n = 0;
    for (uint32_t i = start; i < l->at; i++)
        if (l->text[i] != '_') digits[n++] = l->text[i];
    out->text = digits;
    out->n = n;
    return OK;
}

static int take_number(struct lexer *l, struct token *out)
{
    uint32_t start = l->at;
    out->kind = TOKEN_NUMBER;
    if (peek(l, 0) == '0' && (peek(l, 1) == 'x' || peek(l, 1) == 'X') && hex_digit(peek(l, 2))) {
        bool integer = l->tongue != TONGUE_MYSQL && l->tongue != TONGUE_MSSQL;
        out->kind = integer ? TOKEN_HEX_NUMBER : TOKEN_BINARY;
        l->at += 2;
        out->text = l->text + l->at;
        while (hex_digit(peek(l, 0))) l->at++;
        out->n = l->at - start - 2;
    } else {
        while (digit(peek(l, 0))) l->at++;
        if (peek(l, 0) == '.' && peek(l, 1) != '.') {
            l->at++;
            while (digit(peek(l, 0))) l->at++;
        }
        take_exponent(l);
        out->text = l->text + start;
        out->n = l->at - start;
    }
    if (peek(l, 0) == '_' && digit(peek(l, 1)) && out->kind == TOKEN_NUMBER && l->tongue == TONGUE_DUCKDB)
        return take_grouped_number(l, start, out);
    if (l->at < l->n && word_start(peek(l, 0))) {
        /* MySQL takes 2nd as a name. Elsewhere letters after a number are an error or, worse, an alias nobody meant. */
        bool name = l->tongue == TONGUE_MYSQL && !memchr(l->text + start, '.', l->at - start);
        if (!name) return lex_fail(l, start, "letters follow a number");
        l->at = start;
        return take_word(l, out);
    }
    return OK;
}

static int take_parameter(struct lexer *l, uint32_t prefix, struct token *out)
{
    out->kind = TOKEN_PARAMETER;
    out->text = l->text + l->at;
    uint32_t start = l->at;
    l->at += prefix;
    while (l->at < l->n && (word_start(peek(l, 0)) || digit(peek(l, 0)))) l->at++;
    out->n = l->at - start;
    return OK;
}

static bool operator_char(unsigned char ch)
{
    return ch && strchr("+-*/<>=~!@#%^&|`?", ch) != NULL;
}

static uint16_t operator_kind(const char *s, size_t n)
{
    static const struct {
        const char *text;
        uint16_t kind;
    } known[] = {
        { "<>", TOKEN_NE },         { "!=", TOKEN_NE },
        { "<=", TOKEN_LE },         { ">=", TOKEN_GE },
        { "||", TOKEN_CONCAT },     { "&&", TOKEN_DOUBLE_AND },
        { "<=>", TOKEN_NULL_SAFE }, { "->", TOKEN_ARROW },
        { "=>", TOKEN_NAMED },      { "==", '=' },
    };
    if (n == 1) return (uint16_t)(unsigned char)s[0];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].text) == n && memcmp(known[i].text, s, n) == 0) return known[i].kind;
    return TOKEN_OPERATOR;
}

/* PostgreSQL and DuckDB read the longest run of operator characters; a run ends before a comment, and a trailing + or -
 * belongs to it only when one of ~!@#%^&|`? is in it. */
static void take_long_operator(struct lexer *l, struct token *out)
{
    uint32_t start = l->at;
    bool unusual = false;
    while (operator_char(peek(l, 0))) {
        if (l->at > start && ((peek(l, 0) == '-' && peek(l, 1) == '-') || (peek(l, 0) == '/' && peek(l, 1) == '*')))
            break;
        unusual |= strchr("~!@#%^&|`?", peek(l, 0)) != NULL;
        l->at++;
    }
    while (l->at - start > 1 && !unusual && (l->text[l->at - 1] == '+' || l->text[l->at - 1] == '-')) l->at--;
    out->text = l->text + start;
    out->n = l->at - start;
    out->kind = operator_kind(out->text, out->n);
}

static void take_short_operator(struct lexer *l, struct token *out)
{
    static const char *const longer[] = { "<=>", "->>", "<>", "!=", "<=", ">=", "||", "&&", "->",
                                          "==",  "<<",  ">>", ":=", "!<", "!>", "+=", "=>", NULL };
    out->text = l->text + l->at;
    out->n = 1;
    for (size_t i = 0; longer[i]; i++) {
        size_t n = strlen(longer[i]);
        if (n <= l->n - l->at && memcmp(out->text, longer[i], n) == 0) {
            out->n = (uint32_t)n;
            break;
        }
    }
    bool null_safe = out->n == 3 && out->text[0] == '<' && out->text[1] == '=';
    if (null_safe && l->tongue != TONGUE_MYSQL) out->n = 2;
    l->at += out->n;
    out->kind = operator_kind(out->text, out->n);
}

static int take_symbol(struct lexer *l, struct token *out)
{
    unsigned char ch = peek(l, 0);
    bool long_operators = l->tongue == TONGUE_POSTGRES || l->tongue == TONGUE_DUCKDB;
    if (ch == ':' && (peek(l, 1) == ':' || peek(l, 1) == '=')) {
        out->kind = peek(l, 1) == ':' ? TOKEN_CAST : TOKEN_ASSIGN;
        out->text = l->text + l->at;
        out->n = 2;
        l->at += 2;
        return OK;
    }
    if (ch == '?' && (!long_operators || !operator_char(peek(l, 1)))) return take_parameter(l, 1, out);
    if (ch == '$') return take_parameter(l, 1, out);
    if (ch == ':' && word_start(peek(l, 1)) && l->tongue != TONGUE_DUCKDB) return take_parameter(l, 1, out);
    if (ch == '@' && !long_operators && (word_start(peek(l, 1)) || peek(l, 1) == '@'))
        return take_parameter(l, peek(l, 1) == '@' ? 2 : 1, out);
    if (ch == '#' && l->tongue == TONGUE_MSSQL) return take_word(l, out);
    if (operator_char(ch)) {
        if (long_operators)
            take_long_operator(l, out);
        else
            take_short_operator(l, out);
        return OK;
    }
    if (ch && strchr("(),.;:[]{}", ch)) {
        out->kind = ch;
        out->text = l->text + l->at++;
        out->n = 1;
        return OK;
    }
    return lex_fail(l, l->at, ch < ' ' || ch == 0x7F ? "a control character" : "the character '%c' means nothing here",
                    ch);
}

/* Strings with a letter before the quote: E'', N'', X'', B'', U&''. */
static int take_prefixed(struct lexer *l, struct token *out, bool *is_one)
{
    unsigned char ch = (unsigned char)(peek(l, 0) | 0x20), next = peek(l, 1);
    bool postgres = l->tongue == TONGUE_POSTGRES || l->tongue == TONGUE_DUCKDB;
    uint32_t start = l->at;
    *is_one = true;
    if (ch == 'u' && next == '&' && (peek(l, 2) == '\'' || peek(l, 2) == '"') && postgres) {
        l->at += 2;
        return lex_unicode(l, start, out);
    }
    if (next == '\'') {
        if (ch == 'e' && postgres) {
            l->at++;
            return lex_string(l, start, true, out);
        }
        if (ch == 'n' && l->tongue != TONGUE_SQLITE && l->tongue != TONGUE_DUCKDB) {
            l->at++;
            return lex_string(l, start, l->tongue == TONGUE_MYSQL, out);
        }
        if (ch == 'x' && l->tongue != TONGUE_MSSQL) {
            l->at++;
            return lex_hex(l, start, out);
        }
        if (ch == 'b' && l->tongue != TONGUE_MSSQL && l->tongue != TONGUE_SQLITE)
            return lex_fail(l, start, "bit strings are not supported");
    }
    *is_one = false;
    return OK;
}

int lex_next(struct lexer *l, struct token *out)
{
    memset(out, 0, sizeof *out);
    int rc = skip_blanks(l, &out->line_break);
    if (rc) return rc;
    out->at = l->at;
    unsigned char ch = peek(l, 0);
    bool done = false;
    if (l->at >= l->n) {
        out->text = "";
        out->end = l->at;
        return OK;
    }
    if (word_start(ch)) {
        if (peek(l, 1) == '\'' || peek(l, 1) == '&') rc = take_prefixed(l, out, &done);
        if (!rc && !done) rc = take_word(l, out);
    } else if (digit(ch) || (ch == '.' && digit(peek(l, 1)))) {
        rc = take_number(l, out);
    } else if (ch == '\'') {
        rc = lex_string(l, l->at, l->tongue == TONGUE_MYSQL, out);
    } else if (ch == '"') {
        rc = l->tongue == TONGUE_MYSQL ? lex_string(l, l->at, true, out) : lex_quoted(l, '"', out);
    } else if (ch == '`' && (l->tongue == TONGUE_MYSQL || l->tongue == TONGUE_SQLITE)) {
        rc = lex_quoted(l, '`', out);
    } else if (ch == '[' && (l->tongue == TONGUE_MSSQL || l->tongue == TONGUE_SQLITE)) {
        rc = lex_quoted(l, ']', out);
    } else {
        if (ch == '$' && (l->tongue == TONGUE_POSTGRES || l->tongue == TONGUE_DUCKDB)) rc = lex_dollar(l, out, &done);
        if (!rc && !done) rc = take_symbol(l, out);
    }
    out->end = l->at;
    return rc;
}
