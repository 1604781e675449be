/* config: a secret of a connection is never written out. The kinds of database here are the test's own: one with a
 * password. */
#include "adapters/adapter.h"
#include "base/yaml.h"
#include "config/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct connection {
    const char *host, *password;
    int64_t port;
};
static const struct field connection_fields[] = {
    FIELD(struct connection, host, K_STR, .flags = F_REQUIRED),
    FIELD(struct connection, password, K_STR, .flags = F_SECRET),
    FIELD(struct connection, port, K_INT, .min = 1, .max = 65535),
    { 0 },
};
static const struct type connection_type = TYPE(struct connection, "Connection", connection_fields);
static const struct adapter_kind kind = { .name = "secretive", .connection = &connection_type };
const struct adapter_kind *const adapter_kinds[] = { &kind, NULL };
const struct adapter_kind *adapter_kind_find(const char *name)
{
    return strcmp(name, kind.name) ? NULL : &kind;
}

#define HEAD "version: 1\ndatasources: [{id: a, type: secretive, connection: {host: h, "
#define TAIL "}}]\n"

static const struct {
    const char *member;
    enum err_code code;
} cases[] = {
    { "password: hunter2", ERR_SECRET_VALUE_IN_CONFIG },
    { "password: 12345", ERR_SECRET_VALUE_IN_CONFIG },
    { "password: ''", ERR_SECRET_VALUE_IN_CONFIG },
    { "password: 'x${env:CONFIG_TEST_SECRET}'", ERR_SECRET_VALUE_IN_CONFIG },
    { "password: '${env:CONFIG_TEST_SECRET}x${env:CONFIG_TEST_SECRET}'", ERR_SECRET_VALUE_IN_CONFIG },
    { "password: '$${env:CONFIG_TEST_SECRET}'", ERR_SECRET_VALUE_IN_CONFIG },
    { "password: '${env:CONFIG_TEST_SECRET}'", OK },
    { "password: null", OK },
    { "port: '${env:CONFIG_TEST_PORT}'", OK },
    { "port: '${env:CONFIG_TEST_SECRET}'", ERR_CONFIG_INVALID },
};

static void secrets(void **state)
{
    char path[64] = "/tmp/querent-secret-XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct config *g;
        call_begin(&c);
        const char *text = call_format(&c, HEAD "%s" TAIL, cases[i].member);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
        assert_int_equal(config_load(&c, path, NULL, &g), cases[i].code);
        if (cases[i].code) {
            const char *key = cases[i].code == ERR_CONFIG_INVALID ? "/datasources/0/connection/port"
                                                                  : "/datasources/0/connection/password";
            assert_string_equal(c.err.field, key);
            assert_non_null(strstr(c.err.message, key));
            assert_null(strstr(c.err.message, "hunter2"));
        } else {
            struct buf b;
            buf_init(&b, &c, 100000);
            config_show(&b, g);
            assert_null(strstr(b.data, "hunter2"));
            config_free(g);
        }
        call_end(&c);
    }
    close(fd);
    unlink(path);
}

int main(void)
{
    setenv("CONFIG_TEST_SECRET", "hunter2", 1);
    setenv("CONFIG_TEST_PORT", "5432", 1);
    const struct CMUnitTest tests[] = { cmocka_unit_test(secrets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
