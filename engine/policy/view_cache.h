/* view_cache: views that were built once. An entry lives as long as the policies; it names the very snapshot it was
 * built from (address and time), so one that outlived its snapshot is never met again. Bounded: when it is full, views
 * are built in the call. Thread-safe. */
#ifndef QUERENT_VIEW_CACHE_H
#define QUERENT_VIEW_CACHE_H

#include "domain/view.h"

#include "call.h"

struct view_cache;

const struct view *view_cache_get(struct view_cache *cache, const struct snapshot *s, const char *key);
/* Memory for a view that is about to be kept; NULL when the cache is full. */
struct call *view_cache_memory(struct view_cache *cache);
/* Keeps v, which lies in the memory; the entry that another thread put first wins and is returned. */
const struct view *view_cache_put(struct view_cache *cache, struct call *memory, struct view *v, const char *key);

#endif
