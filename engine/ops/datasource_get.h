/* datasource_get: how operations name and show one datasource. */
#ifndef QUERENT_DATASOURCE_GET_H
#define QUERENT_DATASOURCE_GET_H

#include "ops/reach.h"

struct schema_version {
    const char *fingerprint;
    int64_t found_at, change_count;
    struct list changes; /* struct schema_change */
};

struct datasource_ref {
    const char *id;
};
extern const struct type datasource_ref_type;

struct shown_datasource {
    const char *id, *type, *description, *problem, *dialect, *server_version, *fingerprint;
    int status;
    int64_t tables, indexed_at, memory_bytes;
    bool managed;
    const char *job_id;
    struct list versions;
    struct circuit_state *circuit;
};
extern const struct type shown_datasource_type;

/* tables: those of the view; NULL = none are known. */
void show_datasource(struct call *c, const struct datasource *ds, const struct view *view,
                     struct shown_datasource *out);

#endif
