/* routes: what the house tests compare with openapi.json: every route with its operation, and the schemas of the
 * operations' inputs and outputs. */
#include "cli/verbs/verb.h"

#include "api/reply.h"
#include "api/routes/route.h"

#include <stdio.h>

static int list_routes(struct cli *cli, int argc, char **argv);

const struct verb verb_routes = { .name = "routes", .usage = "", .run = list_routes };

static void add_member(struct buf *b, const char *name, const char *text)
{
    buf_char(b, '"');
    buf_str(b, name);
    buf_str(b, "\":");
    json_add_string(b, text);
    buf_char(b, ',');
}

static void add_type(struct buf *b, const char *name, const struct type *t, bool input)
{
    buf_char(b, '"');
    buf_str(b, name);
    buf_str(b, "\":");
    if (!t) {
        buf_str(b, "null");
        return;
    }
    buf_str(b, "{\"name\":");
    json_add_string(b, t->name);
    buf_str(b, ",\"schema\":");
    type_schema(b, t, input);
    buf_char(b, '}');
}

static int list_routes(struct cli *cli, int argc, char **argv)
{
    struct list words;
    struct buf b;
    int code;
    if (!cli_options(cli, &verb_routes, &(const struct option){ 0 }, argc, argv, 0, 0, &words, &code)) return code;
    buf_init(&b, cli->call, (size_t)16 * 1024 * 1024);
    buf_str(&b, "{\"routes\":[");
    for (const struct route *r = routes; r->path; r++) {
        buf_str(&b, r == routes ? "{" : ",{");
        add_member(&b, "method", r->method);
        add_member(&b, "path", r->path);
        if (r->op) add_member(&b, "operation", r->op->name);
        if (r->op) add_member(&b, "level", level_names[r->op->level]);
        buf_format(&b, "\"status\":%d,\"open\":%s,\"events\":%s,\"bytes\":%s}", r->ok,
                   r->flags & ROUTE_OPEN ? "true" : "false", r->flags & ROUTE_EVENTS ? "true" : "false",
                   r->flags & ROUTE_BYTES ? "true" : "false");
    }
    buf_str(&b, "],\"operations\":[");
    for (size_t i = 0; ops[i]; i++) {
        buf_str(&b, i ? ",{" : "{");
        add_member(&b, "name", ops[i]->name);
        add_member(&b, "doc", ops[i]->doc);
        add_member(&b, "level", level_names[ops[i]->level]);
        add_type(&b, "in", ops[i]->in, true);
        buf_char(&b, ',');
        add_type(&b, "out", ops[i]->out, false);
        buf_char(&b, '}');
    }
    buf_str(&b, "],");
    add_type(&b, "problem", &problem_type, false);
    buf_str(&b, "}");
    puts(b.data);
    return 0;
}
