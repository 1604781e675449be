/* keys: API keys from the command line. A running server sees a change at its next request. */
#include "cli/verbs/operation.h"

#include <stdio.h>
#include <string.h>

static int run(struct cli *cli, int argc, char **argv);

const struct verb verb_keys = {
    .name = "keys",
    .usage = "create --user ID [--label TEXT] [--role ROLE]… [--level LEVEL] | list | revoke ID",
    .doc = "Make, list and revoke API keys.",
    .run = run,
};

struct wish {
    const char *user, *label, *level;
    struct list roles;
    bool json;
};

static int print_json(struct cli *cli, const struct json *out)
{
    struct buf b;
    buf_init(&b, cli->call, (size_t)64 * 1024 * 1024);
    json_write(&b, out);
    puts(b.data);
    return 0;
}

static const char *joined(struct call *c, const struct list *names)
{
    struct buf b;
    buf_init(&b, c, 64 * 1024);
    for (size_t i = 0; i < names->count; i++) buf_format(&b, "%s%s", i ? "," : "", LIST_AT(names, const char *, i));
    return names->count ? b.data : NULL;
}

static int create(struct cli *cli, struct engine *e, const struct wish *w)
{
    const struct json *out;
    const struct argument arguments[] = {
        { "user_id", w->user }, { "label", w->label }, { "level", w->level }, { "roles", joined(cli->call, &w->roles) }
    };
    if (!cli_operation(cli, e, "api_key_create", arguments, 4, &out)) return 1;
    if (w->json) return print_json(cli, out);
    printf("%s\n", json_get(out, "token")->string);
    fprintf(stderr, "This key is shown only now. Its id is %s.\n", json_get(json_get(out, "api_key"), "id")->string);
    return 0;
}

static void print_key(const struct json *key)
{
    const struct json *roles = json_get(key, "roles"), *revoked = json_get(key, "revoked_at");
    printf("%s  %-6s  %-20s  %s", json_get(key, "id")->string, json_get(key, "level")->string,
           json_get(key, "user_id")->string, json_get(key, "created_at")->string);
    for (size_t i = 0; i < roles->count; i++) printf("%s%s", i ? "," : "  ", roles->items[i].string);
    if (json_get(key, "label")->count) printf("  %s", json_get(key, "label")->string);
    if (revoked->kind == J_STRING) printf("  revoked %s", revoked->string);
    printf("\n");
}

static int list_all(struct cli *cli, struct engine *e, const struct wish *w)
{
    const char *cursor = NULL;
    do {
        const struct argument arguments[] = { { "limit", "200" }, { "cursor", cursor } };
        const struct json *out;
        if (!cli_operation(cli, e, "api_key_list", arguments, 2, &out)) return 1;
        const struct json *items = json_get(out, "items"), *next = json_get(out, "next");
        for (size_t i = 0; i < items->count; i++) {
            if (w->json)
                print_json(cli, &items->items[i]);
            else
                print_key(&items->items[i]);
        }
        cursor = next && next->kind == J_STRING ? next->string : NULL;
    } while (cursor);
    return 0;
}

static int revoke(struct cli *cli, struct engine *e, const struct wish *w, const char *id)
{
    const struct argument arguments[] = { { "id", id } };
    const struct json *out;
    if (!cli_operation(cli, e, "api_key_revoke", arguments, 1, &out)) return 1;
    if (w->json) return print_json(cli, out);
    print_key(out);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct wish w = { 0 };
    const struct option options[] = {
        { "--user", OPTION_TEXT, &w.user, "ID", "the user that the key speaks for" },
        { "--label", OPTION_TEXT, &w.label, "TEXT", "what the key is for" },
        { "--role", OPTION_LIST, &w.roles, "ROLE", "a role of the policy; may be repeated" },
        { "--level", OPTION_TEXT, &w.level, "LEVEL", "viewer, editor or admin, where the policy has no roles" },
        { "--json", OPTION_FLAG, &w.json, NULL, "print JSON" },
        { 0 }
    };
    struct list words;
    int code;
    if (!cli_options(cli, &verb_keys, options, argc, argv, 1, 2, &words, &code)) return code;
    const char *what = LIST_AT(&words, const char *, 0);
    bool made = !strcmp(what, "create") && words.count == 1, listed = !strcmp(what, "list") && words.count == 1;
    bool revoked = !strcmp(what, "revoke") && words.count == 2;
    if (!made && !listed && !revoked) {
        fprintf(stderr, "usage: querent keys %s\n", verb_keys.usage);
        return 2;
    }
    if (made && !w.user) {
        fprintf(stderr, "Error: keys create needs --user ID, the user that the key speaks for.\n");
        return 2;
    }
    struct engine *e;
    if (!cli_engine(cli, false, &e)) return 1;
    code = made     ? create(cli, e, &w)
           : listed ? list_all(cli, e, &w)
                    : revoke(cli, e, &w, LIST_AT(&words, const char *, 1));
    engine_close(e);
    return code;
}
