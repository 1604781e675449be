/* pool: handles of one database, at most so many. The last one given back is the first one taken. Who comes when all
 * are in use waits in line. Shared by threads; owned by its adapter. */
#ifndef QUERENT_POOL_H
#define QUERENT_POOL_H

#include "call.h"

struct pool;

struct pool *pool_new(int64_t most); /* 0 = four for each processor */
/* Every handle must have been given back. */
void pool_free(struct pool *p, void (*close)(void *handle));
/* Blocks until a place is free: ERR_BUSY at the call's deadline (30 s without one), ERR_CANCELLED. *handle is an idle
 * handle or NULL: the caller then opens one in the place it holds. Either way pool_give ends it. */
int pool_take(struct pool *p, struct call *c, void **handle);
/* Closes the handles that nobody uses: they are known to be stale. */
void pool_drop_idle(struct pool *p, void (*close)(void *handle));
void pool_give(struct pool *p, void *handle); /* NULL: there is no handle (any more) in the place */

#endif
