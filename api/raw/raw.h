/* raw: routes without an operation. Each either replies or records a failure in the call. */
#ifndef QUERENT_API_RAW_H
#define QUERENT_API_RAW_H

#include "api/gate.h"

void raw_livez(struct gate *g, struct request *r);
void raw_readyz(struct gate *g, struct request *r);
void raw_mcp(struct gate *g, struct request *r);
void raw_metrics(struct gate *g, struct request *r);
void raw_openapi(struct gate *g, struct request *r);
void raw_well_known(struct gate *g, struct request *r);

#endif
