#include "cli/measure/hardness.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char *const hardness_names[HARDNESSES] = { "easy", "medium", "hard", "extra" };

enum clause { SELECT, FROM, WHERE, GROUP, HAVING, ORDER, LIMIT, CLAUSES };

struct reading { /* of the outermost query, up to a set operation */
    enum clause clause;
    bool seen[CLAUSES], between;
    int depth, skip; /* parentheses; depth at which a sub-query began, 0 = in none */
    int commas[CLAUSES], links, ors, likes, joins, aggregates, nested;
};

static bool is(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && strncasecmp(word, name, n) == 0;
}

static void read_word(struct reading *r, const char *w, size_t n)
{
    static const char *const clauses[] = { "select", "from", "where", "group", "having", "order", "limit" };
    static const char *const aggregates[] = { "count", "sum", "avg", "min", "max" };
    if (r->skip) return;
    if (is(w, n, "select") && r->depth) {
        r->skip = r->depth;
        r->nested++;
        return;
    }
    for (int i = 0; i < CLAUSES; i++)
        if (is(w, n, clauses[i]) && !r->depth) r->clause = (enum clause)i, r->seen[i] = true;
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++) r->aggregates += is(w, n, aggregates[i]);
    bool condition = r->clause == WHERE || r->clause == HAVING;
    if (is(w, n, "join")) r->joins++;
    if (is(w, n, "like") && condition) r->likes++;
    if (is(w, n, "between")) r->between = true;
    if (is(w, n, "or") && condition) r->ors++;
    if ((is(w, n, "and") && !r->between) || is(w, n, "or")) r->links += r->clause == WHERE;
    if (is(w, n, "and")) r->between = false;
}

static void read_text(struct reading *r, const char *s)
{
    while (*s) {
        if (*s == '\'' || *s == '"' || *s == '`') {
            const char *end = strchr(s + 1, *s);
            s = end ? end + 1 : s + strlen(s);
        } else if (isalpha((unsigned char)*s) || *s == '_') {
            size_t n = 1;
            while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
            bool set = !r->depth && (is(s, n, "union") || is(s, n, "intersect") || is(s, n, "except"));
            if (set) {
                r->nested++;
                return;
            }
            read_word(r, s, n);
            s += n;
        } else {
            if (*s == '(') r->depth++;
            if (*s == ')' && r->depth-- == r->skip) r->skip = 0;
            if (*s == ',' && !r->depth) r->commas[r->clause]++;
            s++;
        }
    }
}

enum hardness hardness_of(const char *sql)
{
    struct reading r = { .clause = SELECT };
    read_text(&r, sql);
    int parts =
        r.seen[WHERE] + r.seen[GROUP] + r.seen[ORDER] + r.seen[LIMIT] + r.joins + r.commas[FROM] + r.ors + r.likes;
    int others = (r.aggregates > 1) + (r.commas[SELECT] > 0) + (r.seen[WHERE] && r.links > 0) + (r.commas[GROUP] > 0);
    if (!r.nested && parts <= 1 && !others) return HARDNESS_EASY;
    if (!r.nested && ((others <= 2 && parts <= 1) || (parts <= 2 && others < 2))) return HARDNESS_MEDIUM;
    bool plain = !r.nested && ((others > 2 && parts <= 2) || (parts > 2 && parts <= 3 && others <= 2));
    if (plain || (parts <= 1 && !others && r.nested <= 1)) return HARDNESS_HARD;
    return HARDNESS_EXTRA;
}
