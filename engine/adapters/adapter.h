/* adapter: a customer's database. One file a kind and one row in table.c. An adapter executes only a `struct
 * statement`; its own catalogue queries are string constants with bound parameters. Functions block; each honours the
 * call's deadline and cancellation. An adapter is shared by threads; it pools its connections. */
#ifndef QUERENT_ADAPTER_H
#define QUERENT_ADAPTER_H

#include "adapters/breaker.h"
#include "domain/datasource.h"
#include "domain/schema.h"
#include "domain/statement.h"

struct adapter;

/* Stages of a connection test, in order. */
enum test_stage {
    STAGE_RESOLVE,
    STAGE_CONNECT,
    STAGE_TLS,
    STAGE_AUTHENTICATE,
    STAGE_OPEN,
    STAGE_READ_SCHEMA,
    STAGE_READ_ROW,
    STAGE_DONE
};
extern const char *const test_stage_names[];

struct test_report {
    enum test_stage reached; /* STAGE_DONE when all is well; else the stage that failed */
    const char *message;     /* what is wrong, safe to show */
    const char *fix;         /* what would be right */
    int64_t tables;
    const char *server_version;
};

/* One thing that a diagnosis looked at. */
enum finding_state { FINDING_OK, FINDING_WARNING, FINDING_DANGER };
extern const char *const finding_state_names[]; /* ok warning danger NULL */
struct diagnosis_finding {
    const char *name;   /* user, tls, time_zone … */
    const char *found;  /* what is so; never a host, a path or a secret */
    int state;          /* enum finding_state */
    const char *advice; /* what would be better, NULL when it is well */
};

struct adapter_kind {
    const char *name;  /* sqlite postgres mysql duckdb mssql */
    const char *title; /* "SQLite" */
    const char *dialect;
    const char *file_member;       /* of the connection: names a local file; NULL = none does */
    const struct type *connection; /* what a connection needs; drives the JSON Schema */
    bool (*installed)(void);       /* its driver can be loaded */
    const char *install_hint;
    int (*open)(struct call *c, const struct datasource_config *config,
                struct adapter **out); /* does not connect yet */
    void (*close)(struct adapter *a);
    int (*test)(struct call *c, struct adapter *a, struct test_report *out);     /* OK also when the test fails */
    int (*introspect)(struct call *c, struct adapter *a, struct snapshot **out); /* structure only, in the call */
    /* What the engine's own parser sees in the statement; it is not run. */
    int (*inspect)(struct call *c, struct adapter *a, const struct statement *s, struct reads *out);
    int (*execute)(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                   const struct row_sink *sink, struct run_stats *stats);
    int (*worker)(int fd); /* the life of its worker process (worker.h), its exit code; NULL = it needs none */
    void (*health)(struct adapter *a, struct circuit_state *out); /* NULL: every use opens it anew */
    /* Adds struct diagnosis_finding: what the connection is, and what it could do if every guard failed. */
    int (*diagnose)(struct call *c, struct adapter *a, struct list *out);
};

struct adapter {
    const struct adapter_kind *kind; /* first member of every adapter */
};

extern const struct adapter_kind *const adapter_kinds[]; /* NULL-terminated */
const struct adapter_kind *adapter_kind_find(const char *name);

/* ERR_VALIDATION_ERROR for an unknown type or a connection that is not well formed, ERR_DATASOURCE_UNAVAILABLE where
 * its driver is not installed or a reference has no value. The others are what the kind says of its own (above). */
int adapter_open(struct call *c, const struct datasource_config *config, struct adapter **out);
void adapter_close(struct adapter *a);
int adapter_test(struct call *c, struct adapter *a, struct test_report *out);
int adapter_introspect(struct call *c, struct adapter *a, struct snapshot **out);
/* false: there is nothing that could be kept away. */
bool adapter_health(struct adapter *a, struct circuit_state *out);
int adapter_diagnose(struct call *c, struct adapter *a, struct list *out);
/* For adapters: one finding. advice NULL = it is well, whatever state says. */
void diagnosis_add(struct call *c, struct list *out, const char *name, const char *found, enum finding_state state,
                   const char *advice);
int adapter_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out);
/* For adapters: fails with the one text of a statement over its time. */
int adapter_timed_out(struct call *c, int64_t time_ms);
/* For adapters: fails with the one text of a statement that names what the database does not have (any more). */
int adapter_changed(struct call *c);
/* Only guard/run.c calls this. limits are final (no zeros but steps). */
int adapter_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                    const struct row_sink *sink, struct run_stats *stats);

#endif
