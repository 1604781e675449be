/* dialect: how one engine writes what a plan means. A new engine is one file here and one row in table.c. */
#ifndef QUERENT_DIALECT_H
#define QUERENT_DIALECT_H

#include "plan/functions.h"
#include "sql/sql.h"

#define UNSUPPORTED ((const char *)"")

struct render;

struct dialect {
    const char *name;               /* sqlite postgres mysql duckdb mssql */
    struct dialect_support support; /* what plan_check must refuse before the renderer would; the same name */
    char quote_open, quote_close;   /* of identifiers; the closing one is doubled inside */
    /* Template of a catalogue function: $1 … arguments, $* all of them; NULL = name(args) as it is; UNSUPPORTED. */
    const char *(*function)(const struct function *f, size_t arg_count);
    const char *(*type_name)(struct call *c, struct value_type t); /* for CAST; UNSUPPORTED */
};

extern const struct dialect *const dialects[]; /* NULL-terminated */
/* By name; also sqlserver and tsql = mssql, postgresql = postgres, mariadb = mysql. NULL when unknown. */
const struct dialect *dialect_find(const char *name);

#endif
