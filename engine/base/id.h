/* id: prefix_ + 26 Crockford characters: 48 bits of milliseconds, then 80 random bits; ordered by time. */
#ifndef QUERENT_ID_H
#define QUERENT_ID_H

#include "call.h"

/* A new one, in the call's memory; prefix without the underscore. */
char *id_new(struct call *c, const char *prefix);
/* True for `prefix_` followed by 26 Crockford characters. */
bool id_valid(const char *id, const char *prefix);
/* `^[a-z][a-z0-9_-]{0,62}$` */
bool slug_valid(const char *slug);

#endif
