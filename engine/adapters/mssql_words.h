/* mssql_words: a statement of T-SQL read word by word: is it one SELECT that only reads, and what does it name? Knows
 * no grammar beyond where a table may stand; what it does not expect, it refuses. */
#ifndef QUERENT_MSSQL_WORDS_H
#define QUERENT_MSSQL_WORDS_H

#include "domain/schema.h"

#include "call.h"

struct mssql_words {
    struct list tables;    /* struct table_read, without columns; the statement's own WITH names are none */
    struct list functions; /* const char *, lower case */
};

/* NULL when all is well, else what is wrong, for the log. */
const char *mssql_words(struct call *c, const char *sql, struct mssql_words *out);

#endif
