/* ask, results, conversations, dashboards over the real demo database, store, policy and guard. Only the planner is the
 * test's own: a question carries its plan as JSON. `plan:` answers with it, `either:` asks back between two, anything
 * else cannot be answered. */
#include "ask/ask.h"
#include "conversations/conversation.h"
#include "dashboards/dashboard.h"
#include "results/results.h"
#include "schema/snapshot.h"
#include "store/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Plans of the demo, in the fewest words. */
#define TABLE(name)         "\"from\":{\"table\":\"" name "\",\"alias\":\"t\"}"
#define COL(name)           "{\"kind\":\"column\",\"table\":\"t\",\"column\":\"" name "\"}"
#define ITEM(expr, alias)   "{\"expr\":" expr ",\"alias\":\"" alias "\"}"
#define COUNT_STAR          "{\"kind\":\"call\",\"function\":\"count\",\"args\":[{\"kind\":\"star\"}]}"
#define SELECT(items, rest) "{\"body\":{\"kind\":\"select\",\"items\":[" items "]," rest "}}"
#define COUNT_OF(table)     SELECT(ITEM(COUNT_STAR, "n"), TABLE(table))
#define CUSTOMERS           COUNT_OF("customers")
#define BY_COUNTRY                                                                                                     \
    SELECT(ITEM(COL("country"), "country") "," ITEM(COUNT_STAR, "n"),                                                  \
           TABLE("customers") ",\"group_by\":[" COL("country") "]")
#define ALL_ITEMS SELECT(ITEM(COL("order_id"), "order_id") "," ITEM(COL("amount"), "amount"), TABLE("order_items"))
#define NOBODY                                                                                                         \
    SELECT(ITEM(COL("first_name"), "first_name"),                                                                      \
           TABLE("customers") ",\"where\":{\"kind\":\"binary\",\"op\":\"=\",\"left\":" COL(                            \
               "city") ",\"right\":{\"kind\":\"literal\",\"type\":\"text\",\"value\":\"Atlantis\"}}")

static int read_plan(struct call *c, const char *text, size_t n, struct query **out)
{
    const struct json *tree;
    int rc = json_parse(c, text, n, &tree);
    return rc ? rc : plan_decode(c, tree, out);
}

static int add_candidate(struct call *c, struct proposal *p, const char *text, size_t n, const char *reading)
{
    struct candidate *k = list_push(c, &p->candidates, sizeof *k);
    k->reading = reading;
    k->confidence = 0.9;
    return read_plan(c, text, n, &k->plan);
}

static int test_plan(struct call *c, const struct planner_env *env, const char *question, struct proposal *out)
{
    struct probe_result probe;
    int rc = OK;
    if (!strncmp(question, "plan:", 5)) {
        out->verdict = VERDICT_ANSWER;
        rc = add_candidate(c, out, question + 5, strlen(question + 5), "the reading");
        struct query *copy = rc ? NULL : plan_copy(c, LIST_AT(&out->candidates, struct candidate, 0).plan);
        return rc ? rc : env->probe(c, env, copy, 1000000, &probe);
    }
    if (!strncmp(question, "either:", 7)) {
        const char *second = strchr(question, '#');
        out->verdict = VERDICT_CLARIFY;
        out->question = "Which one?";
        out->option_count = 2;
        rc = add_candidate(c, out, question + 7, (size_t)(second - question - 7), "the first");
        return rc ? rc : add_candidate(c, out, second + 1, strlen(second + 1), "the second");
    }
    out->verdict = VERDICT_CANNOT;
    *(const char **)list_push(c, &out->missing, sizeof(const char *)) = "weather";
    return OK;
}

static const struct planner test_planner = { "test", test_plan };
const struct planner *const planners[] = { &test_planner, NULL };

/* One process-long setting; each test has its own call and store. */
struct fixture {
    char folder[32];
    const char *path;
    struct call life;
    struct registry *registry;
    struct policies *all, *roles, *narrow;
    struct db *store;
    struct world open, shut, narrowed; /* allow_all; viewer may not read payments; viewer reads only stores */
};
static struct fixture *fx;

static struct policies *policies_of(struct call *c, const char *text)
{
    const struct json *tree = NULL;
    struct policies *p = NULL;
    if (text) assert_int_equal(json_parse(c, text, strlen(text), &tree), OK);
    assert_int_equal(policies_load(c, tree, &p), OK);
    return p;
}

static void put_demo(const char *id, int64_t row_limit)
{
    struct call *c = &fx->life;
    struct json *path = call_alloc(c, sizeof *path), *connection = call_alloc(c, sizeof *connection);
    static const char *const names[] = { "path" };
    struct datasource_config d = { .id = id, .description = "demo", .type = "sqlite", .connection = connection };
    struct snapshot *s;
    *path = (struct json){ .kind = J_STRING, .string = fx->path, .count = strlen(fx->path) };
    *connection = (struct json){ .kind = J_OBJECT, .count = 1, .items = path, .names = names };
    assert_int_equal(type_defaults(c, &datasource_options_type, &d.options), OK);
    if (row_limit) d.options.row_limit = row_limit;
    assert_int_equal(registry_put(fx->registry, c, &d), OK);
    const struct datasource *ds = registry_peek(fx->registry, c, id);
    assert_int_equal(adapter_introspect(c, ds->adapter, &s), OK);
    s->datasource = id;
    s->fingerprint = snapshot_fingerprint(c, s);
    assert_int_equal(registry_publish(fx->registry, c, id, s, NULL), OK);
}

static int set_up(void **state)
{
    (void)state;
    fx = calloc(1, sizeof *fx);
    memcpy(fx->folder, "/tmp/querent-ask-XXXXXX", sizeof "/tmp/querent-ask-XXXXXX");
    if (!mkdtemp(fx->folder)) return -1;
    struct call *c = &fx->life;
    call_begin(c);
    fx->path = call_format(c, "%s/demo.sqlite", fx->folder);
    if (demo_create(c, fx->path) || registry_open(c, &fx->registry) || db_open(c, ":memory:", &fx->store)) return -1;
    put_demo("demo", 0);
    put_demo("small", 50);
    fx->all = policies_of(c, NULL);
    fx->roles = policies_of(c, "{\"roles\":{\"viewer\":{\"allow\":[\"*.*\"],\"deny\":[\"*.payments\"]}}}");
    fx->narrow = policies_of(c, "{\"roles\":{\"viewer\":{\"allow\":[\"demo.stores\"]}}}");
    fx->open = (struct world){ .policies = fx->all, .registry = fx->registry };
    fx->shut = (struct world){ .policies = fx->roles, .registry = fx->registry };
    fx->narrowed = (struct world){ .policies = fx->narrow, .registry = fx->registry };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(fx->store);
    registry_close(fx->registry);
    policies_free(fx->all);
    policies_free(fx->roles);
    policies_free(fx->narrow);
    unlink(fx->path);
    rmdir(fx->folder);
    call_end(&fx->life);
    free(fx);
    return 0;
}

static void begin(struct call *c, const char *user)
{
    static const char *const roles[] = { "viewer" };
    call_begin(c);
    c->audit.op = "ask";
    c->who = (struct principal){
        .user = user, .tenant = "default", .source = "api_key", .level = LEVEL_VIEWER, .roles = roles, .role_count = 1
    };
}

static struct answer ask(struct call *c, const struct world *w, const char *datasource, const char *question)
{
    struct answer a = { 0 };
    struct ask_request r = { .question = question, .datasource_id = datasource, .execute = true };
    assert_int_equal(ask_question(c, w, fx->store, &r, &a), OK);
    assert_int_equal(c->err.code, OK);
    return a;
}

static const struct answer_query *query_of(const struct answer *a)
{
    return &LIST_AT(&a->sub_queries, struct answer_query, 0);
}
static const struct answer_note *error_of(const struct answer *a)
{
    assert_int_equal(a->errors.count, 1);
    return &LIST_AT(&a->errors, struct answer_note, 0);
}

static void answers(void **state)
{
    (void)state;
    struct call c;
    begin(&c, "ada");
    struct answer a = ask(&c, &fx->open, "demo", "plan:" CUSTOMERS);
    assert_int_equal(a.status, RUN_SUCCESS);
    assert_string_equal(a.answer->summary, "The reading is 3000.");
    assert_string_equal(query_of(&a)->rows.text, "[[3000]]");
    assert_int_equal(query_of(&a)->total_rows, 1);
    assert_false(a.truncated);
    assert_string_equal(a.source, "generated");
    assert_non_null(strstr(a.chart.text, "\"kind\":\"big_number\""));
    assert_int_equal(strlen(a.receipt->row_hash), 64);
    assert_int_equal(strlen(a.receipt->plan_hash), 64);
    assert_true(c.audit.allowed);

    a = ask(&c, &fx->open, "demo", "plan:" BY_COUNTRY);
    assert_non_null(strstr(a.chart.text, "\"kind\":\"bar\""));
    assert_non_null(strstr(a.chart.text, "Germany has the highest value of N, 894 (29.8% of the total)."));
    assert_int_equal(query_of(&a)->total_rows, 13);
    assert_true(LIST_AT(&query_of(&a)->column_types, struct answer_column, 0).sources.count == 1);

    a = ask(&c, &fx->open, "small", "plan:" ALL_ITEMS);
    assert_true(a.truncated && query_of(&a)->truncated);
    assert_int_equal(query_of(&a)->total_rows, 50);

    a = ask(&c, &fx->open, "demo", "plan:" NOBODY);
    assert_int_equal(a.status, RUN_SUCCESS);
    assert_string_equal(a.answer->summary, "Nothing was found: the reading.");
    call_end(&c);
}

static void plan_only(void **state)
{
    (void)state;
    struct call c;
    struct answer a = { 0 };
    begin(&c, "ada");
    struct ask_request r = { .question = "plan:" CUSTOMERS, .datasource_id = "demo", .execute = false };
    assert_int_equal(ask_question(&c, &fx->open, fx->store, &r, &a), OK);
    assert_int_equal(a.status, RUN_PLAN_ONLY);
    assert_null(query_of(&a)->rows.text);
    assert_null(query_of(&a)->result_id);
    assert_non_null(strstr(query_of(&a)->sql, "customers"));
    assert_false(c.audit.allowed);
    call_end(&c);
}

/* What a caller may learn from a failure. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        bool open;
        const char *datasource, *question, *code, *message;
    } cases[] = {
        { true, "demo", "what is the weather", "QUESTION_NOT_ANSWERABLE",
          "Nothing in the data here explains 'weather'." },
        { false, "demo", "what is the weather", "SECURITY_VIOLATION",
          "You do not have permission to see the data this question requires." },
        { false, "nowhere", "plan:" CUSTOMERS, "DATASOURCE_NOT_FOUND", "No datasource 'nowhere'." },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct call c;
        begin(&c, "ada");
        struct answer a = ask(&c, cases[i].open ? &fx->open : &fx->shut, cases[i].datasource, cases[i].question);
        assert_int_equal(a.status, RUN_ERROR);
        assert_string_equal(error_of(&a)->code, cases[i].code);
        assert_string_equal(error_of(&a)->message, cases[i].message);
        assert_null(a.answer);
        assert_non_null(c.audit.rule);
        call_end(&c);
    }
    /* A denied table and one that never was end alike, and neither is named. */
    static const char *const both[] = { "plan:" COUNT_OF("payments"), "plan:" COUNT_OF("salaries") };
    const char *seen[2] = { NULL, NULL };
    struct call c;
    begin(&c, "ada");
    for (int i = 0; i < 2; i++) {
        struct answer a = ask(&c, &fx->shut, "demo", both[i]);
        assert_int_equal(a.status, RUN_ERROR);
        assert_null(strstr(error_of(&a)->message, "payments"));
        assert_null(strstr(error_of(&a)->message, "salaries"));
        seen[i] = call_format(&c, "%s %s", error_of(&a)->code, error_of(&a)->message);
    }
    assert_string_equal(seen[0], seen[1]);
    call_end(&c);
    /* A datasource that no role reaches does not exist. */
    begin(&c, "ada");
    struct answer a = ask(&c, &fx->narrowed, "small", "plan:" CUSTOMERS);
    assert_string_equal(error_of(&a)->message, "No datasource 'small'.");
    call_end(&c);
}

static void bad_requests(void **state)
{
    (void)state;
    struct call c;
    struct answer a = { 0 };
    static char long_question[QUESTION_BYTES + 2];
    memset(long_question, 'x', sizeof long_question - 1);
    const struct ask_request bad[] = { { .question = NULL },
                                       { .question = " \n" },
                                       { .question = long_question },
                                       { .question = "q", .planner = "oracle" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(&c, "ada");
        assert_int_equal(ask_question(&c, &fx->open, fx->store, &bad[i], &a), ERR_VALIDATION_ERROR);
        assert_non_null(c.err.field);
        call_end(&c);
    }
}

static void routes(void **state)
{
    (void)state;
    struct call c;
    begin(&c, "ada");
    struct answer a = ask(&c, &fx->narrowed, NULL, "plan:" COUNT_OF("stores"));
    assert_int_equal(a.status, RUN_SUCCESS);
    assert_string_equal(query_of(&a)->datasource_id, "demo");
    c.who.role_count = 0; /* no role, no data */
    a = ask(&c, &fx->shut, NULL, "plan:" CUSTOMERS);
    assert_string_equal(error_of(&a)->code, "SECURITY_VIOLATION");
    call_end(&c);
}

static void pages(void **state)
{
    (void)state;
    struct call c;
    struct opened_result r = { 0 };
    struct raw rows;
    int64_t got;
    begin(&c, "ada");
    struct answer a = ask(&c, &fx->open, "demo", "plan:" ALL_ITEMS);
    const char *id = call_strdup(&fx->life, query_of(&a)->result_id);
    assert_int_equal(result_open(&c, &fx->open, fx->store, id, &r), OK);
    assert_int_equal(r.stored.stored_rows, RESULT_ROWS);
    assert_int_equal(r.stored.row_count, 10000);
    assert_true(r.stored.truncated);
    assert_int_equal(result_rows(&c, fx->store, &r, 150, 200, &rows, &got), OK);
    assert_int_equal(got, 200);
    const struct json *tree;
    assert_int_equal(json_parse(&c, rows.text, rows.n, &tree), OK);
    assert_int_equal(tree->count, 200);
    assert_int_equal(result_rows(&c, fx->store, &r, 990, 200, &rows, &got), OK);
    assert_int_equal(got, 10);
    assert_int_equal(result_rows(&c, fx->store, &r, 5000, 200, &rows, &got), OK);
    assert_int_equal(got, 0);
    assert_string_equal(rows.text, "[]");
    call_end(&c);

    begin(&c, "bob");
    assert_int_equal(result_open(&c, &fx->open, fx->store, id, &r), ERR_NOT_FOUND);
    call_end(&c);
    begin(&c, "ada");
    assert_int_equal(result_open(&c, &fx->open, fx->store, "rs_00000000000000000000000000", &r), ERR_NOT_FOUND);
    call_forgive(&c);
    assert_int_equal(result_open(&c, &fx->open, fx->store, "../etc", &r), ERR_NOT_FOUND);
    call_end(&c);
}

/* Another policy: the same rows stay readable, rows that would not be shown now are gone. */
static void access_is_checked_again(void **state)
{
    (void)state;
    struct call c;
    struct opened_result r = { 0 };
    begin(&c, "ada");
    struct answer customers = ask(&c, &fx->open, "demo", "plan:" CUSTOMERS);
    struct answer payments = ask(&c, &fx->open, "demo", "plan:" COUNT_OF("payments"));
    assert_int_equal(result_open(&c, &fx->shut, fx->store, query_of(&customers)->result_id, &r), OK);
    assert_int_equal(result_open(&c, &fx->shut, fx->store, query_of(&payments)->result_id, &r), ERR_NOT_FOUND);
    assert_null(strstr(c.err.message, "payments"));
    call_forgive(&c);
    assert_int_equal(result_open(&c, &fx->narrowed, fx->store, query_of(&customers)->result_id, &r), ERR_NOT_FOUND);
    call_end(&c);
}

static int take(void *ctx, const char *bytes, size_t n)
{
    buf_add(ctx, bytes, n);
    return 0;
}

static bool no_longer(void *ctx)
{
    (void)ctx;
    return false;
}

static size_t lines_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

static void exports(void **state)
{
    (void)state;
    struct call c;
    struct opened_result r = { 0 };
    struct export_end end = { 0 };
    struct buf out;
    begin(&c, "ada");
    struct answer small = ask(&c, &fx->open, "small", "plan:" ALL_ITEMS);
    struct answer whole = ask(&c, &fx->open, "demo", "plan:" BY_COUNTRY);
    struct answer none = ask(&c, &fx->open, "demo", "plan:" NOBODY);
    struct export_request q = { .format = export_formats[0], .store = fx->store };
    buf_init(&out, &c, (size_t)1 << 30);
    assert_int_equal(result_open(&c, &fx->open, fx->store, query_of(&small)->result_id, &r), OK);
    assert_int_equal(result_export(&c, &r, &q, &end), ERR_INVALID_REQUEST); /* nowhere to write */
    call_forgive(&c);
    c.sinks = (struct sinks){ .write = take, .ctx = &out };
    assert_int_equal(result_export(&c, &r, &q, &end), OK);
    assert_true(end.row_count > 10000 && !end.truncated);
    assert_int_equal(lines_of(out.data), end.row_count + 1);
    assert_true(end.row_hash_equal); /* of the first fifty */

    buf_clear(&out);
    assert_int_equal(result_open(&c, &fx->open, fx->store, query_of(&whole)->result_id, &r), OK);
    assert_int_equal(result_export(&c, &r, &q, &end), OK);
    assert_true(end.row_hash_equal);
    assert_string_equal(end.row_hash, whole.receipt->row_hash);
    r.stored.row_hash = "another";
    assert_int_equal(result_export(&c, &r, &q, &end), OK);
    assert_false(end.row_hash_equal);

    buf_clear(&out);
    assert_int_equal(result_open(&c, &fx->open, fx->store, query_of(&none)->result_id, &r), OK);
    assert_int_equal(result_export(&c, &r, &q, &end), OK);
    assert_string_equal(out.data, "first_name\r\n");
    assert_true(end.row_hash_equal);
    q.current = no_longer;
    assert_int_equal(result_export(&c, &r, &q, &end), ERR_POLICY_CHANGED);
    call_end(&c);
}

#define TURN(request_text, request_choice)                                                                             \
    (&(struct turn_request){ .text = request_text, .choice = request_choice, .execute = true })

static void conversations(void **state)
{
    (void)state;
    struct call c;
    struct conversation v = { 0 };
    struct turn t = { 0 };
    struct answer a = { 0 };
    begin(&c, "ada");
    assert_int_equal(conversation_create(&c, &fx->open, fx->store, NULL, NULL, &v), OK);
    const char *id = call_strdup(&fx->life, v.id);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN(NULL, "a"), &t, &a), ERR_NOTHING_PENDING);
    assert_string_equal(c.err.message, "Nothing in this conversation is waiting for a choice.");
    call_forgive(&c);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN("q", "a"), &t, &a), ERR_VALIDATION_ERROR);
    call_forgive(&c);
    assert_int_equal(
        conversation_turn(&c, &fx->open, fx->store, id, TURN("either:" CUSTOMERS "#" BY_COUNTRY, NULL), &t, &a), OK);
    assert_string_equal(t.status, "needs_clarification");
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN(NULL, "z"), &t, &a),
                     ERR_CLARIFICATION_INVALID);
    assert_non_null(strstr(c.err.message, "a, b"));
    call_forgive(&c);
    memset(&a, 0, sizeof a);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN(NULL, "b"), &t, &a), OK);
    assert_string_equal(t.kind, "choice");
    assert_string_equal(t.text, "the second");
    assert_string_equal(t.status, "answered");
    assert_int_equal(query_of(&a)->total_rows, 13);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN(NULL, "b"), &t, &a), ERR_NOTHING_PENDING);
    call_forgive(&c);

    assert_int_equal(conversation_get(&c, fx->store, id, &v), OK);
    assert_int_equal(v.turns.count, 2);
    assert_null(v.pending);
    const struct turn *stored = &LIST_AT(&v.turns, struct turn, 1);
    assert_non_null(strstr(stored->result.text, "\"rows\":null"));
    assert_null(strstr(stored->result.text, "Germany\""));
    assert_true(strlen(v.title) <= TITLE_BYTES && !strncmp(v.title, "either:", 7));
    call_end(&c);

    begin(&c, "bob");
    assert_int_equal(conversation_get(&c, fx->store, id, &v), ERR_NOT_FOUND);
    call_forgive(&c);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN("q", NULL), &t, &a), ERR_NOT_FOUND);
    call_forgive(&c);
    assert_int_equal(conversation_delete(&c, fx->store, id), ERR_NOT_FOUND);
    call_end(&c);
}

static void busy_and_stale(void **state)
{
    (void)state;
    struct call c;
    struct conversation v = { 0 };
    struct turn t = { 0 };
    struct answer a = { 0 };
    bool taken;
    put_demo("changing", 0);
    begin(&c, "ada");
    assert_int_equal(conversation_create(&c, &fx->open, fx->store, "T", "changing", &v), OK);
    assert_int_equal(conversations_lock(fx->store, &c, v.id, "elsewhere", 0, INT64_MAX, &taken), OK);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, v.id, TURN("q", NULL), &t, &a), ERR_CONVERSATION_BUSY);
    call_forgive(&c);
    assert_int_equal(conversations_unlock(fx->store, &c, v.id, "elsewhere"), OK);
    const char *id = call_strdup(&fx->life, v.id);
    assert_int_equal(
        conversation_turn(&c, &fx->open, fx->store, id, TURN("either:" CUSTOMERS "#" BY_COUNTRY, NULL), &t, &a), OK);
    call_end(&c);

    begin(&c, "ada");
    const struct datasource *ds = registry_peek(fx->registry, &c, "changing");
    struct snapshot *next = snapshot_copy(&c.arena, ds->snapshot);
    next->table_count--;
    next->fingerprint = snapshot_fingerprint(&c, next);
    assert_int_equal(registry_publish(fx->registry, &c, "changing", next, NULL), OK);
    call_end(&c);

    begin(&c, "ada");
    memset(&a, 0, sizeof a);
    memset(&t, 0, sizeof t);
    assert_int_equal(conversation_turn(&c, &fx->open, fx->store, id, TURN(NULL, "a"), &t, &a), OK);
    assert_string_equal(t.status, "error");
    assert_string_equal(t.error->code, "CLARIFICATION_STALE");
    assert_int_equal(registry_remove(fx->registry, &c, "changing"), OK);
    call_end(&c);
}

static const struct tile_run *tile_at(const struct dashboard_run *run, size_t i)
{
    return &LIST_AT(&run->tiles, struct tile_run, i);
}

static void pin(struct call *c, const char *dashboard, const char *datasource, const char *question)
{
    struct answer a = ask(c, &fx->open, datasource, question);
    struct tile tile = { 0 };
    struct tile_request q = { .result_id = query_of(&a)->result_id };
    assert_int_equal(tile_pin(c, &fx->open, fx->store, dashboard, &q, &tile), OK);
}

static void dashboards(void **state)
{
    (void)state;
    struct call c;
    struct dashboard d = { 0 };
    struct dashboard_run run = { 0 };
    put_demo("shrinking", 0);
    begin(&c, "ada");
    assert_int_equal(dashboard_create(&c, &fx->open, fx->store, "Sales", "nowhere", &d), ERR_DATASOURCE_NOT_FOUND);
    call_forgive(&c);
    assert_int_equal(dashboard_create(&c, &fx->open, fx->store, "Sales", NULL, &d), OK);
    const char *id = call_strdup(&fx->life, d.id);
    pin(&c, id, "demo", "plan:" BY_COUNTRY);
    pin(&c, id, "demo", "plan:" NOBODY);
    pin(&c, id, "demo", "plan:" COUNT_OF("payments"));
    pin(&c, id, "shrinking", "plan:" COUNT_OF("suppliers"));
    const char *trace = c.trace_id;
    assert_int_equal(dashboard_refresh(&c, &fx->open, fx->store, id, &run), OK);
    assert_ptr_equal(c.trace_id, trace);
    assert_int_equal(run.tiles.count, 4);
    assert_int_equal(tile_at(&run, 0)->status, TILE_OK);
    assert_non_null(strstr(tile_at(&run, 0)->chart.text, "\"kind\":\"bar\""));
    assert_string_not_equal(tile_at(&run, 0)->trace_id, tile_at(&run, 1)->trace_id);
    assert_int_equal(tile_at(&run, 1)->status, TILE_EMPTY);
    assert_int_equal(tile_at(&run, 2)->status, TILE_OK);
    assert_int_equal(tile_at(&run, 3)->status, TILE_OK);
    assert_int_equal(dashboard_refresh(&c, &fx->shut, fx->store, id, &run), OK);
    assert_int_equal(tile_at(&run, 0)->status, TILE_OK);
    assert_int_equal(tile_at(&run, 2)->status, TILE_DENIED);
    assert_string_equal(tile_at(&run, 2)->error->message, code_row(ERR_SECURITY_VIOLATION)->text);
    assert_int_equal(dashboard_get(&c, fx->store, id, &d), OK);
    const struct tile *second = &LIST_AT(&d.tiles, struct tile, 1);
    assert_int_equal(second->layout->x, 2);
    assert_int_equal(tile_remove(&c, fx->store, id, second->id), OK);
    assert_int_equal(tile_remove(&c, fx->store, id, second->id), ERR_NOT_FOUND);
    call_end(&c);

    begin(&c, "ada"); /* the schema loses its last table: suppliers */
    const struct datasource *ds = registry_peek(fx->registry, &c, "shrinking");
    struct snapshot *next = snapshot_copy(&c.arena, ds->snapshot);
    assert_string_equal(next->tables[next->table_count - 1].name, "suppliers");
    next->table_count--;
    next->fingerprint = snapshot_fingerprint(&c, next);
    assert_int_equal(registry_publish(fx->registry, &c, "shrinking", next, NULL), OK);
    call_end(&c);
    begin(&c, "ada");
    memset(&run, 0, sizeof run);
    assert_int_equal(dashboard_refresh(&c, &fx->open, fx->store, id, &run), OK);
    assert_int_equal(tile_at(&run, 2)->status, TILE_STALE);
    call_end(&c);

    begin(&c, "bob");
    assert_int_equal(dashboard_get(&c, fx->store, id, &d), ERR_NOT_FOUND);
    call_forgive(&c);
    assert_int_equal(dashboard_refresh(&c, &fx->open, fx->store, id, &run), ERR_NOT_FOUND);
    call_forgive(&c);
    assert_int_equal(dashboard_delete(&c, fx->store, id), ERR_NOT_FOUND);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(plan_only),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bad_requests),
        cmocka_unit_test(routes),
        cmocka_unit_test(pages),
        cmocka_unit_test(access_is_checked_again),
        cmocka_unit_test(exports),
        cmocka_unit_test(conversations),
        cmocka_unit_test(busy_and_stale),
        cmocka_unit_test(dashboards),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
