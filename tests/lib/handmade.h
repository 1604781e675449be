/* handmade: statements that no renderer made, for tests that go around the guard; and a sink that writes rows as text.
 */
#ifndef QUERENT_HANDMADE_H
#define QUERENT_HANDMADE_H

#include "domain/statement.h"

/* reads: "table.column table.column table.* function()" separated by blanks; "table." names the table alone. types: one
 * of the names of value types for each column, "decimal:2" for a scale. */
struct statement *handmade(struct call *c, const char *dialect, const char *sql, const char *reads, const char *types);

/* Collects "a|b\n" lines; NULL is "~", binary is hex. */
struct text_sink {
    struct row_sink sink;
    struct buf text;
    struct result_column *columns;
    size_t column_count;
    int64_t stop_after; /* 0 = never: the sink says ROWS_ENOUGH */
    int64_t rows;
};
void text_sink_init(struct text_sink *t, struct call *c);

#endif
