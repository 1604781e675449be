/* auth: who may speak here and who speaks. Looks at Host, Origin and credentials of a request; what a credential is
 * worth says engine_identify. */
#ifndef QUERENT_API_AUTH_H
#define QUERENT_API_AUTH_H

#include "api/server.h"
#include "engine.h"

/* ERR_HOST_NOT_ALLOWED unless the Host header matches an entry ("name", "name:port", "name:*", "*"). Without entries:
 * names of this machine's loopback, and the address that the connection came in by. */
int auth_host(struct request *r, const struct list *allowed);
/* ERR_ORIGIN_NOT_ALLOWED unless the Origin is absent, ours (the Host's own), or an entry. *cross is set to the origin
 * of an allowed cross-origin request, else NULL. */
int auth_origin(struct request *r, const struct list *allowed, const char **cross);
/* Every condition of a local caller: peer and listener are loopback, Host and Origin are ours, and no proxy stood
 * between. */
bool auth_local(const struct request *r);
/* The principal into the call. */
int auth_caller(struct engine *e, struct request *r);

#endif
