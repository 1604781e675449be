/* cursor: the opaque `next` of a list. It is signed, lives 24 hours, and reads back only for the operation, owner and
 * filters it was made for; what it binds is not in the text. No state is kept. */
#ifndef QUERENT_CURSOR_H
#define QUERENT_CURSOR_H

#include "base/secret.h"

#define CURSOR_TEXT_MAX 2048 /* bytes of a cursor; longer ones are refused unread */

/* What a cursor is good for. filters: any text that names the query's parameters; NULL = none. */
struct cursor_scope {
    const unsigned char *key; /* SECRET_KEY_BYTES */
    const char *op, *owner, *filters;
};

/* position: where the next page begins, at most 1 KiB. */
char *cursor_make(struct call *c, const struct cursor_scope *scope, const char *position);
/* ERR_CURSOR_INVALID, without saying why, for a text that is foreign, changed or older than 24 hours. */
int cursor_read(struct call *c, const struct cursor_scope *scope, const char *text, const char **position);

#endif
