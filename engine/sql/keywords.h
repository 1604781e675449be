/* keywords: the words the grammar knows. Any other word is a name. */
#ifndef QUERENT_KEYWORDS_H
#define QUERENT_KEYWORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WORD_RESERVED = 1, /* never a bare name */
    WORD_NOT_ALIAS = 2 /* a bare name, but not an alias without AS */
};

/* Sorted by spelling. */
#define KEYWORDS(X) \
    X(ALL, "all", WORD_RESERVED) \
    X(ALTER, "alter", WORD_RESERVED) \
    X(AND, "and", WORD_RESERVED) \
    X(ANTI, "anti", WORD_NOT_ALIAS) \
    X(ANY, "any", 0) \
    X(APPLY, "apply", WORD_NOT_ALIAS) \
    X(ARRAY, "array", WORD_NOT_ALIAS) \
    X(AS, "as", WORD_RESERVED) \
    X(ASC, "asc", 0) \
    X(ASOF, "asof", WORD_NOT_ALIAS) \
    X(ASYMMETRIC, "asymmetric", 0) \
    X(AT, "at", WORD_NOT_ALIAS) \
    X(BEGIN, "begin", WORD_NOT_ALIAS) \
    X(BERNOULLI, "bernoulli", WORD_NOT_ALIAS) \
    X(BETWEEN, "between", WORD_RESERVED) \
    X(BINARY, "binary", 0) \
    X(BOTH, "both", 0) \
    X(BY, "by", WORD_RESERVED) \
    X(CALL, "call", WORD_NOT_ALIAS) \
    X(CASE, "case", WORD_RESERVED) \
    X(CAST, "cast", WORD_NOT_ALIAS) \
    X(CHAR, "char", 0) \
    X(CHARACTER, "character", 0) \
    X(CHECK, "check", WORD_RESERVED) \
    X(COLLATE, "collate", WORD_NOT_ALIAS) \
    X(COLUMNS, "columns", 0) \
    X(COMMIT, "commit", WORD_NOT_ALIAS) \
    X(CONNECT, "connect", WORD_NOT_ALIAS) \
    X(CONSTRAINT, "constraint", WORD_RESERVED) \
    X(CONVERT, "convert", 0) \
    X(CREATE, "create", WORD_RESERVED) \
    X(CROSS, "cross", WORD_NOT_ALIAS) \
    X(CUBE, "cube", 0) \
    X(CURRENT, "current", 0) \
    X(CURRENT_DATE, "current_date", 0) \
    X(CURRENT_TIME, "current_time", 0) \
    X(CURRENT_TIMESTAMP, "current_timestamp", 0) \
    X(CURRENT_USER, "current_user", 0) \
    X(CYCLE, "cycle", 0) \
    X(DATE, "date", 0) \
    X(DAY, "day", 0) \
    X(DECLARE, "declare", WORD_NOT_ALIAS) \
    X(DELETE, "delete", WORD_RESERVED) \
    X(DESC, "desc", 0) \
    X(DISTINCT, "distinct", WORD_RESERVED) \
    X(DIV, "div", WORD_NOT_ALIAS) \
    X(DOUBLE, "double", 0) \
    X(DROP, "drop", WORD_RESERVED) \
    X(DUMPFILE, "dumpfile", 0) \
    X(ELSE, "else", WORD_RESERVED) \
    X(END, "end", WORD_RESERVED) \
    X(ESCAPE, "escape", WORD_NOT_ALIAS) \
    X(EXCEPT, "except", WORD_RESERVED) \
    X(EXCLUDE, "exclude", 0) \
    X(EXEC, "exec", WORD_NOT_ALIAS) \
    X(EXECUTE, "execute", WORD_NOT_ALIAS) \
    X(EXISTS, "exists", WORD_NOT_ALIAS) \
    X(EXTRACT, "extract", 0) \
    X(FALSE, "false", 0) \
    X(FETCH, "fetch", WORD_NOT_ALIAS) \
    X(FILTER, "filter", WORD_NOT_ALIAS) \
    X(FIRST, "first", 0) \
    X(FOLLOWING, "following", 0) \
    X(FOR, "for", WORD_NOT_ALIAS) \
    X(FORCE, "force", WORD_NOT_ALIAS) \
    X(FOREIGN, "foreign", WORD_RESERVED) \
    X(FROM, "from", WORD_RESERVED) \
    X(FULL, "full", WORD_NOT_ALIAS) \
    X(GLOB, "glob", WORD_NOT_ALIAS) \
    X(GO, "go", WORD_NOT_ALIAS) \
    X(GRANT, "grant", WORD_RESERVED) \
    X(GROUP, "group", WORD_RESERVED) \
    X(GROUPING, "grouping", 0) \
    X(GROUPS, "groups", 0) \
    X(HAVING, "having", WORD_RESERVED) \
    X(HOUR, "hour", 0) \
    X(IF, "if", 0) \
    X(IGNORE, "ignore", WORD_NOT_ALIAS) \
    X(ILIKE, "ilike", WORD_NOT_ALIAS) \
    X(IN, "in", WORD_RESERVED) \
    X(INDEXED, "indexed", WORD_NOT_ALIAS) \
    X(INNER, "inner", WORD_NOT_ALIAS) \
    X(INSERT, "insert", WORD_RESERVED) \
    X(INTERSECT, "intersect", WORD_RESERVED) \
    X(INTERVAL, "interval", 0) \
    X(INTO, "into", WORD_RESERVED) \
    X(IS, "is", WORD_RESERVED) \
    X(ISNULL, "isnull", WORD_NOT_ALIAS) \
    X(JOIN, "join", WORD_RESERVED) \
    X(LAST, "last", 0) \
    X(LATERAL, "lateral", WORD_NOT_ALIAS) \
    X(LEADING, "leading", 0) \
    X(LEFT, "left", WORD_NOT_ALIAS) \
    X(LIKE, "like", WORD_RESERVED) \
    X(LIMIT, "limit", WORD_NOT_ALIAS) \
    X(LOCALTIME, "localtime", 0) \
    X(LOCALTIMESTAMP, "localtimestamp", 0) \
    X(LOCK, "lock", WORD_NOT_ALIAS) \
    X(MAP, "map", 0) \
    X(MATCH, "match", WORD_NOT_ALIAS) \
    X(MATERIALIZED, "materialized", 0) \
    X(MEMBER, "member", WORD_NOT_ALIAS) \
    X(MERGE, "merge", WORD_NOT_ALIAS) \
    X(MINUS, "minus", WORD_NOT_ALIAS) \
    X(MINUTE, "minute", 0) \
    X(MOD, "mod", WORD_NOT_ALIAS) \
    X(MONTH, "month", 0) \
    X(NATIONAL, "national", 0) \
    X(NATURAL, "natural", WORD_NOT_ALIAS) \
    X(NEXT, "next", 0) \
    X(NO, "no", 0) \
    X(NOLOCK, "nolock", 0) \
    X(NOT, "not", WORD_RESERVED) \
    X(NOTNULL, "notnull", WORD_NOT_ALIAS) \
    X(NULL, "null", WORD_RESERVED) \
    X(NULLS, "nulls", 0) \
    X(OF, "of", 0) \
    X(OFFSET, "offset", WORD_NOT_ALIAS) \
    X(ON, "on", WORD_RESERVED) \
    X(ONLY, "only", 0) \
    X(OPERATOR, "operator", WORD_NOT_ALIAS) \
    X(OPTION, "option", WORD_NOT_ALIAS) \
    X(OR, "or", WORD_RESERVED) \
    X(ORDER, "order", WORD_RESERVED) \
    X(ORDINAL, "ordinal", 0) \
    X(ORDINALITY, "ordinality", 0) \
    X(OTHERS, "others", 0) \
    X(OUTER, "outer", WORD_NOT_ALIAS) \
    X(OUTFILE, "outfile", 0) \
    X(OVER, "over", WORD_NOT_ALIAS) \
    X(OVERLAPS, "overlaps", WORD_NOT_ALIAS) \
    X(OVERLAY, "overlay", 0) \
    X(PARTITION, "partition", 0) \
    X(PERCENT, "percent", 0) \
    X(PIVOT, "pivot", WORD_NOT_ALIAS) \
    X(PLACING, "placing", 0) \
    X(POSITION, "position", 0) \
    X(POSITIONAL, "positional", WORD_NOT_ALIAS) \
    X(PRECEDING, "preceding", 0) \
    X(PRECISION, "precision", 0) \
    X(PRIMARY, "primary", WORD_RESERVED) \
    X(PROCEDURE, "procedure", WORD_NOT_ALIAS) \
    X(QUALIFY, "qualify", WORD_NOT_ALIAS) \
    X(QUARTER, "quarter", 0) \
    X(RANGE, "range", 0) \
    X(RECURSIVE, "recursive", 0) \
    X(REFERENCES, "references", WORD_RESERVED) \
    X(REGEXP, "regexp", WORD_NOT_ALIAS) \
    X(RENAME, "rename", 0) \
    X(REPLACE, "replace", 0) \
    X(RESPECT, "respect", 0) \
    X(RETURNING, "returning", WORD_RESERVED) \
    X(REVOKE, "revoke", WORD_RESERVED) \
    X(RIGHT, "right", WORD_NOT_ALIAS) \
    X(RLIKE, "rlike", WORD_NOT_ALIAS) \
    X(ROLLBACK, "rollback", WORD_NOT_ALIAS) \
    X(ROLLUP, "rollup", 0) \
    X(ROW, "row", 0) \
    X(ROWS, "rows", 0) \
    X(SAMPLE, "sample", WORD_NOT_ALIAS) \
    X(SEARCH, "search", 0) \
    X(SECOND, "second", 0) \
    X(SELECT, "select", WORD_RESERVED) \
    X(SEMI, "semi", WORD_NOT_ALIAS) \
    X(SEPARATOR, "separator", 0) \
    X(SESSION_USER, "session_user", 0) \
    X(SET, "set", WORD_NOT_ALIAS) \
    X(SETS, "sets", 0) \
    X(SHARE, "share", 0) \
    X(SIGNED, "signed", 0) \
    X(SIMILAR, "similar", WORD_NOT_ALIAS) \
    X(SKIP, "skip", 0) \
    X(SOME, "some", 0) \
    X(SOUNDS, "sounds", WORD_NOT_ALIAS) \
    X(START, "start", WORD_NOT_ALIAS) \
    X(STRAIGHT_JOIN, "straight_join", WORD_NOT_ALIAS) \
    X(STRUCT, "struct", 0) \
    X(SUBSTR, "substr", 0) \
    X(SUBSTRING, "substring", 0) \
    X(SYMMETRIC, "symmetric", 0) \
    X(SYSTEM_TIME, "system_time", 0) \
    X(TABLE, "table", 0) \
    X(TABLESAMPLE, "tablesample", WORD_NOT_ALIAS) \
    X(THEN, "then", WORD_RESERVED) \
    X(TIES, "ties", 0) \
    X(TIME, "time", 0) \
    X(TIMESTAMP, "timestamp", 0) \
    X(TIMESTAMPTZ, "timestamptz", 0) \
    X(TO, "to", 0) \
    X(TOP, "top", 0) \
    X(TRAILING, "trailing", 0) \
    X(TRIM, "trim", 0) \
    X(TRUE, "true", 0) \
    X(TRUNCATE, "truncate", WORD_NOT_ALIAS) \
    X(TRY, "try", 0) \
    X(TRY_CAST, "try_cast", 0) \
    X(UNBOUNDED, "unbounded", 0) \
    X(UNION, "union", WORD_RESERVED) \
    X(UNKNOWN, "unknown", 0) \
    X(UNPIVOT, "unpivot", WORD_NOT_ALIAS) \
    X(UNSIGNED, "unsigned", 0) \
    X(UPDATE, "update", WORD_RESERVED) \
    X(USE, "use", WORD_NOT_ALIAS) \
    X(USER, "user", 0) \
    X(USING, "using", WORD_RESERVED) \
    X(VALUES, "values", WORD_RESERVED) \
    X(VARYING, "varying", 0) \
    X(WEEK, "week", 0) \
    X(WHEN, "when", WORD_RESERVED) \
    X(WHERE, "where", WORD_RESERVED) \
    X(WINDOW, "window", WORD_NOT_ALIAS) \
    X(WITH, "with", WORD_RESERVED) \
    X(WITHIN, "within", WORD_NOT_ALIAS) \
    X(WITHOUT, "without", 0) \
    X(XOR, "xor", WORD_NOT_ALIAS) \
    X(YEAR, "year", 0) \
    X(ZONE, "zone", 0)

enum keyword {
    KW_NONE = 0,
#define X(name, text, flags) KW_##name,
    KEYWORDS(X)
#undef X
        KW_COUNT
};

/* Without case; KW_NONE when the word is no keyword. */
uint16_t keyword_find(const char *word, size_t n);
bool keyword_reserved(uint16_t keyword);
bool keyword_ends_alias(uint16_t keyword); /* reserved or not an alias */

#endif
