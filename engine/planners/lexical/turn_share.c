/* A share of a whole: what percentage of orders were cancelled, the share of orders by channel. The plain question
 * counts or adds up the part; its conditions are told into those of the part and those of the whole. Where the question
 * leaves open which is which, there is a reading of each. */
#include "planners/lexical/intent.h"
#include "planners/lexical/turn.h"

#include <string.h>

static const char shares[] = " percentage percent proportion fraction share ";
static const char auxiliaries[] = " is are was were has have had do does did ";
static const char relatives[] = " that which who whom whose ";

/* Where what is told of the things begins: at the main verb, or else at that, which, who. */
static size_t verb_of(const struct words *q, size_t p)
{
    size_t relative = NOWHERE;
    for (; p < q->count; p++) {
        bool after = p > 0 && word_in_list(q, p - 1, relatives);
        if (word_in_list(q, p, auxiliaries) && !after) return q->items[p].begin;
        if (word_in_list(q, p, relatives) && relative == NOWHERE) relative = q->items[p].begin;
    }
    return relative;
}

/* The percentage of orders … is read as the number of orders …, of the amount as the total amount. */
static bool find_of(const struct linked *l, const struct edit *e, size_t p, struct turn *out)
{
    const struct words *q = &l->words;
    size_t first = p, end = p + 2;
    while (word_in_list(q, end, " the all our its every ")) end++;
    bool what = p > 0 && word_in_list(q, p - 1, " what which ");
    bool many = p > 1 && word_in_list(q, p - 1, " many ") && word_in_list(q, p - 2, " how ");
    bool total = word_cues(q, end < q->count ? end : p) & CUE_BIT(CUE_SUM) && turn_names(l, end) != NAME_SAID;
    if (total && word_in_list(q, end + 1, " number ")) end++, total = false;
    if (word_in_list(q, end, " number count ") && word_in_list(q, end + 1, " of ") && turn_names(l, end) != NAME_SAID)
        end += 2;
    size_t noun = turn_noun(l, total ? end + 1 : end);
    if (noun == NOWHERE) return false;
    out->head = q->items[noun].begin;
    out->verb = verb_of(q, end);
    out->said = turn_text(l, what ? p - 1 : p, p + 1);
    if (what) first = p - 1;
    if (many) first = p - 2;
    bool amount = turn_amount(l, noun);
    if (total || amount)
        return edit_replace(e, first, end,
                            !amount || total ? what ? "what is the" : ""
                            : what           ? "what is the total"
                                             : "total");
    const bool within = (what || many || !p) && noun == end && word_in_list(q, end + 1, " in for at ") &&
                        word_in_list(q, end + 2, " each every ");
    if (within && !edit_replace(e, end + 1, end + 1, "are")) return false;
    return edit_replace(e, first, end, what || many || within ? "how many" : "number of");
}

/* Orders by channel as a percentage of the total: the words of that, at the end of a question or of a part of it. */
static bool ends_as(const struct linked *l, size_t p, size_t *first, size_t *end)
{
    const struct words *q = &l->words;
    *first = p;
    *end = p + 1;
    if (*first > 0 && word_in_list(q, *first - 1, " a an ")) --*first;
    if (*first == 0 || !word_in_list(q, *first - 1, " as in ")) return false;
    --*first;
    if (word_in_list(q, *end, " of ")) {
        ++*end;
        while (word_in_list(q, *end, " the all a total overall whole sum them ")) ++*end;
        if (*end < q->count && l->roles[*end] == 't') ++*end;
    }
    while (*first > 0 && q->items[*first - 1].flags & WORD_MARK) --*first;
    return *end == q->count || q->items[*end].flags & WORD_MARK;
}

static bool find_as(const struct linked *l, const struct edit *e, size_t first, size_t end, struct turn *out)
{
    uint32_t said = 0;
    out->said = turn_text(l, first, end);
    out->whole_said = true;
    edit_cut(e, first, end);
    for (size_t i = 0; i < e->words->count; i++) said |= word_cues(e->words, i);
    if (said & (CUE_BIT(CUE_COUNT) | CUE_BIT(CUE_SUM))) return true;
    size_t noun = turn_noun(l, 0);
    return noun != NOWHERE && noun < first && edit_replace(e, 0, 0, "number of");
}

static bool find(const struct linked *l, const struct edit *e, struct turn *out)
{
    const struct words *q = &l->words;
    size_t found = NOWHERE;
    for (size_t p = 0; p < q->count; p++) /* a pie shows shares of whatever numbers */
        if (q->items[p].flags & WORD_DRAWN && word_in_list(q, p, " pie piechart donut ")) return false;
    for (size_t p = 0; p < q->count; p++) {
        bool sign = q->items[p].flags & WORD_MARK && !strcmp(q->items[p].fold, "%");
        if (!sign && (!word_in_list(q, p, shares) || q->items[p].flags & WORD_QUOTED || turn_names(l, p) == NAME_SAID))
            continue;
        const uint32_t ends = CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST) | CUE_BIT(CUE_SUM) | CUE_BIT(CUE_AVERAGE);
        if (found != NOWHERE) return false;                             /* a share beside a share */
        if (p > 0 && word_cues(q, p - 1) & ends && !sign) return false; /* the highest share is one that is kept */
        found = p;
    }
    if (found == NOWHERE) return false;
    size_t first, end;
    if (ends_as(l, found, &first, &end)) return find_as(l, e, first, end, out);
    return word_in_list(q, found + 1, " of ") && find_of(l, e, found, out);
}

/* Where a condition is said, NOWHERE = behind everything. */
static size_t place_of(const struct linked *l, const struct cond *w)
{
    const struct mention *m = NULL;
    if (w->span >= 0) return l->words.items[l->spans[w->span].first].begin;
    if (w->sub && l->tables[w->sub->tables[0]].mention_count) m = l->tables[w->sub->tables[0]].mentions;
    if (!m && w->left.column >= 0 && l->columns[w->left.column].mention_count) m = l->columns[w->left.column].mentions;
    return m ? l->words.items[m->first].begin : NOWHERE;
}

/* Beside the measure only the groups are shown, or what they are called. */
static bool shows_groups(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        bool group = t->agg != AGG_NONE;
        for (int k = 0; k < core->group_count && !group; k++)
            group = t->column == core->group[k] ||
                    (t->column >= 0 && (int)l->columns[t->column].table == table_told(l, core->group[k]));
        if (!group) return false;
    }
    return core->item_count > 1 || !core->group_count;
}

/* Bits of conditions that tell the part; the others tell the whole. */
static void split(const struct core *core, uint32_t part, struct turned *out)
{
    out->core.where_count = out->part_count = 0;
    out->core.any = false;
    for (int i = 0; i < core->where_count; i++) {
        if (part >> i & 1)
            out->part[out->part_count++] = core->where[i];
        else
            out->core.where[out->core.where_count++] = core->where[i];
    }
    out->any = core->any;
}

struct splits {
    uint32_t before, times, all;
    int count;
};

static struct splits splits_of(const struct turning *t, const struct core *core)
{
    struct splits s = { .count = core->where_count };
    for (int i = 0; i < core->where_count; i++) {
        bool before = place_of(t->l, &core->where[i]) < t->turn->verb && t->turn->verb != NOWHERE;
        if (before) s.before |= UINT32_C(1) << i;
        if (core->where[i].op == COND_RANGE && !before) s.times |= UINT32_C(1) << i;
        s.all |= UINT32_C(1) << i;
    }
    return s;
}

/* Which conditions tell the part, likelier first. A time beside others tells the whole. */
static size_t parts_of(const struct turning *t, const struct core *core, uint32_t out[VARIANTS_MAX])
{
    const struct splits s = splits_of(t, core);
    const uint32_t said = s.all & ~s.before;
    size_t n = 0;
    if (core->any) {
        if (!s.before && said) out[n++] = said;
        return n;
    }
    if (!said) return 0;
    const uint32_t others = said & ~s.times;
    int last = 0, count = 0;
    for (int i = 0; i < s.count; i++)
        if (others >> i & 1) last = i, count++;
    if (!count || t->turn->verb != NOWHERE || count < 2) {
        out[n++] = count ? others : said;
        return n;
    }
    out[n++] = UINT32_C(1) << last; /* cancelled web orders: of which? */
    out[n++] = others;
    for (int i = 0; i < last && n < VARIANTS_MAX; i++)
        if (others >> i & 1) out[n++] = UINT32_C(1) << i;
    return n;
}

static bool asks_groups(const struct question *q)
{
    bool by = q->context.said & CUE_BIT(CUE_EACH);
    for (size_t p = 0; p < q->linked.words.count; p++) by |= word_in_list(&q->linked.words, p, " by across among ");
    return by;
}

static size_t apply(const struct turning *t, const struct reading *r, struct turned out[VARIANTS_MAX])
{
    struct core core, plain = r->left;
    if (r->set || r->left.distinct || r->left.has_having) return 0;
    if (core_existence(t, &r->left, &core)) plain = core;
    const int measure = core_measure(&plain);
    if (measure < 0 || !core_hang(&plain, &core)) return 0;
    if (!turn_measures(t, &core, &core.items[measure]) || !shows_groups(t->l, &core)) return 0;
    if (core.limit || (!core.group_count && core.order_count)) return 0;
    if (core.group_count && !asks_groups(t->question)) return 0;
    uint32_t parts[VARIANTS_MAX];
    size_t n = t->turn->whole_said ? 0 : parts_of(t, &core, parts);
    const struct splits s = splits_of(t, &core);
    bool told = t->turn->verb != NOWHERE && n > 0;
    if (core.group_count && s.all == s.times && !told) n = 0; /* of a time: it tells the whole */
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct turned){ .turn = t->turn, .core = core, .entity = -1, .each = -1, .grain = -1 };
        split(&core, parts[i], &out[i]);
    }
    if (core.group_count && !told && n < VARIANTS_MAX)
        out[n++] = (struct turned){ .turn = t->turn, .core = core, .entity = -1, .each = -1, .grain = -1 };
    return n;
}

/* Tables that a row of the whole may lack: all but those that its own conditions read, and what leads to them. */
static uint32_t loose_of(const struct linked *l, const struct core *core)
{
    uint32_t firm = 1;
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].left.column >= 0)
            firm |= wording_place(core, (int)l->columns[core->where[i].left.column].table);
    for (int i = core->table_count - 2; i >= 0; i--)
        if (firm & wording_place(core, core->edges[i]->other)) firm |= wording_place(core, core->edges[i]->owner);
    return ~firm;
}

static const struct term *measure_term(const struct turned *t)
{
    return &t->core.items[core_measure(&t->core)];
}

static struct expr *percent(struct call *c, struct expr *part, struct expr *whole)
{
    return expr_binary(c, OP_DIV, expr_binary(c, OP_MUL, expr_integer(c, 100), part), whole);
}

static struct expr *or_zero(struct call *c, const struct term *measure, struct expr *e)
{
    struct expr *args[] = { e, expr_integer(c, 0) };
    return measure->agg == AGG_SUM ? expr_call(c, "coalesce", 2, args) : e;
}

static bool has_sub(const struct turned *t)
{
    for (int i = 0; i < t->part_count; i++)
        if (t->part[i].sub) return true;
    return false;
}

static bool in_groups(const struct core *core, int column)
{
    for (int i = 0; i < core->group_count; i++)
        if (core->group[i] == column) return true;
    return false;
}

static struct core without_measure(const struct turned *t)
{
    struct core core = t->core;
    core.item_count = 0;
    for (int i = 0; i < t->core.item_count; i++)
        if (t->core.items[i].agg == AGG_NONE) core.items[core.item_count++] = t->core.items[i];
    return core;
}

/* A condition with a sub-query is worked out row by row in a FROM of its own: not every engine takes one inside an
 * aggregate. */
static struct query *plan_nested(const struct emit *e, const struct turned *t)
{
    struct call *c = e->call;
    const struct term *measure = measure_term(t);
    const struct core shown = without_measure(t);
    struct query *in = query_select(c), *q = query_select(c);
    emit_from(e, in, &t->core, loose_of(e->linked, &t->core));
    emit_items(e, in, &shown);
    in->body->select.where = emit_conds(e, t->core.where, t->core.where_count, false);
    struct expr *pick = call_alloc(c, sizeof *pick);
    pick->kind = EXPR_CASE;
    pick->cases.count = 1;
    pick->cases.whens = call_alloc(c, sizeof *pick->cases.whens);
    const struct term plain = { AGG_NONE, false, measure->column };
    struct expr *one = measure->column == TERM_STAR ? expr_integer(c, 1) : emit_term(e, &plain);
    pick->cases.whens[0] = (struct when){ emit_conds(e, t->part, t->part_count, t->any), one };
    const size_t shown_count = in->body->select.item_count;
    for (int i = 0; i < t->core.group_count; i++)
        query_item(c, in, emit_column(e, t->core.group[i]), call_format(c, "group_%d", i + 1));
    query_item(c, in, pick, "part");
    query_item(c, in, expr_copy(c, one), "whole");
    query_from_query(c, q, in, "counted");
    for (size_t i = 0; i + 2 < in->body->select.item_count; i++) {
        const char *alias = in->body->select.items[i].alias;
        if (i < shown_count) query_item(c, q, expr_column(c, "counted", alias), alias);
        query_group(c, q, expr_column(c, "counted", alias));
    }
    const char *name = measure->agg == AGG_SUM ? "sum" : "count";
    struct expr *part = expr_call1(c, name, expr_column(c, "counted", "part"));
    struct expr *whole = expr_call1(c, name, expr_column(c, "counted", "whole"));
    query_item(c, q, percent(c, or_zero(c, measure, part), whole), "percent");
    return q;
}

static struct query *plan(const struct emit *e, const struct turned *t)
{
    struct call *c = e->call;
    const struct term *measure = measure_term(t);
    const struct core shown = without_measure(t);
    struct query *q;
    if (has_sub(t)) {
        q = plan_nested(e, t);
    } else {
        q = query_select(c);
        emit_from(e, q, &t->core, loose_of(e->linked, &t->core));
        emit_items(e, q, &shown);
        q->body->select.where = emit_conds(e, t->core.where, t->core.where_count, t->core.any);
        for (int i = 0; i < t->core.group_count; i++) query_group(c, q, emit_column(e, t->core.group[i]));
        for (int i = 0; i < shown.item_count; i++)
            if (!in_groups(&t->core, shown.items[i].column)) query_group(c, q, emit_term(e, &shown.items[i]));
        struct expr *part = emit_term(e, measure), *whole = emit_term(e, measure);
        if (t->part_count) {
            part->call.filter = emit_conds(e, t->part, t->part_count, t->any);
            part = or_zero(c, measure, part);
        } else {
            whole = expr_call1(c, "sum", whole);
            whole->call.over = call_alloc(c, sizeof *whole->call.over);
        }
        query_item(c, q, percent(c, part, whole), "percent");
    }
    for (int i = 0; i < t->core.order_count; i++) {
        const struct term *by = &t->core.order[i].term;
        struct expr *key = by->agg != AGG_NONE ? expr_output(c, "percent") : NULL;
        for (size_t k = 0; k < q->body->select.item_count && !key; k++)
            if (k < (size_t)shown.item_count && shown.items[k].column == by->column)
                key = expr_output(c, q->body->select.items[k].alias);
        if (key) query_order(c, q, key, t->core.order[i].desc ? DIR_DESC : DIR_ASC);
    }
    if (!t->core.order_count && !has_sub(t)) emit_time_order(e, q, &t->core);
    return q;
}

/* What is counted or added up of a core: orders where status is cancelled; the total amount of payments. */
static void say_measured(struct buf *b, const struct linked *l, const struct turned *t, const struct cond *where,
                         int count, bool any)
{
    static const char number[] = "the number of ";
    struct core core = t->core;
    struct buf text;
    buf_init(&text, b->call, 4096);
    core.items[0] = *measure_term(t);
    core.item_count = 1;
    core.group_count = core.order_count = core.limit = 0;
    memcpy(core.where, where, (size_t)count * sizeof *where);
    core.where_count = count;
    core.any = any;
    say_turned(&text, l, &core);
    bool counts = !strncmp(text.data, number, sizeof number - 1);
    buf_str(b, counts ? text.data + sizeof number - 1 : text.data);
}

static void say(struct buf *b, const struct linked *l, const struct turned *t)
{
    if (!t->part_count) {
        say_core(b, l, &t->core);
        buf_str(b, ", as a percentage of all together");
        return;
    }
    buf_str(b, "the percentage of ");
    say_measured(b, l, t, t->part, t->part_count, t->any);
    if (t->core.where_count) {
        buf_str(b, " among ");
        say_measured(b, l, t, t->core.where, t->core.where_count, t->core.any);
    }
    for (int i = 0; i < t->core.group_count; i++) {
        buf_str(b, i ? " and " : ", for each ");
        say_group(b, l, &t->core, t->core.group[i]);
    }
    say_order(b, l, &t->core);
}

const struct turn_kind turn_share = { "a percentage of a whole", find, apply, plan, say, NULL };
