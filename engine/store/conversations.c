#include "store/conversations.h"

#include "store/owned.h"

static const struct field conversation_fields[] = {
    FIELD(struct stored_conversation, id, K_STR),
    FIELD(struct stored_conversation, tenant_id, K_STR),
    FIELD(struct stored_conversation, owner, K_STR),
    FIELD(struct stored_conversation, title, K_STR),
    FIELD(struct stored_conversation, datasource_id, K_STR),
    FIELD(struct stored_conversation, turn_count, K_INT),
    FIELD(struct stored_conversation, pending, K_RAW),
    FIELD(struct stored_conversation, created_at, K_TIME),
    FIELD(struct stored_conversation, updated_at, K_TIME),
    { 0 },
};
static const struct type conversation_row = TYPE(struct stored_conversation, "StoredConversation", conversation_fields);

static const struct field turn_fields[] = {
    FIELD(struct stored_turn, number, K_INT),
    FIELD(struct stored_turn, at, K_TIME),
    FIELD(struct stored_turn, kind, K_STR),
    FIELD(struct stored_turn, text, K_STR),
    FIELD(struct stored_turn, question, K_STR),
    FIELD(struct stored_turn, status, K_STR),
    FIELD(struct stored_turn, trace_id, K_STR),
    FIELD(struct stored_turn, rewritten, K_BOOL),
    FIELD(struct stored_turn, result, K_RAW),
    FIELD(struct stored_turn, error, K_RAW),
    { 0 },
};
static const struct type turn_row = TYPE(struct stored_turn, "StoredTurn", turn_fields);

#define COLUMNS "id, tenant_id, owner, title, datasource_id, turn_count, pending, created_at, updated_at"

static const struct owned owned = OWNED(&conversation_row, COLUMNS, "conversations", "turns", "conversation_id");

int conversations_insert(struct db *db, struct call *c, const struct stored_conversation *v)
{
    return db_exec(
        db, c, "INSERT INTO conversations (" COLUMNS ", busy_until) VALUES ($1, $2, $3, $4, $5, 0, NULL, $6, $6, 0)",
        PARAMS(P_T(v->id), P_T(v->tenant_id), P_T(v->owner), P_T(v->title), P_T(v->datasource_id), P_I(v->created_at)),
        NULL);
}

int conversations_get(struct db *db, struct call *c, const struct principal *who, const char *id,
                      struct stored_conversation *out, bool *found)
{
    return owned_get(db, c, &owned, who, id, out, found);
}

int conversations_list(struct db *db, struct call *c, const struct principal *who, int64_t before_us,
                       const char *before_id, int64_t limit, struct list *out)
{
    return owned_list(db, c, &owned, who, before_us, before_id, limit, out);
}

int conversations_delete(struct db *db, struct call *c, const struct principal *who, const char *id, bool *found)
{
    return owned_delete(db, c, &owned, who, id, found);
}

int conversations_turns(struct db *db, struct call *c, const char *id, struct list *out)
{
    return db_query(db, c,
                    "SELECT number, at, kind, text, question, status, trace_id, rewritten, result, error FROM turns"
                    " WHERE conversation_id = $1 ORDER BY number",
                    PARAMS(P_T(id)), &turn_row, out);
}

static int purge(struct db *db, struct call *c, void *ctx)
{
    const int64_t *before = ctx;
    int rc = db_exec(db, c,
                     "DELETE FROM turns WHERE conversation_id IN (SELECT id FROM conversations WHERE updated_at < $1)",
                     PARAMS(P_I(*before)), NULL);
    return rc ? rc : db_exec(db, c, "DELETE FROM conversations WHERE updated_at < $1", PARAMS(P_I(*before)), NULL);
}

int conversations_purge(struct db *db, struct call *c, int64_t before_us)
{
    return db_transaction(db, c, purge, &before_us);
}

int conversations_lock(struct db *db, struct call *c, const char *id, const char *by, int64_t now_us, int64_t until_us,
                       bool *taken)
{
    int64_t changed = 0;
    int rc = db_exec(db, c, "UPDATE conversations SET busy_until = $1, busy_by = $2 WHERE id = $3 AND busy_until <= $4",
                     PARAMS(P_I(until_us), P_T(by), P_T(id), P_I(now_us)), &changed);
    *taken = changed > 0;
    return rc;
}

int conversations_unlock(struct db *db, struct call *c, const char *id, const char *by)
{
    return db_exec(db, c, "UPDATE conversations SET busy_until = 0, busy_by = NULL WHERE id = $1 AND busy_by = $2",
                   PARAMS(P_T(id), P_T(by)), NULL);
}

struct appending {
    const char *id, *by, *title;
    struct raw pending;
    struct stored_turn *turn;
};

static int append(struct db *db, struct call *c, void *ctx)
{
    struct appending *a = ctx;
    struct stored_turn *t = a->turn;
    struct stored_conversation now = { 0 };
    int64_t changed = 0;
    bool found;
    int rc =
        db_exec(db, c,
                "UPDATE conversations SET turn_count = turn_count + 1, pending = $1, updated_at = $2, busy_until = 0,"
                " busy_by = NULL, title = CASE WHEN title = '' THEN $3 ELSE title END WHERE id = $4 AND busy_by = $5",
                PARAMS(db_raw(a->pending), P_I(t->at), P_T(a->title), P_T(a->id), P_T(a->by)), &changed);
    if (!rc && !changed) return call_fail(c, ERR_CONFLICT, "The conversation was changed or deleted meanwhile.");
    if (!rc)
        rc = db_one(db, c, "SELECT turn_count FROM conversations WHERE id = $1", PARAMS(P_T(a->id)), &conversation_row,
                    &now, &found);
    if (rc) return rc;
    t->number = now.turn_count;
    return db_exec(db, c,
                   "INSERT INTO turns (conversation_id, number, at, kind, text, question, rewritten, status, trace_id,"
                   " result, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                   PARAMS(P_T(a->id), P_I(t->number), P_I(t->at), P_T(t->kind), P_T(t->text), P_T(t->question),
                          P_I(t->rewritten), P_T(t->status), P_T(t->trace_id), db_raw(t->result),
                          db_raw(t->error)),
                   NULL);
}

int conversations_append(struct db *db, struct call *c, const char *id, const char *by, const char *title,
                         struct raw pending, struct stored_turn *turn)
{
    struct appending a = { id, by, title, pending, turn };
    return db_transaction(db, c, append, &a);
}
