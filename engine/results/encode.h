/* encode: the one writer of result rows as JSON. */
#ifndef QUERENT_ENCODE_H
#define QUERENT_ENCODE_H

#include "domain/answer.h"
#include "domain/result.h"

void row_encode(struct buf *b, const struct cell *cells, size_t count); /* [1,"a",null] */
/* Type, encoding and lineage of each column: list of struct answer_column. */
struct list columns_describe(struct call *c, const struct result_column *columns, size_t count);
/* The names of such a list: list of const char *. */
struct list columns_names(struct call *c, const struct list *columns);

#endif
