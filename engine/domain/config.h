/* config: what querent.yaml may say. Each key is a row of a type below; docs/configuration.md lists the same rows. */
#ifndef QUERENT_CONFIG_H
#define QUERENT_CONFIG_H

#include "domain/datasource.h"

enum auth { AUTH_API_KEYS, AUTH_NONE, AUTH_PROXY, AUTH_JWT };
extern const char *const auth_names[]; /* api_keys none proxy jwt NULL */

struct server_config {
    const char *listen;
    int64_t threads, max_body_bytes, body_timeout_ms, streams_max;
};

struct api_config {
    int auth;                    /* enum auth */
    struct list proxy_addresses; /* const char *: of the peers whose headers are believed */
    struct list allowed_hosts, cors_origins;
};

/* Ceilings of the operation run_query, at every door. */
struct run_query_config {
    int64_t max_rows, timeout_s;
};

struct mcp_config {
    bool enabled;
    const char *path;
    int auth; /* enum auth: api_keys or none */
    struct list allowed_hosts, allowed_origins;
    struct run_query_config *run_query;
};

struct limits_config {
    int64_t request_timeout_ms, concurrent_per_caller;
};

struct store_config {
    const char *path; /* NULL = querent.db in the state folder */
};

struct connect_config {
    struct list folders;    /* const char *: absolute */
    struct list references; /* const char *: env:NAME, file:/path */
    bool scan;           /* POST /datasources/scan may look */
};

struct config {
    int64_t version;
    const char *state; /* NULL = by environment */
    struct server_config *server;
    struct api_config *api;
    struct mcp_config *mcp;
    struct store_config *store;
    struct limits_config *limits;
    struct connect_config *connect;
    struct list datasources;     /* struct datasource_config, managed */
    const struct json *policies; /* NULL = allow_all */
    /* Not keys. */
    struct list warnings; /* const char * */
};

/* One entry of `datasources` as it is written. */
struct datasource_entry {
    const char *id, *description, *type;
    const struct json *connection;
    struct datasource_options *options;
    bool required;
};

extern const struct type config_type, datasource_entry_type; /* config_type decodes `datasources` as entries */

#endif
