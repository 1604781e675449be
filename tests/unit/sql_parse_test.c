/* sql/parse: what each engine's text says, what is refused by name, and what hostile text meets. */
#include "buf.h"
#include "sql/keywords.h"
#include "sql/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { LITE = 1, PG = 2, MY = 4, DUCK = 8, MS = 16, ALL = 31 };
static const enum tongue tongues[] = { TONGUE_SQLITE, TONGUE_POSTGRES, TONGUE_MYSQL, TONGUE_DUCKDB, TONGUE_MSSQL };

static void show_query(struct buf *b, const struct syntax_query *q);

static void show_name(struct buf *b, const struct idents *name)
{
    for (size_t i = 0; i < name->count; i++) buf_format(b, "%s%s", i ? "." : "", name->items[i].text);
}

static void show_list(struct buf *b, const struct nodes *l);

/* An expression as nested lists: the shape, without a parenthesis of the text. */
static void show(struct buf *b, const struct node *n)
{
    if (!n) {
        buf_str(b, "-");
        return;
    }
    switch ((enum node_kind)n->kind) {
    case NODE_NULL:
        buf_str(b, "null");
        break;
    case NODE_BOOLEAN:
        buf_str(b, n->negated ? "false" : "true");
        break;
    case NODE_NUMBER:
        buf_str(b, n->text);
        break;
    case NODE_TEXT:
        buf_format(b, "'%s'", n->text);
        break;
    case NODE_BINARY_TEXT:
        buf_format(b, "x'%s'", n->text);
        break;
    case NODE_TYPED:
    case NODE_CAST:
        buf_format(b, "(cast %s ", type_kind_names[n->cast.type->type.kind]);
        show(b, n->cast.arg);
        buf_char(b, ')');
        break;
    case NODE_NAME:
        show_name(b, &n->name);
        break;
    case NODE_STAR:
        show_name(b, &n->name);
        buf_str(b, "*");
        break;
    case NODE_CALL:
        buf_char(b, '(');
        show_name(b, &n->call->name);
        if (n->call->distinct) buf_str(b, " distinct");
        show_list(b, &n->call->args);
        if (n->call->filter) {
            buf_str(b, " filter ");
            show(b, n->call->filter);
        }
        if (n->call->over) buf_format(b, " over %zu %zu", n->call->over->partition.count, n->call->over->order.count);
        buf_char(b, ')');
        break;
    case NODE_MINUS:
    case NODE_NOT:
        buf_str(b, n->kind == NODE_NOT ? "(not " : "(neg ");
        show(b, n->left);
        buf_char(b, ')');
        break;
    case NODE_BINARY:
        buf_format(b, "(%d ", n->op);
        show(b, n->left);
        buf_char(b, ' ');
        show(b, n->right);
        buf_char(b, ')');
        break;
    case NODE_CHAIN:
        buf_str(b, n->op == OP_AND ? "(and" : n->op == OP_OR ? "(or" : "(cat");
        show_list(b, &n->of.list);
        buf_char(b, ')');
        break;
    case NODE_LIKE:
    case NODE_BETWEEN:
    case NODE_IS_NULL:
    case NODE_IS_DISTINCT:
    case NODE_IS_TRUTH: {
        static const char *const names[] = { [NODE_LIKE] = "like",
                                             [NODE_BETWEEN] = "between",
                                             [NODE_IS_NULL] = "isnull",
                                             [NODE_IS_DISTINCT] = "distinct",
                                             [NODE_IS_TRUTH] = "truth" };
        buf_format(b, "(%s%s%d ", n->negated ? "!" : "", names[n->kind], n->op);
        show(b, n->left);
        if (n->right) {
            buf_char(b, ' ');
            show(b, n->right);
        }
        if (n->third) {
            buf_char(b, ' ');
            show(b, n->third);
        }
        buf_char(b, ')');
        break;
    }
    case NODE_IN:
    case NODE_QUANTIFIED:
        buf_format(b, "(%s%s ", n->negated ? "!" : "", n->kind == NODE_IN ? "in" : "any");
        show(b, n->of.arg);
        if (n->of.query)
            show_query(b, n->of.query);
        else
            show_list(b, &n->of.list);
        buf_char(b, ')');
        break;
    case NODE_EXISTS:
    case NODE_QUERY:
        buf_str(b, n->kind == NODE_EXISTS ? "(exists" : "(scalar");
        show_query(b, n->of.query);
        buf_char(b, ')');
        break;
    case NODE_CASE:
        buf_str(b, "(case ");
        show(b, n->cases.operand);
        show_list(b, &n->cases.whens);
        buf_str(b, " else ");
        show(b, n->cases.otherwise);
        buf_char(b, ')');
        break;
    case NODE_INTERVAL:
        buf_format(b, "(interval %s ", n->interval.unit ? n->interval.unit : "-");
        show(b, n->interval.value);
        buf_char(b, ')');
        break;
    case NODE_ROW:
    case NODE_ARRAY:
        buf_str(b, n->kind == NODE_ROW ? "(row" : "(array");
        show_list(b, &n->of.list);
        buf_char(b, ')');
        break;
    case NODE_OTHER:
        buf_str(b, "(other)");
        break;
    }
}

static void show_list(struct buf *b, const struct nodes *l)
{
    for (size_t i = 0; i < l->count; i++) {
        buf_char(b, ' ');
        show(b, l->items[i]);
    }
}

static void show_from(struct buf *b, const struct syntax_from *f)
{
    static const char *const joins[] = { "inner", "left", "right", "full", "cross" };
    if (f->kind == FROM_JOIN) {
        buf_format(b, "(%s%s ", f->natural ? "natural " : "", joins[f->type]);
        show_from(b, f->left);
        buf_char(b, ' ');
        show_from(b, f->right);
        if (f->on) {
            buf_str(b, " on ");
            show(b, f->on);
        }
        for (size_t i = 0; i < f->using_.count; i++) buf_format(b, " using %s", f->using_.items[i].text);
        buf_char(b, ')');
        return;
    }
    if (f->kind == FROM_QUERY)
        show_query(b, f->query);
    else
        show_name(b, &f->name);
    if (f->alias.text) buf_format(b, ":%s", f->alias.text);
    for (size_t i = 0; i < f->columns.count; i++) buf_format(b, "/%s", f->columns.items[i].text);
}

static void show_query(struct buf *b, const struct syntax_query *q)
{
    static const char *const ops[] = { "union", "union_all", "intersect", "intersect_all", "except", "except_all" };
    buf_char(b, '[');
    for (size_t i = 0; i < q->cte_count; i++) {
        buf_format(b, "with %s ", q->ctes[i].name.text);
        show_query(b, q->ctes[i].query);
        buf_char(b, ' ');
    }
    if (q->kind == QUERY_SET) {
        buf_format(b, "%s ", ops[q->op]);
        show_query(b, q->left);
        show_query(b, q->right);
    } else if (q->kind == QUERY_NESTED) {
        show_query(b, q->left);
    } else if (q->kind == QUERY_VALUES) {
        buf_str(b, "values");
        show_list(b, &q->rows);
    } else {
        const struct syntax_select *s = q->select;
        if (s->distinct) buf_str(b, "distinct ");
        if (s->top) {
            buf_str(b, "top ");
            show(b, s->top);
            buf_char(b, ' ');
        }
        for (size_t i = 0; i < s->item_count; i++) {
            if (i) buf_char(b, ',');
            show(b, s->items[i].expr);
            if (s->items[i].alias.text) buf_format(b, ":%s", s->items[i].alias.text);
        }
        if (s->from) {
            buf_str(b, " from ");
            show_from(b, s->from);
        }
        if (s->where) {
            buf_str(b, " where ");
            show(b, s->where);
        }
        if (s->group_by.count) {
            buf_str(b, " group");
            show_list(b, &s->group_by);
        }
        if (s->having) {
            buf_str(b, " having ");
            show(b, s->having);
        }
    }
    for (size_t i = 0; i < q->order.count; i++) {
        buf_str(b, i ? "," : " order ");
        show(b, q->order.items[i].expr);
        if (q->order.items[i].descending) buf_str(b, " desc");
        if (q->order.items[i].nulls) buf_str(b, q->order.items[i].nulls == NULLS_FIRST ? " first" : " last");
    }
    if (q->limit) {
        buf_str(b, " limit ");
        show(b, q->limit);
    }
    if (q->offset) {
        buf_str(b, " offset ");
        show(b, q->offset);
    }
    buf_char(b, ']');
}

static const struct {
    int where;
    const char *sql, *shape;
} shapes[] = {
    { ALL, "SELECT 1", "[1]" },
    { ALL, "select a, b c, d AS e from t x where a = 1 group by a having b > 2 order by a desc, 2",
      "[a,b:c,d:e from t:x where (0 a 1) group a having (4 b 2) order a desc,2]" },
    { ALL, "SELECT 1 -- x\n /* y */ ; -- z", "[1]" },
    { ALL, ";; SELECT 1 ;;", "[1]" },
    { ALL, "(SELECT 1)", "[1]" },
    { ALL, "((SELECT 1))", "[1]" },
    { ALL, "SELECT (((1)))", "[1]" },
    { ALL, "SELECT ((SELECT 1))", "[(scalar[1])]" },
    { ALL, "SELECT ((SELECT 1) + 2) * 3", "[(8 (6 (scalar[1]) 2) 3)]" },
    { ALL, "SELECT ((SELECT 1) UNION (SELECT 2))", "[(scalar[union [1][2]])]" },
    /* quotes and comments, as each engine reads them */
    { ALL, "SELECT 'O''Brien'", "['O'Brien']" },
    { MY, "SELECT 'it\\'s; DROP', \"a\\n\", 'a\\%b'", "['it's; DROP','a\n','a\\%b']" },
    { LITE | PG | DUCK | MS, "SELECT 'a\\'", "['a\\']" },
    { PG | DUCK, "SELECT E'it\\'s\\x41\\101\\u00e9'", "['it'sAA\xC3\xA9']" },
    { PG | DUCK, "SELECT U&'d\\0061ta', U&'d!0061ta' UESCAPE '!', U&\"d\\0061t\"", "['data','data',dat]" },
    { PG | DUCK, "SELECT $a$ $$ ; DELETE $$ $a$ AS x, $$y$$", "[' $$ ; DELETE $$ ':x,'y']" },
    { PG | DUCK | MS, "SELECT 1 /* a /* nested */ comment */ + 1", "[(6 1 1)]" },
    { LITE | MY, "SELECT 1 /* a /* flat */ + 1", "[(6 1 1)]" },
    { MY, "SELECT 1--1", "[(7 1 (neg 1))]" },
    { MY, "SELECT 1 # rest\n+ 2", "[(6 1 2)]" },
    { PG | LITE | DUCK | MS, "SELECT 1--1\n+ 2", "[(6 1 2)]" },
    { MY, "SELECT 'a' 'b'", "['ab']" },
    { PG | DUCK, "SELECT 'a'\n'b'", "['ab']" },
    { MS | PG | MY, "SELECT N'x'", "['x']" },
    { LITE | MS, "SELECT [a b], [c]", "[a b,c]" },
    { MS, "SELECT [a]]b]", "[a]b]" },
    { LITE | MY, "SELECT `a``b`", "[a`b]" },
    { LITE | PG | DUCK | MS, "SELECT \"a\"\"b\"", "[a\"b]" },
    { LITE | MY, "SELECT x'CC'", "[x'CC']" },
    { LITE, "SELECT 0x10", "[16]" },
    { MY | MS, "SELECT 0xFF", "[x'FF']" },
    { MY, "SELECT 2nd FROM t", "[2nd from t]" },
    { ALL, "SELECT .5, 1., 1e3, 1.5E-2", "[.5,1.,1e3,1.5E-2]" },
    /* precedence */
    { ALL, "SELECT 1 + 2 * 3 - 4", "[(7 (6 1 (8 2 3)) 4)]" },
    { ALL, "SELECT a OR b AND NOT c = d", "[(or a (and b (not (0 c d))))]" },
    { ALL, "SELECT a AND b AND c OR d", "[(or (and a b c) d)]" },
    { LITE, "SELECT 2 * 3 || 4", "[(8 2 (cat 3 4))]" },
    { PG | DUCK, "SELECT 1 + 2 || 'a'", "[(cat (6 1 2) 'a')]" },
    { MY, "SELECT a || b && c", "[(or a (and b c))]" },
    { LITE, "SELECT a = b < c", "[(0 a (2 b c))]" },
    { LITE, "SELECT 1 LIKE 2 LIKE 3", "[(like1 (like1 1 2) 3)]" },
    { ALL, "SELECT -a * b, - -a", "[(8 (neg a) b),(neg (neg a))]" },
    { ALL, "SELECT x BETWEEN 1 AND 2 AND y", "[(and (between0 x 1 2) y)]" },
    { LITE | MY | MS, "SELECT x NOT BETWEEN 1 AND 2, x NOT IN (1, 2), x NOT LIKE 'a' ESCAPE '!'",
      "[(!between0 x 1 2),(!in x 1 2),(!like1 x 'a' '!')]" },
    { PG | DUCK, "SELECT a LIKE 'x', a ILIKE 'y' ESCAPE '!'", "[(like0 a 'x'),(like1 a 'y' '!')]" },
    { LITE, "SELECT a GLOB 'x*'", "[(like2 a 'x*')]" },
    { ALL, "SELECT a IS NULL, a IS NOT NULL", "[(isnull0 a),(!isnull0 a)]" },
    { LITE | PG | MY | DUCK, "SELECT a IS NOT TRUE, b IS FALSE", "[(!truth1 a),(truth0 b)]" },
    { PG | DUCK | MS | LITE, "SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b",
      "[(distinct0 a b),(!distinct0 a b)]" },
    { LITE, "SELECT a IS b, a IS NOT 1", "[(!distinct0 a b),(distinct0 a 1)]" },
    { MY, "SELECT a <=> b, 7 DIV 2, 7 MOD 2", "[(!distinct0 a b),(10 7 2),(11 7 2)]" },
    { PG, "SELECT name::text::varchar(3), total::numeric(10,2)",
      "[(cast text (cast text name)),(cast decimal total)]" },
    { ALL, "SELECT CAST(a AS INTEGER)", "[(cast integer a)]" },
    { LITE, "SELECT CAST(a AS DATE), CAST(a AS VARCHAR(10)), CAST(a AS BIG INT)",
      "[(cast decimal a),(cast text a),(cast integer a)]" },
    { MS, "SELECT CONVERT(INT, a), TRY_CAST(a AS DATETIME2)", "[(cast integer a),(cast timestamp a)]" },
    { MY, "SELECT CONVERT(a, SIGNED), CAST(a AS UNSIGNED INTEGER)", "[(cast integer a),(cast integer a)]" },
    { PG | DUCK, "SELECT DATE '2020-01-01', TIMESTAMP WITH TIME ZONE '2020-01-01'",
      "[(cast date '2020-01-01'),(cast timestamptz '2020-01-01')]" },
    { ALL, "SELECT CASE WHEN a THEN 1 ELSE 2 END, CASE a WHEN 1 THEN 2 END",
      "[(case - a 1 else 2),(case a 1 2 else -)]" },
    { PG | MY | DUCK, "SELECT EXTRACT(year FROM d), POSITION('a' IN b)", "[(extract 'year' d),(position 'a' b)]" },
    { ALL, "SELECT TRIM(a), SUBSTRING(a, 1, 2)", "[(trim a),(substring a 1 2)]" },
    { PG | MY, "SELECT SUBSTRING(a FROM 2 FOR 3), TRIM(LEADING 'x' FROM a), TRIM(BOTH FROM a)",
      "[(substring a 2 3),(ltrim a 'x'),(trim a)]" },
    { PG | DUCK, "SELECT INTERVAL '1 day', d + INTERVAL '1' MONTH",
      "[(interval - '1 day'),(6 d (interval MONTH '1'))]" },
    { MY, "SELECT d - INTERVAL a + 1 DAY", "[(7 d (interval DAY (6 a 1)))]" },
    { DUCK, "SELECT INTERVAL 3 DAY, INTERVAL (a) MONTH", "[(interval DAY 3),(interval MONTH a)]" },
    { ALL, "SELECT COUNT(*), COUNT(DISTINCT a), f(ALL a)", "[(COUNT *),(COUNT distinct a),(f a)]" },
    { ALL, "SELECT SUM(a) OVER (PARTITION BY b, c ORDER BY d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
      "[(SUM a over 2 1)]" },
    { PG | LITE | DUCK, "SELECT COUNT(*) FILTER (WHERE a > 1)", "[(COUNT * filter (4 a 1))]" },
    { PG, "SELECT a = ANY(ARRAY[1,2]), b <> ALL(SELECT 1)", "[(any a 1 2),(!any b[1])]" },
    { ALL, "SELECT (a, b) = (1, 2)", "[(0 (row a b) (row 1 2))]" },
    { ALL, "SELECT EXISTS (SELECT 1), a IN (SELECT 2), t.*", "[(exists[1]),(in a[2]),t*]" },
    { MY | MS | PG, "SELECT LEFT(a, 2), RIGHT(a, 1)", "[(LEFT a 2),(RIGHT a 1)]" },
    { MY, "SELECT IF(a > 1, 2, 3), REPLACE(a, 'x', 'y'), INSERT(a, 1, 2, 'x')",
      "[(IF (4 a 1) 2 3),(REPLACE a 'x' 'y'),(INSERT a 1 2 'x')]" },
    { LITE, "SELECT End, First FROM t", "[End,First from t]" },
    { MS, "SELECT n = a, 'm' = 1 FROM t", "[a:n,1:m from t]" },
    /* FROM */
    { ALL, "SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN c ON 1 = 1",
      "[* from (left (inner a b on (0 a.x b.x)) c on (0 1 1))]" },
    { PG | DUCK | MY | MS, "SELECT * FROM a, b JOIN c ON 1 = 1", "[* from (cross a (inner b c on (0 1 1)))]" },
    { LITE, "SELECT * FROM a, b JOIN c ON 1 = 1", "[* from (inner (cross a b) c on (0 1 1))]" },
    { PG | DUCK | MS, "SELECT * FROM a JOIN b JOIN c ON 1 = 1 ON 2 = 2",
      "[* from (inner a (inner b c on (0 1 1)) on (0 2 2))]" },
    { ALL, "SELECT * FROM (a JOIN b ON 1 = 1) JOIN c ON 2 = 2",
      "[* from (inner (inner a b on (0 1 1)) c on (0 2 2))]" },
    { LITE | PG | MY | DUCK, "SELECT * FROM a NATURAL JOIN b JOIN c USING (x, y)",
      "[* from (inner (natural inner a b) c using x using y)]" },
    { ALL, "SELECT * FROM (SELECT 1) AS x CROSS JOIN t y", "[* from (cross [1]:x t:y)]" },
    { ALL, "SELECT * FROM ((SELECT 1) UNION (SELECT 2)) x", "[* from [union [1][2]]:x]" },
    { ALL, "SELECT * FROM ((SELECT 1) x JOIN b ON 1 = 1)", "[* from (inner [1]:x b on (0 1 1))]" },
    { PG | DUCK, "SELECT * FROM (VALUES (1,'a'),(2,'b')) AS t(id, n)",
      "[* from [values (row 1 'a') (row 2 'b')]:t/id/n]" },
    { PG | DUCK | MY, "TABLE users", "[* from users]" },
    { DUCK, "FROM t SELECT a", "[a from t]" },
    { DUCK, "FROM t", "[* from t]" },
    { MY, "SELECT * FROM a STRAIGHT_JOIN b USE INDEX (i) WHERE 1", "[* from (inner a b) where 1]" },
    { LITE, "SELECT * FROM a INDEXED BY i", "[* from a]" },
    { ALL, "SELECT a.b.c.d FROM x.y.z", "[a.b.c.d from x.y.z]" },
    { MS, "SELECT * FROM db..t", "[* from db.t]" },
    /* WITH, sets, limits */
    { ALL, "WITH a AS (SELECT 1), b(x) AS (SELECT 2) SELECT * FROM a", "[with a [1] with b [2] * from a]" },
    { PG | LITE | MY | DUCK, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r",
      "[with r [union_all [1][(6 n 1) from r]] * from r]" },
    { PG | MY | DUCK | MS, "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "[union [1][intersect [2][3]]]" },
    { LITE, "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "[intersect [union [1][2]][3]]" },
    { ALL, "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 ORDER BY 1", "[except [union_all [1][2]][3] order 1]" },
    { PG | MY | DUCK, "(SELECT 1 ORDER BY 1) UNION (SELECT 2 LIMIT 1) LIMIT 3",
      "[union [[1 order 1]][[2 limit 1]] limit 3]" },
    { PG | DUCK, "(SELECT 1 LIMIT 1) ORDER BY 1", "[[1 limit 1] order 1]" },
    { LITE | MY, "SELECT 1 LIMIT 5, 10", "[1 limit 10 offset 5]" },
    { LITE | MY | PG | DUCK, "SELECT 1 LIMIT 10 OFFSET 5", "[1 limit 10 offset 5]" },
    { PG | DUCK, "SELECT 1 OFFSET 5 LIMIT 10", "[1 limit 10 offset 5]" },
    { PG | DUCK | MS, "SELECT 1 ORDER BY 1 OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY", "[1 order 1 limit 5 offset 10]" },
    { PG, "SELECT 1 FETCH FIRST ROW ONLY", "[1 limit 1]" },
    { PG | DUCK, "SELECT 1 LIMIT ALL", "[1]" },
    { MS, "SELECT TOP 3 a FROM t", "[top 3 a from t]" },
    { MS, "SELECT DISTINCT TOP (3) a FROM t", "[distinct top 3 a from t]" },
    { LITE | PG | DUCK, "SELECT a ORDER BY a NULLS FIRST, b DESC NULLS LAST", "[a order a first,b desc last]" },
    { MS, "SELECT 1 OPTION (MAXRECURSION 10)", "[1]" },
};

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t t = 0; t < 5; t++) {
            if (!(shapes[i].where & (1 << t))) continue;
            struct call c;
            struct syntax out;
            struct buf b;
            call_begin(&c);
            buf_init(&b, &c, 100000);
            int rc = syntax_parse(&c, tongues[t], shapes[i].sql, strlen(shapes[i].sql), &out);
            if (rc) fail_msg("%zu in %s: %s", t, shapes[i].sql, c.err.message);
            if (out.refused) fail_msg("%zu in %s: %s", t, shapes[i].sql, out.refusal);
            show_query(&b, out.query);
            if (strcmp(b.data, shapes[i].shape) != 0)
                fail_msg("%zu in %s:\n%s\nexpected\n%s", t, shapes[i].sql, b.data, shapes[i].shape);
            call_end(&c);
        }
}

static const struct {
    int where;
    const char *sql;
    enum err_code code;
    const char *message; /* a part of it */
} refusals[] = {
    { ALL, "", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { ALL, " ; -- nothing", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { ALL, "SELECT 1; SELECT 2", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { ALL, "SELECT 1 FROM t -- x\n; DROP TABLE t", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { ALL, "SELECT 1 DROP TABLE t", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { ALL, "SELECT 1 SELECT 2", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { ALL, "DELETE FROM t", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { ALL, "(DELETE FROM t)", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { ALL, "insert into t values (1)", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { ALL, "EXPLAIN SELECT 1", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { LITE | MS, "TABLE t", ERR_SQL_PARSE_ERROR, "expected SELECT, found 'TABLE'" },
    { ALL, "PRAGMA x", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { ALL, "WITH a AS (SELECT 1) DELETE FROM t", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { ALL, "WITH a AS (UPDATE t SET x = 1 RETURNING x) SELECT 1", ERR_SQL_NOT_ALLOWED,
      "Only SELECT queries are allowed." },
    { ALL, "SELECT * INTO x FROM t", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { MY, "SELECT 1 INTO OUTFILE '/tmp/x'", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { MY, "SELECT * FROM t LIMIT 1 INTO @p", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { MY, "VALUES ROW(1) INTO OUTFILE '/tmp/x'", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { MY | PG | DUCK, "SELECT * FROM t FOR UPDATE", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { PG, "SELECT * FROM t FOR KEY SHARE SKIP LOCKED", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { MY, "SELECT * FROM t LOCK IN SHARE MODE", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { MY, "SELECT * FROM t PROCEDURE ANALYSE()", ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed." },
    { ALL, "SELEC * FROM t", ERR_SQL_PARSE_ERROR,
      "The SQL could not be parsed: expected SELECT, found 'SELEC', at line 1" },
    { PG, "SELECT FROM WHERE", ERR_SQL_PARSE_ERROR, "found 'WHERE'" },
    { LITE | MY | DUCK | MS, "SELECT FROM WHERE", ERR_SQL_PARSE_ERROR, "found 'FROM'" },
    { ALL, "SELECT a\nFROM t WHERE )", ERR_SQL_PARSE_ERROR,
      "expected an expression, found ')', at line 2, column 14." },
    { ALL, "SELECT * FROM read_csv('/etc/passwd')", ERR_SQL_NOT_ALLOWED,
      "Table functions such as read_csv are not allowed." },
    { ALL, "SELECT * FROM a.b(1) AS t(x)", ERR_SQL_NOT_ALLOWED, "Table functions" },
    { MY, "SELECT /*!50000 1 */", ERR_SQL_PARSE_ERROR, "executable comments" },
    { MY, "SELECT 1 /*M!100100 x */", ERR_SQL_PARSE_ERROR, "executable comments" },
    { ALL, "SELECT 'a", ERR_SQL_PARSE_ERROR, "a string is not closed, at line 1, column 8." },
    { ALL, "SELECT 1 /* a", ERR_SQL_PARSE_ERROR, "a comment is not closed" },
    { PG | DUCK | MS, "SELECT 1 /* /* */", ERR_SQL_PARSE_ERROR, "a comment is not closed" },
    { LITE | PG | DUCK | MS, "SELECT \"a", ERR_SQL_PARSE_ERROR, "a quoted name is not closed" },
    { PG | DUCK, "SELECT $a$ x", ERR_SQL_PARSE_ERROR, "a dollar-quoted string is not closed" },
    { PG, "SELECT U&'\\00'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { PG, "SELECT E'\\000'", ERR_SQL_PARSE_ERROR, "an escape" },
    { ALL,
      "DELETE\xC2\xA0"
      "FROM t",
      ERR_SQL_PARSE_ERROR, "unusual space" },
    { ALL, "\xEF\xBB\xBFSELECT 1", ERR_SQL_PARSE_ERROR, "unusual space" },
    { ALL, "SELECT 1 \x01", ERR_SQL_PARSE_ERROR, "a control character" },
    { ALL, "SELECT \xFF", ERR_SQL_PARSE_ERROR, "not UTF-8" },
    { ALL, "SELECT '\xC0\x80'", ERR_SQL_PARSE_ERROR, "not UTF-8" },
    { LITE | PG | DUCK | MS, "SELECT 1abc", ERR_SQL_PARSE_ERROR, "letters follow a number" },
    { LITE, "SELECT 0xFFFFFFFFFFFFFFFFF", ERR_SQL_PARSE_ERROR, "too large" },
    { PG | MY | DUCK, "SELECT b'1'", ERR_SQL_PARSE_ERROR, "bit strings" },
    { ALL, "SELECT (1", ERR_SQL_PARSE_ERROR, "expected ')'" },
    { ALL, "SELECT CASE WHEN 1 THEN 2", ERR_SQL_PARSE_ERROR, "expected END" },
    { PG | DUCK | MS, "SELECT * FROM a JOIN b", ERR_SQL_PARSE_ERROR, "expected ON or USING" },
    { ALL, "SELECT 1 ORDER BY 1 UNION SELECT 2", ERR_SQL_PARSE_ERROR, "expected the end of the statement" },
    /* refused by name */
    { PG | DUCK | MY, "SELECT * FROM t, LATERAL (SELECT 1) x", ERR_PLAN_NOT_SUPPORTED,
      "LATERAL is not supported, at line 1, column 18." },
    { MS, "SELECT * FROM t CROSS APPLY (SELECT 1) x", ERR_PLAN_NOT_SUPPORTED, "APPLY" },
    { PG | DUCK, "SELECT 1 GROUP BY GROUPING SETS ((1), ())", ERR_PLAN_NOT_SUPPORTED, "GROUPING SETS" },
    { ALL, "SELECT 1 GROUP BY ROLLUP (a)", ERR_PLAN_NOT_SUPPORTED, "ROLLUP" },
    { ALL, "SELECT 1 GROUP BY CUBE (a)", ERR_PLAN_NOT_SUPPORTED, "CUBE" },
    { MY | MS, "SELECT 1 GROUP BY a WITH ROLLUP", ERR_PLAN_NOT_SUPPORTED, "WITH ROLLUP" },
    { PG | DUCK, "SELECT DISTINCT ON (a) a FROM t", ERR_PLAN_NOT_SUPPORTED, "DISTINCT ON" },
    { PG | DUCK, "SELECT a FROM t QUALIFY 1", ERR_PLAN_NOT_SUPPORTED, "QUALIFY" },
    { MS | DUCK, "SELECT * FROM t PIVOT (SUM(a) FOR b IN (1)) AS p", ERR_PLAN_NOT_SUPPORTED, "PIVOT" },
    { PG, "SELECT 1 FETCH FIRST 3 ROWS WITH TIES", ERR_PLAN_NOT_SUPPORTED, "WITH TIES" },
    { MS, "SELECT TOP 3 WITH TIES a FROM t", ERR_PLAN_NOT_SUPPORTED, "WITH TIES" },
    { PG | DUCK | MS, "SELECT * FROM t TABLESAMPLE (10 PERCENT)", ERR_PLAN_NOT_SUPPORTED, "TABLESAMPLE" },
    { PG | DUCK | MS, "SELECT FIRST_VALUE(a IGNORE NULLS) OVER ()", ERR_PLAN_NOT_SUPPORTED, "IGNORE NULLS" },
    { ALL, "SELECT a & b", ERR_PLAN_NOT_SUPPORTED, "a bit operator" },
    { PG, "SELECT a # b, a << 1", ERR_PLAN_NOT_SUPPORTED, "a bit operator" },
    { LITE | MY, "SELECT a REGEXP 'x'", ERR_PLAN_NOT_SUPPORTED, "REGEXP" },
    { PG, "SELECT a ~ 'x'", ERR_PLAN_NOT_SUPPORTED, "the operator ~" },
    { PG, "SELECT a SIMILAR TO 'x'", ERR_PLAN_NOT_SUPPORTED, "SIMILAR TO" },
    { LITE | PG | MS, "SELECT a COLLATE x", ERR_PLAN_NOT_SUPPORTED, "COLLATE" },
    { PG | DUCK, "SELECT a AT TIME ZONE 'UTC'", ERR_PLAN_NOT_SUPPORTED, "AT TIME ZONE" },
    { PG | DUCK, "SELECT a[1]", ERR_PLAN_NOT_SUPPORTED, "a subscript" },
    { PG, "SELECT (u).a FROM u", ERR_PLAN_NOT_SUPPORTED, "a field of a row" },
    { ALL, "SELECT ?", ERR_PLAN_NOT_SUPPORTED, "a parameter" },
    { PG, "SELECT $1", ERR_PLAN_NOT_SUPPORTED, "a parameter" },
    { MY | MS, "SELECT @a", ERR_PLAN_NOT_SUPPORTED, "a variable" },
    { MY, "SELECT @a := 1", ERR_PLAN_NOT_SUPPORTED, "a variable" },
    { PG, "SELECT 10 OPERATOR(pg_catalog.+) 1", ERR_PLAN_NOT_SUPPORTED, "OPERATOR()" },
    { MS, "SELECT * FROM t WITH (NOLOCK)", ERR_PLAN_NOT_SUPPORTED, "a table hint" },
    { MS, "SELECT * FROM t (NOLOCK)", ERR_PLAN_NOT_SUPPORTED, "a table hint" },
    { MY, "SELECT a XOR b", ERR_PLAN_NOT_SUPPORTED, "XOR" },
    { PG, "SELECT XMLELEMENT(NAME foo, 'x')", ERR_SQL_NOT_ALLOWED, "The function 'XMLELEMENT' is not allowed." },
    /* one for each rule */
    { ALL, "SELECT f(VARIADIC 'x')", ERR_PLAN_NOT_SUPPORTED, "VARIADIC is not supported" },
    { ALL, "SELECT f(a => 1)", ERR_PLAN_NOT_SUPPORTED, "an argument by name is not supported" },
    { ALL, "SELECT f(a := 1)", ERR_PLAN_NOT_SUPPORTED, "an argument by name is not supported" },
    { LITE | PG | MY | MS, "SELECT count(* LIKE 'a%') FROM t", ERR_SQL_PARSE_ERROR, "expected ')', found 'LIKE'" },
    { DUCK, "SELECT count(* LIKE 'a%') FROM t", ERR_PLAN_NOT_SUPPORTED,
      "a list of columns by pattern is not supported" },
    { ALL, "SELECT f(SELECT 1)", ERR_PLAN_NOT_SUPPORTED, "a query as an argument without brackets is not supported" },
    { LITE | PG | MY | MS, "SELECT f(1 AS a)", ERR_SQL_PARSE_ERROR, "expected ')', found 'AS'" },
    { DUCK, "SELECT f(1 AS a)", ERR_PLAN_NOT_SUPPORTED, "an argument by name is not supported" },
    { ALL, "SELECT f(a LIMIT 1)", ERR_PLAN_NOT_SUPPORTED, "a clause inside a function's brackets is not supported" },
    { ALL, "SELECT char(77 USING utf8)", ERR_SQL_NOT_ALLOWED, "The function 'char' is not allowed." },
    { LITE, "SELECT CAST(a AS DATE FORMAT 'x')", ERR_SQL_PARSE_ERROR, "expected ')', found ''x''" },
    { PG | MY | DUCK | MS, "SELECT CAST(a AS DATE FORMAT 'x')", ERR_PLAN_NOT_SUPPORTED,
      "CAST with a format or zone is not supported" },
    { LITE, "SELECT CAST(a AS TIMESTAMP AT TIME ZONE 'UTC')", ERR_SQL_PARSE_ERROR, "expected ')', found ''UTC''" },
    { PG | MY | DUCK | MS, "SELECT CAST(a AS TIMESTAMP AT TIME ZONE 'UTC')", ERR_PLAN_NOT_SUPPORTED,
      "CAST with a format or zone is not supported" },
    { LITE | PG | DUCK, "SELECT CONVERT(a USING utf8)", ERR_PLAN_NOT_SUPPORTED,
      "USING inside a function's brackets is not supported" },
    { MY, "SELECT CONVERT(a USING utf8)", ERR_PLAN_NOT_SUPPORTED, "a character set is not supported" },
    { MS, "SELECT CONVERT(a USING utf8)", ERR_SQL_PARSE_ERROR, "expected ',', found 'USING'" },
    { LITE | PG | DUCK | MS, "SELECT CONVERT(a, CHAR CHARACTER SET utf8)", ERR_SQL_PARSE_ERROR,
      "expected ')', found 'CHARACTER'" },
    { MY, "SELECT CONVERT(VARCHAR(10), a, 101)", ERR_SQL_PARSE_ERROR, "expected ')', found ','" },
    { MS, "SELECT CONVERT(VARCHAR(10), a, 101)", ERR_PLAN_NOT_SUPPORTED, "a style of CONVERT is not supported" },
    { ALL, "SELECT SUBSTRING(a SIMILAR 'x' ESCAPE '#')", ERR_SQL_PARSE_ERROR, "expected ')', found ''#''" },
    { PG | MY | DUCK, "SELECT a = ANY (b) FROM t", ERR_PLAN_NOT_SUPPORTED,
      "ANY or ALL over an array that is not written out is not supported" },
    { LITE | MS, "SELECT a = ALL (b) FROM t", ERR_SQL_PARSE_ERROR, "expected an expression, found 'ALL'" },
    { PG | MY | DUCK, "SELECT a = ALL (b) FROM t", ERR_PLAN_NOT_SUPPORTED,
      "ANY or ALL over an array that is not written out is not supported" },
    { PG | MY | DUCK | MS, "SELECT a IS JSON FROM t", ERR_PLAN_NOT_SUPPORTED, "IS JSON is not supported" },
    { PG | MY | DUCK | MS, "SELECT a IS NORMALIZED FROM t", ERR_PLAN_NOT_SUPPORTED, "IS NORMALIZED is not supported" },
    { ALL, "SELECT a IN b FROM t", ERR_PLAN_NOT_SUPPORTED, "IN without a bracketed list is not supported" },
    { ALL, "SELECT a BETWEEN SYMMETRIC 1 AND 2 FROM t", ERR_PLAN_NOT_SUPPORTED, "BETWEEN SYMMETRIC is not supported" },
    { ALL, "SELECT a LIKE ANY ('x', 'y') FROM t", ERR_PLAN_NOT_SUPPORTED, "LIKE ANY and LIKE ALL is not supported" },
    { ALL, "SELECT a LIKE ALL ('x', 'y') FROM t", ERR_PLAN_NOT_SUPPORTED, "LIKE ANY and LIKE ALL is not supported" },
    { LITE | PG | MY | MS, "SELECT * FROM t AT (VERSION => 1)", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'AT'" },
    { DUCK, "SELECT * FROM t AT (VERSION => 1)", ERR_PLAN_NOT_SUPPORTED, "time travel is not supported" },
    { LITE | PG | MY | DUCK, "SELECT * FROM t FOR SYSTEM_TIME ALL", ERR_SQL_NOT_ALLOWED,
      "Only SELECT queries are allowed." },
    { MS, "SELECT * FROM t FOR SYSTEM_TIME ALL", ERR_PLAN_NOT_SUPPORTED, "FOR SYSTEM_TIME is not supported" },
    { MY, "SELECT * FROM t PARTITION (p0)", ERR_PLAN_NOT_SUPPORTED, "PARTITION is not supported" },
    { MS, "SELECT * FROM t PARTITION (p0)", ERR_PLAN_NOT_SUPPORTED, "a table hint is not supported" },
    { LITE, "SELECT * FROM t UNPIVOT (a FOR b IN (c))", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'UNPIVOT'" },
    { PG | MY | DUCK | MS, "SELECT * FROM t UNPIVOT (a FOR b IN (c))", ERR_PLAN_NOT_SUPPORTED,
      "UNPIVOT is not supported" },
    { ALL, "SELECT * FROM (a JOIN b ON 1 = 1) AS x", ERR_PLAN_NOT_SUPPORTED,
      "an alias for a bracketed join is not supported" },
    { ALL, "SELECT * FROM ?", ERR_PLAN_NOT_SUPPORTED, "a parameter is not supported" },
    { LITE | MY | MS, "SELECT * FROM @t", ERR_PLAN_NOT_SUPPORTED, "a variable is not supported" },
    { PG | DUCK, "SELECT * FROM @t", ERR_SQL_PARSE_ERROR, "expected a table, found '@'" },
    { ALL, "SELECT * FROM a ASOF JOIN b ON a.x >= b.x", ERR_PLAN_NOT_SUPPORTED, "ASOF JOIN is not supported" },
    { ALL, "SELECT * FROM a POSITIONAL JOIN b", ERR_PLAN_NOT_SUPPORTED, "POSITIONAL JOIN is not supported" },
    { ALL, "SELECT * FROM a SEMI JOIN b ON a.x = b.x", ERR_PLAN_NOT_SUPPORTED, "SEMI or ANTI JOIN is not supported" },
    { ALL, "SELECT * FROM a ANTI JOIN b ON a.x = b.x", ERR_PLAN_NOT_SUPPORTED, "SEMI or ANTI JOIN is not supported" },
    { ALL, "SELECT * FROM a LEFT SEMI JOIN b ON a.x = b.x", ERR_PLAN_NOT_SUPPORTED,
      "SEMI or ANTI JOIN is not supported" },
    { LITE | MY | DUCK | MS, "SELECT * FROM a JOIN b USING (x) AS y", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'AS'" },
    { PG, "SELECT * FROM a JOIN b USING (x) AS y", ERR_PLAN_NOT_SUPPORTED, "an alias for USING is not supported" },
    { LITE | MY | MS, "SELECT (@a := 1)", ERR_PLAN_NOT_SUPPORTED, "a variable is not supported" },
    { PG | DUCK, "SELECT (@a := 1)", ERR_PLAN_NOT_SUPPORTED, "the operator is not supported" },
    { ALL, "SELECT (a := 1) FROM t", ERR_PLAN_NOT_SUPPORTED, "an assignment is not supported" },
    { ALL, "SELECT a := 1 FROM t", ERR_PLAN_NOT_SUPPORTED, "an assignment is not supported" },
    { PG | MY, "SELECT [x FOR x IN y] FROM t", ERR_SQL_PARSE_ERROR, "expected an expression, found '['" },
    { DUCK, "SELECT [x FOR x IN y] FROM t", ERR_PLAN_NOT_SUPPORTED, "a list comprehension is not supported" },
    { LITE | MS, "SELECT INTERVAL '1' CENTURY", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'CENTURY'" },
    { MY | DUCK, "SELECT INTERVAL '1' CENTURY", ERR_PLAN_NOT_SUPPORTED, "the unit CENTURY is not supported" },
    { LITE | MS, "SELECT INTERVAL '1-2' YEAR TO MONTH", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'YEAR'" },
    { PG | MY | DUCK, "SELECT INTERVAL '1-2' YEAR TO MONTH", ERR_PLAN_NOT_SUPPORTED,
      "an interval over several units is not supported" },
    { ALL, "SELECT ARRAY(SELECT 1)", ERR_PLAN_NOT_SUPPORTED, "ARRAY over a query is not supported" },
    { MY, "SELECT BINARY a FROM t", ERR_PLAN_NOT_SUPPORTED, "BINARY is not supported" },
    { ALL, "SELECT MAP {'a': 1}", ERR_PLAN_NOT_SUPPORTED, "a map is not supported" },
    { PG | DUCK, "SELECT _utf8'x'", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found ''x''" },
    { MY, "SELECT _utf8'x'", ERR_PLAN_NOT_SUPPORTED, "a character set is not supported" },
    { LITE | PG | MY | MS, "SELECT lambda x: x", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found ':'" },
    { DUCK, "SELECT lambda x: x", ERR_PLAN_NOT_SUPPORTED, "a lambda is not supported" },
    { ALL, "SELECT ~a FROM t", ERR_PLAN_NOT_SUPPORTED, "a bit operator is not supported" },
    { ALL, "SELECT {'a': 1}", ERR_PLAN_NOT_SUPPORTED, "a struct is not supported" },
    { ALL, "SELECT *COLUMNS(*) FROM t", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found 'COLUMNS'" },
    { LITE | PG, "SELECT #1 FROM t", ERR_SQL_PARSE_ERROR, "expected an expression, found '#'" },
    { MY, "SELECT #1 FROM t", ERR_SQL_PARSE_ERROR, "expected an expression, found the end of the text" },
    { DUCK, "SELECT #1 FROM t", ERR_PLAN_NOT_SUPPORTED, "a column by its number is not supported" },
    { LITE | PG | MY | MS, "SELECT :s", ERR_PLAN_NOT_SUPPORTED, "a parameter is not supported" },
    { DUCK, "SELECT :s", ERR_SQL_PARSE_ERROR, "expected an expression, found ':'" },
    { LITE | PG | MY | MS, "SELECT * FROM t WHERE a = :x", ERR_PLAN_NOT_SUPPORTED, "a parameter is not supported" },
    { DUCK, "SELECT * FROM t WHERE a = :x", ERR_SQL_PARSE_ERROR, "expected an expression, found ':'" },
    { ALL, "SELECT 1 UNION BY NAME SELECT 2", ERR_PLAN_NOT_SUPPORTED, "UNION BY NAME is not supported" },
    { ALL, "SELECT 1 UNION ALL BY NAME SELECT 2", ERR_PLAN_NOT_SUPPORTED, "UNION BY NAME is not supported" },
    { ALL, "SELECT 1 UNION CORRESPONDING SELECT 2", ERR_PLAN_NOT_SUPPORTED, "CORRESPONDING is not supported" },
    { LITE | PG | MY | MS, "SELECT a FROM t ORDER BY ALL", ERR_SQL_PARSE_ERROR, "expected an expression, found 'ALL'" },
    { DUCK, "SELECT a FROM t ORDER BY ALL", ERR_PLAN_NOT_SUPPORTED, "ORDER BY ALL is not supported" },
    { ALL, "SELECT a FROM t ORDER BY a USING <", ERR_PLAN_NOT_SUPPORTED, "ORDER BY " },
    { ALL, "SELECT a FROM t LIMIT 10 PERCENT", ERR_PLAN_NOT_SUPPORTED, "LIMIT " },
    { LITE | PG | MY | MS, "SELECT a FROM t LIMIT 10%", ERR_SQL_PARSE_ERROR,
      "expected an expression, found the end of the text" },
    { DUCK, "SELECT a FROM t LIMIT 10%", ERR_PLAN_NOT_SUPPORTED, "LIMIT " },
    { ALL, "SELECT a FROM t LIMIT 1 BY a", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found 'BY'" },
    { ALL, "SELECT a FROM t FETCH FIRST 10 PERCENT ROWS ONLY", ERR_PLAN_NOT_SUPPORTED, "FETCH " },
    { ALL, "SELECT a FROM t FOR XML PATH", ERR_PLAN_NOT_SUPPORTED, "FOR XML or FOR JSON is not supported" },
    { ALL, "SELECT a FROM t FOR JSON AUTO", ERR_PLAN_NOT_SUPPORTED, "FOR XML or FOR JSON is not supported" },
    { ALL, "WITH RECURSIVE w(a) USING KEY (a) AS (SELECT 1) SELECT * FROM w", ERR_PLAN_NOT_SUPPORTED,
      "USING KEY is not supported" },
    { ALL, "WITH w AS (SELECT 1) SEARCH DEPTH FIRST BY a SET b SELECT * FROM w", ERR_PLAN_NOT_SUPPORTED,
      "SEARCH and CYCLE is not supported" },
    { ALL, "WITH w AS (SELECT 1) CYCLE a SET b USING c SELECT * FROM w", ERR_PLAN_NOT_SUPPORTED,
      "SEARCH and CYCLE is not supported" },
    { LITE | PG | MY | MS, "SELECT * REPLACE (1 AS a) FROM t", ERR_SQL_NOT_ALLOWED,
      "Send exactly one SELECT statement." },
    { DUCK, "SELECT * REPLACE (1 AS a) FROM t", ERR_PLAN_NOT_SUPPORTED, "* REPLACE and * RENAME is not supported" },
    { LITE | PG | MY | MS, "SELECT * RENAME (a AS b) FROM t", ERR_SQL_NOT_ALLOWED,
      "Send exactly one SELECT statement." },
    { DUCK, "SELECT * RENAME (a AS b) FROM t", ERR_PLAN_NOT_SUPPORTED, "* REPLACE and * RENAME is not supported" },
    { LITE | PG | MY | DUCK, "SELECT TOP 10 PERCENT a FROM t", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found '10'" },
    { MS, "SELECT TOP 10 PERCENT a FROM t", ERR_PLAN_NOT_SUPPORTED, "TOP " },
    { ALL, "SELECT 1 FROM t GROUP BY ()", ERR_PLAN_NOT_SUPPORTED, "an empty grouping set is not supported" },
    { ALL, "SELECT a FROM t GROUP BY ALL", ERR_PLAN_NOT_SUPPORTED, "GROUP BY ALL is not supported" },
    { ALL, "SELECT a FROM t WINDOW w AS (), v AS (w ORDER BY a)", ERR_PLAN_NOT_SUPPORTED,
      "a window built on another is not supported" },
    { ALL, "SELECT a FROM t USING SAMPLE 10", ERR_PLAN_NOT_SUPPORTED, "USING SAMPLE is not supported" },
    { LITE | MY | DUCK | MS, "SELECT FROM t", ERR_SQL_PARSE_ERROR, "expected an expression, found 'FROM'" },
    { PG, "SELECT FROM t", ERR_PLAN_NOT_SUPPORTED, "an empty select list is not supported" },
    { ALL, "SELECT 1 LIMIT 1 LIMIT 2", ERR_SQL_PARSE_ERROR, "expected one LIMIT only, found '2'" },
    { ALL, "SELECT 1 OFFSET 1 OFFSET 2", ERR_SQL_PARSE_ERROR, "expected one OFFSET only, found '2'" },
    { ALL, "SELECT 1 FETCH NEXT 1 ROWS ONLY LIMIT 2", ERR_SQL_PARSE_ERROR, "expected one LIMIT only, found '2'" },
    { ALL, "SELECT a FROM t ORDER SIBLINGS BY a", ERR_SQL_PARSE_ERROR, "expected BY after ORDER, found 'SIBLINGS'" },
    { ALL, "SELECT a FROM t ORDER BY a WITH FILL", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'WITH'" },
    { ALL, "SELECT a FROM t START WITH a = 1 CONNECT BY b", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'START'" },
    { ALL, "SELECT a AS FROM t", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found 't'" },
    { ALL, "SELECT 1 AS 2", ERR_SQL_PARSE_ERROR, "expected a name after AS, found '2'" },
    { ALL, "SELECT a FROM t FETCH LAST 1 ROWS ONLY", ERR_SQL_PARSE_ERROR, "expected FIRST or NEXT, found 'LAST'" },
    { ALL, "SELECT a FROM t FETCH FIRST 1 COLUMNS ONLY", ERR_SQL_PARSE_ERROR, "expected ROWS, found 'COLUMNS'" },
    { LITE | PG | DUCK | MS, "SELECT 1_000_a", ERR_SQL_PARSE_ERROR, "letters follow a number" },
    { LITE | PG | DUCK | MS, "SELECT 1_000.5", ERR_SQL_PARSE_ERROR, "letters follow a number" },
    { MY, "SELECT 1_000.5", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found '.5'" },
    { LITE | PG | DUCK | MS, "SELECT 1e", ERR_SQL_PARSE_ERROR, "letters follow a number" },
    { LITE | PG | DUCK | MS, "SELECT 0xg", ERR_SQL_PARSE_ERROR, "letters follow a number" },
    { PG | DUCK, "SELECT E'\\uD800'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { PG | DUCK, "SELECT E'\\U00110000'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { PG | DUCK, "SELECT E'\\U0011'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { PG | DUCK, "SELECT E'\\777'", ERR_SQL_PARSE_ERROR, "an escape names a byte that is not ASCII" },
    { PG | DUCK, "SELECT E'\\xff'", ERR_SQL_PARSE_ERROR, "an escape names a byte that is not ASCII" },
    { PG | DUCK | MS, "SELECT \"\"", ERR_SQL_PARSE_ERROR, "a quoted name is empty" },
    { PG | DUCK, "SELECT ``", ERR_SQL_PARSE_ERROR, "expected an expression, found the end of the text" },
    { MY, "SELECT ``", ERR_SQL_PARSE_ERROR, "a quoted name is empty" },
    { MS, "SELECT ``", ERR_SQL_PARSE_ERROR, "expected an expression, found '`'" },
    { PG | MY, "SELECT []", ERR_SQL_PARSE_ERROR, "expected an expression, found '['" },
    { MS, "SELECT []", ERR_SQL_PARSE_ERROR, "a quoted name is empty" },
    { LITE | MY | MS, "SELECT U&'a' UESCAPE 'ab'", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found ''ab''" },
    { PG | DUCK, "SELECT U&'a' UESCAPE 'ab'", ERR_SQL_PARSE_ERROR, "UESCAPE needs one character in quotes" },
    { LITE | MY | MS, "SELECT U&'a' UESCAPE 'a'", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found ''a''" },
    { PG | DUCK, "SELECT U&'a' UESCAPE 'a'", ERR_SQL_PARSE_ERROR, "this character cannot be an escape" },
    { LITE | MY | MS, "SELECT U&'a' UESCAPE '+'", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found ''+''" },
    { PG | DUCK, "SELECT U&'a' UESCAPE '+'", ERR_SQL_PARSE_ERROR, "this character cannot be an escape" },
    { LITE | MY | MS, "SELECT U&'\\D800'", ERR_PLAN_NOT_SUPPORTED, "a bit operator is not supported" },
    { PG | DUCK, "SELECT U&'\\D800'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { LITE | MS, "SELECT U&'\\D800\\0041'", ERR_PLAN_NOT_SUPPORTED, "a bit operator is not supported" },
    { PG | DUCK, "SELECT U&'\\D800\\0041'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { MY, "SELECT U&'\\D800\\0041'", ERR_SQL_PARSE_ERROR, "a string holds a NUL character" },
    { LITE | MY | MS, "SELECT U&'\\DC00'", ERR_PLAN_NOT_SUPPORTED, "a bit operator is not supported" },
    { PG | DUCK, "SELECT U&'\\DC00'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { LITE | MY | MS, "SELECT U&'\\zzzz'", ERR_PLAN_NOT_SUPPORTED, "a bit operator is not supported" },
    { PG | DUCK, "SELECT U&'\\zzzz'", ERR_SQL_PARSE_ERROR, "an escape names no character" },
    { LITE | MY | DUCK, "SELECT X'1'", ERR_SQL_PARSE_ERROR, "x'" },
    { PG, "SELECT X'1'", ERR_SQL_PARSE_ERROR, "bit strings are not supported" },
    { LITE | MY | DUCK, "SELECT X'zz'", ERR_SQL_PARSE_ERROR, "x'" },
    { PG, "SELECT X'zz'", ERR_SQL_PARSE_ERROR, "bit strings are not supported" },
    { LITE | MY | DUCK, "SELECT X'12", ERR_SQL_PARSE_ERROR, "x'" },
    { PG, "SELECT X'12", ERR_SQL_PARSE_ERROR, "bit strings are not supported" },
    { MS, "SELECT X'12", ERR_SQL_PARSE_ERROR, "a string is not closed" },
    { PG | MY | DUCK, "SELECT B'01'", ERR_SQL_PARSE_ERROR, "bit strings are not supported" },
    { PG | MY | DUCK, "SELECT b'01'", ERR_SQL_PARSE_ERROR, "bit strings are not supported" },
    { ALL, "SELECT * FROM values", ERR_SQL_PARSE_ERROR, "expected a table, found 'values'" },
    { ALL, "SELECT * FROM 1", ERR_SQL_PARSE_ERROR, "expected a table, found '1'" },
    { PG | DUCK | MS, "SELECT * FROM a CROSS JOIN b ON 1 = 1", ERR_SQL_PARSE_ERROR,
      "expected no ON after CROSS JOIN, found '1'" },
    { ALL, "SELECT a.1 FROM t", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found '.1'" },
    { LITE | MS, "SELECT EXTRACT(1 FROM a)", ERR_SQL_PARSE_ERROR, "expected ')', found 'FROM'" },
    { PG | MY | DUCK, "SELECT EXTRACT(1 FROM a)", ERR_SQL_PARSE_ERROR, "expected a unit, found 'FROM'" },
    { ALL, "SELECT SUBSTRING(a FROM 1 FOR 2 FOR 3)", ERR_SQL_PARSE_ERROR, "expected ')', found '3'" },
    { ALL, "SELECT f() WITHIN GROUP (a)", ERR_SQL_PARSE_ERROR, "expected ORDER BY, found 'a'" },
    { LITE | PG | MY | MS, "SELECT f(a) FILTER (a > 1)", ERR_SQL_PARSE_ERROR, "expected WHERE, found 'a'" },
    { LITE | MY, "SELECT CASE END", ERR_SQL_PARSE_ERROR, "expected WHEN, found the end of the text" },
    { PG | DUCK | MS, "SELECT CASE END", ERR_SQL_PARSE_ERROR, "expected an expression, found 'END'" },
    { ALL, "SELECT CASE 1 ELSE 2 END", ERR_SQL_PARSE_ERROR, "expected WHEN, found 'ELSE'" },
    { ALL, "WITH 1 AS (SELECT 1) SELECT 1", ERR_SQL_PARSE_ERROR, "expected the name of a WITH query, found '1'" },
    { ALL, "WITH w(1) AS (SELECT 1) SELECT 1", ERR_SQL_PARSE_ERROR, "expected a column name, found '1'" },
    { ALL, "SELECT 1 WINDOW 1 AS ()", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found 'WINDOW'" },
    { ALL, "SELECT CAST(1 AS 2)", ERR_SQL_PARSE_ERROR, "expected a type, found '2'" },
    { ALL, "SELECT CAST(1 AS DECIMAL(10, a))", ERR_SQL_PARSE_ERROR, "expected a scale, found ')'" },
    { LITE, "SELECT TRY_CAST(a AS INTEGER[]) FROM t", ERR_SQL_PARSE_ERROR, "expected ')', found '[]'" },
    { MS, "SELECT TRY_CAST(a AS INTEGER[]) FROM t", ERR_SQL_PARSE_ERROR, "a quoted name is empty" },
    { LITE | PG | DUCK | MS, "SELECT * FROM t USE INDEX i", ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement." },
    { MY, "SELECT * FROM t USE INDEX i", ERR_SQL_PARSE_ERROR, "expected '(', found 'i'" },
    { LITE, "SELECT * FROM t INDEXED BY 1", ERR_SQL_PARSE_ERROR, "expected the name of an index, found '1'" },
    { PG | MY | DUCK | MS, "SELECT * FROM t INDEXED BY 1", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'INDEXED'" },
    { LITE | PG | MY | DUCK, "SELECT 1 OPTION (MAXDOP 1", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found 'OPTION'" },
    { MS, "SELECT 1 OPTION (MAXDOP 1", ERR_SQL_PARSE_ERROR, "expected a closing bracket, found the end of the text" },
    { ALL, "SELECT 1)", ERR_SQL_PARSE_ERROR, "expected the end of the statement, found ')'" },
    { LITE | PG | DUCK | MS, "SELECT 1 FROM t WHERE a = 'x' 'y'", ERR_SQL_PARSE_ERROR,
      "expected the end of the statement, found ''y''" },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        for (size_t t = 0; t < 5; t++) {
            if (!(refusals[i].where & (1 << t))) continue;
            struct call c;
            struct syntax out;
            call_begin(&c);
            int rc = syntax_parse(&c, tongues[t], refusals[i].sql, strlen(refusals[i].sql), &out);
            const char *message = rc ? c.err.message : out.refusal;
            if (!rc) rc = (int)out.refused;
            if (rc == OK) fail_msg("%zu accepts %s", t, refusals[i].sql);
            if (rc != (int)refusals[i].code)
                fail_msg("%zu in %s: code %s, %s", t, refusals[i].sql, code_row((enum err_code)rc)->name, message);
            if (!strstr(message, refusals[i].message)) fail_msg("%zu in %s: %s", t, refusals[i].sql, message);
            call_end(&c);
        }
}

/* Texts that ask for recursion or size: each ends with an error, none with a crash. */
static void hostile(enum tongue t, const char *before, const char *repeated, size_t times, const char *after)
{
    struct call c;
    struct syntax out;
    struct buf b;
    call_begin(&c);
    buf_init(&b, &c, 1 << 20);
    buf_str(&b, before);
    for (size_t i = 0; i < times && b.len + strlen(repeated) + strlen(after) < SQL_BYTES_MAX; i++)
        buf_str(&b, repeated);
    buf_str(&b, after);
    int rc = syntax_parse(&c, t, b.data, b.len, &out);
    if (!rc) rc = (int)out.refused;
    if (rc == OK) fail_msg("accepted: %s%s…%s", before, repeated, after);
    call_end(&c);
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        const char *before, *repeated, *after;
    } texts[] = {
        { "SELECT ", "(", "" },
        { "", "(", "" },
        { "SELECT ", "(", "1" },
        { "SELECT * FROM ", "(", "" },
        { "SELECT 1", " + 1", "" },
        { "SELECT 1 WHERE 1", " AND 1", "" },
        { "SELECT 1 WHERE 1", " OR 1", "" },
        { "SELECT ", "NOT ", "1" },
        { "SELECT ", "- ", "1" },
        { "SELECT 1", " IS NULL", "" },
        { "SELECT 1", " UNION SELECT 1", "" },
        { "SELECT 1 FROM t", " NATURAL JOIN t", "" },
        { "SELECT 1 FROM t", ", t", " WHERE" },
        { "SELECT ", "CASE ", "" },
        { "SELECT ", "f(", "" },
        { "SELECT ", "a.", "" },
        { "SELECT 1", ",1", "," },
        { "SELECT ", "EXISTS(SELECT ", "" },
        { "", "WITH a AS (", "" },
        { "SELECT 'x", "''", "" },
        { "SELECT 1 IN (1", ",1", ",)" },
        { "SELECT ", "[", "" },
        { "SELECT a", "[1]", "" },
        { "SELECT a", "::int", "" },
        { "SELECT ", "{", "" },
        { "/*", "/*", "" },
        { "SELECT 1 FROM a", " JOIN a", "" },
        { "SELECT \"", "\"\"", "" },
        { "SELECT ", "$a$", "$" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t t = 0; t < 5; t++) hostile(tongues[t], texts[i].before, texts[i].repeated, 65000, texts[i].after);
}

static void test_long_chain(void **state)
{
    (void)state;
    struct call c;
    struct syntax out;
    struct buf b;
    call_begin(&c);
    buf_init(&b, &c, 1 << 20);
    buf_str(&b, "SELECT 1 WHERE a = 0");
    for (int i = 1; i < 1000; i++) buf_format(&b, " OR a = %d", i);
    assert_int_equal(syntax_parse(&c, TONGUE_POSTGRES, b.data, b.len, &out), OK);
    assert_int_equal(out.query->select->where->kind, NODE_CHAIN);
    assert_int_equal(out.query->select->where->of.list.count, 1000);
    call_end(&c);
}

/* Queries within queries, each at the start of a long sum: the height counts across them. */
static void test_height_across_queries(void **state)
{
    (void)state;
    struct call c;
    struct syntax out;
    struct buf b;
    call_begin(&c);
    buf_init(&b, &c, 1 << 20);
    buf_str(&b, "SELECT ");
    for (int level = 1; level < 10; level++) buf_str(&b, "(SELECT ");
    buf_char(&b, '1');
    for (int level = 0; level < 10; level++) {
        if (level) buf_char(&b, ')');
        for (int i = 0; i < 30; i++) buf_str(&b, " + 1");
    }
    assert_int_equal(syntax_parse(&c, TONGUE_SQLITE, b.data, b.len, &out), ERR_PLAN_TOO_LARGE);
    call_end(&c);
}

static void test_limits(void **state)
{
    (void)state;
    struct call c;
    struct syntax out;
    call_begin(&c);
    char *big = call_alloc(&c, SQL_BYTES_MAX + 2);
    memset(big, ' ', SQL_BYTES_MAX + 1);
    assert_int_equal(syntax_parse(&c, TONGUE_SQLITE, big, SQL_BYTES_MAX + 1, &out), ERR_PLAN_TOO_LARGE);
    call_end(&c);
    call_begin(&c);
    assert_int_equal(syntax_parse(&c, TONGUE_SQLITE, "SELECT 1\0; DROP", 15, &out), ERR_SQL_PARSE_ERROR);
    assert_non_null(strstr(c.err.message, "NUL"));
    call_end(&c);
}

static void test_keywords(void **state)
{
    (void)state;
    static const char *const words[] = {
#define X(name, text, flags) text,
        KEYWORDS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (i) assert_true(strcmp(words[i - 1], words[i]) < 0);
        assert_int_equal(keyword_find(words[i], strlen(words[i])), i + 1);
    }
    assert_int_equal(keyword_find("SeLeCt", 6), KW_SELECT);
    assert_int_equal(keyword_find("selects", 7), KW_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_hostile),  cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_height_across_queries),
        cmocka_unit_test(test_keywords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
