/* page: the cursor of lists that run from the latest to the oldest: where the next page begins, as a time and an id. */
#ifndef QUERENT_PAGE_H
#define QUERENT_PAGE_H

#include "ops/op.h"

struct page {
    int64_t before_us;
    const char *before_id; /* NULL = the first page */
};

/* cursor may be NULL. ERR_CURSOR_INVALID for one that is not of this operation and caller. */
int page_read(struct engine *e, struct call *c, const char *op, const char *cursor, struct page *out);
char *page_next(struct engine *e, struct call *c, const char *op, int64_t before_us, const char *before_id);

/* tenant and user as one text, for cursors. */
const char *page_owner(struct call *c);

#endif
