/* What goes into a column of each type of each engine, and what comes out of it: exact, as text. docs/types.md shows
 * the same table (QUERENT_GOLDEN_WRITE=1 writes it anew). */
#include "adapters/adapter.h"
#include "engines.h"
#include "handmade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOC "docs/types.md"

#define TIMES_10(s)  s s s s s s s s s s
#define TIMES_300(s) TIMES_10(TIMES_10(s)) TIMES_10(TIMES_10(s)) TIMES_10(TIMES_10(s))

static const struct value {
    const char *engine, *type, *in; /* in: the engine's own literal */
    const char *kind;               /* of the cell: number double boolean text binary null */
    const char *out;
} values[] = {
    { "postgres", "smallint", "-32768", "number", "-32768" },
    { "postgres", "bigint", "9223372036854775807", "number", "9223372036854775807" },
    { "postgres", "bigint", "-9223372036854775808", "number", "-9223372036854775808" },
    { "postgres", "numeric", "1234567890123456789012345678901234567890.0123456789", "number",
      "1234567890123456789012345678901234567890.0123456789" },
    { "postgres", "numeric(10,2)", "12.5", "number", "12.50" },
    { "postgres", "numeric", "'NaN'", "number", "NaN" },
    { "postgres", "numeric", "'-Infinity'", "number", "-Infinity" },
    { "postgres", "numeric", "'Infinity'", "number", "Infinity" },
    { "postgres", "money", "'-1234567.89'", "number", "-1234567.89" },
    { "postgres", "real", "0.1", "double", "0.1" },
    { "postgres", "double precision", "0.1", "double", "0.1" },
    { "postgres", "double precision", "1e100", "double", "1e+100" },
    { "postgres", "double precision", "5e-324", "double", "5e-324" },
    { "postgres", "double precision", "'NaN'", "double", "NaN" },
    { "postgres", "double precision", "'Infinity'", "double", "Infinity" },
    { "postgres", "double precision", "'-Infinity'", "double", "-Infinity" },
    { "postgres", "boolean", "true", "boolean", "true" },
    { "postgres", "text", "'a''b\\c \xF0\x9F\x98\x80'", "text", "a'b\\c \xF0\x9F\x98\x80" },
    { "postgres", "character(5)", "'ab'", "text", "ab   " },
    { "postgres", "uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "text", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" },
    { "postgres", "json", "'{\"a\": 1.10}'", "text", "{\"a\": 1.10}" },
    { "postgres", "jsonb", "'{\"b\":1,\"a\":12345678901234567890.5}'", "text",
      "{\"a\": 12345678901234567890.5, \"b\": 1}" },
    { "postgres", "bigint[]", "'{1,NULL,9223372036854775807}'", "text", "{1,NULL,9223372036854775807}" },
    { "postgres", "text[]", "ARRAY['a,b','c\"d']", "text", "{\"a,b\",\"c\\\"d\"}" },
    { "postgres", "integer[]", "'{{1,2},{NULL,4}}'", "text", "{{1,2},{NULL,4}}" },
    { "postgres", "text[]", "ARRAY[NULL,'NULL','']", "text", "{NULL,\"NULL\",\"\"}" },
    { "postgres", "positive", "5", "number", "5" },
    { "postgres", "bytea", "'\\x00ff10'", "binary", "00ff10" },
    { "postgres", "bit(3)", "B'101'", "text", "101" },
    { "postgres", "bit varying", "B'10110'", "text", "10110" },
    { "postgres", "mood", "'so so'", "text", "so so" },
    { "postgres", "date", "'2026-02-28'", "text", "2026-02-28" },
    { "postgres", "date", "'0044-03-15 BC'", "text", "0044-03-15 BC" },
    { "postgres", "date", "'infinity'", "text", "infinity" },
    { "postgres", "timestamp", "'-infinity'", "text", "-infinity" },
    { "postgres", "timestamptz", "'infinity'", "text", "infinity" },
    { "postgres", "timestamptz", "'0044-03-15 12:00:00+00 BC'", "text", "0044-03-15 12:00:00+00 BC" },
    { "postgres", "time", "'23:59:59.123456'", "text", "23:59:59.123456" },
    { "postgres", "time", "'24:00'", "text", "24:00:00" },
    { "postgres", "timetz", "'12:30:00+05:30'", "text", "12:30:00+05:30" },
    { "postgres", "timestamp", "'2026-03-29 02:30:00.5'", "text", "2026-03-29 02:30:00.5" },
    { "postgres", "interval", "'1 year 2 mons 3 days -04:05:06.7'", "text", "P1Y2M3DT-4H-5M-6.7S" },
    { "postgres", "inet", "'192.168.0.1/24'", "text", "192.168.0.1/24" },
    { "postgres", "cidr", "'10.0.0.0/8'", "text", "10.0.0.0/8" },
    { "postgres", "macaddr", "'08:00:2b:01:02:03'", "text", "08:00:2b:01:02:03" },
    { "postgres", "point", "'(1.5,-2)'", "text", "(1.5,-2)" },
    { "postgres", "box", "'(2,3),(0,1)'", "text", "(2,3),(0,1)" },
    { "postgres", "polygon", "'((0,0),(1,1),(2,0))'", "text", "((0,0),(1,1),(2,0))" },
    { "postgres", "int4range", "'[1,5)'", "text", "[1,5)" },
    { "postgres", "numrange", "'(1.50,)'", "text", "(1.50,)" },
    { "postgres", "int4multirange", "'{[1,3),[5,7)}'", "text", "{[1,3),[5,7)}" },
    { "postgres", "xml", "'<a>1</a>'", "text", "<a>1</a>" },
    { "postgres", "tsvector", "'a fat cat'", "text", "'a' 'cat' 'fat'" },
    { "postgres", "pair", "ROW(1, 'x y')", "text", "(1,\"x y\")" },
    { "postgres", "text", "NULL", "null", "" },

    { "mysql", "tinyint", "-128", "number", "-128" },
    { "mysql", "bigint unsigned", "18446744073709551615", "number", "18446744073709551615" },
    { "mysql", "bigint", "-9223372036854775808", "number", "-9223372036854775808" },
    { "mysql", "decimal(65,30)", "-12345678901234567890123456789012345.123456789012345678901234567890", "number",
      "-12345678901234567890123456789012345.123456789012345678901234567890" },
    { "mysql", "decimal(10,2)", "12.5", "number", "12.50" },
    { "mysql", "int(5) zerofill", "42", "number", "42" },
    { "mysql", "float", "0.1", "double", "0.1" },
    { "mysql", "float", "123456.789", "double", "123456.79" },
    { "mysql", "float", "-3.4028235e38", "double", "-3.4028235e+38" },
    { "mysql", "float", "16777216", "double", "16777216" },
    { "mysql", "double", "0.1", "double", "0.1" },
    { "mysql", "double", "1e100", "double", "1e100" },
    { "mysql", "decimal(6,2) zerofill", "0.5", "number", "0.50" },
    { "mysql", "year", "2026", "number", "2026" },
    { "mysql", "year", "'0000'", "number", "0" },
    { "mysql", "bit(1)", "1", "number", "1" },
    { "mysql", "bit(64)", "18446744073709551615", "number", "18446744073709551615" },
    { "mysql", "boolean", "true", "number", "1" },
    { "mysql", "varchar(20)", "'a''b\\c \xF0\x9F\x98\x80'", "text", "a'b\\c \xF0\x9F\x98\x80" },
    { "mysql", "varchar(20) character set latin1", "'caf\xC3\xA9 \xC3\xBF'", "text", "caf\xC3\xA9 \xC3\xBF" },
    { "mysql", "varchar(20) character set utf8mb3", "'caf\xC3\xA9 \xE2\x82\xAC'", "text", "caf\xC3\xA9 \xE2\x82\xAC" },
    { "mysql", "varchar(20) collate utf8mb4_bin", "'Aa '", "text", "Aa " },
    { "mysql", "longtext", "REPEAT('ab', 300)", "text", TIMES_300("ab") },
    { "mysql", "enum('a','b c')", "'b c'", "text", "b c" },
    { "mysql", "set('a','b','c')", "'a,c'", "text", "a,c" },
    { "mysql", "date", "'2026-02-28'", "text", "2026-02-28" },
    { "mysql", "date", "'0000-00-00'", "text", "0000-00-00" },
    { "mysql", "datetime", "'0000-00-00 00:00:00'", "text", "0000-00-00 00:00:00" },
    { "mysql", "datetime(6)", "'2026-03-29 02:30:00.123456'", "text", "2026-03-29 02:30:00.123456" },
    { "mysql", "datetime(3)", "'2026-03-29 02:30:00.120'", "text", "2026-03-29 02:30:00.120" },
    { "mysql", "time(6)", "'-838:59:58.000001'", "text", "-838:59:58.000001" },
    { "mysql", "time", "'838:59:59'", "text", "838:59:59" },
    { "mysql", "time", "'-26:30:00'", "text", "-26:30:00" },
    { "mysql", "blob", "X'00ff10'", "binary", "00ff10" },
    { "mysql", "varbinary(4)", "X'0a'", "binary", "0a" },
    { "mysql", "json", "'{\"a\": 1.10}'", "text", "{\"a\": 1.10}" },
    { "mysql", "uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "text", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" },
    { "mysql", "inet6", "'fe80::1'", "text", "fe80::1" },
    { "mysql", "point", "ST_GeomFromText('POINT(1 2)')", "binary",
      "000000000101000000000000000000f03f0000000000000040" },
    { "mysql", "varchar(5)", "NULL", "null", "" },

    { "duckdb", "tinyint", "-128", "number", "-128" },
    { "duckdb", "ubigint", "18446744073709551615", "number", "18446744073709551615" },
    { "duckdb", "hugeint", "-170141183460469231731687303715884105728", "number",
      "-170141183460469231731687303715884105728" },
    { "duckdb", "uhugeint", "340282366920938463463374607431768211455", "number",
      "340282366920938463463374607431768211455" },
    { "duckdb", "decimal(38,10)", "1234567890123456789012345678.0123456789", "number",
      "1234567890123456789012345678.0123456789" },
    { "duckdb", "decimal(4,2)", "-0.05", "number", "-0.05" },
    { "duckdb", "float", "0.1", "double", "0.1" },
    { "duckdb", "double", "0.1", "double", "0.1" },
    { "duckdb", "double", "'NaN'", "double", "NaN" },
    { "duckdb", "double", "'-inf'", "double", "-Infinity" },
    { "duckdb", "boolean", "false", "boolean", "false" },
    { "duckdb", "varchar", "'a''b\\c \xF0\x9F\x98\x80 and more than twelve'", "text",
      "a'b\\c \xF0\x9F\x98\x80 and more than twelve" },
    { "duckdb", "uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "text", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" },
    { "duckdb", "blob", "'\\x00\\xFF\\x10'", "binary", "00ff10" },
    { "duckdb", "bit", "'10110'", "text", "10110" },
    { "duckdb", "enum('a', 'b c')", "'b c'", "text", "b c" },
    { "duckdb", "date", "'2026-02-28'", "text", "2026-02-28" },
    { "duckdb", "date", "'infinity'", "text", "infinity" },
    { "duckdb", "timestamp", "'infinity'", "text", "infinity" },
    { "duckdb", "timestamptz", "'-infinity'", "text", "-infinity" },
    { "duckdb", "time", "'23:59:59.123456'", "text", "23:59:59.123456" },
    { "duckdb", "timetz", "'12:30:00+05:30'", "text", "12:30:00+05:30" },
    { "duckdb", "time_ns", "'23:59:59.123456789'", "text", "23:59:59.123456789" },
    { "duckdb", "timestamp", "'2026-03-29 02:30:00.5'", "text", "2026-03-29 02:30:00.5" },
    { "duckdb", "timestamp_s", "'2026-03-29 02:30:00'", "text", "2026-03-29 02:30:00" },
    { "duckdb", "timestamp_ms", "'2026-03-29 02:30:00.123'", "text", "2026-03-29 02:30:00.123" },
    { "duckdb", "timestamp_ns", "'2026-03-29 02:30:00.123456789'", "text", "2026-03-29 02:30:00.123456789" },
    { "duckdb", "timestamptz", "'2026-03-29 02:30:00+02'", "text", "2026-03-29T00:30:00+00:00" },
    { "duckdb", "interval", "'1 year 2 months 3 days 04:05:06.7'", "text", "P1Y2M3DT4H5M6.700000S" },
    { "duckdb", "integer[]", "[1, NULL, 3]", "text", "[1, NULL, 3]" },
    { "duckdb", "integer[2]", "[1, 2]", "text", "[1, 2]" },
    { "duckdb", "integer[][]", "[[1, 2], [], NULL, [NULL]]", "text", "[[1, 2], [], NULL, [NULL]]" },
    { "duckdb", "struct(a integer, b varchar)[]", "[{'a': 1, 'b': NULL}]", "text", "[{'a': 1, 'b': NULL}]" },
    { "duckdb", "union(num integer, str varchar)", "union_value(str := 'x')", "text", "x" },
    { "duckdb", "struct(a integer, b varchar)", "{'a': 1, 'b': 'x'}", "text", "{'a': 1, 'b': x}" },
    { "duckdb", "map(varchar, decimal(5,2))", "MAP {'k': 1.5}", "text", "{k=1.50}" },
    { "duckdb", "json", "'{\"a\": 1.10}'", "text", "{\"a\": 1.10}" },
    { "duckdb", "varchar", "NULL", "null", "" },

    /* A column of SQLite may hold what it does not declare: every value says what it is. */
    { "sqlite", "INTEGER", "9223372036854775807", "number", "9223372036854775807" },
    { "sqlite", "INTEGER", "'not a number'", "text", "not a number" },
    { "sqlite", "INTEGER", "1.5", "double", "1.5" },
    { "sqlite", "INTEGER", "9223372036854775808", "double", "9.223372036854776e+18" },
    { "sqlite", "TEXT", "42", "text", "42" },
    { "sqlite", "TEXT", "x'616200ff'", "binary", "616200ff" },
    { "sqlite", "TEXT", "CAST(x'6162ff63' AS TEXT)", "binary", "6162ff63" },
    { "sqlite", "TEXT", "CAST(x'610062' AS TEXT)", "text", "a\\0b" },
    { "sqlite", "", "'7'", "text", "7" },
    { "sqlite", "BLOB", "7", "number", "7" },
    { "sqlite", "NUMERIC", "'0042.50'", "double", "42.5" },
    { "sqlite", "DECIMAL(10,2)", "12.5", "number", "12.50" },
    { "sqlite", "DECIMAL(10,2)", "12", "number", "12.00" },
    { "sqlite", "DECIMAL(10,2)", "0.1 + 0.2", "number", "0.30" },
    { "sqlite", "DECIMAL(10,2)", "'n/a'", "text", "n/a" },
    { "sqlite", "REAL", "3", "double", "3.0" },
    { "sqlite", "REAL", "0.1", "double", "0.1" },
    { "sqlite", "REAL", "9e999", "double", "Infinity" },
    { "sqlite", "BOOLEAN", "1", "boolean", "true" },
    { "sqlite", "BOOLEAN", "2", "number", "2" },
    { "sqlite", "DATE", "'2026-02-28'", "text", "2026-02-28" },
    { "sqlite", "DATE", "20260228", "number", "20260228" },
    { "sqlite", "BLOB", "x'00ff10'", "binary", "00ff10" },
    { "sqlite", "BLOB", "zeroblob(0)", "binary", "" },
    { "sqlite", "TEXT", "NULL", "null", "" },

    { "mssql", "tinyint", "255", "number", "255" },
    { "mssql", "smallint", "-32768", "number", "-32768" },
    { "mssql", "int", "-2147483648", "number", "-2147483648" },
    { "mssql", "bigint", "9223372036854775807", "number", "9223372036854775807" },
    { "mssql", "bigint", "-9223372036854775808", "number", "-9223372036854775808" },
    { "mssql", "bit", "1", "boolean", "true" },
    { "mssql", "decimal(38,10)", "-1234567890123456789012345678.0123456789", "number",
      "-1234567890123456789012345678.0123456789" },
    { "mssql", "decimal(38,0)", "99999999999999999999999999999999999999", "number",
      "99999999999999999999999999999999999999" },
    { "mssql", "decimal(38,38)", "-0.00000000000000000000000000000000000001", "number",
      "-0.00000000000000000000000000000000000001" },
    { "mssql", "numeric(10,2)", "12.5", "number", "12.50" },
    { "mssql", "numeric(5,4)", "-0.0001", "number", "-0.0001" },
    { "mssql", "numeric(19,4)", "0", "number", "0.0000" },
    { "mssql", "money", "-922337203685477.5808", "number", "-922337203685477.5808" },
    { "mssql", "money", "922337203685477.5807", "number", "922337203685477.5807" },
    { "mssql", "smallmoney", "-214748.3648", "number", "-214748.3648" },
    { "mssql", "real", "0.1", "double", "0.1" },
    { "mssql", "real", "3.4e38", "double", "3.4e+38" },
    { "mssql", "float", "0.1", "double", "0.1" },
    { "mssql", "float", "1e100", "double", "1e+100" },
    { "mssql", "float", "2.2250738585072014e-308", "double", "2.2250738585072014e-308" },
    { "mssql", "varchar(20)", "'a''b\\c \xC3\xA9\xE2\x82\xAC'", "text", "a'b\\c \xC3\xA9\xE2\x82\xAC" },
    { "mssql", "nvarchar(20)", "N'a''b\\c \xF0\x9F\x98\x80'", "text", "a'b\\c \xF0\x9F\x98\x80" },
    { "mssql", "nvarchar(max)", "N'\xE9\x94\x80\xE5\x94\xAE'", "text", "\xE9\x94\x80\xE5\x94\xAE" },
    { "mssql", "nvarchar(max)", "N''", "text", "" },
    { "mssql", "char(5)", "'ab'", "text", "ab   " },
    { "mssql", "nchar(3)", "N'\xC3\x9F'", "text", "\xC3\x9F  " },
    { "mssql", "text", "'long ago'", "text", "long ago" },
    { "mssql", "ntext", "N'long ago \xF0\x9F\x98\x80'", "text", "long ago \xF0\x9F\x98\x80" },
    { "mssql", "xml", "N'<a b=\"1\">\xC3\xA9</a>'", "text", "<a b=\"1\">\xC3\xA9</a>" },
    { "mssql", "uniqueidentifier", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "text",
      "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11" },
    { "mssql", "date", "'2026-02-28'", "text", "2026-02-28" },
    { "mssql", "date", "'0001-01-01'", "text", "0001-01-01" },
    { "mssql", "date", "'9999-12-31'", "text", "9999-12-31" },
    { "mssql", "time(7)", "'23:59:59.9999999'", "text", "23:59:59.9999999" },
    { "mssql", "time(0)", "'12:30'", "text", "12:30:00" },
    { "mssql", "datetime2(7)", "'2026-03-29 02:30:00.5'", "text", "2026-03-29 02:30:00.5000000" },
    { "mssql", "datetime2(3)", "'0001-01-01 00:00:00.001'", "text", "0001-01-01 00:00:00.001" },
    { "mssql", "datetime2(0)", "'9999-12-31 23:59:59'", "text", "9999-12-31 23:59:59" },
    { "mssql", "datetime", "'2026-03-29 02:30:00.997'", "text", "2026-03-29 02:30:00.997" },
    { "mssql", "datetime", "'1753-01-01'", "text", "1753-01-01 00:00:00.000" },
    { "mssql", "smalldatetime", "'2079-06-06 23:59'", "text", "2079-06-06 23:59:00" },
    { "mssql", "datetimeoffset(7)", "'2026-03-29 02:30:00.1234567 +05:30'", "text",
      "2026-03-29T02:30:00.1234567+05:30" },
    { "mssql", "datetimeoffset(0)", "'2026-01-01 00:30:00 -02:30'", "text", "2026-01-01T00:30:00-02:30" },
    { "mssql", "datetimeoffset(3)", "'2026-01-01 01:30:00.25 +14:00'", "text", "2026-01-01T01:30:00.250+14:00" },
    { "mssql", "binary(3)", "0x00ff10", "binary", "00ff10" },
    { "mssql", "varbinary(8)", "0x0a", "binary", "0a" },
    { "mssql", "varbinary(max)", "0x00ff", "binary", "00ff" },
    { "mssql", "image", "0x00ff", "binary", "00ff" },
    { "mssql", "rowversion", "0x00000000000007d0", "binary", "00000000000007d0" },
    { "mssql", "hierarchyid", "0x5ac0", "binary", "5ac0" },
    { "mssql", "varchar(5)", "NULL", "null", "" },
    { "mssql", "bigint", "NULL", "null", "" },
    { "mssql", "datetimeoffset(7)", "NULL", "null", "" },
    { "mssql", "nvarchar(max)", "NULL", "null", "" },
};
enum { COUNT = sizeof values / sizeof values[0] };

static const char *const kinds[] = { "null", "number", "double", "boolean", "text", "binary" };

struct seen {
    struct row_sink sink;
    const char *kind, *out, *db_type;
};

static int see_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    struct seen *s = ctx;
    (void)count;
    s->db_type = call_strdup(c, columns[0].db_type);
    return OK;
}

static int see_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct seen *s = ctx;
    struct buf b;
    (void)count;
    buf_init(&b, c, 10000);
    for (size_t i = 0; i < cells->n; i++)
        if (cells->kind == CELL_BINARY)
            buf_format(&b, "%02x", (unsigned char)cells->text[i]);
        else if (!cells->text[i])
            buf_str(&b, "\\0");
        else
            buf_char(&b, cells->text[i]);
    s->kind = kinds[cells->kind];
    s->out = b.data;
    return OK;
}

static const struct run_limits wide = { .rows = 10, .bytes = 1 << 20, .cell_bytes = 1 << 20, .time_ms = 5000 };

static int read_one(struct call *c, struct adapter *a, struct statement *st, struct seen *s)
{
    struct run_stats stats;
    *s = (struct seen){ .sink = { .columns = see_columns, .row = see_row, .ctx = s } };
    return adapter_execute(c, a, st, &wide, &s->sink, &stats);
}

/* Reads v of t<i>. Only where an adapter reads a value by its column's type is that said, as the catalogue says it; the
 * others tell by themselves what a column is. */
static struct statement *reading(struct call *c, const struct value *v, size_t i, const struct snapshot *catalogue)
{
    const char *table = call_format(c, "t%zu", i);
    bool single = !strncmp(v->type, "float", 5), sqlite = !strcmp(v->engine, "sqlite");
    const char *reads = sqlite ? call_format(c, "%s.v", table) : "", *types = sqlite ? "text" : single ? "double" : "";
    struct statement *st = handmade(c, v->engine, call_format(c, "SELECT v FROM %s", table), reads, types);
    for (size_t k = 0; sqlite && k < catalogue->table_count; k++)
        if (!strcmp(catalogue->tables[k].name, table)) st->columns[0].type = catalogue->tables[k].columns[0].type;
    return st;
}

static struct adapter *open_with(struct call *c, const char *type, const char *connection)
{
    struct datasource_config config = { .id = "types", .type = type };
    struct adapter *a = NULL;
    assert_int_equal(json_parse(c, connection, strlen(connection), &config.connection), OK);
    if (adapter_open(c, &config, &a)) fail_msg("%s", c->err.message);
    return a;
}

static void add_sql(struct call *c, struct list *sql, const char *text)
{
    *(const char **)list_push(c, sql, sizeof(const char *)) = text;
}

static void fill(struct call *c, const struct test_engine *e)
{
    struct list sql = { 0 };
    if (!strcmp(e->type, "postgres")) {
        /* What the role would set by itself must not reach the values. */
        static const char *const hostile[] = { "bytea_output = 'escape'",
                                               "intervalstyle = 'sql_standard'",
                                               "datestyle = 'German, DMY'",
                                               "extra_float_digits = -15",
                                               "lc_monetary = 'C.UTF-8'",
                                               "TimeZone = 'UTC'",
                                               "client_encoding = 'LATIN1'",
                                               "xmlbinary = 'hex'",
                                               "default_transaction_read_only = off" };
        add_sql(c, &sql, "CREATE ROLE reader LOGIN");
        for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
            add_sql(c, &sql, call_format(c, "ALTER ROLE reader SET %s", hostile[i]));
        add_sql(c, &sql, "CREATE DOMAIN positive AS integer CHECK (VALUE > 0)");
        add_sql(c, &sql, "CREATE TYPE mood AS ENUM ('sad', 'so so')");
        add_sql(c, &sql, "CREATE TYPE pair AS (a integer, b text)");
        add_sql(c, &sql, "CREATE TABLE zoned (z timestamptz)");
        add_sql(c, &sql, "INSERT INTO zoned VALUES ('2026-03-29 00:30:00.25+00')");
    }
    if (!strcmp(e->type, "mssql")) {
        add_sql(c, &sql, "CREATE TABLE mixed (v sql_variant)");
        add_sql(c, &sql, "INSERT INTO mixed VALUES (1), (N'x')");
    }
    if (!strcmp(e->type, "mysql")) {
        add_sql(c, &sql, "SET time_zone = '+00:00'");
        add_sql(c, &sql, "CREATE TABLE zoned (z timestamp(2))");
        add_sql(c, &sql, "INSERT INTO zoned VALUES ('2026-03-29 00:30:00.25')");
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(values[i].engine, e->type) != 0) continue;
        add_sql(c, &sql, call_format(c, "CREATE TABLE t%zu (v %s)", i, values[i].type));
        add_sql(c, &sql, call_format(c, "INSERT INTO t%zu VALUES (%s)", i, values[i].in));
    }
    e->load(&sql);
}

/* One instant in three time zones of the session. */
static void instants(struct call *c, const struct test_engine *e)
{
    static const struct {
        const char *engine, *zone, *out;
    } zones[] = {
        { "postgres", "UTC", "2026-03-29T00:30:00.25+00:00" },
        { "postgres", "Asia/Kolkata", "2026-03-29T06:00:00.25+05:30" },
        { "postgres", "America/St_Johns", "2026-03-28T22:00:00.25-02:30" },
        { "mysql", "+00:00", "2026-03-29 00:30:00.25" },
        { "mysql", "+05:30", "2026-03-29 06:00:00.25" },
        { "mysql", "-02:30", "2026-03-28 22:00:00.25" },
    };
    for (size_t z = 0; z < sizeof zones / sizeof zones[0]; z++) {
        struct seen s;
        if (strcmp(zones[z].engine, e->type) != 0) continue;
        const char *with = call_format(c, "%.*s,\"time_zone\":\"%s\"}", (int)strlen(e->connection()) - 1,
                                       e->connection(), zones[z].zone);
        struct adapter *a = open_with(c, e->type, with);
        assert_int_equal(read_one(c, a, handmade(c, e->type, "SELECT z FROM zoned", "", ""), &s), OK);
        assert_string_equal(s.out, zones[z].out);
        adapter_close(a);
    }
}

static void values_are_exact(void **state)
{
    int bad = 0;
    (void)state;
    for (const struct test_engine *e = test_engines; e->type; e++) {
        struct call c;
        size_t checked = 0;
        if (!e->start()) {
            printf("# %s: not to be had on this machine, skipped\n", e->type);
            continue;
        }
        call_begin(&c);
        fill(&c, e);
        struct adapter *a = open_with(&c, e->type, e->connection());
        struct snapshot *catalogue = NULL;
        assert_int_equal(adapter_introspect(&c, a, &catalogue), OK);
        for (size_t i = 0; i < COUNT; i++) {
            struct seen s;
            if (strcmp(values[i].engine, e->type) != 0) continue;
            checked++;
            if (read_one(&c, a, reading(&c, &values[i], i, catalogue), &s)) {
                printf("%s %s %s: %s\n", e->type, values[i].type, values[i].in, c.err.message);
                call_forgive(&c);
                bad++;
            } else if (strcmp(s.kind, values[i].kind) != 0 || strcmp(s.out, values[i].out) != 0) {
                printf("%s %s %s: got %s %s, want %s %s\n", e->type, values[i].type, values[i].in, s.kind, s.out,
                       values[i].kind, values[i].out);
                bad++;
            }
        }
        if (!strcmp(e->type, "mssql")) { /* db-lib does not say what a sql_variant holds: refused, never guessed */
            struct seen s;
            assert_int_equal(read_one(&c, a, handmade(&c, e->type, "SELECT v FROM mixed", "", ""), &s),
                             ERR_EXECUTION_FAILED);
            assert_string_equal(c.err.message, "Values of column 'v' have a type that cannot be read exactly.");
            call_forgive(&c);
            assert_int_equal(read_one(&c, a, handmade(&c, e->type, "SELECT CAST(1 AS bigint)", "", ""), &s), OK);
        }
        assert_true(checked > 20);
        adapter_close(a);
        instants(&c, e);
        call_end(&c);
        e->stop();
    }
    assert_int_equal(bad, 0);
}

static void add_cell(struct buf *b, const char *text)
{
    buf_str(b, " `");
    for (; *text; text++) {
        if (*text == '|') buf_char(b, '\\');
        buf_char(b, *text);
    }
    buf_str(b, "` |");
}

static void the_document_says_so(void **state)
{
    (void)state;
    struct call c;
    struct buf b;
    char *found;
    size_t n = 0;
    call_begin(&c);
    buf_init(&b, &c, 1 << 20);
    buf_str(&b,
            "# Types\n\n"
            "What goes into a column and what comes out of it, engine by engine; `tests/contract/types_test.c` "
            "holds the table and runs it\nagainst real servers. SQL Server is experimental until a real one has run "
            "it: its table runs against a stand-in that speaks the\nprotocol. No number passes through a binary "
            "float on its way unless the column is one.\n\n"
            "Kinds: *number* is exact digits (a JSON number up to 2^53-1, text beyond and with a fraction), "
            "*double* the shortest digits that read\nback as the same float, *binary* bytes (shown here in "
            "hexadecimal, base64 in answers). A `timestamptz` is RFC 3339 with the offset of\nthe connection's "
            "`time_zone`; in DuckDB always UTC; SQL Server's `datetimeoffset` keeps the offset it was written with. "
            "Its `sql_variant` is\nrefused by name, since the driver does not say what one holds; its spatial "
            "types and `hierarchyid` are the server's bytes.\nComparisons of text follow the column's collation: "
            "in MySQL, MariaDB and SQL Server the usual ones fold case, in the first two\naccents too.\n");
    const char *engine = "";
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(engine, values[i].engine) != 0) {
            engine = values[i].engine;
            buf_format(&b, "\n## %s\n\n| type | in | kind | out |\n|---|---|---|---|\n", engine);
        }
        buf_char(&b, '|');
        add_cell(&b, values[i].type);
        add_cell(&b, values[i].in);
        buf_format(&b, " %s |", values[i].kind);
        if (*values[i].out)
            add_cell(&b, values[i].out);
        else
            buf_str(&b, " |");
        buf_char(&b, '\n');
    }
    FILE *f = fopen(DOC, getenv("QUERENT_GOLDEN_WRITE") ? "w" : "r");
    assert_non_null(f);
    if (getenv("QUERENT_GOLDEN_WRITE")) {
        fputs(b.data, f);
    } else {
        found = call_alloc(&c, b.len + 2);
        n = fread(found, 1, b.len + 1, f);
        if (n != b.len || memcmp(found, b.data, n) != 0) fail_msg("%s is not the table of this test", DOC);
    }
    fclose(f);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exact),
        cmocka_unit_test(the_document_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
