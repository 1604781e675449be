#include "sql/lex.h"

#include "buf.h"

#include <string.h>

static unsigned char peek(const struct lexer *l, uint32_t ahead)
{
    return l->at + ahead < l->n ? (unsigned char)l->text[l->at + ahead] : 0;
}

static unsigned hex_value(unsigned char ch)
{
    if (digit(ch)) return (unsigned)(ch - '0');
    return (unsigned)((ch | 0x20) - 'a' + 10);
}

static bool add_character(struct buf *b, unsigned long code)
{
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    if (code < 0x80) {
        buf_char(b, (char)code);
    } else if (code < 0x800) {
        buf_char(b, (char)(0xC0 | (code >> 6)));
        buf_char(b, (char)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        buf_char(b, (char)(0xE0 | (code >> 12)));
        buf_char(b, (char)(0x80 | ((code >> 6) & 0x3F)));
        buf_char(b, (char)(0x80 | (code & 0x3F)));
    } else {
        buf_char(b, (char)(0xF0 | (code >> 18)));
        buf_char(b, (char)(0x80 | ((code >> 12) & 0x3F)));
        buf_char(b, (char)(0x80 | ((code >> 6) & 0x3F)));
        buf_char(b, (char)(0x80 | (code & 0x3F)));
    }
    return true;
}

/* Exactly `digits` hex digits ahead, or false. */
static bool take_hex(struct lexer *l, int digits, unsigned long *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++) {
        if (!hex_digit(peek(l, 0))) return false;
        *out = *out * 16 + hex_value(peek(l, 0));
        l->at++;
    }
    return true;
}

static int mysql_escape(struct lexer *l, struct buf *b)
{
    unsigned char ch = peek(l, 0);
    l->at++;
    switch (ch) {
    case '0':
        return lex_fail(l, l->at - 2, "a string holds a NUL character");
    case 'b':
        buf_char(b, '\b');
        return OK;
    case 'n':
        buf_char(b, '\n');
        return OK;
    case 'r':
        buf_char(b, '\r');
        return OK;
    case 't':
        buf_char(b, '\t');
        return OK;
    case 'Z':
        buf_char(b, 0x1A);
        return OK;
    case '%':
    case '_':
        buf_char(b, '\\');
        break; /* stays escaped: it is meant for LIKE */
    default:
        break;
    }
    buf_char(b, (char)ch);
    return OK;
}

/* E'': C escapes. Octal and \x name bytes; only ASCII ones are taken, so the text stays UTF-8. */
static int postgres_escape(struct lexer *l, struct buf *b)
{
    uint32_t start = l->at - 1;
    unsigned char ch = peek(l, 0);
    unsigned long code = 0;
    l->at++;
    switch (ch) {
    case 'b':
        buf_char(b, '\b');
        return OK;
    case 'f':
        buf_char(b, '\f');
        return OK;
    case 'n':
        buf_char(b, '\n');
        return OK;
    case 'r':
        buf_char(b, '\r');
        return OK;
    case 't':
        buf_char(b, '\t');
        return OK;
    case 'v':
        buf_char(b, '\v');
        return OK;
    case 'u':
        if (!take_hex(l, 4, &code) || !add_character(b, code))
            return lex_fail(l, start, "an escape names no character");
        return OK;
    case 'U':
        if (!take_hex(l, 8, &code) || !add_character(b, code))
            return lex_fail(l, start, "an escape names no character");
        return OK;
    case 'x':
        if (!hex_digit(peek(l, 0))) break;
        for (int i = 0; i < 2 && hex_digit(peek(l, 0)); i++, l->at++) code = code * 16 + hex_value(peek(l, 0));
        if (code == 0 || code >= 0x80) return lex_fail(l, start, "an escape names a byte that is not ASCII");
        buf_char(b, (char)code);
        return OK;
    default:
        break;
    }
    if (ch >= '0' && ch <= '7') {
        code = (unsigned long)(ch - '0');
        for (int i = 0; i < 2 && peek(l, 0) >= '0' && peek(l, 0) <= '7'; i++, l->at++)
            code = code * 8 + (unsigned long)(peek(l, 0) - '0');
        if (code == 0 || code >= 0x80) return lex_fail(l, start, "an escape names a byte that is not ASCII");
        buf_char(b, (char)code);
        return OK;
    }
    buf_char(b, (char)ch);
    return OK;
}

static int take_escape(struct lexer *l, struct buf *b)
{
    l->at++;
    if (l->at >= l->n) return OK; /* the caller finds the string unterminated */
    return l->tongue == TONGUE_MYSQL ? mysql_escape(l, b) : postgres_escape(l, b);
}

int lex_string(struct lexer *l, uint32_t start, bool backslashes, struct token *out)
{
    char quote = l->text[l->at++];
    out->kind = TOKEN_TEXT;
    out->quote = quote;
    uint32_t from = l->at;
    struct buf b = { 0 };
    bool copying = false;
    while (l->at < l->n) {
        char ch = l->text[l->at];
        if (ch == quote && peek(l, 1) != (unsigned char)quote) {
            uint32_t end = l->at++;
            if (!copying) {
                out->text = call_strndup(l->call, l->text + from, end - from);
                out->n = end - from;
                return OK;
            }
            buf_add(&b, l->text + from, end - from);
            out->text = b.data;
            out->n = (uint32_t)b.len;
            return OK;
        }
        bool continued = ch == '\\' && l->tongue == TONGUE_MSSQL && (peek(l, 1) == '\n' || peek(l, 1) == '\r');
        if (ch != quote && !(ch == '\\' && backslashes) && !continued) {
            l->at++;
            continue;
        }
        if (!copying) buf_init(&b, l->call, l->n);
        copying = true;
        buf_add(&b, l->text + from, l->at - from);
        if (continued) { /* T-SQL joins the lines */
            l->at += peek(l, 1) == '\r' && peek(l, 2) == '\n' ? 3 : 2;
        } else if (ch == quote) {
            buf_char(&b, quote);
            l->at += 2;
        } else {
            int rc = take_escape(l, &b);
            if (rc) return rc;
        }
        from = l->at;
    }
    return lex_fail(l, start, "a string is not closed");
}

int lex_quoted(struct lexer *l, char close, struct token *out)
{
    uint32_t start = l->at;
    bool doubles = !(close == ']' && l->tongue == TONGUE_SQLITE); /* SQLite's [name] ends at the first bracket */
    out->kind = TOKEN_QUOTED;
    out->quote = close == ']' ? '[' : close;
    l->at++;
    struct buf b;
    buf_init(&b, l->call, l->n);
    uint32_t from = l->at;
    for (;;) {
        const char *end = memchr(l->text + l->at, close, l->n - l->at);
        if (!end) return lex_fail(l, start, "a quoted name is not closed");
        l->at = (uint32_t)(end - l->text) + 1;
        buf_add(&b, l->text + from, l->at - 1 - from);
        if (!doubles || peek(l, 0) != (unsigned char)close) break;
        buf_char(&b, close);
        from = ++l->at;
    }
    if (b.len == 0 && l->tongue != TONGUE_SQLITE) return lex_fail(l, start, "a quoted name is empty");
    out->text = b.data;
    out->n = (uint32_t)b.len;
    return OK;
}

int lex_dollar(struct lexer *l, struct token *out, bool *is_one)
{
    uint32_t start = l->at, tag = 1;
    *is_one = false;
    if (peek(l, 1) != '$' && !word_start(peek(l, 1))) return OK;
    while (word_start(peek(l, tag)) || (tag > 1 && digit(peek(l, tag)))) tag++;
    if (peek(l, tag) != '$') return OK;
    *is_one = true;
    tag++;
    uint32_t body = start + tag;
    for (uint32_t at = body; at < l->n; at++) {
        const char *next = memchr(l->text + at, '$', l->n - at);
        if (!next) break;
        at = (uint32_t)(next - l->text);
        if (l->n - at < tag || memcmp(l->text + at, l->text + start, tag) != 0) continue;
        out->kind = TOKEN_TEXT;
        out->quote = '$';
        out->text = call_strndup(l->call, l->text + body, at - body);
        out->n = at - body;
        l->at = at + tag;
        return OK;
    }
    return lex_fail(l, start, "a dollar-quoted string is not closed");
}

/* UESCAPE 'x' after U&: the escape character, default a backslash. */
static int take_uescape(struct lexer *l, char *escape)
{
    uint32_t at = l->at;
    *escape = '\\';
    while (at < l->n && (l->text[at] == ' ' || l->text[at] == '\t' || l->text[at] == '\n' || l->text[at] == '\r')) at++;
    static const char word[] = "uescape";
    for (size_t i = 0; i < sizeof word - 1; i++)
        if (at + i >= l->n || (l->text[at + i] | 0x20) != word[i]) return OK;
    at += sizeof word - 1;
    while (at < l->n && (l->text[at] == ' ' || l->text[at] == '\t' || l->text[at] == '\n' || l->text[at] == '\r')) at++;
    if (at + 2 >= l->n || l->text[at] != '\'' || l->text[at + 2] != '\'')
        return lex_fail(l, at, "UESCAPE needs one character in quotes");
    char ch = l->text[at + 1];
    if (hex_digit((unsigned char)ch) || ch == '+' || ch == '\'' || ch == '"' || (unsigned char)ch <= ' ' ||
        (unsigned char)ch >= 0x80)
        return lex_fail(l, at, "this character cannot be an escape");
    *escape = ch;
    l->at = at + 3;
    return OK;
}

int lex_unicode(struct lexer *l, uint32_t start, struct token *out)
{
    bool name = l->text[l->at] == '"';
    int rc = name ? lex_quoted(l, '"', out) : lex_string(l, start, false, out);
    char escape;
    if (!rc) rc = take_uescape(l, &escape);
    if (rc) return rc;
    struct lexer inner = { .call = l->call, .tongue = l->tongue, .text = out->text, .n = out->n };
    struct buf b;
    buf_init(&b, l->call, l->n);
    while (inner.at < inner.n) {
        char ch = inner.text[inner.at++];
        if (ch != escape) {
            buf_char(&b, ch);
            continue;
        }
        if (peek(&inner, 0) == (unsigned char)escape) {
            buf_char(&b, escape);
            inner.at++;
            continue;
        }
        int digits = 4;
        if (peek(&inner, 0) == '+') {
            digits = 6;
            inner.at++;
        }
        unsigned long code;
        if (!take_hex(&inner, digits, &code)) return lex_fail(l, start, "an escape names no character");
        if (code >= 0xD800 && code < 0xDC00 && peek(&inner, 0) == (unsigned char)escape) {
            unsigned long low;
            inner.at++;
            if (!take_hex(&inner, 4, &low) || low < 0xDC00 || low > 0xDFFF)
                return lex_fail(l, start, "an escape names no character");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        if (!add_character(&b, code)) return lex_fail(l, start, "an escape names no character");
    }
    out->text = b.data;
    out->n = (uint32_t)b.len;
    return OK;
}

int lex_hex(struct lexer *l, uint32_t start, struct token *out)
{
    if (l->tongue == TONGUE_POSTGRES) return lex_fail(l, start, "bit strings are not supported");
    l->at++;
    uint32_t from = l->at;
    while (hex_digit(peek(l, 0))) l->at++;
    if (peek(l, 0) != '\'' || (l->at - from) % 2 != 0) return lex_fail(l, start, "x'…' needs pairs of hex digits");
    out->kind = TOKEN_BINARY;
    out->text = call_strndup(l->call, l->text + from, l->at - from);
    out->n = l->at - from;
    l->at++;
    return OK;
}
