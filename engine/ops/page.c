#include "ops/page.h"

#include "base/cursor.h"

#include <stdlib.h>
#include <string.h>

const char *page_owner(struct call *c)
{
    const char *tenant = c->who.tenant;
    return call_format(c, "%zu:%s%s", strlen(tenant), tenant, c->who.user);
}

int page_read(struct engine *e, struct call *c, const char *op, const char *cursor, struct page *out)
{
    const char *position;
    char *end;
    *out = (struct page){ 0 };
    if (!cursor) return OK;
    int rc = cursor_read(c, &(struct cursor_scope){ .key = e->cursor_key, .op = op, .owner = page_owner(c) }, cursor,
                         &position);
    if (rc) return rc;
    out->before_us = strtoll(position, &end, 10);
    if (*end != ' ') return call_fail(c, ERR_CURSOR_INVALID, "%s", code_row(ERR_CURSOR_INVALID)->text);
    out->before_id = end + 1;
    return OK;
}

char *page_next(struct engine *e, struct call *c, const char *op, int64_t before_us, const char *before_id)
{
    return cursor_make(c, &(struct cursor_scope){ .key = e->cursor_key, .op = op, .owner = page_owner(c) },
                       call_format(c, "%lld %s", (long long)before_us, before_id));
}
