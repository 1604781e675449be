/* The routes, by path and method: a literal segment stands before a parameter. */
#include "api/raw/raw.h"
#include "api/routes/route.h"

extern const struct op op_api_key_create, op_api_key_list, op_api_key_revoke, op_ask, op_conversation_create,
    op_conversation_delete, op_conversation_get, op_conversation_list, op_dashboard_create, op_dashboard_delete,
    op_dashboard_get, op_dashboard_list, op_dashboard_refresh, op_me_get, op_result_export, op_result_get,
    op_result_rows, op_tile_create, op_tile_delete, op_turn_create, op_version_get;

const struct route routes[] = {
    { "GET", "/.well-known/{*}", 404, NULL, ROUTE_OPEN, raw_well_known },
    { "GET", "/api/v1/api-keys", 200, &op_api_key_list, 0, NULL },
    { "POST", "/api/v1/api-keys", 201, &op_api_key_create, 0, NULL },
    { "DELETE", "/api/v1/api-keys/{id}", 200, &op_api_key_revoke, 0, NULL },
    { "GET", "/api/v1/conversations", 200, &op_conversation_list, 0, NULL },
    { "POST", "/api/v1/conversations", 201, &op_conversation_create, 0, NULL },
    { "DELETE", "/api/v1/conversations/{id}", 204, &op_conversation_delete, 0, NULL },
    { "GET", "/api/v1/conversations/{id}", 200, &op_conversation_get, 0, NULL },
    { "POST", "/api/v1/conversations/{id}/turns", 201, &op_turn_create, ROUTE_EVENTS, NULL },
    { "GET", "/api/v1/dashboards", 200, &op_dashboard_list, 0, NULL },
    { "POST", "/api/v1/dashboards", 201, &op_dashboard_create, 0, NULL },
    { "DELETE", "/api/v1/dashboards/{id}", 204, &op_dashboard_delete, 0, NULL },
    { "GET", "/api/v1/dashboards/{id}", 200, &op_dashboard_get, 0, NULL },
    { "POST", "/api/v1/dashboards/{id}/refresh", 200, &op_dashboard_refresh, ROUTE_EVENTS, NULL },
    { "POST", "/api/v1/dashboards/{id}/tiles", 201, &op_tile_create, 0, NULL },
    { "DELETE", "/api/v1/dashboards/{id}/tiles/{tile_id}", 204, &op_tile_delete, 0, NULL },
    { "GET", "/api/v1/me", 200, &op_me_get, 0, NULL },
    { "GET", "/api/v1/openapi.json", 200, NULL, 0, raw_openapi },
    { "POST", "/api/v1/queries", 200, &op_ask, ROUTE_EVENTS, NULL },
    { "GET", "/api/v1/results/{id}", 200, &op_result_get, 0, NULL },
    { "GET", "/api/v1/results/{id}/export", 200, &op_result_export, ROUTE_BYTES, NULL },
    { "GET", "/api/v1/results/{id}/rows", 200, &op_result_rows, 0, NULL },
    { "GET", "/api/v1/version", 200, &op_version_get, 0, NULL },
    { "GET", "/livez", 200, NULL, ROUTE_OPEN, raw_livez },
    { "GET", "/metrics", 200, NULL, ROUTE_OPEN, raw_metrics },
    { "GET", "/readyz", 200, NULL, ROUTE_OPEN, raw_readyz },
    { 0 },
};
