/* Statements of T-SQL read word by word: what is one SELECT, what it names, and everything else refused. */
#include "adapters/mssql_words.h"

#include "buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *sql, *names; /* tables, then functions with () ; NULL = refused */
} cases[] = {
    { "SELECT 1", "" },
    { "SELECT TOP (11) [t].[a] FROM [dbo].[t] AS [t] ORDER BY [t].[a]", "dbo.t" },
    { "SELECT count_big(*) AS [n] FROM [dbo].[a] AS [a] JOIN [b] AS [b] ON [b].[x] = [a].[x] LEFT JOIN c ON 1 = 1",
      "dbo.a b c count_big()" },
    { "SELECT [a].[x] FROM [a] AS [a], [b] AS [b] WHERE [a].[x] IN (SELECT [c].[x], 1 FROM [c] AS [c])", "a b c" },
    { "SELECT * FROM (SELECT 1 AS [x] UNION ALL SELECT [t].[i] FROM [t] AS [t]) AS [q1] ORDER BY [x] OFFSET 0 ROWS "
      "FETCH "
      "NEXT 11 ROWS ONLY",
      "t" },
    { "SELECT * FROM (VALUES (1, 2), (3, 4)) AS [v] ([a], [b])", "" },
    { "SELECT [x] FROM ([a] AS [a] CROSS JOIN [b] AS [b]) JOIN [c] AS [c] ON 1 = 1", "a b c" },
    { "WITH [w] ([a]) AS (SELECT [t].[i] FROM [t] AS [t]), [v] AS (SELECT * FROM [w]) SELECT * FROM [v] AS [v], [W]",
      "t" },
    { "WITH [n] AS (SELECT 1 AS [i] UNION ALL SELECT [n].[i] + 1 FROM [n] AS [n] WHERE [n].[i] < 9) SELECT max([i]) "
      "FROM "
      "[n]",
      "max()" },
    { "SELECT left([s], 2), LEFT ([s], 1), CAST([d] AS DECIMAL(38, 10)), coalesce(NULL, N'x''; DROP TABLE [t] --') "
      "FROM "
      "[Odd ]]; Name]",
      "Odd ]; Name left() left() coalesce()" },
    { "SELECT EXISTS_ FROM [t] AS [t] WHERE NOT EXISTS (SELECT 1 INTERSECT SELECT NULL)", "t" },
    { "SELECT 1e5, 0x1F, -1.50 FROM \"a\"\"b\" AS [x]", "a\"b" },
    { "SELECT row_number() OVER (PARTITION BY [a] ORDER BY [b] ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM [t]",
      "t row_number()" },
    { "SELECT string_agg(CAST([s] AS NVARCHAR(MAX)), ',') WITHIN GROUP (ORDER BY [i]) FROM [t]", "t string_agg()" },
    { "SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 FROM [t]", "t" },
    /* more than one statement, with or without a semicolon */
    { "SELECT 1; SELECT 2", NULL },
    { "SELECT 1 SELECT 2", NULL },
    { "SELECT 1 UNION (SELECT 2) SELECT 3", NULL },
    { "(SELECT 1) SELECT 2", NULL },
    { "SELECT (1 SELECT 2)", NULL },
    { "WITH a AS (SELECT 1 AS x) SELECT x FROM a SELECT 2", NULL },
    { "SELECT 1 DROP TABLE t", NULL },
    { "SELECT 1 EXEC sp_who", NULL },
    { "SELECT 1 WAITFOR DELAY '1:00'", NULL },
    { "SELECT 1 SHUTDOWN", NULL },
    { "SELECT 1 -- x", NULL },
    { "SELECT /* x */ 1", NULL },
    { "SELECT 1;", NULL },
    /* what does more than read, or reads elsewhere */
    { "INSERT INTO t VALUES (1)", NULL },
    { "UPDATE t SET a = 1", NULL },
    { "DELETE FROM t", NULL },
    { "MERGE t USING s ON 1 = 1 WHEN MATCHED THEN DELETE;", NULL },
    { "SELECT * INTO t2 FROM t", NULL },
    { "SELECT * FROM OPENROWSET('x', 'y', 'z')", NULL },
    { "SELECT * FROM openquery(s, 'x')", NULL },
    { "SELECT * FROM [t] WITH (TABLOCKX)", NULL },
    { "SELECT * FROM [t] AS [t] WITH (TABLOCKX)", NULL },
    { "SELECT * FROM [t] OPTION (RECOMPILE)", NULL },
    { "SELECT * FROM [t] FOR XML AUTO", NULL },
    { "SELECT * FROM [other].[dbo].[t]", NULL },
    { "SELECT * FROM [server].[other].[dbo].[t]", NULL },
    { "SELECT * FROM fn_trace_gettable('x', 1)", NULL },
    { "SELECT * FROM [dbo].[f](1)", NULL },
    { "SELECT [dbo].[f](1)", NULL },
    { "SELECT * FROM [t] CROSS APPLY [dbo].[f]([t].[a])", NULL },
    { "SELECT @@version", NULL },
    { "SELECT * FROM #t", NULL },
    { "SELECT * FROM @t", NULL },
    { "SELECT 'x", NULL },
    { "SELECT [x", NULL },
    { "SELECT 1)", NULL },
    { "SELECT (1", NULL },
    { "SELECT 1 FROM", NULL },
    { "SELECT 1 FROM t, WHERE 1 = 1", NULL },
    { "SELECT * FROM (WITH x AS (SELECT 1 AS a) SELECT a FROM x) AS q", NULL },
    { "DECLARE @x int", NULL },
    { "IF 1 = 1 SELECT 1", NULL },
    { "BEGIN SELECT 1 END", NULL },
    { "VALUES (1)", NULL },
    { "", NULL },
    { "   ", NULL },
};

static void statements(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct buf b;
        struct mssql_words w = { 0 };
        call_begin(&c);
        buf_init(&b, &c, 10000);
        const char *wrong = mssql_words(&c, cases[i].sql, &w);
        for (size_t k = 0; k < w.tables.count; k++) {
            const struct table_read *t = &LIST_AT(&w.tables, struct table_read, k);
            buf_format(&b, "%s%s%s%s", b.len ? " " : "", t->schema ? t->schema : "", t->schema ? "." : "", t->table);
        }
        for (size_t k = 0; k < w.functions.count; k++)
            buf_format(&b, "%s%s()", b.len ? " " : "", LIST_AT(&w.functions, const char *, k));
        if (cases[i].names ? wrong || strcmp(b.data, cases[i].names) != 0 : !wrong) {
            printf("%s\n  got %s (%s)\n", cases[i].sql, b.data, wrong ? wrong : "accepted");
            bad++;
        }
        call_end(&c);
    }
    assert_int_equal(bad, 0);
}

static void deep(void **state)
{
    struct call c;
    struct buf b;
    struct mssql_words w = { 0 };
    (void)state;
    call_begin(&c);
    buf_init(&b, &c, 100000);
    buf_str(&b, "SELECT ");
    for (int i = 0; i < 5000; i++) buf_char(&b, '(');
    assert_non_null(mssql_words(&c, b.data, &w));
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
