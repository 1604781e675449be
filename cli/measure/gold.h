/* gold: runs gold text of a data set on its SQLite file, opened read-only and immutable, for the measuring commands and
 * the trainer. Not part of the engine. Rows live in the call; blocks while SQLite works. */
#ifndef QUERENT_CLI_GOLD_H
#define QUERENT_CLI_GOLD_H

#include "json.h"

struct gold_db;

struct gold_rows {
    size_t columns, rows;
    /* rows x columns: one hash a value; equal values have equal hashes, numeric text equals its number */
    uint64_t *cells;
    double
        *numbers; /* beside cells: the number that the value is, or NAN; integers beyond 2^53 are told by their hash */
    bool stopped; /* by max_rows or max_steps */
    size_t nulls, steps; /* steps in thousands */
};

/* ERR_NOT_FOUND when the file cannot be opened. */
int gold_open(struct call *c, const char *path, struct gold_db **out);
void gold_close(struct gold_db *db);
/* OK, or ERR_EXECUTION_FAILED with SQLite's message. max_steps counts engine steps in thousands; 0 = no bound for both.
 */
int gold_run(struct gold_db *db, struct call *c, const char *sql, size_t max_rows, size_t max_steps,
             struct gold_rows *out);
/* Same rows: as a sequence when ordered, else as a multiset. Columns may stand in another order; none may be missing or
 * extra. Numbers within 1e-6 are equal (or within what adding doubles up in another order costs), whole numbers only
 * when they are the same; numeric text is its number. Two empty results are equal when they have as many columns. */
bool gold_equal(struct call *c, const struct gold_rows *a, const struct gold_rows *b, bool ordered);
/* The text orders its whole result: an ORDER BY outside every bracket. */
bool gold_is_ordered(const char *sql);

#endif
