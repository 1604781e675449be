/* duckdb: what the adapter and its worker agree on. DuckDB's library is loaded only in a worker: a process of its own
 * with ceilings on memory and no right to write a file (worker.h). */
#ifndef QUERENT_DUCKDB_H
#define QUERENT_DUCKDB_H

#include "adapters/worker.h"

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

/* The worker's life: answers frames on fd until its other end is gone. Returns its exit code. */
int duckdb_worker(int fd);

#endif
