#include "sql/parse.h"

#include <string.h>
#include <strings.h>

/* Type names of the five engines and what the plan calls them. */
static const struct {
    const char *name;
    enum type_kind kind;
} names[] = {
    { "bigint", TYPE_INTEGER },
    { "bigserial", TYPE_INTEGER },
    { "binary", TYPE_BINARY },
    { "bit", TYPE_BOOLEAN },
    { "blob", TYPE_BINARY },
    { "bool", TYPE_BOOLEAN },
    { "boolean", TYPE_BOOLEAN },
    { "bpchar", TYPE_TEXT },
    { "bytea", TYPE_BINARY },
    { "bytes", TYPE_BINARY },
    { "char", TYPE_TEXT },
    { "character", TYPE_TEXT },
    { "clob", TYPE_TEXT },
    { "date", TYPE_DATE },
    { "datetime", TYPE_TIMESTAMP },
    { "datetime2", TYPE_TIMESTAMP },
    { "datetimeoffset", TYPE_TIMESTAMPTZ },
    { "dec", TYPE_DECIMAL },
    { "decimal", TYPE_DECIMAL },
    { "double", TYPE_DOUBLE },
    { "fixed", TYPE_DECIMAL },
    { "float", TYPE_DOUBLE },
    { "float4", TYPE_DOUBLE },
    { "float8", TYPE_DOUBLE },
    { "hugeint", TYPE_INTEGER },
    { "image", TYPE_BINARY },
    { "int", TYPE_INTEGER },
    { "int1", TYPE_INTEGER },
    { "int2", TYPE_INTEGER },
    { "int4", TYPE_INTEGER },
    { "int8", TYPE_INTEGER },
    { "integer", TYPE_INTEGER },
    { "interval", TYPE_INTERVAL },
    { "longblob", TYPE_BINARY },
    { "longtext", TYPE_TEXT },
    { "mediumint", TYPE_INTEGER },
    { "mediumtext", TYPE_TEXT },
    { "money", TYPE_DECIMAL },
    { "name", TYPE_TEXT },
    { "nchar", TYPE_TEXT },
    { "ntext", TYPE_TEXT },
    { "number", TYPE_DECIMAL },
    { "numeric", TYPE_DECIMAL },
    { "nvarchar", TYPE_TEXT },
    { "nvarchar2", TYPE_TEXT },
    { "real", TYPE_DOUBLE },
    { "rowversion", TYPE_BINARY },
    { "serial", TYPE_INTEGER },
    { "signed", TYPE_INTEGER },
    { "smalldatetime", TYPE_TIMESTAMP },
    { "smallint", TYPE_INTEGER },
    { "smallmoney", TYPE_DECIMAL },
    { "string", TYPE_TEXT },
    { "sysname", TYPE_TEXT },
    { "text", TYPE_TEXT },
    { "time", TYPE_TIME },
    { "timestamp", TYPE_TIMESTAMP },
    { "timestamp_ms", TYPE_TIMESTAMP },
    { "timestamp_ns", TYPE_TIMESTAMP },
    { "timestamp_s", TYPE_TIMESTAMP },
    { "timestamp_us", TYPE_TIMESTAMP },
    { "timestamptz", TYPE_TIMESTAMPTZ },
    { "tinyint", TYPE_INTEGER },
    { "tinytext", TYPE_TEXT },
    { "ubigint", TYPE_INTEGER },
    { "uinteger", TYPE_INTEGER },
    { "unsigned", TYPE_INTEGER },
    { "usmallint", TYPE_INTEGER },
    { "utinyint", TYPE_INTEGER },
    { "varbinary", TYPE_BINARY },
    { "varchar", TYPE_TEXT },
    { "varchar2", TYPE_TEXT },
};

static enum type_kind kind_of(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == n && strncasecmp(names[i].name, word, n) == 0) return names[i].kind;
    return TYPE_UNKNOWN;
}

static bool contains(const char *text, size_t n, const char *part)
{
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= n; i++)
        if (strncasecmp(text + i, part, len) == 0) return true;
    return false;
}

/* SQLite takes any words for a type and goes by what they contain. */
static enum type_kind affinity(const char *text, size_t n)
{
    if (contains(text, n, "int")) return TYPE_INTEGER;
    if (contains(text, n, "char") || contains(text, n, "clob") || contains(text, n, "text")) return TYPE_TEXT;
    if (contains(text, n, "blob")) return TYPE_BINARY;
    if (contains(text, n, "real") || contains(text, n, "floa") || contains(text, n, "doub")) return TYPE_DOUBLE;
    return TYPE_DECIMAL;
}

static bool any_of(const struct token *t, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (token_is(t, words[i])) return true;
    return false;
}

/* At most three characters, which the text's end may follow: it is not terminated. Digits up to the first other
 * character. */
static int small_number(const struct token *t)
{
    int v = 0;
    for (size_t i = 0; i < t->n && t->text[i] >= '0' && t->text[i] <= '9'; i++) v = v * 10 + (t->text[i] - '0');
    return v;
}

static bool parse_arguments(struct parser *p, struct type_name *type)
{
    if (peek_token(p, 0)->kind != '(') return true;
    const struct token *first = peek_token(p, 1);
    if (type->type.kind == TYPE_DECIMAL && first->kind == TOKEN_NUMBER && first->n <= 3) {
        take_token(p);
        struct token digits = take_token(p);
        type->type.precision = small_number(&digits);
        if (take_kind(p, ',')) {
            struct token scale = take_token(p);
            if (scale.kind != TOKEN_NUMBER || scale.n > 3) return parse_fails(p, "a scale");
            type->type.scale = small_number(&scale);
        }
        return expect_kind(p, ')', "')'");
    }
    return skip_brackets(p); /* a length, or the parts of a nested type, which the plan has no name for */
}

static bool parse_zone(struct parser *p, struct type_name *type)
{
    bool with = at_word(p, KW_WITH);
    bool zone =
        (with || at_word(p, KW_WITHOUT)) && (token_is(peek_token(p, 1), "time") || token_is(peek_token(p, 1), "local"));
    if (!zone) return true;
    take_token(p);
    if (token_is(peek_token(p, 0), "local")) take_token(p);
    take_token(p);
    if (!expect_word(p, KW_ZONE, "ZONE")) return false;
    if (with) type->type.kind = type->type.kind == TYPE_TIMESTAMP ? TYPE_TIMESTAMPTZ : TYPE_UNKNOWN;
    return true;
}

/* The words after the first: DOUBLE PRECISION, CHARACTER VARYING, UNSIGNED BIGINT, INTERVAL DAY TO SECOND … */
static bool parse_more_words(struct parser *p, struct type_name *type, const struct token *first)
{
    static const char *const integers[] = { "int", "integer", "bigint", "smallint", "tinyint", NULL };
    if (token_is(first, "double") && token_is(peek_token(p, 0), "precision")) take_token(p);
    if (token_is(first, "long") && token_is(peek_token(p, 0), "varchar")) type->type.kind = (take_token(p), TYPE_TEXT);
    if (token_is(first, "national") && peek_token(p, 0)->kind == TOKEN_WORD)
        type->type.kind = (take_token(p), TYPE_TEXT);
    if (token_is(peek_token(p, 0), "varying") || token_is(peek_token(p, 0), "large")) {
        take_token(p);
        if (token_is(first, "bit")) type->type.kind = TYPE_UNKNOWN;
        if (token_is(peek_token(p, 0), "object")) take_token(p);
    }
    if ((token_is(first, "signed") || token_is(first, "unsigned")) && any_of(peek_token(p, 0), integers)) take_token(p);
    if (!parse_arguments(p, type)) return false;
    if (p->tongue == TONGUE_MYSQL && token_is(peek_token(p, 0), "unsigned")) {
        take_token(p);
        type->unsigned_ = true;
    }
    if (p->tongue == TONGUE_MYSQL &&
        (token_is(peek_token(p, 0), "character") || token_is(peek_token(p, 0), "charset"))) {
        if (token_is(peek_token(p, 0), "character")) take_token(p);
        take_token(p);
        take_token(p);
    }
    if (type->type.kind == TYPE_INTERVAL) {
        static const char *const units[] = { "year", "month", "day", "hour", "minute", "second", "to", NULL };
        while (any_of(peek_token(p, 0), units)) take_token(p);
    }
    if (type->type.kind == TYPE_TIMESTAMP || type->type.kind == TYPE_TIME) return parse_zone(p, type);
    return true;
}

struct type_name *parse_type(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (!token_names(t, false)) return parse_fail(p, "a type");
    struct type_name *type = call_alloc(p->call, sizeof *type);
    struct token first = take_token(p);
    while (peek_token(p, 0)->kind == '.' && token_names(peek_token(p, 1), true)) { /* pg_catalog.int4 */
        take_token(p);
        first = take_token(p);
    }
    type->text = call_strndup(p->call, first.text, first.n);
    type->type.kind = kind_of(first.text, first.n);
    /* PostgreSQL's timestamp(3) is a moment; T-SQL's is a row version, and its BIT has no other meaning than a flag. */
    if (p->tongue == TONGUE_MSSQL && token_is(&first, "timestamp")) type->type.kind = TYPE_BINARY;
    if (token_is(&first, "bit") && p->tongue != TONGUE_MSSQL) type->type.kind = TYPE_UNKNOWN;
    if (!parse_more_words(p, type, &first)) return NULL;
    while (peek_token(p, 0)->kind == '[' && p->tongue != TONGUE_SQLITE) {
        if (!skip_brackets(p)) return NULL;
        type->array = true;
    }
    if (p->tongue == TONGUE_POSTGRES && take_word_if(p, KW_ARRAY)) {
        if (peek_token(p, 0)->kind == '[' && !skip_brackets(p)) return NULL;
        type->array = true;
    }
    if (p->tongue == TONGUE_SQLITE) {
        while (peek_token(p, 0)->kind == TOKEN_WORD && !keyword_reserved(peek_token(p, 0)->keyword)) take_token(p);
        if (!parse_arguments(p, type)) return NULL;
        uint32_t end = p->last_end;
        type->type.kind = affinity(p->lexer.text + first.at, end - first.at);
        if (type->type.kind != TYPE_DECIMAL) type->type.precision = type->type.scale = 0;
    }
    return type;
}

bool type_at_text(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (t->kind != TOKEN_WORD) return false;
    const struct token *next = peek_token(p, 1);
    bool zone = (t->keyword == KW_TIMESTAMP || t->keyword == KW_TIME) && next->kind == TOKEN_WORD &&
                (next->keyword == KW_WITH || next->keyword == KW_WITHOUT) && token_is(peek_token(p, 2), "time");
    if (zone) return p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_DUCKDB;
    if (next->kind != TOKEN_TEXT) return false;
    if (p->tongue == TONGUE_SQLITE || p->tongue == TONGUE_MSSQL) return false;
    if (p->tongue == TONGUE_MYSQL) return t->keyword == KW_DATE || t->keyword == KW_TIME || t->keyword == KW_TIMESTAMP;
    return t->keyword != KW_INTERVAL && kind_of(t->text, t->n) != TYPE_UNKNOWN;
}
