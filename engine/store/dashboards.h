/* dashboards: saved lists of tiles, bound to their owner. Each function blocks on the store. */
#ifndef QUERENT_STORE_DASHBOARDS_H
#define QUERENT_STORE_DASHBOARDS_H

#include "store/db.h"

struct stored_dashboard {
    const char *id, *tenant_id, *owner, *title, *datasource_id;
    int64_t tile_count; /* read only */
    int64_t created_at, updated_at;
};

struct stored_tile {
    const char *id, *title, *question, *reading, *datasource_id, *source, *chart;
    struct raw plan;
    int64_t position, x, y, w, h;
};

/* As the functions of conversations.h. */
int dashboards_insert(struct db *db, struct call *c, const struct stored_dashboard *d);
int dashboards_get(struct db *db, struct call *c, const struct principal *who, const char *id,
                   struct stored_dashboard *out, bool *found);
int dashboards_list(struct db *db, struct call *c, const struct principal *who, int64_t before_us,
                    const char *before_id, int64_t limit, struct list *out);
int dashboards_delete(struct db *db, struct call *c, const struct principal *who, const char *id, bool *found);
int dashboards_tiles(struct db *db, struct call *c, const char *id, struct list *out); /* list of stored_tile */

/* At the end of the dashboard. *added false when it holds `max` tiles already. */
int dashboards_add_tile(struct db *db, struct call *c, const char *id, const struct stored_tile *tile, int64_t max,
                        int64_t now_us, bool *added);
int dashboards_delete_tile(struct db *db, struct call *c, const char *id, const char *tile_id, int64_t now_us,
                           bool *found);

#endif
