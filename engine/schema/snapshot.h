/* snapshot: copies, fingerprint and stored form of what introspection found. */
#ifndef QUERENT_SNAPSHOT_H
#define QUERENT_SNAPSHOT_H

#include "domain/schema.h"
#include "json.h"

/* Its tables by schema, then name. */
void snapshot_sort(struct snapshot *s);
/* Everything of s anew in the arena; the copy's tables stand by schema, then name. */
struct snapshot *snapshot_copy(struct arena *a, const struct snapshot *s);
/* SHA-256 over names, types and keys: statistics, descriptions and the time do not count. */
const char *snapshot_fingerprint(struct call *c, const struct snapshot *s);
/* As JSON text for the store, and back. ERR_STORE_FAILED for text that is no snapshot. */
void snapshot_encode(struct buf *b, const struct snapshot *s);
int snapshot_decode(struct call *c, const char *text, size_t n, struct snapshot **out);

#endif
