#include "adapters/adapter.h"

#include <string.h>

extern const struct adapter_kind adapter_duckdb, adapter_mssql, adapter_mysql, adapter_postgres, adapter_sqlite;

const struct adapter_kind *const adapter_kinds[] = {
    &adapter_duckdb,   //
    &adapter_mssql,    //
    &adapter_mysql,    //
    &adapter_postgres, //
    &adapter_sqlite,   //
    NULL,
};

const struct adapter_kind *adapter_kind_find(const char *name)
{
    for (size_t i = 0; adapter_kinds[i]; i++)
        if (!strcmp(adapter_kinds[i]->name, name)) return adapter_kinds[i];
    return NULL;
}
