/* file_mark: tells whether a database that is a file was written to, without reading it. */
#ifndef QUERENT_FILE_MARK_H
#define QUERENT_FILE_MARK_H

#include "domain/schema.h"

#include "call.h"

/* Marks the base tables of the snapshot with the state of the file and of its log, whose name ends in `log` besides.
 * Taken before the contents are read: what is written meanwhile shows the next time. */
void file_mark(struct call *c, const char *path, const char *log, struct snapshot *s);

#endif
