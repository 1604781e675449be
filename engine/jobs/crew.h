/* crew: threads that work while there is work: none is started before the first wake, each ends when it finds nothing
 * to do. Any thread may wake a crew; one thread ends it. */
#ifndef QUERENT_CREW_H
#define QUERENT_CREW_H

#include "call.h"

struct crew;

/* At most `most` threads. work does one piece; false = there is nothing to do. */
struct crew *crew_new(size_t most, bool (*work)(void *ctx), void *ctx);
void crew_wake(struct crew *w); /* there may be something to do */
void crew_end(struct crew *w);  /* waits until the threads have ended; work must soon answer false; frees it */

#endif
