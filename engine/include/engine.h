/* engine: the product behind a facade. Doors (api, mcp, cli) authenticate a credential, run operations, and translate what
 * comes back. Everything here may be called from many threads, one call per thread. */
#ifndef QUERENT_ENGINE_H
#define QUERENT_ENGINE_H

#include "json.h"
#include "log.h"

struct engine;

enum {
    OP_WRITES = 1,    /* changes the store: taken by Idempotency-Key, refused while draining */
    OP_STREAMS = 2,   /* may use the call's sinks */
    OP_DATA = 4,      /* reads customers' data: audited with its own records */
    OP_CLI = 8,       /* only the operator on the command line may call it */
    OP_QUIET = 16     /* not audited: health, version */
};

/* The unit of the product: one capability. in and out are structs of the types; out is zeroed before run. */
struct op {
    const char *name; /* ask, datasource_test: also the operationId and, where it is one, the tool name */
    const char *doc;  /* one sentence */
    enum level level; /* least level of the caller */
    unsigned flags;
    const struct type *in, *out; /* NULL = none */
    int (*run)(struct engine *e, struct call *c, const void *in, void *out);
};

extern const struct op *const ops[]; /* NULL-terminated, sorted by name */
const struct op *op_find(const char *name);

struct engine_options {
    const char *config_path; /* NULL = none: built-in defaults and the demo datasource */
    const char *state_dir;   /* NULL = $QUERENT_STATE, $XDG_STATE_HOME/querent, ~/.local/state/querent; ":memory:" = none */
    const struct json *overrides; /* from the command line: an object of config paths ("server.listen") to text */
    struct log log;
    bool demo;    /* make and register the demo datasource when the configuration names no datasource */
    bool measure; /* nothing but a :memory: store and the datasources that ops register */
};

/* Opens store, configuration, datasources (lazily). Fails with a message fit for a terminal. */
int engine_open(struct call *c, const struct engine_options *o, struct engine **out);
/* Reads the configuration as engine_open would and writes what is in force as YAML, without secrets; opens nothing. */
int engine_check(struct call *c, const struct engine_options *o, struct buf *out);
void engine_close(struct engine *e);
/* For those that serve: begins to learn the demo if that was put in, and takes up the long work that an earlier process
 * left unfinished. Waits for neither. */
int engine_resume(struct engine *e, struct call *c);
int engine_reload(struct engine *e, struct call *c); /* SIGHUP: new world or the old one with an error */
/* Store writable, migrations done; and what engine_resume began on the demo is done or has failed. */
bool engine_ready(struct engine *e, struct call *c);
const struct log *engine_log(const struct engine *e);

/* The one way to run an operation: pins the world, sets the deadline, checks the level, runs, audits, observes. The
 * principal must stand in the call (engine_identify or engine_operator). in may be NULL when the op takes none; out must
 * hold op->out->size bytes. */
int engine_run(struct engine *e, struct call *c, const struct op *op, const void *in, void *out);

/* What a door knows about a caller. Fields that were not sent are NULL. */
struct credential {
    const char *authorization; /* value of the Authorization header */
    const char *api_key;       /* value of X-API-Key */
    const char *peer;          /* address of the peer, without port */
    const char *proxy_user, *proxy_roles; /* trusted headers; identity checks the peer before it believes them */
    bool local;                /* the door found every condition of a local caller true (see api/auth.c) */
    bool mcp;                  /* came in at the MCP endpoint: mcp.auth counts, not api.auth */
};
/* Credential -> principal in the call. ERR_UNAUTHENTICATED without saying why. */
int engine_identify(struct engine *e, struct call *c, const struct credential *cred);
/* The command line and stdio: holding the store is the authority. roles may be empty: everything, else narrowed to them;
 * an unknown role is ERR_VALIDATION_ERROR naming those there are. */
int engine_operator(struct engine *e, struct call *c, const char *user, const char *const *roles, size_t count);

/* What doors read from the configuration. Pointers live as long as the call's pinned world. */
struct door_config {
    const char *listen; /* "127.0.0.1:8765" */
    int64_t threads, max_body_bytes, body_timeout_ms, streams_max;
    struct list allowed_hosts, allowed_origins; /* REST */
    bool mcp_enabled;
    const char *mcp_path;
    struct list mcp_allowed_hosts, mcp_allowed_origins;
    bool auth_none;     /* identity: none is configured */
    const char *auth;   /* api_keys | none | proxy */
    const char *mcp_auth; /* api_keys | none */
    bool allow_all;     /* the policy */
    const char *default_role;
};
int engine_door_config(struct engine *e, struct call *c, struct door_config *out);

/* The life of a worker process that an adapter of this kind started: answers on fd until its parent is gone; the exit
 * code. */
int engine_worker(const char *kind, int fd);

/* Counters for /metrics, as Prometheus text. */
void engine_metrics(struct engine *e, struct buf *b);
/* One observation of a finished request. */
void engine_observe(struct engine *e, const char *what, int status, int64_t us);

/* Bytes of a file that is inside the binary, by its path in the project ("openapi/openapi.json"); NULL when there is none. */
const char *engine_file(const char *name, size_t *n);

extern const char querent_version[];

#endif
