#include "sql/dialects/dialect.h"

#include <strings.h>

extern const struct dialect dialect_sqlite, dialect_postgres, dialect_mysql, dialect_duckdb, dialect_mssql;

const struct dialect *const dialects[] = { &dialect_sqlite, &dialect_postgres, &dialect_mysql,
                                           &dialect_duckdb, &dialect_mssql,    NULL };

static const struct {
    const char *name, *stands_for;
} other_names[] = {
    { "postgresql", "postgres" },
    { "mariadb", "mysql" },
    { "sqlserver", "mssql" },
    { "tsql", "mssql" },
};

const struct dialect *dialect_find(const char *name)
{
    if (!name) return NULL;
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcasecmp(name, other_names[i].name) == 0) name = other_names[i].stands_for;
    for (size_t i = 0; dialects[i]; i++)
        if (strcasecmp(name, dialects[i]->name) == 0) return dialects[i];
    return NULL;
}
