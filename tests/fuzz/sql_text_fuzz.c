/* Any bytes as SQL text; the first one picks the dialect. What is read is checked, what passes is rendered for its own
 * engine and for SQLite, and what was rendered for SQLite reads again. */
#include "shop.h"
#include "sql/dialects/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fact, const struct call *c, const char *what, const char *sql)
{
    if (fact) return;
    fprintf(stderr, "%s: %s\n%s\n", what, c->err.message ? c->err.message : "", sql);
    abort();
}

static void render_for(struct call *c, const char *text, size_t n, const char *from, const struct dialect *to)
{
    struct query *q, *again;
    struct check_result result = { 0 };
    struct statement *s;
    int rc = sql_to_plan(c, from, text, n, &shop_view, &q);
    if (!rc) rc = plan_check(c, &shop_view, &to->support, ORIGIN_TEXT, q, &result);
    if (rc) {
        need(rc != ERR_INTERNAL_ERROR && c->err.message && *c->err.message, c, "an unexpected failure", "");
        call_forgive(c);
        return;
    }
    rc = sql_render(c, to->name, q, 0, &s);
    need(!rc || rc == ERR_PLAN_TOO_LARGE, c, "checked but not rendered", to->name);
    if (rc) {
        call_forgive(c);
        return;
    }
    need(strlen(s->sql) == s->n, c, "a NUL was rendered", s->sql);
    if (strcmp(to->name, "sqlite") == 0 && s->n <= 65536) {
        rc = sql_to_plan(c, "sqlite", s->sql, s->n, &shop_view, &again);
        need(!rc || rc == ERR_PLAN_TOO_LARGE, c, "rendered but not read", s->sql);
    }
    call_forgive(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "sqlite", "postgres", "mysql", "duckdb", "mssql" };
    struct call c;
    if (!size) return 0;
    const char *from = names[data[0] % 5];
    call_begin(&c);
    render_for(&c, (const char *)data + 1, size - 1, from, dialect_find(from));
    if (strcmp(from, "sqlite") != 0) render_for(&c, (const char *)data + 1, size - 1, from, dialect_find("sqlite"));
    call_end(&c);
    return 0;
}
