/* duckdb: what the adapter and its worker agree on. DuckDB's library is loaded only in a worker: a process of its own
 * with ceilings on memory and no right to write a file, so that whatever the library does stays there. Frames in both
 * directions: four bytes of length (of what follows), one byte of kind, the payload. Both ends run on one machine. */
#ifndef QUERENT_DUCKDB_H
#define QUERENT_DUCKDB_H

#include "call.h"

enum duckdb_frame {
    FRAME_OPEN = 'O',    /* library NUL path NUL memory NUL threads NUL -> DONE (version) or ERROR */
    FRAME_RUN = 'R',     /* eight bytes: most rows, then SQL -> COLUMN*, ROW*, DONE or ERROR */
    FRAME_INSPECT = 'I', /* SQL -> TREE or ERROR */
    FRAME_COLUMN = 'C',  /* name NUL type NUL, one byte enum type_kind, one byte scale */
    FRAME_ROW = 'V',     /* a cell: one byte enum cell_kind, four bytes length, bytes */
    FRAME_TREE = 'T',    /* JSON of the parsed statement */
    FRAME_DONE = 'D',
    FRAME_ERROR = 'E'
};

#define DUCKDB_FRAME_MAX ((size_t)64 * 1024 * 1024)

/* The worker's life: answers frames on fd until its other end is gone. Returns its exit code. */
int duckdb_worker(int fd);

/* A whole frame; false when the other end is gone. */
bool duckdb_send(int fd, enum duckdb_frame kind, const void *payload, size_t n);

#endif
