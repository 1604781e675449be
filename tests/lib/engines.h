/* engines: real database servers and files that tests start in temporary folders, fill, and throw away. */
#ifndef QUERENT_TEST_ENGINES_H
#define QUERENT_TEST_ENGINES_H

#include "buf.h"

struct test_engine {
    const char *type;
    bool (*start)(void); /* false: this kind of database is not to be had on this machine */
    /* Runs statements as the owner, then lets the reading role read everything. Fails the test when one fails. */
    void (*load)(const struct list *sql); /* const char * */
    const char *(*connection)(void);      /* JSON, of the reading role */
    const char *(*folder)(void);          /* where it lives: the folder of its socket, or its file */
    void (*stop)(void);
};

extern const struct test_engine test_engines[]; /* by type; ends with type NULL */
const struct test_engine *test_engine_find(const char *type);

/* The tables and rows of a SQLite file as statements for another engine, parents before children. */
struct list engines_copy(struct call *c, const char *sqlite_path, const char *type);

#endif
