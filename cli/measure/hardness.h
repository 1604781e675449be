/* hardness: how hard a gold statement is, by the classes that Spider's evaluation uses: what clauses, conditions and
 * nesting its outermost query has. Read from the words of the text; for figures only. */
#ifndef QUERENT_MEASURE_HARDNESS_H
#define QUERENT_MEASURE_HARDNESS_H

enum hardness { HARDNESS_EASY, HARDNESS_MEDIUM, HARDNESS_HARD, HARDNESS_EXTRA, HARDNESSES };
extern const char *const hardness_names[HARDNESSES];

enum hardness hardness_of(const char *sql);

#endif
