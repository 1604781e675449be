/* tool: an operation offered to MCP clients. The tool's name and input are the op's; a new tool is one row in table.c.
 */
#ifndef QUERENT_TOOL_H
#define QUERENT_TOOL_H

#include "engine.h"

enum {
    TOOL_READ_ONLY = 1,
    TOOL_IDEMPOTENT = 2,
    TOOL_STATUS = 4 /* a failure is a normal result with `status: error`, never a tool error */
};

struct tool {
    const struct op *op;
    const char *title, *description; /* written for a model to act on */
    const struct type *in, *out;     /* what of the op's input and output a client sees; NULL = all of it */
    const struct type *meta;         /* what stands beside the result, in its _meta; NULL = nothing */
    unsigned flags;
};

extern const struct tool tools[]; /* ends with op NULL; the order of tools/list */

static inline const struct type *tool_in(const struct tool *t)
{
    return t->in ? t->in : t->op->in;
}

static inline const struct type *tool_out(const struct tool *t)
{
    return t->out ? t->out : t->op->out;
}

#endif
