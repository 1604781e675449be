#include "policy/policies.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* `*` is any run of characters, letters compare without case. Iterative: one mark to come back to. */
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *mark = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            mark = name;
        } else if (tolower((unsigned char)*pattern) == tolower((unsigned char)*name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++mark;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool pattern_names(const char *pattern, const char *name)
{
    return matches(pattern, name);
}

bool pattern_matches(const struct table_pattern *p, const char *datasource, const struct table *t)
{
    if (!matches(p->datasource, datasource)) return false;
    if (strchr(t->name, '.') && strcasecmp(p->rest, t->name) == 0) return true;
    if (!matches(p->table, t->name)) return false;
    if (!p->schema) return true;
    /* An engine with one namespace calls it main. */
    return matches(p->schema, t->schema ? t->schema : "main");
}

bool column_pattern_matches(const struct column_pattern *p, const char *datasource, const struct table *t,
                            const char *column)
{
    return matches(p->column, column) && pattern_matches(&p->table, datasource, t);
}

bool pattern_parse(struct call *c, const char *text, struct table_pattern *out)
{
    const char *dot = strchr(text, '.');
    if (!dot || dot == text || !dot[1] || text[strlen(text) - 1] == '.') return false;
    *out = (struct table_pattern){ .datasource = call_strndup(c, text, (size_t)(dot - text)), .rest = dot + 1 };
    const char *last = strrchr(dot + 1, '.');
    out->table = last ? last + 1 : dot + 1;
    if (last) out->schema = call_strndup(c, dot + 1, (size_t)(last - dot - 1));
    return !last || last != dot + 1;
}

bool column_pattern_parse(struct call *c, const char *text, struct column_pattern *out)
{
    const char *last = strrchr(text, '.');
    if (!last || !last[1]) return false;
    out->column = last + 1;
    return pattern_parse(c, call_strndup(c, text, (size_t)(last - text)), &out->table);
}
