/* engine: who may run what, what is recorded, what leaves, and how the engine starts and reads its configuration again.
 */
#include "base/clock.h"
#include "domain/config.h"
#include "ops/op.h"
#include "schema/registry.h"
#include "store/audit.h"
#include "store/datasources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_CONFIG "version: 1\napi: {auth: none}\nlimits: {concurrent_per_caller: 2}\n"
#define ROLES_CONFIG                                                                                                   \
    "version: 1\npolicies: {default_role: reader, editor_roles: [writer], roles: {reader: {allow: ['*.*']}, "          \
    "writer: {allow: ['*.*']}, admin: {allow: ['*.*']}}}\n"

struct place {
    struct call c;
    char folder[64];
    const char *config, *state;
    struct engine *e;
};

static void write_config(struct place *p, const char *text)
{
    int fd = open(p->config, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int start(struct place *p, struct call *c)
{
    const struct engine_options o = { .config_path = p->config,
                                      .state_dir = p->state,
                                      .log = { .fd = 2, .least = LOG_OFF } };
    return engine_open(c, &o, &p->e);
}

static int enter_with(void **state, const char *config)
{
    struct place *p = calloc(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/querent-engine-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    call_begin(&p->c);
    p->config = call_format(&p->c, "%s/querent.yaml", p->folder);
    p->state = call_format(&p->c, "%s/state", p->folder);
    write_config(p, config);
    if (start(p, &p->c)) fail_msg("%s %s", p->c.err.message, p->c.err.detail);
    *state = p;
    return 0;
}

static int enter(void **state)
{
    return enter_with(state, OPEN_CONFIG);
}
static int enter_roles(void **state)
{
    return enter_with(state, ROLES_CONFIG);
}

static int leave(void **state)
{
    struct place *p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    engine_close(p->e);
    call_end(&p->c);
    free(p);
    return system(command);
}

/* A call of its own, as a level. */
static void as(struct call *c, enum level level, const char *user)
{
    call_begin(c);
    c->who = (struct principal){ .user = user, .tenant = "default", .source = "none", .level = level };
}

static int nothing(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e, (void)c, (void)in, (void)out;
    return OK;
}

/* Every operation of the table, at every level: its row decides, nothing else. */
static void levels(void **state)
{
    struct place *p = *state;
    for (size_t i = 0; ops[i]; i++) {
        if (i) assert_true(strcmp(ops[i - 1]->name, ops[i]->name) < 0);
        assert_ptr_equal(op_find(ops[i]->name), ops[i]);
        for (enum level level = LEVEL_ANYONE; level <= LEVEL_OPERATOR; level++) {
            struct op op = *ops[i];
            struct call c;
            op.run = nothing;
            op.out = NULL;
            as(&c, level, "ann");
            bool open = level >= op.level && (!(op.flags & OP_CLI) || level == LEVEL_OPERATOR);
            int rc = engine_run(p->e, &c, &op, NULL, NULL);
            if (rc != (open ? OK : ERR_FORBIDDEN)) fail_msg("%s as %s: %d", op.name, level_names[level], rc);
            call_end(&c);
        }
    }
    assert_null(op_find("no_such_operation"));
}

struct record {
    const char *outcome, *code, *rule, *user_id, *sql, *tables, *columns, *datasource_id;
    int64_t row_count;
};
static const struct field record_fields[] = {
    FIELD(struct record, outcome, K_STR),   FIELD(struct record, code, K_STR),
    FIELD(struct record, rule, K_STR),      FIELD(struct record, user_id, K_STR),
    FIELD(struct record, sql, K_STR),       FIELD(struct record, tables, K_STR),
    FIELD(struct record, columns, K_STR),   FIELD(struct record, datasource_id, K_STR),
    FIELD(struct record, row_count, K_INT), { 0 }
};
static const struct type record_type = TYPE(struct record, "Record", record_fields);

static struct list records(struct place *p, const char *op)
{
    struct list l;
    assert_int_equal(
        db_query(p->e->store, &p->c,
                 "SELECT outcome, code, rule, user_id, sql, tables, columns, datasource_id, row_count FROM "
                 "audit WHERE op = $1 ORDER BY at, rowid",
                 PARAMS(P_T(op)), &record_type, &l),
        OK);
    return l;
}

static int read_data(struct engine *e, struct call *c, const void *in, void *out)
{
    static const char *const columns[] = { "id", "total" };
    static struct table_read reads[] = { { NULL, "orders", columns, 2 }, { "crm", "people", columns, 1 } };
    static const struct statement s = { .sql = "SELECT …", .reads = { .tables = reads, .table_count = 2 } };
    (void)in, (void)out;
    audit_statement(c, "shop", &s, "hash");
    int rc = audit_allowed(e->store, c);
    c->audit.rows = 7;
    return rc;
}

static int refuse(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e, (void)in, (void)out;
    return call_fail(c, ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed.");
}

static int refuse_politely(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e, (void)in, (void)out;
    c->audit.rule = "SECURITY_VIOLATION";
    return OK;
}

static void audited(void **state)
{
    struct place *p = *state;
    static const struct {
        struct op op;
        enum level level;
        const char *outcomes; /* one letter a record */
        const char *code, *rule;
    } cases[] = {
        { { .name = "t_data", .level = LEVEL_VIEWER, .flags = OP_DATA, .run = read_data },
          LEVEL_VIEWER,
          "ad",
          NULL,
          NULL },
        { { .name = "t_write", .level = LEVEL_VIEWER, .flags = OP_WRITES, .run = nothing },
          LEVEL_ADMIN,
          "d",
          NULL,
          NULL },
        { { .name = "t_refused", .level = LEVEL_VIEWER, .flags = OP_DATA, .run = refuse },
          LEVEL_VIEWER,
          "r",
          "SQL_NOT_ALLOWED",
          NULL },
        { { .name = "t_polite", .level = LEVEL_VIEWER, .flags = OP_DATA, .run = refuse_politely },
          LEVEL_VIEWER,
          "r",
          NULL,
          "SECURITY_VIOLATION" },
        { { .name = "t_level", .level = LEVEL_ADMIN, .run = nothing }, LEVEL_VIEWER, "r", "FORBIDDEN", NULL },
        { { .name = "t_read", .level = LEVEL_VIEWER, .run = nothing }, LEVEL_VIEWER, "", NULL, NULL },
        { { .name = "t_quiet", .level = LEVEL_ADMIN, .flags = OP_QUIET, .run = nothing },
          LEVEL_VIEWER,
          "",
          NULL,
          NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        as(&c, cases[i].level, "ann");
        engine_run(p->e, &c, &cases[i].op, NULL, NULL);
        call_end(&c);
        struct list l = records(p, cases[i].op.name);
        assert_int_equal(l.count, strlen(cases[i].outcomes));
        for (size_t k = 0; k < l.count; k++) {
            const struct record *r = &LIST_AT(&l, struct record, k);
            assert_int_equal(r->outcome[0], cases[i].outcomes[k]);
            assert_string_equal(r->user_id, "ann");
            if (cases[i].code) assert_string_equal(r->code, cases[i].code);
            if (cases[i].rule) assert_string_equal(r->rule, cases[i].rule);
        }
    }
    struct list l = records(p, "t_data");
    const struct record *allowed = &LIST_AT(&l, struct record, 0), *done = &LIST_AT(&l, struct record, 1);
    assert_string_equal(allowed->tables, "[\"orders\",\"crm.people\"]");
    assert_string_equal(allowed->columns, "[\"orders.id\",\"orders.total\",\"crm.people.id\"]");
    assert_string_equal(allowed->datasource_id, "shop");
    assert_int_equal(done->row_count, 7);
}

static int crash(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e, (void)in, (void)out;
    call_hint(c, "the password is hunter2");
    call_detail(c, "hunter2");
    return call_fail_at(c, ERR_INTERNAL_ERROR, "/hunter2", "hunter2 at /etc/passwd");
}

static int no_reason(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e, (void)c, (void)in, (void)out;
    return ERR_NOT_FOUND;
}

static int survived(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e, (void)in, (void)out;
    call_fail(c, ERR_NOT_FOUND, "this was survived");
    return OK;
}

static void causes_stay_inside(void **state)
{
    struct place *p = *state;
    static const struct op ops_here[] = { { .name = "t_crash", .level = LEVEL_VIEWER, .run = crash },
                                          { .name = "t_silent", .level = LEVEL_VIEWER, .run = no_reason } };
    for (int i = 0; i < 2; i++) {
        struct call c;
        as(&c, LEVEL_VIEWER, "ann");
        assert_int_equal(engine_run(p->e, &c, &ops_here[i], NULL, NULL), ERR_INTERNAL_ERROR);
        assert_string_equal(c.err.message, code_row(ERR_INTERNAL_ERROR)->text);
        assert_null(c.err.hint);
        assert_null(c.err.detail);
        assert_null(c.err.field);
        call_end(&c);
    }
    struct call c;
    const struct op op = { .name = "t_survived", .level = LEVEL_VIEWER, .run = survived };
    as(&c, LEVEL_VIEWER, "ann");
    assert_int_equal(engine_run(p->e, &c, &op, NULL, NULL), OK);
    assert_int_equal(c.err.code, OK);
    call_end(&c);
}

struct seen {
    int64_t deadline_us, version;
};

static int look(struct engine *e, struct call *c, const void *in, void *out)
{
    struct seen *seen = (struct seen *)(uintptr_t)in;
    (void)e, (void)out;
    *seen = (struct seen){ c->deadline_us, c->world->version };
    return OK;
}

static void deadlines(void **state)
{
    struct place *p = *state;
    struct seen seen;
    struct call c;
    const struct op op = { .name = "t_look", .level = LEVEL_VIEWER, .run = look };
    const struct op cli = { .name = "t_look", .level = LEVEL_VIEWER, .flags = OP_CLI, .run = look };
    as(&c, LEVEL_OPERATOR, "ann");
    assert_int_equal(engine_run(p->e, &c, &cli, &seen, NULL), OK);
    assert_int_equal(seen.deadline_us, 0);
    assert_int_equal(engine_run(p->e, &c, &op, &seen, NULL), OK);
    int64_t left = seen.deadline_us - clock_mono_us();
    assert_true(left > 50000000 && left <= 60000000);
    call_end(&c);
    as(&c, LEVEL_VIEWER, "ann");
    c.deadline_us = 12345;
    assert_int_equal(engine_run(p->e, &c, &op, &seen, NULL), OK);
    assert_int_equal(seen.deadline_us, 12345);
    call_end(&c);
}

/* Each level of the nest runs the next as ann; the last one also tries as bob. */
struct nest {
    const struct op *op;
    int depth, deepest, bob;
};

static int run_nest(struct engine *e, struct call *c, const void *in, void *out)
{
    struct nest *n = (struct nest *)(uintptr_t)in;
    struct call ann, bob;
    (void)c, (void)out;
    if (!n->depth--) return OK;
    as(&ann, LEVEL_VIEWER, "ann");
    as(&bob, LEVEL_VIEWER, "bob");
    int rc = engine_run(e, &ann, n->op, n, NULL);
    if (rc) n->deepest = rc;
    struct nest flat = { .op = n->op };
    n->bob = engine_run(e, &bob, n->op, &flat, NULL);
    call_end(&ann);
    call_end(&bob);
    return OK;
}

static void concurrency(void **state)
{
    struct place *p = *state;
    const struct op op = { .name = "t_nest", .level = LEVEL_VIEWER, .run = run_nest };
    const struct op quiet = { .name = "t_nest", .level = LEVEL_VIEWER, .flags = OP_QUIET, .run = run_nest };
    for (int round = 0; round < 3; round++) {
        struct nest two = { .op = &op, .depth = 1 }, three = { .op = &op, .depth = 2 },
                    free = { .op = &quiet, .depth = 9 };
        struct call c;
        as(&c, LEVEL_VIEWER, "ann");
        assert_int_equal(engine_run(p->e, &c, &op, &two, NULL), OK);
        assert_int_equal(two.deepest, OK);
        assert_int_equal(engine_run(p->e, &c, &op, &three, NULL), OK);
        assert_int_equal(three.deepest, ERR_RATE_LIMITED);
        assert_int_equal(three.bob, OK);
        assert_int_equal(engine_run(p->e, &c, &quiet, &free, NULL), OK);
        assert_int_equal(free.deepest, OK);
        call_end(&c);
    }
}

/* Runs an operation from JSON text, as a door would. Its answer as JSON, NULL with the code in *rc. */
static const struct json *operate(struct place *p, struct call *c, const char *name, const char *input, int *rc)
{
    const struct op *op = op_find(name);
    const struct json *tree, *answer = NULL;
    struct buf b;
    assert_non_null(op);
    void *in = op->in ? call_alloc(c, op->in->size) : NULL, *out = op->out ? call_alloc(c, op->out->size) : NULL;
    *rc = json_parse(c, input, strlen(input), &tree);
    if (!*rc && in) *rc = json_decode(c, op->in, tree, in);
    if (!*rc) *rc = engine_run(p->e, c, op, in, out);
    if (*rc || !out) return NULL;
    buf_init(&b, c, 1000000);
    json_encode(&b, op->out, out);
    assert_int_equal(json_parse(c, b.data, b.len, &answer), OK);
    return answer;
}

static const char *make_key(struct place *p, const char *input, const char **id)
{
    struct call c;
    int rc;
    as(&c, LEVEL_OPERATOR, "ann");
    const struct json *made = operate(p, &c, "api_key_create", input, &rc);
    if (rc) fail_msg("%s", c.err.message);
    const char *token = call_strdup(&p->c, json_get(made, "token")->string);
    *id = call_strdup(&p->c, json_get(json_get(made, "api_key"), "id")->string);
    assert_null(json_get(json_get(made, "api_key"), "secret_hash"));
    call_end(&c);
    return token;
}

/* The level that a credential gets, -1 when it is refused. */
static int level_with(struct place *p, struct credential cred)
{
    struct call c;
    call_begin(&c);
    int rc = engine_identify(p->e, &c, &cred), level = rc ? -1 : (int)c.who.level;
    if (rc) {
        assert_int_equal(rc, ERR_UNAUTHENTICATED);
        assert_string_equal(c.err.message, code_row(ERR_UNAUTHENTICATED)->text);
        assert_null(c.err.hint);
    }
    call_end(&c);
    return level;
}

static int revoke_key(struct place *p, const char *id, enum level level, const char *tenant)
{
    struct call c;
    struct which {
        const char *id;
    } in = { id };
    as(&c, level, "ann");
    c.who.tenant = tenant;
    const struct op *op = op_find("api_key_revoke");
    int rc = engine_run(p->e, &c, op, &in, call_alloc(&c, op->out->size));
    call_end(&c);
    return rc;
}

static void keys(void **state)
{
    struct place *p = *state;
    const char *id, *other_id;
    const char *token = make_key(p, "{\"user_id\":\"ann\",\"label\":\"x\",\"level\":\"editor\"}", &id);
    const char *bearer = call_format(&p->c, "Bearer %s", token);
    const char *other = make_key(p, "{\"user_id\":\"bob\"}", &other_id);
    assert_int_equal(strlen(token), 3 + 8 + 1 + 43);
    assert_int_equal(level_with(p, (struct credential){ .api_key = token }), LEVEL_EDITOR);
    assert_int_equal(level_with(p, (struct credential){ .authorization = bearer }), LEVEL_EDITOR);
    assert_int_equal(level_with(p, (struct credential){ .authorization = call_format(&p->c, "bearer  %s", token) }),
                     LEVEL_EDITOR);
    assert_int_equal(level_with(p, (struct credential){ .api_key = other }), LEVEL_VIEWER);
    /* Wrong ones, also where a caller without any would be let in. */
    char *changed = call_strdup(&p->c, token);
    changed[strlen(changed) - 10] = changed[strlen(changed) - 10] == 'A' ? 'B' : 'A';
    const char *const wrong[] = { "",
                                  "qk_",
                                  "x",
                                  changed,
                                  call_strndup(&p->c, token, strlen(token) - 1),
                                  call_format(&p->c, "%sA", token),
                                  call_format(&p->c, "qk_%s_%s", other_id, token + 12),
                                  bearer };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(level_with(p, (struct credential){ .api_key = wrong[i], .local = true }), -1);
    assert_int_equal(level_with(p, (struct credential){ .authorization = token, .local = true }), -1);
    assert_int_equal(level_with(p, (struct credential){ .authorization = "Basic YTpi", .local = true }), -1);
    assert_int_equal(level_with(p, (struct credential){ .authorization = bearer, .api_key = token }), -1);
    /* Revoked at once, by its own tenant only; the row keeps its first time. */
    assert_int_equal(revoke_key(p, id, LEVEL_EDITOR, "default"), ERR_FORBIDDEN);
    assert_int_equal(revoke_key(p, id, LEVEL_ADMIN, "other"), ERR_NOT_FOUND);
    assert_int_equal(level_with(p, (struct credential){ .api_key = token }), LEVEL_EDITOR);
    assert_int_equal(revoke_key(p, id, LEVEL_ADMIN, "default"), OK);
    assert_int_equal(revoke_key(p, id, LEVEL_ADMIN, "default"), OK);
    assert_int_equal(revoke_key(p, "nothing", LEVEL_ADMIN, "default"), ERR_NOT_FOUND);
    assert_int_equal(level_with(p, (struct credential){ .api_key = token }), -1);
    assert_int_equal(level_with(p, (struct credential){ .api_key = other }), LEVEL_VIEWER);
}

static void key_refusals(void **state)
{
    struct place *p = *state;
    static const struct {
        enum level level;
        const char *input, *field;
        int rc;
    } cases[] = {
        { LEVEL_ADMIN, "{}", "/user_id", ERR_VALIDATION_ERROR },
        { LEVEL_ADMIN, "{\"user_id\":\"\"}", "/user_id", ERR_VALIDATION_ERROR },
        { LEVEL_ADMIN, "{\"user_id\":\"a\",\"level\":\"operator\"}", "/level", ERR_VALIDATION_ERROR },
        { LEVEL_ADMIN, "{\"user_id\":\"a\",\"roles\":[\"reader\"]}", "/roles", ERR_VALIDATION_ERROR },
        { LEVEL_EDITOR, "{\"user_id\":\"a\"}", NULL, ERR_FORBIDDEN },
        { LEVEL_ADMIN, "{\"user_id\":\"a\",\"level\":\"admin\"}", NULL, OK },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        int rc;
        as(&c, cases[i].level, "ann");
        operate(p, &c, "api_key_create", cases[i].input, &rc);
        assert_int_equal(rc, cases[i].rc);
        if (cases[i].field) assert_string_equal(c.err.field, cases[i].field);
        call_end(&c);
    }
}

static void key_pages(void **state)
{
    struct place *p = *state;
    struct call c;
    const char *id;
    int rc, pages = 0, found = 0;
    for (int i = 0; i < 5; i++) make_key(p, "{\"user_id\":\"ann\"}", &id);
    as(&c, LEVEL_ADMIN, "ann");
    for (const char *input = "{\"limit\":2}"; input; pages++) {
        const struct json *page = operate(p, &c, "api_key_list", input, &rc), *next = json_get(page, "next");
        assert_int_equal(rc, OK);
        if (!pages) assert_string_equal(json_get(&json_get(page, "items")->items[0], "id")->string, id);
        found += (int)json_get(page, "items")->count;
        input = next->kind == J_STRING ? call_format(&c, "{\"limit\":2,\"cursor\":\"%s\"}", next->string) : NULL;
    }
    assert_int_equal(found, 5);
    assert_int_equal(pages, 3);
    operate(p, &c, "api_key_list", "{\"cursor\":\"x\"}", &rc);
    assert_int_equal(rc, ERR_CURSOR_INVALID);
    call_end(&c);
}

static void local_callers(void **state)
{
    struct place *p = *state;
    assert_int_equal(level_with(p, (struct credential){ .local = true }), LEVEL_ADMIN);
    assert_int_equal(level_with(p, (struct credential){ .local = false }), -1);
    /* mcp.auth is api_keys here: what is open to REST is not open there. */
    assert_int_equal(level_with(p, (struct credential){ .local = true, .mcp = true }), -1);
    assert_int_equal(level_with(p, (struct credential){ .peer = "127.0.0.1", .proxy_user = "ann" }), -1);
}

static void reload_with(struct place *p, const char *config)
{
    struct call c;
    call_begin(&c);
    write_config(p, config);
    if (engine_reload(p->e, &c)) fail_msg("%s", c.err.message);
    call_end(&c);
}

static void proxies(void **state)
{
    struct place *p = *state;
    reload_with(
        p, "version: 1\napi: {auth: proxy, proxy_addresses: [10.0.0.1, '::1']}\npolicies: {editor_roles: [writer], "
           "roles: {reader: {allow: ['*.*']}, writer: {allow: ['*.*']}}}\n");
    static const struct {
        struct credential cred;
        int level;
    } cases[] = {
        { { .peer = "10.0.0.1", .proxy_user = "ann", .proxy_roles = "reader" }, LEVEL_VIEWER },
        { { .peer = "::1", .proxy_user = "ann", .proxy_roles = " nothing , writer" }, LEVEL_EDITOR },
        { { .peer = "10.0.0.1", .proxy_user = "ann" }, LEVEL_ANYONE },
        { { .peer = "10.0.0.1", .proxy_user = "ann", .proxy_roles = "nothing,,; " }, LEVEL_ANYONE },
        { { .peer = "10.0.0.2", .proxy_user = "ann", .proxy_roles = "writer" }, -1 },
        { { .peer = "10.0.0.1", .proxy_roles = "writer" }, -1 },
        { { .peer = "10.0.0.1", .proxy_user = "", .proxy_roles = "writer" }, -1 },
        { { .peer = "10.0.0.1", .proxy_user = "a\x01", .proxy_roles = "writer" }, -1 },
        { { .peer = "10.0.0.1", .proxy_user = "a\xff", .proxy_roles = "writer" }, -1 },
        { { .proxy_user = "ann", .proxy_roles = "writer" }, -1 },
        { { .peer = "10.0.0.1", .local = true }, -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(level_with(p, cases[i].cred), cases[i].level);
}

static int operator_as(struct place *p, const char *role, struct call *c)
{
    call_begin(c);
    return engine_operator(p->e, c, NULL, role ? &role : NULL, role ? 1 : 0);
}

static void operators(void **state)
{
    struct place *p = *state;
    struct call c;
    assert_int_equal(operator_as(p, NULL, &c), OK);
    assert_int_equal(c.who.level, LEVEL_OPERATOR);
    assert_int_equal(c.who.role_count, 0);
    call_end(&c);
    assert_int_equal(operator_as(p, "reader", &c), OK);
    assert_int_equal(c.who.level, LEVEL_VIEWER);
    assert_string_equal(c.who.roles[0], "reader");
    call_end(&c);
    assert_int_equal(operator_as(p, "admin", &c), OK);
    assert_int_equal(c.who.level, LEVEL_ADMIN);
    call_end(&c);
    assert_int_equal(operator_as(p, "nobody", &c), ERR_VALIDATION_ERROR);
    assert_non_null(strstr(c.err.message, "'nobody'"));
    assert_non_null(strstr(c.err.message, "reader"));
    assert_non_null(strstr(c.err.message, "writer"));
    call_end(&c);
    reload_with(p, OPEN_CONFIG);
    assert_int_equal(operator_as(p, "reader", &c), ERR_VALIDATION_ERROR);
    assert_non_null(strstr(c.err.message, "allow_all"));
    call_end(&c);
}

/* A key has what its roles give today. */
static void roles_of_keys(void **state)
{
    struct place *p = *state;
    const char *id;
    const char *reader = make_key(p, "{\"user_id\":\"ann\",\"roles\":[\"reader\"]}", &id);
    const char *writer = make_key(p, "{\"user_id\":\"ann\",\"roles\":[\"reader\",\"writer\"]}", &id);
    struct call c;
    int rc;
    assert_int_equal(level_with(p, (struct credential){ .api_key = reader }), LEVEL_VIEWER);
    assert_int_equal(level_with(p, (struct credential){ .api_key = writer }), LEVEL_EDITOR);
    as(&c, LEVEL_ADMIN, "ann");
    operate(p, &c, "api_key_create", "{\"user_id\":\"a\"}", &rc);
    assert_int_equal(rc, ERR_VALIDATION_ERROR);
    assert_string_equal(c.err.field, "/roles");
    call_forgive(&c);
    operate(p, &c, "api_key_create", "{\"user_id\":\"a\",\"roles\":[\"nobody\"]}", &rc);
    assert_int_equal(rc, ERR_VALIDATION_ERROR);
    call_end(&c);
    reload_with(p, "version: 1\npolicies: {roles: {writer: {allow: ['*.*']}}}\n");
    assert_int_equal(level_with(p, (struct credential){ .api_key = reader }), -1);
    assert_int_equal(level_with(p, (struct credential){ .api_key = writer }), LEVEL_VIEWER);
}

static void reloading(void **state)
{
    struct place *p = *state;
    struct door_config before, now;
    struct call old, c;
    struct seen seen;
    const struct op op = { .name = "t_look", .level = LEVEL_VIEWER, .run = look };
    as(&old, LEVEL_VIEWER, "ann");
    assert_int_equal(engine_door_config(p->e, &old, &before), OK);
    assert_true(before.auth_none);
    assert_true(before.allow_all);
    write_config(p, "version: 1\nserver: {threads: nonsense}\n");
    call_begin(&c);
    assert_int_equal(engine_reload(p->e, &c), ERR_CONFIG_INVALID);
    call_end(&c);
    write_config(p, "version: 1\npolicies: {default_role: ghost, roles: {reader: {allow: ['*.*']}}}\n");
    call_begin(&c);
    assert_int_not_equal(engine_reload(p->e, &c), OK);
    call_end(&c);
    assert_int_equal(level_with(p, (struct credential){ .local = true }), LEVEL_ADMIN);
    reload_with(p, ROLES_CONFIG);
    assert_int_equal(level_with(p, (struct credential){ .local = true }), -1);
    /* A call that began before keeps its world to the end. */
    assert_int_equal(engine_run(p->e, &old, &op, &seen, NULL), OK);
    assert_int_equal(seen.version, 0);
    assert_true(before.allow_all && before.listen[0] == '1');
    as(&c, LEVEL_VIEWER, "ann");
    assert_int_equal(engine_run(p->e, &c, &op, &seen, NULL), OK);
    assert_int_equal(seen.version, 1);
    assert_int_equal(engine_door_config(p->e, &c, &now), OK);
    assert_false(now.allow_all);
    assert_string_equal(now.default_role, "reader");
    call_end(&c);
    call_end(&old);
}

static bool registered(struct place *p, const char *id)
{
    struct call c;
    call_begin(&c);
    bool found = registry_peek(p->e->world->registry, &c, id) != NULL;
    call_end(&c);
    return found;
}

#define SOURCE(id) "{id: " id ", type: sqlite, connection: {path: nothing.sqlite}}"

/* The file's datasources come and go with it; one that was connected at run time stays. */
static void datasources(void **state)
{
    struct place *p = *state;
    struct call c;
    static const char *const names[] = { "path" };
    const struct json path = { .kind = J_STRING, .string = "x.sqlite", .count = 8 };
    const struct json connection = { .kind = J_OBJECT, .count = 1, .items = &path, .names = names };
    struct datasource_config d = { .id = "mine", .description = "stored", .type = "sqlite", .connection = &connection };
    as(&c, LEVEL_ADMIN, "ann");
    assert_int_equal(type_defaults(&c, &datasource_options_type, &d.options), OK);
    assert_int_equal(datasources_add(p->e->store, &c, p->e->master_key, &d), OK);
    d.type = "spreadsheet";
    d.id = "odd";
    assert_int_equal(datasources_add(p->e->store, &c, p->e->master_key, &d), OK);
    engine_close(p->e);
    p->e = NULL;
    write_config(p, "version: 1\ndatasources: [" SOURCE("a") ", " SOURCE("b") "]\n");
    assert_int_equal(start(p, &c), OK);
    assert_true(registered(p, "a") && registered(p, "b") && registered(p, "mine"));
    assert_false(registered(p, "odd"));
    reload_with(p, "version: 1\ndatasources: [" SOURCE("b") ", " SOURCE("c") "]\n");
    assert_true(!registered(p, "a") && registered(p, "b") && registered(p, "c") && registered(p, "mine"));
    write_config(p, "version: 1\ndatasources: [" SOURCE("d") ", " SOURCE("D") "]\n");
    assert_int_equal(engine_reload(p->e, &c), ERR_CONFIG_INVALID);
    call_forgive(&c);
    assert_true(registered(p, "b") && registered(p, "c") && !registered(p, "d"));
    /* One that is required and cannot be reached stops the start and names itself. */
    engine_close(p->e);
    p->e = NULL;
    write_config(p,
                 "version: 1\ndatasources: [{id: a, type: sqlite, required: true, connection: {path: /nowhere/x}}]\n");
    call_end(&c);
    call_begin(&c);
    assert_int_equal(start(p, &c), ERR_DATASOURCE_UNAVAILABLE);
    assert_non_null(strstr(c.err.message, "'a'"));
    p->e = NULL;
    call_end(&c);
}

static void state_folder(void **state)
{
    struct place *p = *state;
    struct stat st;
    const char *key = call_format(&p->c, "%s/master.key", p->state);
    unsigned char first[SECRET_KEY_BYTES];
    assert_int_equal(stat(p->state, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(key, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    memcpy(first, p->e->master_key, sizeof first);
    static const char *const names[] = { "path" };
    const struct json path = { .kind = J_STRING, .string = "hunter2.sqlite", .count = 14 };
    const struct json connection = { .kind = J_OBJECT, .count = 1, .items = &path, .names = names };
    struct datasource_config d = { .id = "mine", .type = "sqlite", .connection = &connection };
    p->c.who = (struct principal){ .user = "ann", .tenant = "default" };
    assert_int_equal(type_defaults(&p->c, &datasource_options_type, &d.options), OK);
    assert_int_equal(datasources_add(p->e->store, &p->c, p->e->master_key, &d), OK);
    assert_int_equal(datasources_add(p->e->store, &p->c, p->e->master_key, &d), ERR_CONFLICT);
    call_forgive(&p->c);
    struct list l;
    assert_int_equal(datasources_list(p->e->store, &p->c, p->e->master_key, &l), OK);
    assert_int_equal(l.count, 1);
    assert_string_equal(json_get(LIST_AT(&l, struct datasource_config, 0).connection, "path")->string,
                        "hunter2.sqlite");
    assert_int_equal(LIST_AT(&l, struct datasource_config, 0).options.row_limit, 10000);
    engine_close(p->e);
    p->e = NULL;
    const char *search = call_format(&p->c, "! grep -rq hunter2 '%s'", p->state);
    assert_int_equal(system(search), 0);
    /* The same key the next time; another one, a readable one and a broken one stop the start. */
    struct call c;
    call_begin(&c);
    assert_int_equal(start(p, &c), OK);
    assert_memory_equal(p->e->master_key, first, sizeof first);
    engine_close(p->e);
    p->e = NULL;
    chmod(key, 0644);
    assert_int_equal(start(p, &c), ERR_STORE_FAILED);
    assert_non_null(strstr(c.err.message, "chmod 600"));
    call_forgive(&c);
    chmod(key, 0600);
    int fd = open(key, O_WRONLY);
    assert_int_equal(pwrite(fd, "zz", 2, 0), 2);
    assert_int_equal(start(p, &c), ERR_STORE_FAILED);
    assert_non_null(strstr(c.err.message, "64 hexadecimal digits"));
    call_forgive(&c);
    assert_int_equal(pwrite(fd, "0123", 4, 0), 4);
    close(fd);
    assert_int_equal(start(p, &c), ERR_STORE_FAILED);
    assert_non_null(strstr(c.err.message, "master.key"));
    p->e = NULL;
    call_end(&c);
}

static void metrics(void **state)
{
    struct place *p = *state;
    struct call c;
    struct buf b;
    const struct op op = { .name = "t_counted", .level = LEVEL_VIEWER, .run = nothing };
    as(&c, LEVEL_VIEWER, "ann");
    for (int i = 0; i < 3; i++) assert_int_equal(engine_run(p->e, &c, &op, NULL, NULL), OK);
    c.who.level = LEVEL_ANYONE;
    assert_int_equal(engine_run(p->e, &c, &op, NULL, NULL), ERR_FORBIDDEN);
    engine_observe(p->e, "GET /x\"y", 404, 1500);
    for (int i = 0; i < 1000; i++) engine_observe(p->e, call_format(&c, "GET /%d", i), 200, 1);
    buf_init(&b, &c, 10000000);
    engine_metrics(p->e, &b);
    assert_non_null(strstr(b.data, "querent_operations_total{op=\"t_counted\",code=\"OK\"} 3\n"));
    assert_non_null(strstr(b.data, "querent_operations_total{op=\"t_counted\",code=\"FORBIDDEN\"} 1\n"));
    assert_non_null(strstr(b.data, "querent_operation_seconds_count{op=\"t_counted\"} 4\n"));
    assert_non_null(strstr(b.data, "querent_requests_total{route=\"GET /x\\\"y\",status=\"4xx\"} 1\n"));
    assert_non_null(strstr(b.data, "querent_request_seconds_bucket{route=\"GET /x\\\"y\",le=\"0.0025\"} 1\n"));
    assert_non_null(strstr(b.data, "querent_requests_total{route=\"other\",status=\"2xx\"} 801\n"));
    assert_non_null(strstr(b.data, "querent_operations_running 0\n"));
    call_end(&c);
}

int main(void)
{
#define OPEN_TEST(f)  cmocka_unit_test_setup_teardown(f, enter, leave)
#define ROLES_TEST(f) cmocka_unit_test_setup_teardown(f, enter_roles, leave)
    const struct CMUnitTest tests[] = {
        OPEN_TEST(levels),        OPEN_TEST(audited),     OPEN_TEST(causes_stay_inside), OPEN_TEST(deadlines),
        OPEN_TEST(concurrency),   OPEN_TEST(keys),        OPEN_TEST(key_refusals),       OPEN_TEST(key_pages),
        OPEN_TEST(local_callers), OPEN_TEST(proxies),     ROLES_TEST(operators),         ROLES_TEST(roles_of_keys),
        OPEN_TEST(reloading),     OPEN_TEST(datasources), OPEN_TEST(state_folder),       OPEN_TEST(metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
