/* demo_shop: the rows of the demo datasource: two years of a shop, the same at every run. */
#ifndef QUERENT_DEMO_SHOP_H
#define QUERENT_DEMO_SHOP_H

#include "call.h"

/* Writes the database into a new file; `mark` is SQL that says what it is, run last before the commit. */
int demo_generate(struct call *c, const char *path, const char *mark);

#endif
