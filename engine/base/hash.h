/* hash: SHA-256 as 64 lower-case hex characters, in the call's memory. */
#ifndef QUERENT_HASH_H
#define QUERENT_HASH_H

#include "call.h"

struct hash;
/* Piece by piece. A state that is never ended leaves nothing behind. */
struct hash *hash_begin(struct call *c);
void hash_add(struct hash *h, const void *bytes, size_t n);
char *hash_end(struct call *c, struct hash *h); /* call it exactly once */
/* The digest so far, and the state is as after hash_begin again. */
#define HASH_BYTES 32
void hash_take(struct hash *h, unsigned char out[HASH_BYTES]);
/* All at once. */
char *hash_hex(struct call *c, const void *bytes, size_t n);

#endif
