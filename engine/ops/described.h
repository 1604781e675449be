/* described: a table of a caller's view, as operations show it. */
#ifndef QUERENT_DESCRIBED_H
#define QUERENT_DESCRIBED_H

#include "domain/view.h"
#include "json.h"

struct described_table {
    const char *name, *schema, *kind, *description;
    struct raw row_count;     /* null: not known, or not for this caller */
    struct list columns;      /* struct described_column */
    struct list foreign_keys; /* struct described_key */
};
extern const struct type described_table_type;

/* The table at an index of the view. */
void describe(struct call *c, const struct view *view, size_t index, struct described_table *out);
/* "name", or "schema.name" where there are schemas. */
const char *described_name(struct call *c, const struct table *t);

#endif
