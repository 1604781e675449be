#include "adapters/sqlite.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static size_t integer_text(int64_t v, char out[CELL_TEXT_ROOM])
{
    char digits[24], *end = digits + sizeof digits, *p = end;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do *--p = (char)('0' + u % 10);
    while (u /= 10);
    if (v < 0) *--p = '-';
    memcpy(out, p, (size_t)(end - p));
    out[end - p] = '\0';
    return (size_t)(end - p);
}

/* v times 10^scale when that is an integer that divides back to v: then its digits are v's. */
static bool scaled(double v, int scale, int64_t *out)
{
    static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
    if (scale > 6) return false;
    double up = v * powers[scale];
    if (!(fabs(up) < 1e15)) return false;
    int64_t n = llround(up);
    if ((double)n / powers[scale] != v || (n == 0 && signbit(v))) return false;
    *out = n;
    return true;
}

/* An integer of units of 10^-scale, as text with exactly that many decimals. */
static size_t fixed_text(int64_t n, int scale, char out[CELL_TEXT_ROOM])
{
    char digits[CELL_TEXT_ROOM];
    size_t at = 0, len = integer_text(n < 0 ? -n : n, digits), decimals = (size_t)scale;
    if (n < 0) out[at++] = '-';
    if (len <= decimals) {
        out[at++] = '0';
    } else {
        memcpy(out + at, digits, len - decimals);
        at += len - decimals;
    }
    if (decimals) {
        out[at++] = '.';
        for (size_t zeros = len < decimals ? decimals - len : 0; zeros; zeros--) out[at++] = '0';
        size_t rest = len < decimals ? len : decimals;
        memcpy(out + at, digits + len - rest, rest);
        at += rest;
    }
    out[at] = '\0';
    return at;
}

static bool reads_back(const char *text, double v)
{
    double back = strtod(text, NULL);
    return memcmp(&back, &v, sizeof v) == 0;
}

size_t double_text(double v, char out[CELL_TEXT_ROOM])
{
    if (isnan(v)) return (size_t)snprintf(out, CELL_TEXT_ROOM, "NaN");
    if (isinf(v)) return (size_t)snprintf(out, CELL_TEXT_ROOM, v < 0 ? "-Infinity" : "Infinity");
    /* Up to 15 digits name one double each, so the first scale that divides back is the shortest text. */
    int64_t n;
    for (int scale = 0; scale <= 6; scale++)
        if (scaled(v, scale, &n)) return fixed_text(scale ? n : n * 10, scale ? scale : 1, out);
    /* What comes here has many digits, or is too small to be normal and has few. 17 always read back. */
    int len = 0, digits = fabs(v) < DBL_MIN ? 1 : 16;
    for (; digits < 17; digits++) {
        len = snprintf(out, CELL_TEXT_ROOM, "%.*g", digits, v);
        if (reads_back(out, v)) break;
    }
    if (digits == 16) {
        char shorter[CELL_TEXT_ROOM];
        int bytes = snprintf(shorter, sizeof shorter, "%.15g", v);
        if (reads_back(shorter, v)) memcpy(out, shorter, (size_t)(len = bytes) + 1);
    }
    if (digits == 17) len = snprintf(out, CELL_TEXT_ROOM, "%.17g", v);
    if (!strpbrk(out, ".e")) len += snprintf(out + len, CELL_TEXT_ROOM - (size_t)len, ".0");
    return (size_t)len;
}

size_t decimal_text(double v, int scale, char out[CELL_TEXT_ROOM])
{
    int64_t n;
    if (!(fabs(v) < 1e18) || scale > 18) return double_text(v, out);
    if (scaled(v, scale, &n)) return fixed_text(n, scale, out);
    /* More decimals than the float holds would show digits that nobody stored. */
    size_t len = double_text(v, out);
    const char *point = strchr(out, '.');
    if (!point || strchr(out, 'e') || out + len - point - 1 > scale)
        return (size_t)snprintf(out, CELL_TEXT_ROOM, "%.*f", scale, v);
    while (out + len - point - 1 < scale) out[len++] = '0';
    out[len] = '\0';
    return len;
}

void sqlite_cell(sqlite3_stmt *stmt, int i, const struct value_type *type, struct cell *out, char text[CELL_TEXT_ROOM])
{
    bool fixed = type->kind == TYPE_DECIMAL && type->scale > 0;
    out->text = text;
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER: {
        int64_t v = sqlite3_column_int64(stmt, i);
        if (type->kind == TYPE_BOOLEAN && (v == 0 || v == 1)) {
            *out = (struct cell){ .kind = CELL_BOOLEAN, .text = v ? "true" : "false", .n = v ? 4 : 5 };
            return;
        }
        out->kind = CELL_NUMBER;
        out->n = integer_text(v, text);
        if (fixed && type->scale <= 18) {
            text[out->n++] = '.';
            memset(text + out->n, '0', (size_t)type->scale);
            out->n += (size_t)type->scale;
        }
        return;
    }
    case SQLITE_FLOAT: {
        double v = sqlite3_column_double(stmt, i);
        out->kind = fixed && isfinite(v) ? CELL_NUMBER : CELL_DOUBLE;
        out->n = fixed ? decimal_text(v, type->scale, text) : double_text(v, text);
        return;
    }
    case SQLITE_NULL:
        *out = (struct cell){ .kind = CELL_NULL, .text = "" };
        return;
    case SQLITE_BLOB:
        out->kind = CELL_BINARY;
        out->text = sqlite3_column_blob(stmt, i);
        break;
    default:
        out->kind = CELL_TEXT;
        out->text = (const char *)sqlite3_column_text(stmt, i);
    }
    out->n = (size_t)sqlite3_column_bytes(stmt, i);
    if (!out->text) out->text = "";
}

/* Declared types by their first word; what is not here goes by SQLite's own rules of affinity. */
static const struct {
    const char *word;
    enum type_kind kind;
} words[] = {
    { "BOOL", TYPE_BOOLEAN },
    { "BOOLEAN", TYPE_BOOLEAN },
    { "BIT", TYPE_BOOLEAN },
    { "DATE", TYPE_DATE },
    { "DATETIME", TYPE_TIMESTAMP },
    { "DATETIME2", TYPE_TIMESTAMP },
    { "TIMESTAMP", TYPE_TIMESTAMP },
    { "TIMESTAMPTZ", TYPE_TIMESTAMPTZ },
    { "TIME", TYPE_TIME },
    { "YEAR", TYPE_INTEGER },
    { "DECIMAL", TYPE_DECIMAL },
    { "DEC", TYPE_DECIMAL },
    { "NUMERIC", TYPE_DECIMAL },
    { "NUMBER", TYPE_DECIMAL },
    { "NUM", TYPE_DECIMAL },
    { "MONEY", TYPE_DECIMAL },
    { "CURRENCY", TYPE_DECIMAL },
    { "JSON", TYPE_TEXT },
    { "UUID", TYPE_TEXT },
    { "GUID", TYPE_TEXT },
    { "STRING", TYPE_TEXT },
    { "ENUM", TYPE_TEXT },
    { "XML", TYPE_TEXT },
    { "BINARY", TYPE_BINARY },
    { "VARBINARY", TYPE_BINARY },
    { "BYTEA", TYPE_BINARY },
    { "IMAGE", TYPE_BINARY },
};

static bool contains(const char *declared, const char *part)
{
    return strcasestr(declared, part) != NULL;
}

struct value_type sqlite_type(const char *declared)
{
    struct value_type t = { .kind = TYPE_UNKNOWN };
    if (!declared || !*declared) return t;
    size_t n = 0;
    while (isalnum((unsigned char)declared[n]) || declared[n] == '_') n++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == n && !strncasecmp(words[i].word, declared, n)) t.kind = words[i].kind;
    if (t.kind == TYPE_TIMESTAMP && contains(declared, "WITH TIME ZONE")) t.kind = TYPE_TIMESTAMPTZ;
    if (t.kind == TYPE_DECIMAL) {
        const char *open = strchr(declared, '(');
        if (!open) return t;
        char *end;
        long precision = strtol(open + 1, &end, 10), scale = 0;
        while (*end == ' ') end++;
        if (*end == ',') scale = strtol(end + 1, NULL, 10);
        if (precision > 0 && precision <= 1000 && scale >= 0 && scale <= precision) {
            t.precision = (int)precision;
            t.scale = (int)scale;
        }
    }
    if (t.kind != TYPE_UNKNOWN) return t;
    if (contains(declared, "INT"))
        t.kind = TYPE_INTEGER;
    else if (contains(declared, "CHAR") || contains(declared, "CLOB") || contains(declared, "TEXT"))
        t.kind = TYPE_TEXT;
    else if (contains(declared, "BLOB"))
        t.kind = TYPE_BINARY;
    else if (contains(declared, "REAL") || contains(declared, "FLOA") || contains(declared, "DOUB"))
        t.kind = TYPE_DOUBLE;
    return t;
}
