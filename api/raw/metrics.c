/* metrics: counters of the engine, Prometheus text. */
#include "api/raw/raw.h"
#include "api/reply.h"

void raw_metrics(struct gate *g, struct request *r)
{
    struct buf b;
    buf_init(&b, r->call, (size_t)4 * 1024 * 1024);
    engine_metrics(g->engine, &b);
    reply_bytes(r, 200, "text/plain; version=0.0.4", b.data, b.len);
}
