/* connecting: what the operations share that connect a database at run time. */
#ifndef QUERENT_CONNECTING_H
#define QUERENT_CONNECTING_H

#include "adapters/adapter.h"
#include "ops/op.h"
#include "schema/registry.h"

/* A connection that names a local file may, unless the operator is the caller, name only one under the folders that the
 * configuration opens (connect.folders), symbolic links followed. The path becomes the file's real one.
 * ERR_VALIDATION_ERROR at the member, saying nothing about other folders. */
int connecting_confine(struct call *c, struct datasource_config *d);

/* Finds the values of its references, see config/references.h. */
int connecting_resolve(struct call *c, struct datasource_config *d);

/* One that is kept, as it stands: ERR_DATASOURCE_NOT_FOUND, ERR_DATASOURCE_UNAVAILABLE without its driver. */
int connecting_stored(struct call *c, const char *id, const struct datasource **out);

/* Connects once: ERR_DATASOURCE_UNAVAILABLE with the stage that fails and what would be right. Blocks. */
int connecting_test(struct call *c, const struct datasource_config *d);

/* What a test found, as operations answer it. */
struct tested {
    bool ok;
    const char *stage, *message, *fix, *server_version;
    int64_t tables;
};
extern const struct type tested_type;
void show_test(const struct test_report *report, struct tested *out);

#endif
