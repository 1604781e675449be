/* lex: SQL text -> tokens, with quotes and comments exactly as each engine reads them. Tokens point into the text;
 * quoted ones are decoded into the call. Nothing blocks. The text needs no NUL at its end. */
#ifndef QUERENT_LEX_H
#define QUERENT_LEX_H

#include "call.h"

#include <stdbool.h>

/* The engine whose rules a text follows. */
enum tongue { TONGUE_SQLITE, TONGUE_POSTGRES, TONGUE_MYSQL, TONGUE_DUCKDB, TONGUE_MSSQL };

/* Tongue of a dialect by its name or a usual synonym; false when there is none. */
bool tongue_find(const char *dialect, enum tongue *out);

/* Single-character tokens have their character as kind. */
enum token_kind {
    TOKEN_END = 0,
    TOKEN_WORD = 256, /* bare word; keyword says which, 0 = none */
    TOKEN_QUOTED,     /* identifier in quotes, decoded */
    TOKEN_TEXT,       /* string literal, decoded */
    TOKEN_BINARY,     /* x'…' or 0x…: hex digits */
    TOKEN_NUMBER,     /* digits as written: 1, 1.5, 1e3 */
    TOKEN_HEX_NUMBER, /* 0x… where that is an integer: hex digits */
    TOKEN_PARAMETER,  /* ? $1 :name @name */
    TOKEN_NE,
    TOKEN_LE,
    TOKEN_GE,
    TOKEN_CONCAT, /* || */
    TOKEN_DOUBLE_AND,
    TOKEN_NULL_SAFE, /* <=> */
    TOKEN_CAST,      /* :: */
    TOKEN_ASSIGN,    /* := */
    TOKEN_ARROW,     /* -> */
    TOKEN_NAMED,     /* => */
    TOKEN_OPERATOR   /* any other operator of an engine: understood as one, never rendered */
};

struct token {
    uint16_t kind;
    uint16_t keyword; /* enum keyword */
    char quote;       /* of TOKEN_QUOTED and TOKEN_TEXT: " ` [ ' $ */
    bool line_break;  /* one stood before it: adjacent strings join */
    uint32_t at, end; /* bytes of the text */
    const char *text; /* decoded, NUL-terminated, for quoted kinds; else where it stands in the text */
    uint32_t n;       /* bytes of text */
};

struct lexer {
    struct call *call;
    enum tongue tongue;
    const char *text;
    uint32_t n, at;
};

/* The next token. ERR_SQL_PARSE_ERROR with line and column on text that is no token: unterminated quotes and comments,
 * control characters, spaces that are not ASCII, MySQL's executable comments. */
int lex_next(struct lexer *l, struct token *out);

/* "line 3, column 14" of a byte of the text; columns count characters. */
const char *lex_position(struct call *c, const char *text, uint32_t n, uint32_t at);
int lex_fail(struct lexer *l, uint32_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* lex_text.c: the quoted kinds. `at` stands on the opening quote; the token's text is decoded. */
int lex_string(struct lexer *l, uint32_t start, bool backslashes, struct token *out);
int lex_quoted(struct lexer *l, char close, struct token *out);
int lex_dollar(struct lexer *l, struct token *out, bool *is_one);
int lex_unicode(struct lexer *l, uint32_t start, struct token *out); /* U&'…' and U&"…", with UESCAPE */
int lex_hex(struct lexer *l, uint32_t start, struct token *out);     /* x'…' */

static inline bool word_start(unsigned char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || ch >= 0x80;
}
static inline bool digit(unsigned char ch)
{
    return ch >= '0' && ch <= '9';
}
static inline bool hex_digit(unsigned char ch)
{
    return digit(ch) || (ch >= 'a' && ch <= 'f') || (ch >= 'A' && ch <= 'F');
}

#endif
