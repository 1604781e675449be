/* Any bytes as the policies of a configuration. What loads makes a view in which nothing denied stands; a plan over
 * that view is wrapped, and the independent checker accepts every wrap. */
#include "policy/policy.h"
#include "shop.h"
#include "sql/dialects/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fact, const char *what)
{
    if (fact) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static const char *const texts[] = {
    "SELECT id, name, email, city_id, born, vip, score FROM customer",
    "SELECT c.name, sum(o.total + 1) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'x' "
    "GROUP BY "
    "c.name ORDER BY c.name LIMIT 3",
    "SELECT count(*) FROM orders",
    "WITH x AS (SELECT * FROM city) SELECT x.country, (SELECT max(total) FROM orders) FROM x WHERE EXISTS (SELECT 1 "
    "FROM "
    "customer WHERE city_id = x.id)",
    "SELECT name FROM city UNION SELECT name FROM product WHERE id IN (SELECT product_id FROM item)",
};

static void ask(struct call *c, const struct view *view, const char *text)
{
    const struct dialect *d = dialect_find("sqlite");
    struct query *q, *after;
    struct certificate cert;
    struct check_result checked = { 0 };
    struct statement *s;
    int rc = sql_to_plan(c, "sqlite", text, strlen(text), view, &q);
    if (!rc) rc = plan_check(c, view, &d->support, ORIGIN_TEXT, q, &checked);
    if (!rc) rc = access_apply(c, view, &c->who, &d->support, q, &after, &cert);
    if (!rc) {
        need(!access_verify(c, view, &c->who, q, after, &cert), c->err.detail ? c->err.detail : "verify");
        rc = sql_render(c, "sqlite", after, 0, &s);
        need(!rc || rc == ERR_PLAN_TOO_LARGE, "checked and wrapped but not rendered");
    }
    need(rc != ERR_INTERNAL_ERROR, c->err.detail ? c->err.detail : "an internal error");
    call_forgive(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call c;
    const struct json *section;
    struct policies *p;
    const struct view *view;
    call_begin(&c);
    if (!json_parse(&c, (const char *)data, size, &section) && !policies_load(&c, section, &p)) {
        struct list names = policies_role_names(p, &c);
        c.who = (struct principal){
            .user = "u1", .tenant = "7", .level = LEVEL_VIEWER, .roles = names.items, .role_count = names.count
        };
        need(!policy_view(&c, p, &c.who, shop_view.snapshot, &view), "no view");
        need(view->table_count <= shop_view.table_count, "a view made tables up");
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) ask(&c, view, texts[i]);
        policies_free(p);
    }
    call_end(&c);
    return 0;
}
