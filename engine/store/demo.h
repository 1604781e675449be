/* demo: the shop that a first start answers questions about. Generated here, row by row, from a fixed seed: the same
 * bytes of data on every machine. Blocks for well under two seconds when the file has to be made. */
#ifndef QUERENT_DEMO_H
#define QUERENT_DEMO_H

#include "call.h"

/* Makes the SQLite file at `path` unless it stands there already. It appears whole or not at all. A file of the same
 * name that is something else is left alone: ERR_CONFLICT. Directories are not made. */
int demo_create(struct call *c, const char *path);

#endif
