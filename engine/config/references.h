/* references: ${env:NAME} and ${file:/path} as members of connections that are made at run time. They are kept as they
 * are and replaced when a connection is opened. Whoever may connect a database may have what they stand for sent to a
 * host of his own, so only those work that the configuration opens by name (connect.references). */
#ifndef QUERENT_REFERENCES_H
#define QUERENT_REFERENCES_H

#include "domain/config.h"

/* The connection with the values in place of its references; the same one when it has none. ERR_VALIDATION_ERROR at the
 * member for one that is not open, unset, or not readable; it never says what a reference stands for. */
int references_resolve(struct call *c, const struct config *config, const struct json *connection,
                       const struct json **out);

#endif
