#include "domain/config.h"

const char *const auth_names[] = { "api_keys", "none", "proxy", "jwt", NULL };

static const struct field server_fields[] = {
    FIELD(struct server_config, listen, K_STR, .def = "127.0.0.1:8765", .doc = "Address and port of HTTP."),
    FIELD(struct server_config, threads, K_INT, .min = 4, .max = 1024, .def = "256",
          .doc = "Requests that can be in work at once."),
    FIELD(struct server_config, max_body_bytes, K_INT, .min = 1024, .max = 67108864, .def = "1048576",
          .doc = "Largest body of a request."),
    FIELD(struct server_config, body_timeout_ms, K_INT, .min = 100, .max = 600000, .def = "10000",
          .doc = "Time in which a body must arrive."),
    FIELD(struct server_config, streams_max, K_INT, .min = 0, .max = 1024, .def = "64",
          .doc = "Event streams and exports open at once."),
    { 0 },
};
static const struct type server_type = TYPE(struct server_config, "ServerConfig", server_fields);

static const struct field api_fields[] = {
    FIELD(struct api_config, auth, K_ENUM, .of = auth_names, .def = "api_keys",
          .doc = "Who may call: holders of API keys, users that a proxy names, or any local caller (none); jwt is not in "
                 "this edition. Without a configuration file: none."),
    FIELD(struct api_config, proxy_addresses, K_STRINGS,
          .doc = "Addresses of the proxies whose X-Querent-User and X-Querent-Roles headers are believed."),
    FIELD(struct api_config, allowed_hosts, K_STRINGS,
          .doc = "Names, with port or *, under which this server may be called. Empty: loopback names and the address "
                 "that was connected to."),
    FIELD(struct api_config, cors_origins, K_STRINGS, .doc = "Origins whose pages may call."),
    { 0 },
};
static const struct type api_type = TYPE(struct api_config, "ApiConfig", api_fields);

static const char *const mcp_auth_names[] = { "api_keys", "none", NULL };

static const struct field run_query_fields[] = {
    FIELD(struct run_query_config, max_rows, K_INT, .min = 1, .max = 100000, .def = "200",
          .doc = "Most rows that run_query returns."),
    FIELD(struct run_query_config, timeout_s, K_INT, .min = 1, .max = 3600, .def = "5",
          .doc = "Seconds after which run_query stops."),
    { 0 },
};
static const struct type run_query_type = TYPE(struct run_query_config, "RunQueryConfig", run_query_fields);

static const struct field mcp_fields[] = {
    FIELD(struct mcp_config, enabled, K_BOOL, .def = "true", .doc = "Serve MCP over HTTP."),
    FIELD(struct mcp_config, path, K_STR, .def = "/mcp", .doc = "Path of the MCP endpoint."),
    FIELD(struct mcp_config, auth, K_ENUM, .of = mcp_auth_names, .def = "api_keys",
          .doc = "Like api.auth, for MCP: api_keys or none. Without a configuration file: none."),
    FIELD(struct mcp_config, allowed_hosts, K_STRINGS, .def = "127.0.0.1:*,localhost:*",
          .doc = "Like api.allowed_hosts, for MCP."),
    FIELD(struct mcp_config, allowed_origins, K_STRINGS, .doc = "Origins whose pages may speak MCP."),
    FIELD(struct mcp_config, run_query, K_OBJECT, .of = &run_query_type),
    { 0 },
};
static const struct type mcp_type = TYPE(struct mcp_config, "McpConfig", mcp_fields);

static const struct field store_fields[] = {
    FIELD(struct store_config, path, K_STR, .doc = "File of the store; querent.db in the state folder when absent."),
    { 0 },
};
static const struct type store_type = TYPE(struct store_config, "StoreConfig", store_fields);

static const struct field limits_fields[] = {
    FIELD(struct limits_config, request_timeout_ms, K_INT, .min = 100, .max = 3600000, .def = "60000",
          .doc = "Time after which a request is stopped."),
    FIELD(struct limits_config, concurrent_per_caller, K_INT, .min = 1, .max = 1024, .def = "64",
          .doc = "Operations that one caller may have in work at once."),
    { 0 },
};
static const struct type limits_type = TYPE(struct limits_config, "LimitsConfig", limits_fields);

static const struct field connect_fields[] = {
    FIELD(struct connect_config, folders, K_STRINGS,
          .doc = "Folders from which an admin may connect database files over REST."),
    FIELD(struct connect_config, references, K_STRINGS,
          .doc = "References that connections made over REST may use: env:NAME, file:/path. Whoever connects a database "
                 "can have their values sent to it."),
    FIELD(struct connect_config, scan, K_BOOL, .def = "false",
          .doc = "An admin may look for files in these folders and for servers on loopback over REST."),
    { 0 },
};
static const struct type connect_type = TYPE(struct connect_config, "ConnectConfig", connect_fields);

static const struct field entry_fields[] = {
    FIELD(struct datasource_entry, id, K_STR, .flags = F_REQUIRED, .max = 63,
          .doc = "Name of the datasource: a lower-case letter, then letters, digits, _ and -."),
    FIELD(struct datasource_entry, description, K_STR, .max = 2000, .doc = "What it holds, for people and models."),
    FIELD(struct datasource_entry, type, K_STR, .flags = F_REQUIRED, .max = 63, .doc = "Kind of database."),
    FIELD(struct datasource_entry, connection, K_JSON, .flags = F_REQUIRED,
          .doc = "How to reach it, by kind; see below."),
    FIELD(struct datasource_entry, options, K_OBJECT, .of = &datasource_options_type),
    FIELD(struct datasource_entry, required, K_BOOL, .def = "false",
          .doc = "The server does not start while it cannot be reached."),
    { 0 },
};
const struct type datasource_entry_type = TYPE(struct datasource_entry, "DatasourceEntry", entry_fields);

static const struct field config_fields[] = {
    FIELD(struct config, version, K_INT, .flags = F_REQUIRED, .min = 1, .max = 1, .doc = "Version of this format: 1."),
    FIELD(struct config, state, K_STR,
          .doc = "Folder of the store, the master key and caches; else $XDG_STATE_HOME/querent, else "
                 "~/.local/state/querent."),
    FIELD(struct config, server, K_OBJECT, .of = &server_type),
    FIELD(struct config, api, K_OBJECT, .of = &api_type),
    FIELD(struct config, mcp, K_OBJECT, .of = &mcp_type),
    FIELD(struct config, store, K_OBJECT, .of = &store_type),
    FIELD(struct config, limits, K_OBJECT, .of = &limits_type),
    FIELD(struct config, connect, K_OBJECT, .of = &connect_type),
    FIELD(struct config, datasources, K_LIST, .max = 10000, .of = &datasource_entry_type),
    FIELD(struct config, policies, K_JSON,
          .doc = "Who may read what; see below. Absent: every caller may read everything."),
    { 0 },
};
const struct type config_type = TYPE(struct config, "Config", config_fields);
