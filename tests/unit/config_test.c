/* config: what a file may say, where values come from, what is refused and how, and that no secret is shown. */
#include "base/yaml.h"
#include "config/load.h"
#include "policy/policy.h"

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

struct place {
    struct call c;
    char folder[64];
    const char *path;
};

static int enter(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/querent-config-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    call_begin(&p->c);
    p->path = call_format(&p->c, "%s/querent.yaml", p->folder);
    *state = p;
    return 0;
}

static int leave(void **state)
{
    struct place *p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    call_end(&p->c);
    free(p);
    return system(command);
}

static void write_file(struct place *p, const char *name, const char *text)
{
    int fd = open(call_format(&p->c, "%s/%s", p->folder, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static struct config *load(struct place *p, const char *text)
{
    struct config *g = NULL;
    write_file(p, "querent.yaml", text);
    if (config_load(&p->c, p->path, NULL, &g)) fail_msg("%s: %s", text, p->c.err.message);
    return g;
}

static void without_a_file(void **state)
{
    struct place *p = *state;
    struct config *g;
    assert_int_equal(config_load(&p->c, NULL, NULL, &g), OK);
    assert_string_equal(g->server->listen, "127.0.0.1:8765");
    assert_int_equal(g->api->auth, AUTH_NONE);
    assert_int_equal(g->mcp->auth, 1);
    assert_string_equal(g->mcp->path, "/mcp");
    assert_int_equal(g->mcp->allowed_hosts.count, 2);
    assert_int_equal(g->limits->request_timeout_ms, 60000);
    assert_null(g->policies);
    config_free(g);
}

static void a_whole_file(void **state)
{
    struct place *p = *state;
    write_file(p, "sources.yaml",
               "- id: shop\n  type: sqlite\n  description: The shop\n  connection: {path: shop.sqlite}\n"
               "  options: {row_limit: 7, evidence: off}\n");
    write_file(p, "listen.txt", "127.0.0.1:1234\n");
    mkdir(call_format(&p->c, "%s/data", p->folder), 0700);
    struct config *g =
        load(p, "version: 1\nserver: {listen: '${file:listen.txt}', threads: '${env:CONFIG_TEST_THREADS}'}\n"
                "datasources: sources.yaml\npolicies: {roles: {a: {allow: ['shop.*']}}}\n"
                "connect: {folders: [data]}\napi: {cors_origins: ['https://a.example']}\n");
    assert_string_equal(g->server->listen, "127.0.0.1:1234");
    assert_int_equal(g->server->threads, 12);
    assert_int_equal(g->server->streams_max, 64);
    assert_int_equal(g->api->auth, AUTH_API_KEYS);
    assert_int_equal(g->datasources.count, 1);
    const struct datasource_config *d = &LIST_AT(&g->datasources, struct datasource_config, 0);
    assert_string_equal(d->id, "shop");
    assert_int_equal(d->options.row_limit, 7);
    assert_int_equal(d->options.evidence, EVIDENCE_OFF);
    assert_true(d->managed);
    assert_string_equal(json_get(d->connection, "path")->string, "shop.sqlite");
    assert_non_null(json_get(g->policies, "roles"));
    assert_int_equal(LIST_AT(&g->connect->folders, const char *, 0)[0], '/');
    config_free(g);
}

/* Command line, exported, .env, file, default. */
static void precedence(void **state)
{
    struct place *p = *state;
    struct config *g;
    const char *text = "version: 1\nserver: {streams_max: 1}\n";
    write_file(p, ".env",
               "# secrets\nQUERENT_SERVER_STREAMS_MAX=2\nexport QUERENT_SERVER_LISTEN=\"127.0.0.1:2\"\n"
               "CONFIG_TEST_THREADS='99'\nQUERENT_API_CORS_ORIGINS=https://a, https://b\n");
    g = load(p, text);
    assert_int_equal(g->server->streams_max, 2);
    assert_string_equal(g->server->listen, "127.0.0.1:2");
    assert_int_equal(g->api->cors_origins.count, 2);
    config_free(g);
    setenv("QUERENT_SERVER_STREAMS_MAX", "3", 1);
    g = load(p, text);
    assert_int_equal(g->server->streams_max, 3);
    assert_int_equal(g->warnings.count, 0);
    config_free(g);
    const struct json *overrides;
    const char *line = "{\"server.streams_max\":\"4\"}";
    assert_int_equal(json_parse(&p->c, line, strlen(line), &overrides), OK);
    assert_int_equal(config_load(&p->c, p->path, overrides, &g), OK);
    assert_int_equal(g->server->streams_max, 4);
    config_free(g);
    /* What a reference names is not an override, and .env never wins over what is exported. */
    g = load(p, "version: 1\nserver: {threads: '${env:QUERENT_SERVER_STREAMS_MAX}4', streams_max: 5}\nlimits: "
                "{concurrent_per_caller: '${env:CONFIG_TEST_THREADS}'}\n");
    assert_int_equal(g->server->threads, 34);
    assert_int_equal(g->server->streams_max, 5);
    assert_int_equal(g->limits->concurrent_per_caller, 12);
    config_free(g);
    unsetenv("QUERENT_SERVER_STREAMS_MAX");
    setenv("QUERENT_PORT", "tcp://10.0.0.1:80", 1);
    g = load(p, text);
    assert_int_equal(g->warnings.count, 1);
    assert_non_null(strstr(LIST_AT(&g->warnings, const char *, 0), "QUERENT_PORT"));
    config_free(g);
    unsetenv("QUERENT_PORT");
}

static const struct {
    const char *text, *words; /* words: all of them, separated by | */
    enum err_code code;
} bad[] = {
    { "", "holds no keys", ERR_CONFIG_INVALID },
    { "- a\n", "holds no keys", ERR_CONFIG_INVALID },
    { "a: 1\n", "querent.yaml|/a|'a'", ERR_CONFIG_INVALID },
    { "server: {}\n", "/version|'version' is required", ERR_CONFIG_INVALID },
    { "version: 2\n", "/version|between 1 and 1", ERR_CONFIG_INVALID },
    { "version: 1\nsever: {}\n", "Did you mean 'server'?", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {lisen: x}\n", "/server/lisen|Did you mean 'listen'?", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {threads: many}\n", "/server/threads|an integer", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {threads: 2}\n", "between 4 and 1024", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: nowhere}\n", "/server/listen|'nowhere'", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '127.0.0.1:70000'}\n", "/server/listen", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '0.0.0.0:1'}\napi: {auth: none}\n", "/api/auth|loopback", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '0.0.0.0:1'}\nmcp: {auth: none}\n", "/mcp/auth|loopback", ERR_CONFIG_INVALID },
    { "version: 1\napi: {auth: jwt}\n", "/api/auth|not available in this edition", ERR_CONFIG_INVALID },
    { "version: 1\napi: {auth: secret}\n", "one of api_keys, none", ERR_CONFIG_INVALID },
    { "version: 1\napi: {auth: proxy}\n", "/api/proxy_addresses", ERR_CONFIG_INVALID },
    { "version: 1\napi: {auth: proxy, proxy_addresses: [proxy.local]}\n", "/api/proxy_addresses/0|not an IP address",
      ERR_CONFIG_INVALID },
    { "version: 1\nmcp: {path: mcp}\n", "/mcp/path", ERR_CONFIG_INVALID },
    { "version: 1\nmcp: {path: /api/v1}\n", "/mcp/path", ERR_CONFIG_INVALID },
    { "version: 1\nconnect: {folders: [/nowhere/at/all]}\n", "/connect/folders/0|no folder", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '${env:CONFIG_TEST_UNSET}'}\n", "/server/listen|CONFIG_TEST_UNSET is not set",
      ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '${vault:x}'}\n", "no provider 'vault'", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '${env}'}\n", "${env:NAME}", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '${env:X'}\n", "${env:NAME}", ERR_CONFIG_INVALID },
    { "version: 1\nserver: {listen: '${file:/nowhere/x}'}\n", "/server/listen|/nowhere/x", ERR_CONFIG_INVALID },
    { "version: 1\ndatasources: other.yaml\n", "other.yaml cannot be read", ERR_CONFIG_INVALID },
    { "version: 1\ndatasources: [{id: A, type: sqlite, connection: {path: x}}]\n", "/datasources/0/id|'A'",
      ERR_CONFIG_INVALID },
    { "version: 1\ndatasources: [{id: a, type: sqlit, connection: {path: x}}]\n",
      "/datasources/0/type|Did you mean 'sqlite'?", ERR_CONFIG_INVALID },
    { "version: 1\ndatasources: [{id: a, type: sqlite, connection: {pat: x}}]\n",
      "/datasources/0/connection/pat|Did you mean 'path'?", ERR_CONFIG_INVALID },
    { "version: 1\ndatasources: [{id: a, type: sqlite, connection: {}}]\n", "/datasources/0/connection/path|required",
      ERR_CONFIG_INVALID },
    { "version: 1\ndatasources: [{id: a, type: sqlite, connection: {path: x}}, {id: a, type: sqlite, connection: "
      "{path: y}}]\n",
      "/datasources/1/id|two datasources 'a'", ERR_CONFIG_INVALID },
    { "version: 1\nversion: 1\n", "querent.yaml, line 2|twice", ERR_CONFIG_INVALID },
    { "version: 1\nserver: &x {}\n", "anchors", ERR_CONFIG_INVALID },
};

static void assert_words(const char *message, const char *words)
{
    while (*words) {
        char word[100] = { 0 };
        size_t n = strcspn(words, "|");
        memcpy(word, words, n);
        if (!strstr(message, word)) fail_msg("'%s' is not in: %s", word, message);
        words += n + (words[n] == '|');
    }
}

static void refusals(void **state)
{
    struct place *p = *state;
    struct config *g;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file(p, "querent.yaml", bad[i].text);
        int rc = config_load(&p->c, p->path, NULL, &g);
        if (!rc) fail_msg("accepted: %s", bad[i].text);
        assert_int_equal(rc, bad[i].code);
        assert_words(p->c.err.message, bad[i].words);
        call_forgive(&p->c);
    }
    assert_int_equal(config_load(&p->c, "/nowhere/querent.yaml", NULL, &g), ERR_CONFIG_INVALID);
    call_forgive(&p->c);
    static const char *const env[] = { "1X=2\n", "X\n", "X=\"open\n" };
    write_file(p, "querent.yaml", "version: 1\n");
    for (size_t i = 0; i < sizeof env / sizeof env[0]; i++) {
        write_file(p, ".env", env[i]);
        assert_int_equal(config_load(&p->c, p->path, NULL, &g), ERR_CONFIG_INVALID);
        assert_words(p->c.err.message, ".env, line 1");
        call_forgive(&p->c);
    }
    write_file(p, ".env", "");
    setenv("QUERENT_SERVER_THREADS", "x", 1);
    assert_int_equal(config_load(&p->c, p->path, NULL, &g), ERR_CONFIG_INVALID);
    assert_words(p->c.err.message, "QUERENT_SERVER_THREADS|an integer");
    unsetenv("QUERENT_SERVER_THREADS");
}

/* What is shown reads back as the same configuration, references as they were written. */
static void shown(void **state)
{
    struct place *p = *state;
    setenv("CONFIG_TEST_SECRET", "hunter2", 1);
    setenv("QUERENT_SERVER_BODY_TIMEOUT_MS", "777", 1);
    struct config *g =
        load(p, "version: 1\nserver: {threads: '${env:CONFIG_TEST_THREADS}', body_timeout_ms: 888}\n"
                "datasources: [{id: a, type: sqlite, connection: {path: 'x-${env:CONFIG_TEST_SECRET}'}}]\n"
                "policies: {note: '${env:CONFIG_TEST_SECRET}'}\n");
    assert_string_equal(json_get(LIST_AT(&g->datasources, struct datasource_config, 0).connection, "path")->string,
                        "x-hunter2");
    struct buf b;
    const struct json *tree;
    buf_init(&b, &p->c, 100000);
    config_show(&b, g);
    config_free(g);
    assert_null(strstr(b.data, "hunter2"));
    assert_int_equal(yaml_parse(&p->c, "shown", b.data, b.len, &tree), OK);
    const struct json *server = json_get(tree, "server");
    assert_string_equal(json_get(server, "threads")->string, "${env:CONFIG_TEST_THREADS}");
    assert_int_equal(json_get(server, "body_timeout_ms")->integer, 777);
    assert_string_equal(json_get(json_get(&json_get(tree, "datasources")->items[0], "connection"), "path")->string,
                        "x-${env:CONFIG_TEST_SECRET}");
    unsetenv("QUERENT_SERVER_BODY_TIMEOUT_MS");
    g = load(p, b.data);
    assert_int_equal(g->server->body_timeout_ms, 777);
    config_free(g);
}

/* docs/configuration.md lists exactly the rows of the types. */
struct page {
    struct call *c;
    const char *text;
    size_t rows;
};

static const char *kind_name(const struct field *f)
{
    switch (f->kind) {
    case K_BOOL:
        return "flag";
    case K_INT:
        return "integer";
    case K_STRINGS:
        return "list of texts";
    case K_ENUM:
        return "choice";
    default:
        return "text";
    }
}

static void expect_rows(struct page *page, const struct type *t, const char *prefix)
{
    for (const struct field *f = t->fields; f->name; f++) {
        const char *key = call_format(page->c, "%s%s", prefix, f->name);
        if (f->kind == K_OBJECT) {
            expect_rows(page, f->of, call_format(page->c, "%s.", key));
        } else if (f->kind == K_LIST) {
            expect_rows(page, f->of, call_format(page->c, "%s[].", key));
        } else if (f->kind != K_JSON) {
            struct buf b;
            buf_init(&b, page->c, 4000);
            buf_format(&b, "| `%s` | %s", key, kind_name(f));
            for (size_t i = 0; f->kind == K_ENUM && ((const char *const *)f->of)[i]; i++)
                buf_format(&b, "%s %s", i ? "," : ":", ((const char *const *)f->of)[i]);
            if (f->kind == K_INT) buf_format(&b, " %lld to %lld", (long long)f->min, (long long)f->max);
            if (f->def)
                buf_format(&b, " | `%s` | %s |\n", f->def, f->doc);
            else
                buf_format(&b, " | %s | %s |\n", f->flags & F_REQUIRED ? "required" : "", f->doc);
            page->rows++;
            if (!strstr(page->text, b.data)) fail_msg("docs/configuration.md lacks this row:\n%s", b.data);
        }
    }
}

static const char *the_page(struct call *c)
{
    struct buf b;
    char chunk[4096];
    ssize_t n;
    int fd = open("docs/configuration.md", O_RDONLY);
    assert_true(fd >= 0);
    buf_init(&b, c, 1000000);
    while ((n = read(fd, chunk, sizeof chunk)) > 0) buf_add(&b, chunk, (size_t)n);
    close(fd);
    return b.data;
}

static void documented(void **state)
{
    struct place *p = *state;
    const char *text = the_page(&p->c);
    struct page page = { &p->c, text, 0 };
    expect_rows(&page, &config_type, "");
    size_t written = 0;
    for (const char *at = text; (at = strstr(at, "\n| `")); at++) written++;
    assert_int_equal(written, page.rows);
}

/* The page's examples: a whole file, then a policies section, accepted as they stand. */
static void examples(void **state)
{
    struct place *p = *state;
    const char *at = the_page(&p->c), *end;
    struct policies *policies;
    for (int i = 0; i < 2; i++) {
        at = strstr(at, "```yaml\n");
        assert_non_null(at);
        at += strlen("```yaml\n");
        end = strstr(at, "```");
        write_file(p, i ? "policies.yaml" : "querent.yaml", call_strndup(&p->c, at, (size_t)(end - at)));
        at = end + 3;
    }
    struct config *g;
    if (config_load(&p->c, p->path, NULL, &g)) fail_msg("%s", p->c.err.message);
    assert_int_equal(g->datasources.count, 1);
    if (policies_load(&p->c, g->policies, &policies)) fail_msg("%s", p->c.err.message);
    assert_string_equal(policies_default_role(policies), "analyst");
    policies_free(policies);
    config_free(g);
}

int main(void)
{
    setenv("CONFIG_TEST_THREADS", "12", 1);
#define CONFIG_TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)
    const struct CMUnitTest tests[] = { CONFIG_TEST(without_a_file), CONFIG_TEST(a_whole_file), CONFIG_TEST(precedence),
                                        CONFIG_TEST(refusals),       CONFIG_TEST(shown),        CONFIG_TEST(documented),
                                        CONFIG_TEST(examples) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
