/* well_known: clients probe these paths for documents that this server does not have; they get JSON, not a page. */
#include "api/raw/raw.h"

void raw_well_known(struct gate *g, struct request *r)
{
    (void)g;
    call_fail(r->call, ERR_NOT_FOUND, "There is nothing at this path.");
}
