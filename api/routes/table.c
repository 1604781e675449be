/* The routes, by path and method: a literal segment stands before a parameter. */
#include "api/raw/raw.h"
#include "api/routes/route.h"

extern const struct op op_api_key_create, op_api_key_list, op_api_key_revoke, op_me_get, op_version_get;

const struct route routes[] = {
    { "GET", "/.well-known/{*}", 404, NULL, ROUTE_OPEN, raw_well_known },
    { "GET", "/api/v1/api-keys", 200, &op_api_key_list, 0, NULL },
    { "POST", "/api/v1/api-keys", 201, &op_api_key_create, 0, NULL },
    { "DELETE", "/api/v1/api-keys/{id}", 200, &op_api_key_revoke, 0, NULL },
    { "GET", "/api/v1/me", 200, &op_me_get, 0, NULL },
    { "GET", "/api/v1/openapi.json", 200, NULL, 0, raw_openapi },
    { "GET", "/api/v1/version", 200, &op_version_get, 0, NULL },
    { "GET", "/livez", 200, NULL, ROUTE_OPEN, raw_livez },
    { "GET", "/metrics", 200, NULL, ROUTE_OPEN, raw_metrics },
    { "GET", "/readyz", 200, NULL, ROUTE_OPEN, raw_readyz },
    { 0 },
};
