"""Relations that must hold between queries whatever the data is: parts add up to the whole, order of writing does not matter,
pages join to the list. Through POST /queries/run on the demo, so parser, check, access, render and database all take part."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Checks, Server  # noqa: E402

FILTERS = {
    "orders": ["status = 'shipped'", "status <> 'shipped'", "shipped_date > '2025-06-01'", "shipping_fee between 3 and 6",
               "shipping_fee * 2 > 9", "customer_id in (select customer_id from customers where city = 'Berlin')",
               "shipped_date like '2025-%'", "case when shipping_fee > 5 then 1 else 0 end = 1", "store_id in (1, 2, 3)",
               "coalesce(employee_id, 0) >= 5",
               "exists (select 1 from order_items i where i.order_id = orders.order_id and i.quantity > 4)"],
    "products": ["price > 100", "price >= cost * 1.5", "name like '%Lamp%'", "category_id in (1, 2)", "length(name) % 2 = 0",
                 "upper(name) < 'M'", "weight_grams > 500", "price > (select avg(price) from products)"],
}
KEY = {"orders": "order_id", "products": "product_id"}


def main():
    checks = Checks()
    with Server() as server:
        def rows(sql):
            reply = server.post("/api/v1/queries/run", {"sql": sql, "datasource_id": "demo"})
            checks.check(reply.status == 200, sql, reply)
            return reply.json["rows"] if reply.status == 200 else []

        def one(sql):
            found = rows(sql)
            return found[0][0] if found else None

        for table, conditions in FILTERS.items():
            whole = one(f"select count(*) from {table}")
            key = KEY[table]
            for p in conditions:
                parts = [one(f"select count(*) from {table} where {q}") for q in (p, f"not ({p})", f"({p}) is null")]
                checks.equal(sum(parts), whole, f"parts of {table} by {p}")
                union = one(f"select count(*) from (select {key} from {table} where {p} union all select {key} from {table} where not ({p})"
                            f" union all select {key} from {table} where ({p}) is null) u")
                checks.equal(union, whole, f"the union of the parts of {table} by {p}")
                checks.equal(one(f"select sum(case when {p} then 1 else 0 end) from {table}") or 0, parts[0], f"a sum of cases by {p}")
                checks.equal(one(f"select count(*) from {table} where not (not ({p}))"), parts[0], f"twice not: {p}")
            for p, q in itertools.islice(itertools.combinations(conditions, 2), 12):
                both = one(f"select count(*) from {table} where ({p}) and ({q})")
                either = one(f"select count(*) from {table} where ({p}) or ({q})")
                checks.equal(one(f"select count(*) from {table} where ({q}) and ({p})"), both, f"and the other way: {p}; {q}")
                single = [one(f"select count(*) from {table} where {x}") for x in (p, q)]
                checks.equal(both + either, sum(single), f"inclusion and exclusion: {p}; {q}")
                checks.equal(one(f"select count(*) from (select {key} from {table} where {p} intersect select {key} from {table} where {q}) b"),
                             both, f"intersect: {p}; {q}")

        total = one("select count(*) from orders")
        checks.equal(sum(r[1] for r in rows("select status, count(*) from orders group by status")), total, "groups add up")
        checks.equal(one("select sum(n) from (select count(*) as n from orders group by customer_id having count(*) >= 1) g"), total,
                     "groups with having add up")
        joined = "select count(*) from {} join {} on o.customer_id = c.customer_id where c.city = 'Berlin'"
        checks.equal(one(joined.format("orders o", "customers c")), one(joined.format("customers c", "orders o")), "a join's sides")
        left = one("select count(*) from customers c left join orders o on o.customer_id = c.customer_id")
        inner = one("select count(*) from customers c join orders o on o.customer_id = c.customer_id")
        alone = one("select count(*) from customers c where not exists (select 1 from orders o where o.customer_id = c.customer_id)")
        checks.equal(left, inner + alone, "a left join is the inner one and those who stand alone")
        listed = rows("select product_id, name from products order by name, product_id limit 150")
        pages = []
        for offset in range(0, 150, 50):
            pages += rows(f"select product_id, name from products order by name, product_id limit 50 offset {offset}")
        checks.equal(pages, listed, "pages join to the list")
        checks.equal(rows("with p as (select product_id, name from products) select product_id, name from p order by name, product_id limit 150"), listed,
                     "a common table is its query")
    checks.finish()


main()
