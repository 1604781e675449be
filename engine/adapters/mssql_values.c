#include "adapters/mssql_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sybdb.h>
#include <sybfront.h>

/* Types that the library's header does not name. */
enum { TYPE_UNIQUE = 36, TYPE_UDT = 240 };

static const struct mssql_type types[] = {
    { SYBBIT, "bit", TYPE_BOOLEAN, CELL_BOOLEAN },
    { SYBINT1, "tinyint", TYPE_INTEGER, CELL_NUMBER },
    { SYBINT2, "smallint", TYPE_INTEGER, CELL_NUMBER },
    { SYBINT4, "int", TYPE_INTEGER, CELL_NUMBER },
    { SYBINT8, "bigint", TYPE_INTEGER, CELL_NUMBER },
    { SYBNUMERIC, "numeric", TYPE_DECIMAL, CELL_NUMBER },
    { SYBDECIMAL, "decimal", TYPE_DECIMAL, CELL_NUMBER },
    { SYBMONEY, "money", TYPE_DECIMAL, CELL_NUMBER },
    { SYBMONEY4, "smallmoney", TYPE_DECIMAL, CELL_NUMBER },
    { SYBREAL, "real", TYPE_DOUBLE, CELL_DOUBLE },
    { SYBFLT8, "float", TYPE_DOUBLE, CELL_DOUBLE },
    { SYBCHAR, "varchar", TYPE_TEXT, CELL_TEXT },
    { SYBVARCHAR, "varchar", TYPE_TEXT, CELL_TEXT },
    { SYBNVARCHAR, "nvarchar", TYPE_TEXT, CELL_TEXT },
    { SYBTEXT, "text", TYPE_TEXT, CELL_TEXT },
    { SYBNTEXT, "ntext", TYPE_TEXT, CELL_TEXT },
    { SYBBINARY, "varbinary", TYPE_BINARY, CELL_BINARY },
    { SYBVARBINARY, "varbinary", TYPE_BINARY, CELL_BINARY },
    { SYBIMAGE, "image", TYPE_BINARY, CELL_BINARY },
    { TYPE_UDT, "udt", TYPE_BINARY, CELL_BINARY },
    { TYPE_UNIQUE, "uniqueidentifier", TYPE_TEXT, CELL_TEXT },
    { SYBMSDATE, "date", TYPE_DATE, CELL_TEXT },
    { SYBMSTIME, "time", TYPE_TIME, CELL_TEXT },
    { SYBMSDATETIME2, "datetime2", TYPE_TIMESTAMP, CELL_TEXT },
    { SYBMSDATETIMEOFFSET, "datetimeoffset", TYPE_TIMESTAMPTZ, CELL_TEXT },
    { SYBDATETIME, "datetime", TYPE_TIMESTAMP, CELL_TEXT },
    { SYBDATETIME4, "smalldatetime", TYPE_TIMESTAMP, CELL_TEXT },
};

const struct mssql_type *mssql_type_of(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type) return &types[i];
    return NULL;
}

/* ---- numbers ---- */

/* Digits of an integer of units of 10^-scale. */
static void scaled(struct buf *b, const char *digits, size_t n, unsigned scale, bool negative)
{
    while (n > 1 && n > scale + 1u && *digits == '0') {
        digits++;
        n--;
    }
    if (negative) buf_char(b, '-');
    if (n <= scale) {
        buf_str(b, "0.");
        for (size_t i = n; i < scale; i++) buf_char(b, '0');
        buf_add(b, digits, n);
        return;
    }
    buf_add(b, digits, n - scale);
    if (!scale) return;
    buf_char(b, '.');
    buf_add(b, digits + n - scale, scale);
}

/* sign, then the magnitude's bytes, the highest first; as many as the precision needs (log256 10 = 0.41524). */
static bool numeric(struct buf *b, const DBNUMERIC *v)
{
    unsigned char magnitude[DBMAXNUMLEN];
    char digits[80];
    size_t n = (size_t)v->precision * 4152 / 10000 + 1, at = sizeof digits;
    if (v->precision > 38 || v->scale > v->precision) return false;
    memcpy(magnitude, v->array + 1, n);
    bool zero;
    do {
        unsigned rest = 0;
        zero = true;
        for (size_t i = 0; i < n; i++) {
            unsigned now = rest << 8 | magnitude[i];
            magnitude[i] = (unsigned char)(now / 10);
            rest = now % 10;
            zero = zero && !magnitude[i];
        }
        digits[--at] = (char)('0' + rest);
    } while (!zero && at);
    bool nothing = sizeof digits - at == 1 && digits[at] == '0';
    scaled(b, digits + at, sizeof digits - at, v->scale, v->array[0] && !nothing);
    return true;
}

static void money(struct buf *b, int64_t units)
{
    char digits[24];
    uint64_t magnitude = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
    scaled(b, digits, (size_t)n, 4, units < 0);
}

static void shortest(struct buf *b, double v, bool single)
{
    char text[40];
    for (int digits = single ? 6 : 15;; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (digits == (single ? 9 : 17) || (single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)) break;
    }
    buf_str(b, text);
}

/* ---- dates ---- */

/* Days since 1900-01-01 in the proleptic Gregorian calendar. */
static void date(struct buf *b, int64_t days)
{
    int64_t z = days + 693901; /* since 0000-03-01 */
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int64_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    buf_format(b, "%04lld-%02lld-%02lld", (long long)(yoe + era * 400 + (month <= 2)), (long long)month,
               (long long)day);
}

static void time_of_day(struct buf *b, int64_t units, int64_t units_a_second, int decimals)
{
    int64_t seconds = units / units_a_second;
    buf_format(b, "%02lld:%02lld:%02lld", (long long)(seconds / 3600), (long long)(seconds / 60 % 60),
               (long long)(seconds % 60));
    if (!decimals) return;
    int64_t fraction = units % units_a_second;
    int width = 0;
    for (int64_t u = units_a_second; u > 1; u /= 10) width++;
    for (; width > decimals; width--) fraction /= 10;
    buf_format(b, ".%0*lld", decimals, (long long)fraction);
}

enum { TICKS = 10000000 }; /* a second, of 100 ns */
#define DAY ((int64_t)86400 * TICKS)

static void moment(struct buf *b, int type, const DBDATETIMEALL *v)
{
    int64_t days = v->date, ticks = (int64_t)v->time;
    if (type == SYBMSDATETIMEOFFSET) { /* kept in UTC, shown where it was written */
        ticks += (int64_t)v->offset * 60 * TICKS;
        days += ticks < 0 ? -1 : ticks / DAY;
        ticks = (ticks % DAY + DAY) % DAY;
    }
    if (type != SYBMSTIME) date(b, days);
    if (type == SYBMSDATE) return;
    if (type != SYBMSTIME) buf_char(b, type == SYBMSDATETIMEOFFSET ? 'T' : ' ');
    time_of_day(b, ticks, TICKS, v->time_prec);
    if (type != SYBMSDATETIMEOFFSET) return;
    int offset = v->offset < 0 ? -v->offset : v->offset;
    buf_format(b, "%c%02d:%02d", v->offset < 0 ? '-' : '+', offset / 60, offset % 60);
}

/* 1/300 of a second; shown to the nearest millisecond, as the server does. */
static void datetime(struct buf *b, const DBDATETIME *v)
{
    int64_t ms = ((int64_t)v->dttime * 10 + 1) / 3;
    date(b, v->dtdays);
    buf_char(b, ' ');
    time_of_day(b, ms, 1000, 3);
}

/* The first three parts are little-endian. */
static void unique(struct buf *b, const unsigned char *p)
{
    static const unsigned char order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
    for (size_t i = 0; i < sizeof order; i++)
        buf_format(b, "%s%02X", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", p[order[i]]);
}

#define TAKE(T, v)                                                                                                     \
    T v;                                                                                                               \
    if (n < sizeof v) return false;                                                                                    \
    memcpy(&v, bytes, sizeof v)

static bool number(struct buf *b, int type, const unsigned char *bytes, size_t n)
{
    if (type == SYBINT8) {
        TAKE(DBBIGINT, v);
        buf_int(b, v);
    } else if (type == SYBINT4) {
        TAKE(DBINT, v);
        buf_int(b, v);
    } else if (type == SYBINT2) {
        TAKE(DBSMALLINT, v);
        buf_int(b, v);
    } else if (type == SYBINT1) {
        TAKE(DBTINYINT, v);
        buf_int(b, v);
    } else if (type == SYBMONEY) {
        TAKE(DBMONEY, v);
        money(b, (int64_t)((uint64_t)(uint32_t)v.mnyhigh << 32 | v.mnylow));
    } else if (type == SYBMONEY4) {
        TAKE(DBMONEY4, v);
        money(b, v.mny4);
    } else if (type == SYBREAL) {
        TAKE(DBREAL, v);
        shortest(b, (double)v, true);
    } else if (type == SYBFLT8) {
        TAKE(DBFLT8, v);
        shortest(b, v, false);
    } else {
        DBNUMERIC v = { 0 };
        memcpy(&v, bytes, n < sizeof v ? n : sizeof v);
        return numeric(b, &v);
    }
    return true;
}

bool mssql_value(struct buf *b, const struct mssql_type *t, const unsigned char *bytes, size_t n)
{
    if (t->cell == CELL_NUMBER || t->cell == CELL_DOUBLE) return number(b, t->type, bytes, n);
    switch (t->type) {
    case SYBBIT:
        buf_str(b, n && *bytes ? "true" : "false");
        break;
    case TYPE_UNIQUE:
        if (n != 16) return false;
        unique(b, bytes);
        break;
    case SYBMSDATE:
    case SYBMSTIME:
    case SYBMSDATETIME2:
    case SYBMSDATETIMEOFFSET: {
        TAKE(DBDATETIMEALL, v);
        moment(b, t->type, &v);
        break;
    }
    case SYBDATETIME: {
        TAKE(DBDATETIME, v);
        datetime(b, &v);
        break;
    }
    case SYBDATETIME4: {
        TAKE(DBDATETIME4, v);
        date(b, v.days);
        buf_char(b, ' ');
        time_of_day(b, v.minutes * (int64_t)60, 1, 0);
        break;
    }
    default:
        buf_add(b, (const char *)bytes, n);
    }
    return true;
}
