#include "running.h"

/* Two callers of one hash share a ceiling, which 64 bits make as good as never. */
static uint64_t name_of(const struct principal *who)
{
    uint64_t h = 1469598103934665603u;
    for (const char *p = who->tenant; p && *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    h = (h ^ 0xFF) * 1099511628211u;
    for (const char *p = who->user; p && *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    return h;
}

static struct caller *find(struct callers *s, uint64_t who)
{
    for (size_t i = 0; i < s->used; i++)
        if (s->at_work[i].who == who) return &s->at_work[i];
    return NULL;
}

bool callers_enter(struct callers *s, const struct principal *who, int64_t most)
{
    uint64_t name = name_of(who);
    pthread_mutex_lock(&s->lock);
    struct caller *k = find(s, name);
    bool room = k ? k->count < most : s->used < CALLERS_MAX;
    if (room && !k) {
        k = &s->at_work[s->used++];
        *k = (struct caller){ .who = name };
    }
    if (room) k->count++;
    pthread_mutex_unlock(&s->lock);
    return room;
}

void callers_leave(struct callers *s, const struct principal *who)
{
    pthread_mutex_lock(&s->lock);
    struct caller *k = find(s, name_of(who));
    if (k && !--k->count) *k = s->at_work[--s->used];
    pthread_mutex_unlock(&s->lock);
}
