#include "planners/lexical/choice.h"

#include "buf.h"
#include "planners/lexical/turn.h"

#include <string.h>

/* Parts of a core that can differ. */
enum part_of {
    OF_ITEMS = 1,
    OF_DISTINCT = 2,
    OF_WHERE = 4,
    OF_GROUP = 8,
    OF_ORDER = 16,
    OF_LIMIT = 32,
    OF_HAVING = 64
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_cond(const struct cond *a, const struct cond *b)
{
    if (a->op != b->op || !term_equal(&a->left, &b->left) || !same_text(a->value, b->value) ||
        !same_text(a->value2, b->value2) || !a->sub != !b->sub)
        return false;
    if (!a->sub) return true;
    struct reading x = { .left = *a->sub }, y = { .left = *b->sub };
    return reading_key(&x) == reading_key(&y);
}

static unsigned differences(const struct core *a, const struct core *b)
{
    unsigned d = a->item_count != b->item_count ? OF_ITEMS : 0;
    for (int i = 0; i < a->item_count && !d; i++)
        if (!term_equal(&a->items[i], &b->items[i])) d = OF_ITEMS;
    if (a->distinct != b->distinct) d |= OF_DISTINCT;
    bool where = a->where_count == b->where_count && a->any == b->any;
    for (int i = 0; i < a->where_count && where; i++) where = same_cond(&a->where[i], &b->where[i]);
    if (!where) d |= OF_WHERE;
    bool group = a->group_count == b->group_count;
    for (int i = 0; i < a->group_count && group; i++) group = a->group[i] == b->group[i];
    if (!group) d |= OF_GROUP;
    bool order = a->order_count == b->order_count;
    for (int i = 0; i < a->order_count && order; i++)
        order = term_equal(&a->order[i].term, &b->order[i].term) && a->order[i].desc == b->order[i].desc;
    if (!order) d |= OF_ORDER;
    if (a->limit != b->limit) d |= OF_LIMIT;
    if (a->has_having != b->has_having || (a->has_having && !same_cond(&a->having, &b->having))) d |= OF_HAVING;
    return d;
}

/* The place in which two lists of items differ, -1 when there are more. */
static int odd_item(const struct core *a, const struct core *b)
{
    int at = -1;
    for (int i = 0; i < a->item_count; i++) {
        if (term_equal(&a->items[i], &b->items[i])) continue;
        if (at >= 0) return -1;
        at = i;
    }
    return at;
}

/* The item that the longer list has beyond the shorter one; NULL when they differ otherwise. */
static const struct term *extra_item(const struct core *longer, const struct core *shorter)
{
    const struct term *extra = NULL;
    if (longer->item_count != shorter->item_count + 1) return NULL;
    for (int i = 0, k = 0; i < longer->item_count; i++) {
        if (k < shorter->item_count && term_equal(&longer->items[i], &shorter->items[k]))
            k++;
        else if (extra)
            return NULL;
        else
            extra = &longer->items[i];
    }
    return extra;
}

/* What is in doubt between two readings: "ask this or that?". that is NULL when ask is the whole question. */
struct doubt {
    const char *ask, *this, *that;
};

static bool doubt_items(struct call *c, const struct linked *l, const struct core *a, const struct core *b,
                        struct doubt *out)
{
    if (a->item_count == b->item_count) {
        int at = odd_item(a, b);
        if (at < 0) return false;
        *out = (struct doubt){ "Do you mean", term_words(c, l, a, &a->items[at]), term_words(c, l, b, &b->items[at]) };
        return true;
    }
    const struct core *longer = a->item_count > b->item_count ? a : b;
    const struct term *extra = extra_item(longer, longer == a ? b : a);
    if (!extra) return false;
    *out = (struct doubt){ .ask = call_format(c, "Should %s be shown too?", term_words(c, l, longer, extra)) };
    return true;
}

static bool doubt_where(struct call *c, const struct linked *l, const struct core *a, const struct core *b,
                        struct doubt *out)
{
    const struct cond *x = NULL, *y = NULL;
    if (a->where_count != b->where_count || a->any != b->any) return false;
    for (int i = 0; i < a->where_count; i++) {
        if (same_cond(&a->where[i], &b->where[i])) continue;
        if (x) return false;
        x = &a->where[i];
        y = &b->where[i];
    }
    if (!x || x->sub || y->sub || x->span < 0 || x->span != y->span || x->left.column == y->left.column) return false;
    const struct span *s = &l->spans[x->span];
    size_t from = l->words.items[s->first].begin, to = l->words.items[s->end - 1].end;
    *out = (struct doubt){ call_format(c, "Does '%s' mean", call_strndup(c, l->words.text + from, to - from)),
                           term_words(c, l, a, &x->left), term_words(c, l, b, &y->left) };
    return true;
}

static bool doubt_order(struct call *c, const struct linked *l, const struct core *a, const struct core *b,
                        struct doubt *out)
{
    if (a->order_count != 1 || b->order_count != 1) return false;
    const struct term *x = &a->order[0].term, *y = &b->order[0].term;
    bool same_way = a->order[0].desc == b->order[0].desc;
    if (term_equal(x, y))
        *out = (struct doubt){ .ask = call_format(c, "Which end of %s is meant, the upper or the lower?",
                                                  term_words(c, l, a, x)) };
    else
        *out = (struct doubt){ "Is it to be ordered by", term_words(c, l, a, x), term_words(c, l, b, y) };
    return same_way != term_equal(x, y);
}

static bool doubt_group(struct call *c, const struct linked *l, const struct core *a, const struct core *b,
                        struct doubt *out)
{
    if (a->group_count != 1 || b->group_count != 1) return false;
    struct term x = { AGG_NONE, false, a->group[0] }, y = { AGG_NONE, false, b->group[0] };
    *out = (struct doubt){ "Is it to be grouped by", term_words(c, l, a, &x), term_words(c, l, b, &y) };
    return true;
}

static bool same_parts(const struct turned *a, const struct turned *b)
{
    bool same = a->part_count == b->part_count && a->any == b->any;
    for (int i = 0; i < a->part_count && same; i++) same = same_cond(&a->part[i], &b->part[i]);
    return same;
}

/* false: they differ in more than one point. */
static bool doubt_between(struct call *c, const struct linked *l, const struct reading *a, const struct reading *b,
                          struct doubt *out)
{
    if (a->set || b->set) return false;
    const struct turned *x = a->turned, *y = b->turned;
    if (x && y && x->turn->kind->ask) {
        *out = (struct doubt){ .ask = x->turn->kind->ask(c, l, x, y) };
        if (out->ask) return true;
    }
    const struct core *p = x ? &x->core : &a->left, *q = y ? &y->core : &b->left;
    if (x && y && !same_parts(x, y)) return false;
    switch (differences(p, q)) {
    case OF_ITEMS:
        return doubt_items(c, l, p, q, out);
    case OF_DISTINCT:
        *out = (struct doubt){ .ask = "Is each value to be shown once, or as often as it occurs?" };
        return true;
    case OF_WHERE:
        return doubt_where(c, l, p, q, out);
    case OF_ORDER:
        return doubt_order(c, l, p, q, out);
    case OF_GROUP:
    case OF_GROUP | OF_ITEMS:
        return doubt_group(c, l, p, q, out);
    default:
        return false;
    }
}

const char *choice_question(struct call *c, const struct linked *l, const struct reading *readings, const int *offered,
                            size_t count)
{
    struct doubt first = { 0 }, d = { 0 };
    struct buf b;
    buf_init(&b, c, 4096);
    if (count < 2 || !doubt_between(c, l, &readings[offered[0]], &readings[offered[1]], &first)) return NULL;
    if (!first.that) return count == 2 ? first.ask : NULL;
    buf_format(&b, "%s %s", first.ask, first.this);
    const char *last = first.that;
    for (size_t i = 2; i < count; i++) {
        if (!doubt_between(c, l, &readings[offered[0]], &readings[offered[i]], &d) || !d.that) return NULL;
        bool same = !strcmp(d.ask, first.ask) && !strcmp(d.this, first.this);
        if (!same || !strcmp(d.that, last) || !strcmp(d.that, first.that)) return NULL;
        buf_format(&b, ", %s", last);
        last = d.that;
    }
    if (!strcmp(last, first.this)) return NULL;
    buf_format(&b, " or %s?", last);
    return b.data;
}
