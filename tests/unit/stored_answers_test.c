/* Results, conversations and dashboards in the store: bound to their owner, one turn at a time, paged, expiring. */
#include "store/conversations.h"
#include "store/dashboards.h"
#include "store/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const struct principal ada = { .user = "ada", .tenant = "default" };
static const struct principal others[] = { { .user = "bob", .tenant = "default" },
                                           { .user = "ada", .tenant = "elsewhere" } };

static struct db *open_store(struct call *c)
{
    struct db *db = NULL;
    call_begin(c);
    assert_int_equal(db_open(c, ":memory:", &db), OK);
    return db;
}

static void close_store(struct call *c, struct db *db)
{
    db_close(db);
    call_end(c);
}

static void results(void **state)
{
    (void)state;
    struct call c;
    struct db *db = open_store(&c);
    struct receipt receipt = { .schema_fingerprint = "f",
                               .policy_version = "p",
                               .plan_hash = "ph",
                               .sql_hash = "sh",
                               .row_hash = "rh",
                               .engine_version = "1",
                               .at_us = 1700000000000000 };
    struct stored_result r = { .id = "rs_1",
                               .tenant_id = "default",
                               .owner = "ada",
                               .trace_id = "tr_1",
                               .datasource_id = "demo",
                               .question = "Łódź?",
                               .sql = "SELECT 1",
                               .plan = { "{}", 2 },
                               .receipt = &receipt,
                               .view_key = "k",
                               .sql_hash = "sh",
                               .row_hash = "rh",
                               .row_count = 5,
                               .stored_rows = 5,
                               .created_at = 1000,
                               .expires_at = 2000 };
    struct answer_column *column = list_push(&c, &r.columns, sizeof *column);
    *column = (struct answer_column){ .name = "n", .type = "integer", .encoding = "mixed" };
    *(const char **)list_push(&c, &column->sources, sizeof(const char *)) = "orders.n";
    struct list chunks = { 0 }, got = { 0 };
    *(struct stored_chunk *)list_push(&c, &chunks, sizeof(struct stored_chunk)) =
        (struct stored_chunk){ 0, 3, { "[1]\n[2]\n[3]\n", 12 } };
    *(struct stored_chunk *)list_push(&c, &chunks, sizeof(struct stored_chunk)) =
        (struct stored_chunk){ 3, 2, { "[4]\n[5]\n", 8 } };
    assert_int_equal(results_insert(db, &c, &r, &chunks), OK);

    struct stored_result back = { 0 };
    bool found;
    assert_int_equal(results_get(db, &c, &ada, "rs_1", 1500, &back, &found), OK);
    assert_true(found);
    assert_string_equal(back.question, "Łódź?");
    assert_null(back.reading);
    assert_string_equal(back.receipt->row_hash, "rh");
    assert_int_equal(back.receipt->at_us, receipt.at_us);
    assert_string_equal(LIST_AT(&LIST_AT(&back.columns, struct answer_column, 0).sources, const char *, 0), "orders.n");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(results_get(db, &c, &others[i], "rs_1", 1500, &back, &found), OK);
        assert_false(found);
    }
    assert_int_equal(results_get(db, &c, &ada, "rs_1", 2000, &back, &found), OK);
    assert_false(found);

    assert_int_equal(results_chunks(db, &c, "rs_1", 2, 1, &got), OK);
    assert_int_equal(got.count, 1);
    got.count = 0;
    assert_int_equal(results_chunks(db, &c, "rs_1", 2, 2, &got), OK);
    assert_int_equal(got.count, 2);
    assert_int_equal(LIST_AT(&got, struct stored_chunk, 1).first_row, 3);

    assert_int_equal(results_purge(db, &c, 1999), OK);
    assert_int_equal(results_get(db, &c, &ada, "rs_1", 1500, &back, &found), OK);
    assert_true(found);
    assert_int_equal(results_purge(db, &c, 2000), OK);
    assert_int_equal(results_get(db, &c, &ada, "rs_1", 1500, &back, &found), OK);
    assert_false(found);
    got.count = 0;
    assert_int_equal(results_chunks(db, &c, "rs_1", 0, 10, &got), OK);
    assert_int_equal(got.count, 0);
    close_store(&c, db);
}

static void make_conversation(struct call *c, struct db *db, const char *id, int64_t at)
{
    struct stored_conversation v = { .id = id, .tenant_id = "default", .owner = "ada", .title = "", .created_at = at };
    assert_int_equal(conversations_insert(db, c, &v), OK);
}

static void conversations_belong_to_their_owner(void **state)
{
    (void)state;
    struct call c;
    struct db *db = open_store(&c);
    struct stored_conversation v = { 0 };
    struct list list = { 0 };
    bool found;
    static const char *const ids[] = { "cv_1", "cv_2", "cv_3", "cv_4" };
    for (int i = 0; i < 4; i++) make_conversation(&c, db, ids[i], i < 2 ? 100 : 200); /* equal times break ties by id */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(conversations_get(db, &c, &others[i], "cv_1", &v, &found), OK);
        assert_false(found);
        assert_int_equal(conversations_list(db, &c, &others[i], 0, NULL, 10, &list), OK);
        assert_int_equal(list.count, 0);
        assert_int_equal(conversations_delete(db, &c, &others[i], "cv_1", &found), OK);
        assert_false(found);
    }
    assert_int_equal(conversations_list(db, &c, &ada, 0, NULL, 3, &list), OK);
    static const char *const order[] = { "cv_4", "cv_3", "cv_2" };
    for (size_t i = 0; i < 3; i++) assert_string_equal(LIST_AT(&list, struct stored_conversation, i).id, order[i]);
    list.count = 0;
    assert_int_equal(conversations_list(db, &c, &ada, 100, "cv_2", 3, &list), OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(conversations_delete(db, &c, &ada, "cv_1", &found), OK);
    assert_true(found);
    assert_int_equal(conversations_purge(db, &c, 150), OK);
    list.count = 0;
    assert_int_equal(conversations_list(db, &c, &ada, 0, NULL, 10, &list), OK);
    assert_int_equal(list.count, 2);
    close_store(&c, db);
}

static void one_turn_at_a_time(void **state)
{
    (void)state;
    struct call c;
    struct db *db = open_store(&c);
    struct stored_conversation v = { 0 };
    struct list turns = { 0 };
    bool taken, found;
    make_conversation(&c, db, "cv_1", 100);
    assert_int_equal(conversations_lock(db, &c, "cv_1", "a", 1000, 2000, &taken), OK);
    assert_true(taken);
    assert_int_equal(conversations_lock(db, &c, "cv_1", "b", 1500, 2500, &taken), OK);
    assert_false(taken);
    assert_int_equal(conversations_unlock(db, &c, "cv_1", "b"), OK); /* not b's */
    assert_int_equal(conversations_lock(db, &c, "cv_1", "b", 1500, 2500, &taken), OK);
    assert_false(taken);
    assert_int_equal(conversations_lock(db, &c, "cv_1", "b", 2000, 3000, &taken), OK); /* a's lock has lapsed */
    assert_true(taken);

    struct stored_turn turn = { .at = 2100,
                                .kind = "question",
                                .text = "How many?",
                                .question = "How many?",
                                .status = "answered",
                                .trace_id = "tr",
                                .result = { "{\"status\":\"success\"}", 20 } };
    struct raw pending = { "{\"x\":1}", 7 }, none = { 0 };
    assert_int_equal(conversations_append(db, &c, "cv_1", "a", "T", pending, &turn), ERR_CONFLICT);
    call_forgive(&c);
    assert_int_equal(conversations_append(db, &c, "cv_1", "b", "T", pending, &turn), OK);
    assert_int_equal(turn.number, 1);
    assert_int_equal(conversations_get(db, &c, &ada, "cv_1", &v, &found), OK);
    assert_string_equal(v.title, "T");
    assert_int_equal(v.turn_count, 1);
    assert_string_equal(v.pending.text, "{\"x\":1}");
    assert_int_equal(conversations_lock(db, &c, "cv_1", "c", 2200, 3000, &taken), OK); /* append gave it back */
    assert_true(taken);
    assert_int_equal(conversations_append(db, &c, "cv_1", "c", "Other", none, &turn), OK);
    assert_int_equal(conversations_get(db, &c, &ada, "cv_1", &v, &found), OK);
    assert_string_equal(v.title, "T");
    assert_int_equal(conversations_turns(db, &c, "cv_1", &turns), OK);
    assert_int_equal(turns.count, 2);
    assert_int_equal(LIST_AT(&turns, struct stored_turn, 1).number, 2);
    close_store(&c, db);
}

static void dashboards(void **state)
{
    (void)state;
    struct call c;
    struct db *db = open_store(&c);
    struct stored_dashboard d = {
        .id = "db_1", .tenant_id = "default", .owner = "ada", .title = "Sales", .created_at = 5
    };
    struct stored_tile t = { .title = "T",
                             .question = "Q",
                             .datasource_id = "demo",
                             .source = "plan",
                             .chart = "auto",
                             .plan = { "{}", 2 },
                             .w = 2,
                             .h = 2 };
    struct list tiles = { 0 };
    bool found, added;
    static const char *const ids[] = { "tl_1", "tl_2", "tl_3" };
    assert_int_equal(dashboards_insert(db, &c, &d), OK);
    for (int i = 0; i < 3; i++) {
        t.id = ids[i];
        assert_int_equal(dashboards_add_tile(db, &c, "db_1", &t, 2, 10 + i, &added), OK);
        assert_int_equal(added, i < 2);
    }
    assert_int_equal(dashboards_get(db, &c, &ada, "db_1", &d, &found), OK);
    assert_true(found);
    assert_int_equal(d.tile_count, 2);
    assert_int_equal(d.updated_at, 11);
    for (int i = 0; i < 2; i++) {
        struct stored_dashboard foreign = { 0 };
        assert_int_equal(dashboards_get(db, &c, &others[i], "db_1", &foreign, &found), OK);
        assert_false(found);
        assert_int_equal(dashboards_delete(db, &c, &others[i], "db_1", &found), OK);
        assert_false(found);
    }
    assert_int_equal(dashboards_delete_tile(db, &c, "db_1", "tl_9", 12, &found), OK);
    assert_false(found);
    assert_int_equal(dashboards_delete_tile(db, &c, "db_1", "tl_1", 12, &found), OK);
    assert_true(found);
    assert_int_equal(dashboards_tiles(db, &c, "db_1", &tiles), OK);
    assert_int_equal(tiles.count, 1);
    assert_int_equal(LIST_AT(&tiles, struct stored_tile, 0).position, 2);
    assert_int_equal(dashboards_delete(db, &c, &ada, "db_1", &found), OK);
    assert_true(found);
    tiles.count = 0;
    assert_int_equal(dashboards_tiles(db, &c, "db_1", &tiles), OK);
    assert_int_equal(tiles.count, 0);
    close_store(&c, db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(results),
                                        cmocka_unit_test(conversations_belong_to_their_owner),
                                        cmocka_unit_test(one_turn_at_a_time), cmocka_unit_test(dashboards) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
