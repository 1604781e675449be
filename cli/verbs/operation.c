#include "cli/verbs/operation.h"

#include <assert.h>

static int run(struct engine *e, struct call *c, const struct op *op, const struct argument *arguments, size_t count,
               const struct json **out)
{
    void *in = op->in ? call_alloc(c, op->in->size) : NULL, *answer = op->out ? call_alloc(c, op->out->size) : NULL;
    int rc = engine_operator(e, c, NULL, NULL, 0);
    if (!rc && in) rc = type_defaults(c, op->in, in);
    for (size_t i = 0; !rc && i < count; i++)
        if (arguments[i].value) rc = type_set_text(c, op->in, in, arguments[i].name, arguments[i].value);
    if (!rc) rc = engine_run(e, c, op, in, answer);
    if (rc || !answer) return rc;
    struct buf b;
    buf_init(&b, c, (size_t)64 * 1024 * 1024);
    json_encode(&b, op->out, answer);
    return json_parse(c, b.data, b.len, out);
}

bool cli_operation(struct cli *cli, struct engine *e, const char *op, const struct argument *arguments, size_t count,
                   const struct json **out)
{
    const struct op *found = op_find(op);
    assert(found);
    *out = NULL;
    if (!run(e, cli->call, found, arguments, count, out)) return true;
    cli_fail(cli->call);
    return false;
}
