/* statement: SQL that Querent rendered. sql_render() is its only constructor (a house test holds that), and a database
 * runs nothing else. `reads` is what the whole rendered tree may touch: the second opinion must find a subset of it. */
#ifndef QUERENT_STATEMENT_H
#define QUERENT_STATEMENT_H

#include "domain/result.h"
#include "domain/schema.h"

struct reads {
    struct table_read *tables;
    size_t table_count;
    const char *const *functions; /* lower case, as the engine calls them */
    size_t function_count;
    const char *const *derived; /* names of derived tables and of members of WITH, as an engine may report them */
    size_t derived_count;
};

struct statement {
    const char *sql;
    size_t n;
    const char *dialect;
    const char *hash; /* SHA-256 of sql */
    struct reads reads;
    struct result_column *columns; /* names, types and lineage as the plan knows them */
    size_t column_count;
    int64_t row_cap; /* rows asked for; a result of more than row_cap - 1 rows is truncated when cap_is_ceiling */
    bool cap_is_ceiling;
    /* Counts the rows of each recursion that is capped at RECURSION_ROWS_MAX, in a row of whole numbers; a number above
     * that says that rows are missing. NULL = no recursion is capped. */
    struct statement *recursion;
};

#define RECURSION_ROWS_MAX 10000

#endif
