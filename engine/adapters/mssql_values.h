/* mssql_values: values of SQL Server as db-lib holds them -> exact text. Worker's side. No number passes through a
 * float unless its column is one. */
#ifndef QUERENT_MSSQL_VALUES_H
#define QUERENT_MSSQL_VALUES_H

#include "domain/result.h"

struct mssql_type {
    int type; /* db-lib's number */
    const char *name;
    enum type_kind kind;
    enum cell_kind cell;
};

/* NULL: values of this type cannot be read exactly. */
const struct mssql_type *mssql_type_of(int type);

/* Appends the text of a value that is not NULL. False when the bytes are none of this type. */
bool mssql_value(struct buf *b, const struct mssql_type *t, const unsigned char *bytes, size_t n);

#endif
