/* audit: who did what, kept for good. A read of customers' data leaves two records: `allowed`, committed before its
 * first row leaves, and how it ended. A write leaves one, a refusal one. */
#ifndef QUERENT_AUDIT_H
#define QUERENT_AUDIT_H

#include "domain/statement.h"
#include "store/db.h"

/* Notes what will be read, from the rendered statement. */
void audit_statement(struct call *c, const char *datasource_id, const struct statement *s, const char *plan_hash);
/* Commits that the statement noted last may run; blocks for the commit. No row may leave before it returned OK. */
int audit_allowed(struct db *store, struct call *c);
/* Writes how the call's operation ended: done, refused or failed. */
int audit_end(struct db *store, struct call *c, enum err_code code);

#endif
