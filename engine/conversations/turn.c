#include "conversations/pending.h"

#include "base/clock.h"
#include "base/id.h"
#include "policy/policy.h"
#include "schema/registry.h"

#include <string.h>

#define LOCK_SLACK_US (10LL * 1000000)
#define LOCK_MOST_US  (70LL * 1000000)

struct turn_event {
    const char *conversation_id, *kind, *status, *trace_id;
    int64_t index;
};
static const struct field turn_event_fields[] = {
    FIELD(struct turn_event, conversation_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct turn_event, index, K_INT, .flags = F_REQUIRED),
    FIELD(struct turn_event, kind, K_STR, .flags = F_REQUIRED),
    FIELD(struct turn_event, status, K_STR, .flags = F_REQUIRED),
    FIELD(struct turn_event, trace_id, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type turn_event_type = TYPE(struct turn_event, "ConversationTurn", turn_event_fields);

/* One turn on its way. */
struct turning {
    const struct world *world;
    struct db *store;
    const struct turn_request *request;
    struct stored_conversation conversation;
    struct pending *pending;
    const struct pending_option *option; /* set = a choice */
    struct answer *answer;
    struct turn *out;
};

/* What the request means in this conversation, as it stands under the lock. */
static int read_request(struct call *c, struct turning *t)
{
    const struct turn_request *q = t->request;
    int rc = pending_read(c, &t->conversation, &t->pending);
    if (rc) return rc;
    if (t->conversation.turn_count >= TURNS_MAX)
        return call_fail(c, ERR_VALIDATION_ERROR, "This conversation has %d turns; begin another one.", TURNS_MAX);
    if (!q->choice) {
        t->option = t->pending ? pending_find(t->pending, q->text) : NULL;
        return OK;
    }
    if (!t->pending) return call_fail_at(c, ERR_NOTHING_PENDING, "/choice", "%s", code_row(ERR_NOTHING_PENDING)->text);
    t->option = pending_find(t->pending, q->choice);
    if (t->option) return OK;
    struct buf names;
    buf_init(&names, c, 4096);
    for (size_t i = 0; i < t->pending->options.count; i++)
        buf_format(&names, "%s%s", i ? ", " : "", LIST_AT(&t->pending->options, struct pending_option, i).id);
    return call_fail_at(c, ERR_CLARIFICATION_INVALID, "/choice", "'%s' is not one of the options; they are %s.",
                        q->choice, names.data);
}

static bool stale(struct call *c, const struct turning *t)
{
    const struct datasource *ds = registry_get(t->world->registry, c, t->pending->datasource_id);
    return !ds || !ds->snapshot || strcmp(ds->snapshot->fingerprint, t->pending->fingerprint) != 0;
}

static int run(struct call *c, struct turning *t)
{
    struct ask_request ask = { .question = t->request->text,
                               .datasource_id = t->conversation.datasource_id,
                               .execute = t->request->execute,
                               .planner = t->request->planner,
                               .conversation_id = t->conversation.id };
    if (t->option) {
        if (stale(c, t)) {
            t->out->error = call_alloc(c, sizeof *t->out->error);
            t->out->error->code = code_row(ERR_CLARIFICATION_STALE)->name;
            t->out->error->message = code_row(ERR_CLARIFICATION_STALE)->text;
            return OK;
        }
        int rc = plan_decode(c, t->option->plan, &ask.plan);
        if (rc) return rc;
        ask.question = t->pending->question;
        ask.reading = t->option->label;
        ask.datasource_id = t->pending->datasource_id;
    }
    t->out->question = ask.question;
    return ask_question(c, t->world, t->store, &ask, t->answer);
}

static const char *status_of(const struct turning *t)
{
    if (t->out->error) return "error";
    switch ((enum run_status)t->answer->status) {
    case RUN_SUCCESS:
    case RUN_PLAN_ONLY:
        return "answered";
    default:
        return run_status_names[t->answer->status];
    }
}

static struct raw encode(struct call *c, const struct answer *a)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    json_encode(&b, &answer_type, a);
    return (struct raw){ b.data, b.len };
}

/* Stored without rows: those live in the result as long as it does. */
static struct raw without_rows(struct call *c, const struct answer *a)
{
    struct answer copy = *a;
    struct list queries = { 0 };
    for (size_t i = 0; i < a->sub_queries.count; i++) {
        struct answer_query *q = list_push(c, &queries, sizeof *q);
        *q = LIST_AT(&a->sub_queries, struct answer_query, i);
        q->rows = (struct raw){ 0 };
    }
    copy.sub_queries = queries;
    copy.chart = (struct raw){ 0 };
    if (copy.answer) {
        copy.answer = call_alloc(c, sizeof *copy.answer);
        copy.answer->summary = copy.answer->content = a->answer->summary;
    }
    return encode(c, &copy);
}

static const char *title_of(struct call *c, const char *text)
{
    size_t n = strlen(text);
    if (n > TITLE_BYTES)
        for (n = TITLE_BYTES; n && ((unsigned char)text[n] & 0xC0) == 0x80;) n--;
    return call_strndup(c, text, n);
}

static int keep(struct call *c, struct turning *t, const char *lock)
{
    struct turn *out = t->out;
    struct stored_turn s = { .at = clock_utc_us(),
                             .kind = t->option ? "choice" : "question",
                             .text = t->option ? t->option->label : t->request->text,
                             .question = out->question,
                             .status = status_of(t),
                             .trace_id = c->trace_id };
    struct raw pending = { 0 };
    int rc = OK;
    if (out->error) {
        struct buf b;
        buf_init(&b, c, 4096);
        buf_str(&b, "{\"code\":");
        json_add_string(&b, out->error->code);
        buf_str(&b, ",\"message\":");
        json_add_string(&b, out->error->message);
        buf_char(&b, '}');
        s.error = (struct raw){ b.data, b.len };
    } else {
        s.result = without_rows(c, t->answer);
        out->result = encode(c, t->answer);
        rc = pending_write(c, out->question, t->answer, &pending);
    }
    if (!rc) rc = conversations_append(t->store, c, t->conversation.id, lock, title_of(c, s.text), pending, &s);
    if (rc) return rc;
    out->refers_to = (struct raw)TURN_REFERS_TO_NONE;
    out->index = s.number;
    out->at = s.at;
    out->kind = s.kind;
    out->text = s.text;
    out->status = s.status;
    out->trace_id = s.trace_id;
    struct turn_event event = { t->conversation.id, s.kind, s.status, s.trace_id, s.number };
    return call_emit(c, "conversation.turn", &turn_event_type, &event);
}

int conversation_turn(struct call *c, const struct world *w, struct db *store, const char *id,
                      const struct turn_request *request, struct turn *out, struct answer *answer)
{
    struct turning t = { .world = w, .store = store, .request = request, .answer = answer, .out = out };
    const char *lock = id_new(c, "lk");
    int64_t now = clock_utc_us(), left = call_left_us(c);
    bool taken = false;
    if (!request->text == !request->choice)
        return call_fail(c, ERR_VALIDATION_ERROR, "Send either 'text' or 'choice'.");
    int rc = conversation_load(c, store, id, &t.conversation);
    if (!rc)
        rc = conversations_lock(store, c, id, lock, now,
                                now + (left < LOCK_MOST_US ? left : LOCK_MOST_US) + LOCK_SLACK_US, &taken);
    if (rc) return rc;
    if (!taken) return call_fail(c, ERR_CONVERSATION_BUSY, "%s", code_row(ERR_CONVERSATION_BUSY)->text);
    rc = conversation_load(c, store, id, &t.conversation); /* again: a turn may have ended in between */
    if (!rc) rc = read_request(c, &t);
    if (!rc) rc = run(c, &t);
    if (!rc) rc = keep(c, &t, lock);
    if (!rc) return OK;
    struct err why = c->err; /* the turn's own error stands; a lock that could not be given back lapses */
    call_forgive(c);
    conversations_unlock(store, c, id, lock);
    c->err = why;
    return rc;
}
