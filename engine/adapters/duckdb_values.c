/* Values of DuckDB's columns as exact text, nested ones in the library's own writing. */
#include "adapters/duckdb_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_huge(struct buf *b, struct duck_huge h, bool has_sign, int scale)
{
    char digits[48], *end = digits + sizeof digits, *p = end;
    bool negative = has_sign && h.upper >> 63;
    if (negative) { /* two's complement */
        h.lower = ~h.lower + 1;
        h.upper = ~h.upper + (h.lower == 0);
    }
    uint32_t limbs[4] = { (uint32_t)(h.upper >> 32), (uint32_t)h.upper, (uint32_t)(h.lower >> 32), (uint32_t)h.lower };
    int count = 0;
    do {
        uint64_t rest = 0;
        for (int i = 0; i < 4; i++) {
            uint64_t part = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(part / 10);
            rest = part % 10;
        }
        if (scale && count == scale) *--p = '.';
        *--p = (char)('0' + rest);
        count++;
    } while (limbs[0] | limbs[1] | limbs[2] | limbs[3] || count <= scale);
    if (negative) *--p = '-';
    buf_add(b, p, (size_t)(end - p));
}

static void add_signed(struct buf *b, int64_t v, int scale)
{
    add_huge(b, (struct duck_huge){ .lower = (uint64_t)v, .upper = v < 0 ? UINT64_MAX : 0 }, true, scale);
}

static void add_float(struct buf *b, double v, int least, int most)
{
    char text[40];
    if (isnan(v)) {
        buf_str(b, "NaN");
    } else if (isinf(v)) {
        buf_str(b, v < 0 ? "-Infinity" : "Infinity");
    } else {
        for (int digits = least; digits <= most; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, v);
            double back = strtod(text, NULL);
            bool same = most < 10 ? (float)back == (float)v : !(back < v) && !(back > v);
            if (same) break;
        }
        buf_str(b, text);
    }
}

/* Days since 1970 -> civil date (proleptic Gregorian). */
static void add_date(struct buf *b, int64_t days)
{
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    int64_t year = yoe + era * 400 + (month <= 2);
    if (year > 0)
        buf_format(b, "%04lld-%02d-%02d", (long long)year, (int)month, (int)day);
    else
        buf_format(b, "%04lld-%02d-%02d (BC)", (long long)(1 - year), (int)month, (int)day);
}

/* fraction: units of a second, `places` digits of them. */
static void add_time(struct buf *b, int64_t seconds, int64_t fraction, int places)
{
    buf_format(b, "%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
    if (!fraction) return;
    char digits[24];
    snprintf(digits, sizeof digits, "%0*lld", places, (long long)fraction);
    size_t n = (size_t)places;
    while (n && digits[n - 1] == '0') n--;
    buf_char(b, '.');
    buf_add(b, digits, n);
}

static void add_timestamp(struct buf *b, int64_t v, int64_t per_second, int places, bool zoned)
{
    if (v == INT64_MAX || v == -INT64_MAX) {
        buf_str(b, v < 0 ? "-infinity" : "infinity");
        return;
    }
    int64_t per_day = per_second * 86400, days = v / per_day, rest = v % per_day;
    if (rest < 0) {
        rest += per_day;
        days--;
    }
    add_date(b, days);
    buf_char(b, zoned ? 'T' : ' ');
    add_time(b, rest / per_second, rest % per_second, places);
    if (zoned) buf_str(b, "+00:00");
}

static void add_interval(struct buf *b, struct duck_interval v)
{
    int64_t micros = v.micros, hours = micros / 3600000000, minutes = micros / 60000000 % 60;
    int64_t seconds = micros / 1000000 % 60, fraction = micros % 1000000;
    size_t start = b->len + 1;
    buf_char(b, 'P');
    if (v.months / 12) buf_format(b, "%dY", v.months / 12);
    if (v.months % 12) buf_format(b, "%dM", v.months % 12);
    if (v.days) buf_format(b, "%dD", v.days);
    if (micros) buf_char(b, 'T');
    if (hours) buf_format(b, "%lldH", (long long)hours);
    if (minutes) buf_format(b, "%lldM", (long long)minutes);
    if (fraction)
        buf_format(b, "%s%lld.%06lldS", micros < 0 && !seconds ? "-" : "", (long long)seconds,
                   (long long)llabs(fraction));
    else if (seconds)
        buf_format(b, "%lldS", (long long)seconds);
    if (b->len == start) buf_str(b, "T0S");
}

static void add_uuid(struct buf *b, struct duck_huge h)
{
    h.upper ^= (uint64_t)1 << 63; /* kept so that it sorts */
    buf_format(b, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(h.upper >> 32), (unsigned)(h.upper >> 16 & 0xffff),
               (unsigned)(h.upper & 0xffff), (unsigned)(h.lower >> 48), (unsigned long long)(h.lower & 0xffffffffffff));
}

const char *duck_text(const struct duck_text *t, size_t *n)
{
    *n = t->length;
    return t->length <= 12 ? t->head : t->far;
}

/* First byte: bits of padding in the second. */
static void add_bits(struct buf *b, const unsigned char *bytes, size_t n)
{
    for (size_t bit = 8u + (n ? bytes[0] : 0); bit < n * 8; bit++)
        buf_char(b, bytes[bit / 8] >> (7 - bit % 8) & 1 ? '1' : '0');
}

static void add_list(struct buf *b, struct duck_value v, void *child_type, void *child, uint64_t offset,
                     uint64_t length)
{
    buf_char(b, '[');
    for (uint64_t i = 0; i < length; i++) {
        if (i) buf_str(b, ", ");
        duck_add_value(b, (struct duck_value){ v.duck, child_type, child, offset + i }, true);
    }
    buf_char(b, ']');
    v.duck->destroy_logical_type(&child_type);
}

static void add_struct(struct buf *b, struct duck_value v)
{
    struct duck *d = v.duck;
    uint64_t n = d->struct_type_child_count(v.type);
    buf_char(b, '{');
    for (uint64_t i = 0; i < n; i++) {
        char *name = d->struct_type_child_name(v.type, i);
        void *type = d->struct_type_child_type(v.type, i);
        buf_format(b, "%s'%s': ", i ? ", " : "", name);
        duck_add_value(b, (struct duck_value){ d, type, d->struct_vector_get_child(v.vector, i), v.row }, true);
        d->free(name);
        d->destroy_logical_type(&type);
    }
    buf_char(b, '}');
}

/* A map is a list of structs of key and value. */
static void add_map(struct buf *b, struct duck_value v)
{
    struct duck *d = v.duck;
    struct duck_list at = ((struct duck_list *)d->vector_get_data(v.vector))[v.row];
    void *pair_type = d->list_type_child_type(v.type), *pairs = d->list_vector_get_child(v.vector);
    buf_char(b, '{');
    for (uint64_t i = 0; i < at.length; i++)
        for (uint64_t side = 0; side < 2; side++) {
            void *type = d->struct_type_child_type(pair_type, side);
            if (side)
                buf_char(b, '=');
            else if (i)
                buf_str(b, ", ");
            duck_add_value(b, (struct duck_value){ d, type, d->struct_vector_get_child(pairs, side), at.offset + i },
                           true);
            d->destroy_logical_type(&type);
        }
    buf_char(b, '}');
    d->destroy_logical_type(&pair_type);
}

static void add_enum(struct buf *b, struct duck_value v)
{
    const void *data = v.duck->vector_get_data(v.vector);
    uint64_t at = 0;
    switch (v.duck->enum_internal_type(v.type)) {
    case DUCK_UTINYINT:
        at = ((const uint8_t *)data)[v.row];
        break;
    case DUCK_USMALLINT:
        at = ((const uint16_t *)data)[v.row];
        break;
    default:
        at = ((const uint32_t *)data)[v.row];
        break;
    }
    char *name = v.duck->enum_dictionary_value(v.type, at);
    buf_str(b, name);
    v.duck->free(name);
}

static void add_decimal(struct buf *b, struct duck_value v)
{
    const void *data = v.duck->vector_get_data(v.vector);
    int scale = v.duck->decimal_scale(v.type);
    switch (v.duck->decimal_internal_type(v.type)) {
    case DUCK_SMALLINT:
        add_signed(b, ((const int16_t *)data)[v.row], scale);
        break;
    case DUCK_INTEGER:
        add_signed(b, ((const int32_t *)data)[v.row], scale);
        break;
    case DUCK_BIGINT:
        add_signed(b, ((const int64_t *)data)[v.row], scale);
        break;
    default:
        add_huge(b, ((const struct duck_huge *)data)[v.row], true, scale);
        break;
    }
}

static void add_time_tz(struct buf *b, uint64_t bits)
{
    int64_t micros = (int64_t)(bits >> 24), offset = 57599 - (int64_t)(bits & 0xffffff);
    add_time(b, micros / 1000000, micros % 1000000, 6);
    buf_format(b, "%c%02d:%02d", offset < 0 ? '-' : '+', abs((int)offset) / 3600, abs((int)offset) / 60 % 60);
}

bool duck_is_null(struct duck_value v)
{
    const uint64_t *validity = v.duck->vector_get_validity(v.vector);
    return validity && !(validity[v.row / 64] >> (v.row % 64) & 1);
}

static void add_scalar(struct buf *b, struct duck_value v, int type, const void *data)
{
    switch (type) {
    case DUCK_BOOLEAN:
        buf_str(b, ((const bool *)data)[v.row] ? "true" : "false");
        break;
    case DUCK_TINYINT:
        buf_int(b, ((const int8_t *)data)[v.row]);
        break;
    case DUCK_SMALLINT:
        buf_int(b, ((const int16_t *)data)[v.row]);
        break;
    case DUCK_INTEGER:
        buf_int(b, ((const int32_t *)data)[v.row]);
        break;
    case DUCK_BIGINT:
        buf_int(b, ((const int64_t *)data)[v.row]);
        break;
    case DUCK_UTINYINT:
        buf_int(b, ((const uint8_t *)data)[v.row]);
        break;
    case DUCK_USMALLINT:
        buf_int(b, ((const uint16_t *)data)[v.row]);
        break;
    case DUCK_UINTEGER:
        buf_int(b, ((const uint32_t *)data)[v.row]);
        break;
    case DUCK_UBIGINT:
        add_huge(b, (struct duck_huge){ .lower = ((const uint64_t *)data)[v.row] }, false, 0);
        break;
    case DUCK_HUGEINT:
        add_huge(b, ((const struct duck_huge *)data)[v.row], true, 0);
        break;
    case DUCK_UHUGEINT:
        add_huge(b, ((const struct duck_huge *)data)[v.row], false, 0);
        break;
    case DUCK_FLOAT:
        add_float(b, (double)((const float *)data)[v.row], 6, 9);
        break;
    case DUCK_DOUBLE:
        add_float(b, ((const double *)data)[v.row], 15, 17);
        break;
    case DUCK_DATE: {
        int32_t days = ((const int32_t *)data)[v.row];
        if (days == INT32_MAX || days == -INT32_MAX)
            buf_str(b, days < 0 ? "-infinity" : "infinity");
        else
            add_date(b, days);
        break;
    }
    case DUCK_TIME: {
        int64_t micros = ((const int64_t *)data)[v.row];
        add_time(b, micros / 1000000, micros % 1000000, 6);
        break;
    }
    case DUCK_TIME_NS: {
        int64_t nanos = ((const int64_t *)data)[v.row];
        add_time(b, nanos / 1000000000, nanos % 1000000000, 9);
        break;
    }
    case DUCK_TIME_TZ:
        add_time_tz(b, ((const uint64_t *)data)[v.row]);
        break;
    case DUCK_TIMESTAMP:
        add_timestamp(b, ((const int64_t *)data)[v.row], 1000000, 6, false);
        break;
    case DUCK_TIMESTAMP_TZ:
        add_timestamp(b, ((const int64_t *)data)[v.row], 1000000, 6, true);
        break;
    case DUCK_TIMESTAMP_S:
        add_timestamp(b, ((const int64_t *)data)[v.row], 1, 0, false);
        break;
    case DUCK_TIMESTAMP_MS:
        add_timestamp(b, ((const int64_t *)data)[v.row], 1000, 3, false);
        break;
    case DUCK_TIMESTAMP_NS:
        add_timestamp(b, ((const int64_t *)data)[v.row], 1000000000, 9, false);
        break;
    case DUCK_INTERVAL:
        add_interval(b, ((const struct duck_interval *)data)[v.row]);
        break;
    case DUCK_UUID:
        add_uuid(b, ((const struct duck_huge *)data)[v.row]);
        break;
    default:
        b->failed = true; /* a type this reader has no text for */
    }
}

/* The first member of its struct says which of the others holds the value. */
static void add_union(struct buf *b, struct duck_value v, bool nested)
{
    struct duck *d = v.duck;
    uint8_t tag = ((const uint8_t *)d->vector_get_data(d->struct_vector_get_child(v.vector, 0)))[v.row];
    void *type = d->union_type_member_type(v.type, tag);
    duck_add_value(b, (struct duck_value){ d, type, d->struct_vector_get_child(v.vector, tag + 1u), v.row }, nested);
    d->destroy_logical_type(&type);
}

void duck_add_value(struct buf *b, struct duck_value v, bool nested)
{
    struct duck *d = v.duck;
    if (duck_is_null(v)) {
        buf_str(b, "NULL");
        return;
    }
    int type = d->get_type_id(v.type);
    const void *data = d->vector_get_data(v.vector);
    size_t n;
    switch (type) {
    case DUCK_VARCHAR:
    case DUCK_BLOB: {
        const char *text = duck_text(&((const struct duck_text *)data)[v.row], &n);
        if (type == DUCK_VARCHAR || !nested) buf_add(b, text, n);
        for (size_t i = 0; type == DUCK_BLOB && nested && i < n; i++) buf_format(b, "\\x%02X", (unsigned char)text[i]);
        break;
    }
    case DUCK_BIT: {
        const char *bits = duck_text(&((const struct duck_text *)data)[v.row], &n);
        add_bits(b, (const unsigned char *)bits, n);
        break;
    }
    case DUCK_DECIMAL:
        add_decimal(b, v);
        break;
    case DUCK_ENUM:
        add_enum(b, v);
        break;
    case DUCK_LIST: {
        struct duck_list at = ((const struct duck_list *)data)[v.row];
        add_list(b, v, d->list_type_child_type(v.type), d->list_vector_get_child(v.vector), at.offset, at.length);
        break;
    }
    case DUCK_ARRAY: {
        uint64_t n_items = d->array_type_array_size(v.type);
        add_list(b, v, d->array_type_child_type(v.type), d->array_vector_get_child(v.vector), v.row * n_items, n_items);
        break;
    }
    case DUCK_STRUCT:
        add_struct(b, v);
        break;
    case DUCK_MAP:
        add_map(b, v);
        break;
    case DUCK_UNION:
        add_union(b, v, nested);
        break;
    default:
        add_scalar(b, v, type, data);
    }
}
