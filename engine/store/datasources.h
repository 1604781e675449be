/* datasources: those connected at run time. A connection is sealed with the master key and bound to its datasource. */
#ifndef QUERENT_STORE_DATASOURCES_H
#define QUERENT_STORE_DATASOURCES_H

#include "base/secret.h"
#include "domain/datasource.h"
#include "store/db.h"

/* Adds one for the caller's tenant, owned by the caller; ERR_CONFLICT when the id is taken. */
int datasources_add(struct db *db, struct call *c, const unsigned char key[SECRET_KEY_BYTES],
                    const struct datasource_config *d);
/* Replaces description, connection and options; ERR_DATASOURCE_NOT_FOUND. */
int datasources_replace(struct db *db, struct call *c, const unsigned char key[SECRET_KEY_BYTES],
                        const struct datasource_config *d);
int datasources_remove(struct db *db, struct call *c, const char *id, bool *found);
/* All, by id: list of struct datasource_config. ERR_STORE_FAILED when a connection was sealed with another master key.
 */
int datasources_list(struct db *db, struct call *c, const unsigned char key[SECRET_KEY_BYTES], struct list *out);

#endif
