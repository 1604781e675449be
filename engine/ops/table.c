/* The operations, by name. */
#include "ops/op.h"

#include <string.h>

/* clang-format off: a line an operation */
extern const struct op
    op_api_key_create,
    op_api_key_list,
    op_api_key_revoke,
    op_ask,
    op_conversation_create,
    op_conversation_delete,
    op_conversation_get,
    op_conversation_list,
    op_dashboard_create,
    op_dashboard_delete,
    op_dashboard_get,
    op_dashboard_list,
    op_dashboard_refresh,
    op_datasource_create,
    op_datasource_delete,
    op_datasource_get,
    op_datasource_index,
    op_datasource_test,
    op_datasource_types_list,
    op_demo_create,
    op_describe_table,
    op_get_schema,
    op_guard_statement,
    op_list_datasources,
    op_me_get,
    op_migration_list,
    op_result_export,
    op_result_get,
    op_result_rows,
    op_run_query,
    op_schema_get,
    op_schema_text,
    op_sql_parse,
    op_sql_roundtrip,
    op_store_backup,
    op_tile_create,
    op_tile_delete,
    op_turn_create,
    op_validate_sql,
    op_version_get;

const struct op *const ops[] = {
    &op_api_key_create,
    &op_api_key_list,
    &op_api_key_revoke,
    &op_ask,
    &op_conversation_create,
    &op_conversation_delete,
    &op_conversation_get,
    &op_conversation_list,
    &op_dashboard_create,
    &op_dashboard_delete,
    &op_dashboard_get,
    &op_dashboard_list,
    &op_dashboard_refresh,
    &op_datasource_create,
    &op_datasource_delete,
    &op_datasource_get,
    &op_datasource_index,
    &op_datasource_test,
    &op_datasource_types_list,
    &op_demo_create,
    &op_describe_table,
    &op_get_schema,
    &op_guard_statement,
    &op_list_datasources,
    &op_me_get,
    &op_migration_list,
    &op_result_export,
    &op_result_get,
    &op_result_rows,
    &op_run_query,
    &op_schema_get,
    &op_schema_text,
    &op_sql_parse,
    &op_sql_roundtrip,
    &op_store_backup,
    &op_tile_create,
    &op_tile_delete,
    &op_turn_create,
    &op_validate_sql,
    &op_version_get,
    NULL,
};
/* clang-format on */

const struct op *op_find(const char *name)
{
    for (size_t i = 0; ops[i]; i++)
        if (!strcmp(ops[i]->name, name)) return ops[i];
    return NULL;
}
