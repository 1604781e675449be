#include "cli/measure/gold_chart.h"

#include "cli/measure/gold_token.h"

#include <ctype.h>
#include <string.h>

struct part { /* of a text */
    const char *at;
    size_t n;
};

/* A query of one SELECT, cut at its clauses. x and y are its two items. */
struct pieces {
    struct part items[2], rest; /* rest: FROM and WHERE */
    struct part groups[3];
    size_t item_count, group_count;
    struct part having, order; /* with their words; order with LIMIT; n 0 = absent */
};

enum clause { IN_ITEMS, IN_FROM, IN_GROUPS, IN_HAVING, IN_ORDER };

static const char *text_of(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING ? v->string : NULL;
}

bool gold_is_chart(const struct json *line)
{
    return text_of(line, "chart") && text_of(line, "vql") && text_of(line, "sql");
}

static bool word_char(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

static struct part trim(const char *a, const char *z)
{
    while (a < z && isspace((unsigned char)*a)) a++;
    while (z > a && isspace((unsigned char)z[-1])) z--;
    return (struct part){ a, (size_t)(z - a) };
}

/* Which clause a word begins, the one before it when none. */
static enum clause clause_of(const struct gold_token *t, enum clause now)
{
    if (t->depth || !t->word) return now;
    if (gold_token_is(t, "from")) return IN_FROM;
    if (gold_token_is(t, "group")) return IN_GROUPS;
    if (gold_token_is(t, "having")) return IN_HAVING;
    if (gold_token_is(t, "order") || gold_token_is(t, "limit")) return IN_ORDER;
    return now;
}

static bool keep_item(struct part *items, size_t *count, size_t most, struct part p)
{
    if (*count == most) return false;
    items[(*count)++] = p;
    return true;
}

/* The text of a clause, or of one item of its list. False when there are more than there is room for. */
static bool keep(struct pieces *out, enum clause clause, struct part p)
{
    switch (clause) {
    case IN_ITEMS:
        return keep_item(out->items, &out->item_count, 2, p);
    case IN_GROUPS:
        return keep_item(out->groups, &out->group_count, 3, p);
    case IN_FROM:
        out->rest = p;
        return true;
    case IN_HAVING:
        out->having = p;
        return true;
    case IN_ORDER:
        out->order = p;
        return true;
    }
    return false;
}

static bool cut(const char *sql, struct pieces *out)
{
    int depth = 0;
    enum clause clause = IN_ITEMS;
    struct gold_token t = gold_token_next(&sql, &depth);
    const char *begin = sql;
    *out = (struct pieces){ 0 };
    if (!gold_token_is(&t, "select")) return false;
    do {
        t = gold_token_next(&sql, &depth);
        if (t.depth == 0 && gold_token_is_set(&t)) return false;
        const enum clause next = clause_of(&t, clause);
        const bool listed = clause == IN_ITEMS || clause == IN_GROUPS;
        const bool comma = listed && t.n && t.depth == 0 && *t.at == ',';
        if (clause == IN_GROUPS && t.depth == 0 && gold_token_is(&t, "by")) begin = sql;
        if (next == clause && !comma && t.n) continue;
        if (!keep(out, clause, trim(begin, t.at))) return false;
        begin = comma ? sql : t.at;
        clause = next;
    } while (t.n);
    return out->item_count == 2 && out->rest.n;
}

static bool aggregate(struct part p)
{
    static const char *const names[] = { "count", "sum", "avg", "min", "max" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (p.n <= n || strncasecmp(p.at, names[i], n) != 0) continue;
        const char *q = p.at + n;
        while (*q == ' ') q++;
        if (*q == '(') return true;
    }
    return false;
}

/* The same column, with or without the name of its table. */
static bool same(struct part a, struct part b)
{
    for (size_t i = a.n; i > 0; i--)
        if (a.at[i - 1] == '.') {
            a = (struct part){ a.at + i, a.n - i };
            break;
        }
    for (size_t i = b.n; i > 0; i--)
        if (b.at[i - 1] == '.') {
            b = (struct part){ b.at + i, b.n - i };
            break;
        }
    return a.n == b.n && strncasecmp(a.at, b.at, a.n) == 0;
}

/* x in bins. format NULL = as it is. A number is a year already. */
static void add_x(struct buf *b, struct part x, const char *format)
{
    if (!format)
        buf_add(b, x.at, x.n);
    else if (!strcmp(format, "%Y"))
        buf_format(b, "CASE WHEN length(%.*s) <= 4 THEN %.*s ELSE strftime('%%Y', %.*s) END", (int)x.n, x.at, (int)x.n,
                   x.at, (int)x.n, x.at);
    else
        buf_format(b, "strftime('%s', %.*s)", format, (int)x.n, x.at);
}

static void add_item(struct buf *b, const struct pieces *p, struct part item, const char *format)
{
    add_x(b, item, same(item, p->items[0]) ? format : NULL);
}

/* ORDER BY …, with x in bins. */
static void add_order(struct buf *b, const struct pieces *p, const char *format)
{
    struct part o = p->order;
    const char *end = o.at + o.n;
    struct part x = p->items[0];
    for (const char *at = o.at; format && at + x.n <= end; at++)
        if (strncasecmp(at, x.at, x.n) == 0 && !word_char(at[-1]) && at[-1] != '.' && at[-1] != '(' &&
            !word_char(at[x.n])) {
            buf_add(b, o.at, (size_t)(at - o.at));
            add_x(b, x, format);
            buf_add(b, at + x.n, (size_t)(end - at) - x.n);
            return;
        }
    buf_add(b, o.at, o.n);
}

/* color: the group that tells the series apart, n 0 = none is shown. */
static const char *compose(struct call *c, const struct pieces *p, const char *format, bool grouped, struct part color)
{
    struct buf b;
    buf_init(&b, c, 1u << 16);
    buf_str(&b, "SELECT ");
    add_item(&b, p, p->items[0], format);
    buf_str(&b, ", ");
    add_item(&b, p, p->items[1], format);
    if (color.n) buf_format(&b, ", %.*s", (int)color.n, color.at);
    buf_format(&b, " %.*s", (int)p->rest.n, p->rest.at);
    for (size_t i = 0; grouped && i < p->group_count; i++) {
        buf_str(&b, i ? ", " : " GROUP BY ");
        add_item(&b, p, p->groups[i], format);
    }
    if (grouped && p->having.n) buf_format(&b, " %.*s", (int)p->having.n, p->having.at);
    if (p->order.n) {
        buf_char(&b, ' ');
        add_order(&b, p, format);
    }
    return b.data;
}

/* Every bin has a group; a height without any group is one of x's own. */
static void complete_groups(struct pieces *p, bool binned)
{
    bool heights = aggregate(p->items[1]) || aggregate(p->items[0]);
    struct part key = aggregate(p->items[0]) ? p->items[1] : p->items[0];
    bool has = false;
    for (size_t i = 0; i < p->group_count; i++) has |= same(p->groups[i], key);
    if (!heights || has || aggregate(key) || (p->group_count && !binned) || p->group_count == 3) return;
    p->groups[p->group_count++] = key;
}

size_t gold_charts(struct call *c, const struct json *line, const char *out[CHART_GOLDS_MAX])
{
    static const char *const formats[][3] = {
        { "YEAR", "%Y", NULL }, { "MONTH", "%Y-%m", "%m" }, { "DAY", "%Y-%m-%d", NULL }, { "WEEKDAY", "%w", NULL }
    };
    const char *sql = text_of(line, "sql"), *chart = text_of(line, "chart"), *const *ways = NULL;
    const struct json *bin = json_get(line, "bin");
    bool binned = bin && bin->kind == J_OBJECT,
         series = !strncmp(chart, "Stacked", 7) || !strncmp(chart, "Grouping", 8);
    struct pieces p;
    size_t n = 0;
    for (size_t i = 0; binned && i < sizeof formats / sizeof *formats; i++)
        if (text_of(bin, "by") && !strcmp(text_of(bin, "by"), formats[i][0])) ways = formats[i];
    if (binned && !ways) return 0;
    if (!cut(sql, &p)) {
        out[0] = sql;
        return !binned;
    }
    complete_groups(&p, binned);
    bool heights = aggregate(p.items[1]) || aggregate(p.items[0]);
    struct part color = { 0 };
    for (size_t i = 0; series && i < p.group_count && !color.n; i++)
        if (!same(p.groups[i], p.items[0]) && !same(p.groups[i], p.items[1])) color = p.groups[i];
    if (!heights && p.group_count && !color.n) return 0; /* any row of a group would do */
    for (size_t w = 1; w < 3 && (w == 1 || (ways && ways[w])); w++) {
        const char *format = ways ? ways[w] : NULL;
        if (color.n) out[n++] = compose(c, &p, format, heights, color);
        out[n++] = compose(c, &p, format, true, (struct part){ 0 });
    }
    return n;
}
