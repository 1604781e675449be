/* wording: names and terms of a reading in plain words. Private to the telling of readings. */
#ifndef QUERENT_LEXICAL_WORDING_H
#define QUERENT_LEXICAL_WORDING_H

#include "planners/lexical/reading.h"

struct wording {
    struct buf *out;
    const struct linked *linked;
    const struct core *core;
    uint32_t named; /* places in core->tables whose name the items say */
};

/* A name as people write it: home team id. */
void say_name(struct buf *b, const char *name);
void say_table(struct buf *b, const struct linked *l, int table);
/* "orders" for a name in the plural, "student records" for any other, in whatever language it is. */
void say_rows_of(struct buf *b, const struct linked *l, int table);
/* "store" for stores, "category" for categories; other names stay. */
void say_singular(struct buf *b, const char *name);
void say_core(struct buf *b, const struct linked *l, const struct core *core);
/* A column that groups: "customer" for a key of customers that is not shown, "channel" for any other. */
void say_group(struct buf *b, const struct linked *l, const struct core *core, int column);
/* ", sorted by …", ", only the 3 with …"; nothing when nothing is ordered. */
void say_order(struct buf *b, const struct linked *l, const struct core *core);
void say_term(const struct wording *w, const struct term *t);
/* A term after the items: it names its table unless they did, and it is the only one of its name. */
void say_placed(const struct wording *w, const struct term *t);
/* The table that a term is of; a count of rows is of the one that is counted. */
int wording_table(const struct wording *w, const struct term *t);
/* The bit of a table's place in the core; 0 when the core does not read it. */
uint32_t wording_place(const struct core *core, int table);

#endif
