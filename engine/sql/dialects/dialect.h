/* dialect: how one engine writes what a plan means. A new engine is one file here and one row in table.c. Rows are
 * constant; a dialect holds no state. */
#ifndef QUERENT_DIALECT_H
#define QUERENT_DIALECT_H

#include "plan/functions.h"
#include "sql/sql.h"

#define UNSUPPORTED ((const char *)"")
#define WRITTEN     ((const char *)"$") /* the dialect's call() writes it */

struct render;

/* How an engine writes things; what it cannot say at all stands in `support`. */
enum {
    D_BOOLEAN = 1,           /* predicates are values; without it they are wrapped and unwrapped */
    D_NULLS = 2,             /* NULLS FIRST and NULLS LAST */
    D_FILTER = 4,            /* FILTER (WHERE …) behind aggregates */
    D_LIMIT = 8,             /* LIMIT n OFFSET m; without it TOP and OFFSET … FETCH */
    D_ROW_LISTS = 16,        /* (a, b) IN ((1, 2), …) */
    D_VALUES = 32,           /* VALUES (…), (…) as a query; without it SELECT … UNION ALL SELECT … */
    D_COLUMN_ALIASES = 64,   /* (…) AS t (a, b) */
    D_RECURSIVE_WORD = 128,  /* WITH RECURSIVE */
    D_CONCAT_OPERATOR = 256, /* || joins text */
    D_WINDOW_DISTINCT = 512, /* count(DISTINCT x) OVER (…) */
    D_GLOB = 1024,           /* a case-sensitive LIKE is a call of glob() */
    D_NO_LIMIT_IN = 4096,    /* no LIMIT in the query behind IN */
    D_CAP_OUTSIDE = 8192,    /* no LIMIT within a recursive member; one around it ends the recursion */
    D_BYTE_NAMES = 32768,    /* compares names byte by byte, but for the case of ASCII; others by a collation */
    D_BARE_JOIN = 2048       /* JOIN without ON; CROSS JOIN would fix the order in which tables are read */
};

/* Where an engine puts NULL when nothing is said. */
enum null_order { NULLS_LOWEST, NULLS_HIGHEST, NULLS_ALWAYS_LAST };

/* key: "name", "name/2" for a number of arguments, "name:unit" for a unit literal; the most special row wins.
 * text: $1 … arguments, $* all of them, $d DISTINCT when asked for, $w the order within ($o with a space in front, $W
 * with WITHIN GROUP around), $t the type of the result, $! where FILTER and OVER go when that is not the end; NULL =
 * name(args) as it is. A text must be a primary: a call, a CAST, a CASE, or stand in parentheses. */
struct template_row {
    const char *key, *text;
};

struct dialect {
    const char *name;               /* sqlite postgres mysql duckdb mssql */
    struct dialect_support support; /* what plan_check must refuse before the renderer would; the same name */
    char quote_open, quote_close;   /* of identifiers; the closing one is doubled inside */
    unsigned can;
    enum null_order null_order;
    const struct template_row *templates; /* ends with key NULL; every catalogue function has a row */
    const char *(*type_name)(struct call *c, struct value_type t); /* for CAST; UNSUPPORTED */
    void (*literal)(struct render *r, const struct expr *e);       /* text, dates, binary: all but NULL and numbers */
    void (*like)(struct render *r, const struct expr *e);
    void (*divide)(struct render *r, const struct expr *e); /* / div % */
    void (*concat)(struct render *r, const struct expr *e);
    void (*cast)(struct render *r, const struct expr *e);
    /* date plus (or minus) an interval. */
    void (*shift)(struct render *r, const struct expr *date, const struct expr *interval, bool minus);
    void (*distinct_from)(struct render *r, const struct expr *e);
    /* How tightly a call holds together where it is written as an operator. NULL = every call is a primary. */
    int (*binds)(const struct expr *e);
    /* Functions that need more than a template; false = use the template. NULL = none. */
    bool (*call)(struct render *r, const struct expr *e);
};

extern const struct dialect *const dialects[]; /* NULL-terminated */
/* By name; also sqlserver and tsql = mssql, postgresql = postgres, mariadb = mysql. NULL when unknown. */
const struct dialect *dialect_find(const char *name);
/* The template of a function in a dialect: NULL = name(args), UNSUPPORTED. unit may be NULL. */
const char *dialect_template(const struct dialect *d, const char *name, size_t arg_count, const char *unit);
/* What a row's support.refuses begins with: calls without a template, casts and intervals the engine has no word for.
 */
const char *dialect_refuses(const struct dialect *d, const struct expr *e);

#endif
