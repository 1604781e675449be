/* identity: which credentials are believed, in which form and from where; nothing that is sent is taken for nothing.
 * The store is not needed: the key in force stands in the cache. */
#include "identity/identity.h"
#include "identity/key_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

struct scene {
    struct call call;
    struct key_cache keys;
    struct policies *policies;
    struct api_config api;
    struct mcp_config mcp;
    struct config config;
    struct key_token token;
    struct api_key key;
};

static const char roles[] =
    "{\"default_role\":\"reader\",\"editor_roles\":[\"writer\"],\"roles\":{\"reader\":{},\"writer\":{},"
    "\"admin\":{}}}";

static void keep_key(struct scene *s)
{
    struct api_key found;
    uint64_t ticket;
    key_cache_find(&s->keys, &s->call, s->key.id, &found, &ticket);
    key_cache_put(&s->keys, &s->key, ticket);
}

static int enter(void **state)
{
    static struct scene s;
    const struct json *section;
    memset(&s, 0, sizeof s);
    call_begin(&s.call);
    key_cache_init(&s.keys);
    assert_int_equal(json_parse(&s.call, roles, sizeof roles - 1, &section), OK);
    assert_int_equal(policies_load(&s.call, section, &s.policies), OK);
    s.config = (struct config){ .api = &s.api, .mcp = &s.mcp };
    key_token_make(&s.call, &s.token);
    s.key = (struct api_key){
        .id = s.token.id, .user_id = "ann", .tenant_id = "t", .level = LEVEL_ADMIN, .secret_hash = s.token.secret_hash
    };
    *(const char **)list_push(&s.call, &s.key.roles, sizeof(char *)) = "writer";
    *(const char **)list_push(&s.call, &s.key.roles, sizeof(char *)) = "ghost";
    *state = &s;
    return 0;
}

static int leave(void **state)
{
    struct scene *s = *state;
    policies_free(s->policies);
    key_cache_free(&s->keys);
    call_end(&s->call);
    return 0;
}

static bool believed(struct scene *s, const struct credential *credential)
{
    call_forgive(&s->call);
    s->call.who = (struct principal){ 0 };
    int rc = identity_resolve(&s->call, NULL, &s->keys, &s->config, s->policies, credential);
    if (rc) {
        assert_int_equal(rc, ERR_UNAUTHENTICATED);
        assert_string_equal(s->call.err.message, code_row(ERR_UNAUTHENTICATED)->text);
        assert_int_equal(s->call.who.level, LEVEL_ANYONE);
    }
    return !rc;
}

static void forms_of_a_key(void **state)
{
    struct scene *s = *state;
    struct call *c = &s->call;
    const char *token = s->token.token;
    keep_key(s);
    const char *good[] = { call_format(c, "Bearer %s", token), call_format(c, "bearer %s", token),
                           call_format(c, "BEARER\t%s", token), call_format(c, "Bearer  \t %s", token) };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!believed(s, &(struct credential){ .authorization = good[i] })) fail_msg("%s is not believed", good[i]);
        assert_string_equal(c->who.user, "ann");
        assert_int_equal(c->who.level, LEVEL_EDITOR); /* of its role: the policy has roles */
        assert_int_equal(c->who.role_count, 1);       /* a role that the policy lost grants nothing */
    }
    assert_true(believed(s, &(struct credential){ .api_key = token }));
    const char *bad[] = { call_format(c, "Basic %s", token),
                          call_format(c, "Bearer%s", token),
                          call_format(c, "Bearer:%s", token),
                          call_format(c, "Bearer %s ", token),
                          call_format(c, "Bearer %sx", token),
                          "Bearer",
                          "Bearer ",
                          "",
                          token };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (believed(s, &(struct credential){ .authorization = bad[i] })) fail_msg("'%s' is believed", bad[i]);
    assert_false(believed(s, &(struct credential){ .authorization = good[0], .api_key = token }));
    /* A wrong credential is none even where none is needed. */
    s->api.auth = AUTH_NONE;
    assert_false(believed(s, &(struct credential){ .authorization = "Bearer x", .local = true }));
    assert_false(believed(s, &(struct credential){ .api_key = "x", .local = true }));
}

/* One character of the token another one: whichever it is, it is not the key. */
static void another_token(void **state)
{
    struct scene *s = *state;
    struct key_token read;
    char *text = call_strdup(&s->call, s->token.token);
    keep_key(s);
    for (size_t i = 0; text[i]; i++) {
        char was = text[i];
        text[i] = was == 'a' ? 'b' : 'a';
        if (i >= 3 && i < 3 + API_KEY_ID_BYTES) text[i] = 'U'; /* no letter of an id */
        if (key_token_read(&s->call, text, &read) && key_token_fits(&read, &s->key) && !strcmp(read.id, s->key.id))
            fail_msg("%s", text);
        if (i < 4 + API_KEY_ID_BYTES) assert_false(key_token_read(&s->call, text, &read));
        text[i] = was;
    }
    assert_true(key_token_read(&s->call, text, &read) && key_token_fits(&read, &s->key));
    text[strlen(text) - 1] = 0;
    assert_false(key_token_read(&s->call, text, &read));
    struct api_key odd = s->key;
    odd.secret_hash = NULL;
    assert_false(key_token_fits(&s->token, &odd));
    odd.secret_hash = call_strndup(&s->call, s->key.secret_hash, 63);
    assert_false(key_token_fits(&s->token, &odd));
    odd.secret_hash = call_format(&s->call, "%s0", s->key.secret_hash);
    assert_false(key_token_fits(&s->token, &odd));
}

static void roles_and_revocation(void **state)
{
    struct scene *s = *state;
    const struct credential with = { .api_key = s->token.token };
    s->key.roles = (struct list){ 0 };
    keep_key(s);
    assert_false(believed(s, &with)); /* no role that the policy has */
    key_cache_forget(&s->keys, s->key.id);
    struct api_key found;
    uint64_t ticket;
    assert_false(key_cache_find(&s->keys, &s->call, s->key.id, &found, &ticket));
    key_cache_put(&s->keys, &s->key, ticket - 1); /* read before it was forgotten */
    assert_false(key_cache_find(&s->keys, &s->call, s->key.id, &found, &ticket));
    s->key.user_id =
        "a user whose name is longer than a place of the cache, which keeps nothing of it then ............"
        "........................................................................................"
        "........................................................................................"
        "........................................................................................"
        "........................................................................................";
    key_cache_put(&s->keys, &s->key, ticket);
    assert_false(key_cache_find(&s->keys, &s->call, s->key.id, &found, &ticket));
}

static void proxies(void **state)
{
    struct scene *s = *state;
    char *longest = call_alloc(&s->call, 258);
    memset(longest, 'n', 257);
    const char *bad[] = { "", "a\x01", "a\x7f", "a\nb", "\xff", "\xc0\xaf", longest };
    s->api.auth = AUTH_PROXY;
    *(const char **)list_push(&s->call, &s->api.proxy_addresses, sizeof(char *)) = "10.0.0.1";
    struct credential with = { .peer = "10.0.0.1", .proxy_user = "eve", .proxy_roles = "writer , ghost,\treader" };
    assert_true(believed(s, &with));
    assert_int_equal(s->call.who.level, LEVEL_EDITOR);
    assert_int_equal(s->call.who.role_count, 2);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        with.proxy_user = bad[i];
        if (believed(s, &with)) fail_msg("the user %zu is believed", i);
    }
    longest[256] = 0;
    with.proxy_user = longest;
    assert_true(believed(s, &with));
    with.proxy_user = NULL;
    assert_false(believed(s, &with));
    with.proxy_user = "eve";
    with.peer = "10.0.0.2";
    assert_false(believed(s, &with));
    with.peer = NULL;
    assert_false(believed(s, &with));
    with = (struct credential){ .peer = "10.0.0.1", .proxy_user = "eve" }; /* no role: no level */
    assert_true(believed(s, &with));
    assert_int_equal(s->call.who.level, LEVEL_ANYONE);
}

static void nobody(void **state)
{
    struct scene *s = *state;
    assert_false(believed(s, &(struct credential){ .local = true })); /* keys are asked for */
    s->api.auth = AUTH_NONE;
    assert_true(believed(s, &(struct credential){ .local = true }));
    assert_string_equal(s->call.who.user, "local");
    assert_int_equal(s->call.who.role_count, 1);
    assert_string_equal(s->call.who.roles[0], "reader");
    assert_false(believed(s, &(struct credential){ .local = false }));
    assert_false(believed(s, &(struct credential){ .local = true, .mcp = true })); /* mcp.auth counts there */
    s->mcp.auth = AUTH_NONE;
    assert_true(believed(s, &(struct credential){ .local = true, .mcp = true }));
    s->api.auth = AUTH_JWT;
    assert_false(believed(s, &(struct credential){ .local = true }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forms_of_a_key, enter, leave),
        cmocka_unit_test_setup_teardown(another_token, enter, leave),
        cmocka_unit_test_setup_teardown(roles_and_revocation, enter, leave),
        cmocka_unit_test_setup_teardown(proxies, enter, leave),
        cmocka_unit_test_setup_teardown(nobody, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
