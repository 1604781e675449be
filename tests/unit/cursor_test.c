/* cursor: reads back only unchanged and for what it was made for. */
#include "base/cursor.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const unsigned char key[SECRET_KEY_BYTES] = { 1, 2, 3 }, other_key[SECRET_KEY_BYTES] = { 1, 2, 4 };
static const struct cursor_scope made_for = { key, "result_rows", "default/ann", "rs_1" };

static void round_trip(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    static const char *const positions[] = { "", "0", "2026-09-01|id/7", "\xC3\xA9\n" };
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        const char *back = NULL;
        assert_int_equal(cursor_read(&c, &made_for, cursor_make(&c, &made_for, positions[i]), &back), OK);
        assert_string_equal(back, positions[i]);
    }
    call_end(&c);
}

static void foreign(void **state)
{
    (void)state;
    static const struct cursor_scope others[] = {
        { other_key, "result_rows", "default/ann", "rs_1" }, { key, "dashboard_list", "default/ann", "rs_1" },
        { key, "result_rows", "default/bob", "rs_1" },       { key, "result_rows", "default/ann", "rs_2" },
        { key, "result_rows", "default/ann", NULL },         { key, "result_rows", "default", "/annrs_1" },
        { key, "result_row", "sdefault/ann", "rs_1" },
    };
    struct call c;
    call_begin(&c);
    const char *text = cursor_make(&c, &made_for, "42"), *back;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(cursor_read(&c, &others[i], text, &back), ERR_CURSOR_INVALID);
        call_forgive(&c);
    }
    call_end(&c);
}

static void damaged(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    const char *back;
    char *text = cursor_make(&c, &made_for, "42");
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        char was = text[i];
        text[i] = was == 'A' ? 'B' : 'A';
        assert_int_equal(cursor_read(&c, &made_for, text, &back), ERR_CURSOR_INVALID);
        call_forgive(&c);
        text[i] = was;
        assert_int_equal(cursor_read(&c, &made_for, call_strndup(&c, text, i), &back), ERR_CURSOR_INVALID);
        call_forgive(&c);
    }
    assert_int_equal(cursor_read(&c, &made_for, text, &back), OK);
    char longer[CURSOR_TEXT_MAX + 2];
    memset(longer, 'A', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(cursor_read(&c, &made_for, longer, &back), ERR_CURSOR_INVALID);
    assert_string_equal(c.err.message, "The cursor is invalid or has expired.");
    call_end(&c);
}

/* A cursor signed as cursor_make signs, with an expiry of the test's choice. */
static const char *made_at(struct call *c, uint64_t expires)
{
    static const char scope[] = "11:result_rows11:default/ann4:rs_110:";
    unsigned char text[sizeof scope - 1 + 10], *body = text + sizeof scope - 1, mac[32];
    memcpy(text, scope, sizeof scope - 1);
    for (int i = 0; i < 8; i++) body[i] = (unsigned char)(expires >> (56 - 8 * i));
    memcpy(body + 8, "42", 2);
    hmac_sha256(key, text, sizeof text, mac);
    unsigned char whole[26];
    memcpy(whole, body, 10);
    memcpy(whole + 10, mac, 16);
    return base64url(c, whole, sizeof whole);
}

static void expired(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    const char *back;
    uint64_t now = (uint64_t)clock_utc_us();
    assert_int_equal(cursor_read(&c, &made_for, made_at(&c, now + 60000000), &back), OK);
    assert_string_equal(back, "42");
    assert_int_equal(cursor_read(&c, &made_for, made_at(&c, now - 1), &back), ERR_CURSOR_INVALID);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(round_trip), cmocka_unit_test(foreign),
                                        cmocka_unit_test(damaged), cmocka_unit_test(expired) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
