#include "charts/drawn.h"

#include <string.h>

#define WAY_REACH 6 /* words between what is sorted and the direction */

static bool is(const struct words *q, size_t p, const char *word)
{
    return p < q->count && strcmp(q->items[p].fold, word) == 0;
}

/* Is word p one of the list, whose words stand between blanks? */
static bool any(const struct words *q, size_t p, const char *list)
{
    if (p >= q->count || q->items[p].flags & (WORD_MARK | WORD_QUOTED)) return false;
    return word_listed(list, q->items[p].fold);
}

static const char kinds[] = " bar bars pie line scatter scattered stacked grouped grouping group donut area column ";
static const char nouns[] = " chart charts graph graphs plot plots diagram diagrams histogram ";
static const char whole[] =
    " histogram histograms barchart linechart piechart scatterplot visualize visualise visualizing "
    "visualising visualized visualised visualization visualisation visualizes ";
static const char units[] = " year month weekday weekdays week day quarter time interval intervals ";
static const char ways[] =
    " asc desc ascending descending ascend descend increasing decreasing low high lowest highest "
    "alphabetical ";

static void mark(struct words *q, size_t p)
{
    if (!(q->items[p].flags & WORD_QUOTED)) q->items[p].flags |= WORD_DRAWN;
}

/* bar chart, a stacked bar graph, as a plot; plot them, draw a … chart. */
static void mark_charts(struct words *q)
{
    for (size_t p = 0; p < q->count; p++) {
        if (any(q, p, whole)) mark(q, p);
        if (any(q, p, nouns)) {
            size_t first = p;
            while (first > 0 && any(q, first - 1, kinds)) first--;
            bool said = first < p || (p > 0 && any(q, p - 1, " a an in as using by "));
            bool name = first == p && is(q, p + 1, "of") && any(q, p, " plot plots ");
            for (size_t i = first; said && !name && i <= p; i++) mark(q, i);
        }
        bool verb = any(q, p, " plot graph chart draw ") && any(q, p + 1, " them it the this those these a an me ");
        if (verb &&
            (p == 0 || q->items[p].flags & WORD_FIRST || any(q, p - 1, " and , please to can ") || is(q, p, "draw")))
            mark(q, p);
    }
}

static bool drawing(const struct words *q)
{
    for (size_t p = 0; p < q->count; p++)
        if (q->items[p].flags & WORD_DRAWN) return true;
    return false;
}

/* in ascending order; from low to high. */
static bool way_at(const struct words *q, size_t p)
{
    bool end = any(q, p, " low high ");
    if (end && is(q, p + 1, "to") && any(q, p + 2, " low high ")) return true;
    return any(q, p, ways) || (end && p > 1 && is(q, p - 1, "to") && any(q, p - 2, " low high "));
}

static bool way_near(const struct words *q, size_t p, size_t end)
{
    for (size_t k = end; k < q->count && k < end + WAY_REACH; k++) {
        if (way_at(q, k)) return true;
        if (q->items[k].flags & WORD_MARK || any(q, k, " x y axis of ")) break;
    }
    for (size_t k = p; k-- > 0 && k + WAY_REACH >= p;) {
        if (way_at(q, k)) return true;
        if (q->items[k].flags & WORD_MARK || any(q, k, " x y axis ")) break;
    }
    return false;
}

static size_t before_article(const struct words *q, size_t p)
{
    while (p > 0 && any(q, p - 1, " the all ")) p--;
    return p;
}

static bool sorted_here(const struct words *q, size_t p, size_t end)
{
    size_t at = before_article(q, p);
    return way_near(q, p, end) || (at > 0 && is(q, at - 1, "by"));
}

static void mark_axes(struct words *q)
{
    for (size_t p = 0; p < q->count; p++) {
        bool letter = any(q, p, " x y ");
        if (letter && any(q, p + 1, " axis axes ")) {
            mark(q, p);
            mark(q, p + 1);
        } else if (letter && sorted_here(q, p, p + 1)) {
            mark(q, p);
        } else if (any(q, p, " bar bars ") && p > 0 && way_near(q, p, p + 1) && drawing(q)) {
            mark(q, p);
        } else if (is(q, p, "total") && any(q, p + 1, " number ") && !is(q, p + 2, "of") && sorted_here(q, p, p + 2)) {
            mark(q, p);
            mark(q, p + 1);
        }
    }
}

static void mark_fillers(struct words *q)
{
    for (size_t p = 0; p < q->count; p++) {
        if (any(q, p, " bin binning binned bins "))
            for (size_t k = p + 1; k < q->count && k < p + 9; k++)
                if (any(q, k, units)) mark(q, p);
        if (any(q, p, " interval intervals ") && p > 0 && any(q, p - 1, units)) mark(q, p);
        if (is(q, p, "attribute") && p > 1 && is(q, p - 1, "by") && any(q, p - 2, " group grouped grouping "))
            mark(q, p);
    }
}

void drawn_words(struct words *q)
{
    mark_charts(q);
    mark_axes(q);
    mark_fillers(q);
}

enum drawn drawn_as(const struct words *q, size_t p)
{
    if (is(q, p, "x")) return DRAWN_X;
    if (is(q, p, "y")) return DRAWN_Y;
    if (any(q, p, " axis axes ")) return DRAWN_AXIS;
    if (any(q, p, " total number ")) return DRAWN_HEIGHT;
    if (any(q, p, " bin binning binned bins interval intervals attribute ")) return DRAWN_FILLER;
    if (any(q, p, " stacked grouped grouping group ")) return DRAWN_SERIES;
    bool kind = p + 1 < q->count && q->items[p + 1].flags & WORD_DRAWN && any(q, p + 1, kinds);
    kind |= any(q, p + 1, nouns);
    return any(q, p, " bar bars ") && !kind ? DRAWN_BARS : DRAWN_CHART;
}

bool drawn_sorts(const struct words *q, size_t p)
{
    size_t end = p + 1;
    while (end < q->count && q->items[end].flags & WORD_DRAWN) end++;
    return sorted_here(q, p, end);
}

bool drawn_way_near(const struct words *q, size_t p)
{
    return drawing(q) && way_near(q, p, p + 1);
}

const char *drawn_kind(const struct words *q)
{
    for (size_t p = 0; p < q->count; p++) {
        if (!(q->items[p].flags & WORD_DRAWN) || drawn_as(q, p) != DRAWN_CHART) continue;
        if (any(q, p, " line linechart ")) return "line";
        if (any(q, p, " bar bars barchart histogram histograms column ")) return "bar";
    }
    return NULL;
}
