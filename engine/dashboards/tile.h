/* tile: what the files of this room share. */
#ifndef QUERENT_TILE_H
#define QUERENT_TILE_H

#include "dashboards/dashboard.h"

/* The caller's own; ERR_NOT_FOUND otherwise. */
int dashboard_load(struct call *c, struct db *store, const char *id, struct stored_dashboard *out);
void tile_show(struct call *c, const struct stored_tile *from, struct tile *to);

#endif
