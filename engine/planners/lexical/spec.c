/* Sketch texts taken apart. */
#include "planners/lexical/fill.h"

#include <string.h>

static void read_where(const char **p, struct core_spec *core)
{
    while (**p && **p != '/' && **p != ':') {
        if (**p == '|') core->any = true;
        if (**p == '|' || **p == '&') {
            ++*p;
            continue;
        }
        if (core->where_count == CONDS_MAX) return;
        struct cond_spec *c = &core->where[core->where_count++];
        c->code = *(*p)++;
        if (c->code == 'q' && (*p)[0] && (*p)[1]) {
            c->op = *(*p)++;
            c->agg = *(*p)++;
        }
        if (**p >= '0' && **p <= '9') c->inner = *(*p)++ - '0';
    }
}

static void read_tail(const char *p, struct core_spec *core)
{
    for (; *p && *p != '/'; p++) {
        if (*p == 'G' && p[1])
            core->group_count = *++p - '0';
        else if (*p == 'H' && p[1])
            core->having = *++p;
        else if (*p == 'L' && p[1])
            core->limit = *++p;
        else if (*p == 'O' && p[1] && p[2] && core->order_count < 2) {
            core->order[core->order_count] = *++p;
            core->way[core->order_count++] = *++p;
        }
    }
}

void read_spec(const struct weights *w, const struct shape *shape, struct spec *out)
{
    const char *part[4];
    for (int i = 0; i < 4; i++) part[i] = w->names[shape->factors[i]];
    *out = (struct spec){ 0 };
    const char *p = part[0];
    if (*p == 'D') out->distinct = true, p++;
    for (; *p && out->item_count < TERMS_MAX; p++) out->items[out->item_count++] = *p;
    p = part[1];
    read_where(&p, &out->left);
    read_tail(part[2], &out->left);
    if (!part[3][0]) return;
    out->set = part[3][0];
    p = part[3] + 1;
    read_where(&p, &out->right);
    if (*p == ':') read_tail(p + 1, &out->right);
}

int literals(const struct core_spec *c)
{
    int n = 0;
    for (int i = 0; i < c->where_count; i++)
        n += c->where[i].code == 'v'   ? 1
             : c->where[i].code == 'b' ? 2
             : c->where[i].code == 'z' ? 0
                                       : c->where[i].inner;
    return n;
}
