#include "running.h"

#include "config/load.h"
#include "policy/policy.h"
#include "schema/registry.h"

#include <stdlib.h>

static void let_go(struct world *w)
{
    struct held_world *h = (struct held_world *)w;
    if (atomic_fetch_sub(&h->holds, 1) > 1) return;
    policies_free(h->policies);
    config_free(h->config);
    free(h);
}

int world_build(struct running *r, struct call *c, struct config *config, struct held_world **out)
{
    struct world *before = r->engine.world;
    struct held_world *h = calloc(1, sizeof *h);
    if (!h) abort();
    h->config = config;
    atomic_init(&h->holds, 1);
    int rc = policies_load(c, config->policies, &h->policies);
    h->world = (struct world){ .config = config, .policies = h->policies };
    if (!rc && before) {
        h->world.registry = before->registry;
        h->world.version = before->version + 1;
    } else if (!rc) {
        rc = registry_open(c, &h->world.registry);
    }
    if (rc) {
        policies_free(h->policies);
        config_free(config);
        free(h);
        return rc;
    }
    *out = h;
    return OK;
}

void world_swap(struct running *r, struct held_world *next)
{
    pthread_mutex_lock(&r->engine.world_lock);
    struct world *old = r->engine.world;
    r->engine.world = &next->world;
    pthread_mutex_unlock(&r->engine.world_lock);
    if (old) let_go(old);
}

void world_drop(struct held_world *never_used)
{
    let_go(&never_used->world);
}

void world_end(struct running *r)
{
    struct world *w = r->engine.world;
    if (!w) return;
    registry_close(w->registry);
    let_go(w);
    r->engine.world = NULL;
}

void world_pin(struct engine *e, struct call *c)
{
    if (c->world) return;
    pthread_mutex_lock(&e->world_lock);
    c->world = e->world;
    atomic_fetch_add(&((struct held_world *)c->world)->holds, 1);
    pthread_mutex_unlock(&e->world_lock);
    c->world_release = let_go;
}
