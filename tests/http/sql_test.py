"""SQL of a caller through REST and MCP: the guide's shop, every refusal with its words, caps, the clock, and a count that
stays what it was."""
import json, os, sqlite3, sys, tempfile, time, datetime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

t = Checks()
CONFIG = """version: 1
server: {listen: "127.0.0.1:0"}
api: {auth: none}
mcp: {auth: none, run_query: {max_rows: 5, timeout_s: 2}}
datasources:
  - id: shop
    type: sqlite
    description: a shop
    connection: {path: "%s"}
policies:
  default_role: analyst
  roles:
    analyst:
      allow: ["shop.customers", "shop.orders"]
      columns_deny: ["shop.customers.email"]
"""


def make_shop(path):
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, email TEXT);
        CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id),
                             order_date DATE, amount INTEGER);
        CREATE TABLE salaries (employee TEXT, amount INTEGER);
        INSERT INTO salaries VALUES ('Ann', 1);""")
    db.executemany("INSERT INTO customers VALUES (?,?,?,?)",
                   [(1, "Asha", "IN", "a@x"), (2, "Ben", "US", "b@x"), (3, "Chen", "CN", "c@x"), (4, "Dora", "US", "d@x")])
    day = datetime.date(2026, 9, 1)
    db.executemany("INSERT INTO orders VALUES (?,?,?,?)",
                   [(i, 1 + i % 4, (day + datetime.timedelta(days=i % 20)).isoformat(), 10 + (i * 7) % 50)
                    for i in range(200)])
    db.commit()
    db.close()


ONE = "Send exactly one SELECT statement."
ONLY = "Only SELECT queries are allowed."
FUNCTIONS = "Table functions such as read_csv are not allowed."
PLAIN = "Use plain table names, without a schema or catalog prefix."
THERE = "Available tables: customers, orders."
REFUSED = [
    ("DROP TABLE orders", ONLY), ("DELETE FROM orders", ONLY), ("UPDATE orders SET amount = 0", ONLY),
    ("INSERT INTO orders VALUES (999, 1, '2026-01-01', 1)", ONLY), ("CREATE TABLE t AS SELECT 1", ONLY),
    ("COPY orders TO '/tmp/out.csv'", ONLY), ("ATTACH '/tmp/other.db' AS other", ONLY), ("INSTALL httpfs", ONLY),
    ("PRAGMA database_list", ONLY), ("SET threads = 64", ONLY), ("EXPLAIN SELECT * FROM orders", ONLY),
    ("SELECT * INTO x FROM orders", ONLY), ("WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x", ONLY),
    ("SELECT 1 FROM orders; DROP TABLE orders", ONE), ("SELECT 1 FROM orders -- harmless\n; DROP TABLE orders", ONE),
    ("", ONE), (";", ONE), ("-- nothing", ONE),
    ("SELECT * FROM read_csv('/etc/passwd')", FUNCTIONS), ("SELECT * FROM glob('/*')", FUNCTIONS),
    ("SELECT * FROM '/tmp/data.csv'", "Table '/tmp/data.csv' is not available. " + THERE),
    ("SELECT * FROM restricted.orders", PLAIN), ("SELECT * FROM other_db.main.customers", PLAIN),
    ("SELECT * FROM main.orders", PLAIN), ("SELECT * FROM information_schema.tables", PLAIN),
    ("SELECT * FROM salaries", "Table 'salaries' is not available. " + THERE),
    ("SELECT * FROM nothing_here", "Table 'nothing_here' is not available. " + THERE),
    ("SELECT * FROM sqlite_master", "Table 'sqlite_master' is not available. " + THERE),
    ("SELECT * FROM orders WHERE customer_id IN (SELECT amount FROM salaries)",
     "Table 'salaries' is not available. " + THERE),
    ("WITH x AS (SELECT * FROM salaries) SELECT * FROM x", "Table 'salaries' is not available. " + THERE),
    ("SELECT getenv('HOME') FROM orders", "The function 'getenv' is not allowed."),
    ("SELECT load_extension('x')", "The function 'load_extension' is not allowed."),
    ("SELEC * FROM orders", "The SQL could not be parsed: expected SELECT, found 'SELEC', at line 1, column 1."),
    ("SELECT email FROM customers", "There is no column 'email'."),
    ("SELECT * FROM customers JOIN orders USING (customer_id)",
     "Name the columns; * is not available for the table 'customers'."),
    ("SELECT customers.* FROM orders JOIN customers USING (customer_id)",
     "Name the columns; * is not available for the table 'customers'."),
    ("SELECT * FROM customers", "Name the columns; * is not available for the table 'customers'."),
]
RUN = [
    ("SELECT count(*) AS n FROM orders", [[200]], False),
    ("SELECT country, count(*) AS n FROM customers GROUP BY country ORDER BY country;", [["CN", 1], ["IN", 1], ["US", 2]], False),
    ("SELECT order_id FROM orders ORDER BY order_id", [[0], [1], [2], [3], [4]], True),
    ("SELECT order_id FROM orders ORDER BY order_id LIMIT 5", [[0], [1], [2], [3], [4]], False),
    ("SELECT order_id FROM orders ORDER BY order_id LIMIT 3 OFFSET 2", [[2], [3], [4]], False),
    ("SELECT order_id FROM orders ORDER BY order_id LIMIT 1000000", [[0], [1], [2], [3], [4]], True),
    ("SELECT customer_id FROM orders UNION SELECT customer_id FROM customers ORDER BY 1", [[1], [2], [3], [4]], False),
    ("SELECT 1 /* a ; b */ AS x -- c", [[1]], False),
    # SQLite's own leniency holds for a person's text: the row of the largest.
    ("SELECT name, max(customer_id) AS m FROM customers GROUP BY country ORDER BY m",
     [["Asha", 1], ["Chen", 3], ["Dora", 4]], False),
    ("SELECT 9007199254740993 AS big, 0.1 AS small, NULL AS none, 'a' AS text",
     [["9007199254740993", 0.1, None, "a"]], False),
]
RUNAWAY = "SELECT COUNT(*) FROM orders a, orders b, orders c, orders d, orders e, orders f"


def run(s, sql, **more):
    return s.post("/api/v1/queries/run", dict(more, sql=sql))


def untouched(s, after):
    t.equal(run(s, "SELECT count(*) AS n FROM orders").json.get("rows"), [[200]], "200 orders after " + after[:60])


def rest(s):
    for sql, rows, truncated in RUN:
        reply = run(s, sql, datasource_id="shop")
        if t.equal(reply.status, 200, sql):
            t.equal(reply.json["rows"], rows, sql)
            t.equal((reply.json["truncated"], reply.json["row_count"]), (truncated, len(rows)), sql)
    for sql, message in REFUSED:
        reply = run(s, sql)
        t.check(reply.status == 422, "refused: " + sql, reply)
        t.check(message in (reply.json or {}).get("detail", ""), "with its words: " + sql, reply)
        untouched(s, sql)
        valid = s.post("/api/v1/queries/validate", {"sql": sql}).json
        t.check(valid["valid"] is False and message in valid["errors"][0], "validate: " + sql, valid)
    began = time.time()
    reply = run(s, RUNAWAY)
    t.equal((reply.status, reply.json["detail"]), (504, "The query took longer than 2 seconds and was stopped."), "a runaway")
    t.check(1.5 < time.time() - began < 6, "the clock is kept", time.time() - began)
    untouched(s, "a runaway")
    names = run(s, "SELECT o.amount * 2 AS twice, c.name FROM orders o JOIN customers c USING (customer_id) LIMIT 1").json
    t.equal(names["columns"], ["twice", "name"], "names of columns")
    t.equal(names["column_types"][1]["sources"], ["customers.name"], "origin of a column")


def validate(s):
    good = s.post("/api/v1/queries/validate", {"sql": "SELECT name FROM customers"}).json
    t.equal(good, {"valid": True, "errors": [], "warnings": []}, "a good statement")
    other = s.post("/api/v1/queries/validate", {"sql": "SELECT name::text FROM customers LIMIT ALL", "dialect": "postgresql"})
    t.equal(other.json["valid"], True, "another dialect")
    for dialect in ("snowflake", "bigquery", "nonsense"):
        bad = s.post("/api/v1/queries/validate", {"sql": "SELECT 1", "dialect": dialect}).json
        t.check(not bad["valid"] and bad["errors"][0].startswith("dialect '%s' is not supported; use one of " % dialect),
                dialect, bad)


def tool(s, name, arguments):
    reply = s.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                            "params": {"name": name, "arguments": arguments}},
                   headers={"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"},
                   validate=False)
    text = reply.text
    if text.startswith("event:") or text.startswith("data:"):
        text = [line[5:] for line in text.splitlines() if line.startswith("data:")][-1]
    return json.loads(text).get("result", {})


def mcp(s):
    result = tool(s, "run_query", {"sql": "SELECT order_id FROM orders ORDER BY order_id"})
    t.equal(result.get("structuredContent"), {"columns": ["order_id"], "rows": [[0], [1], [2], [3], [4]], "row_count": 5,
                                               "truncated": True}, "run_query over MCP")
    for sql, message in REFUSED[::5]:
        result = tool(s, "run_query", {"sql": sql})
        t.check(result.get("isError") and message in result["content"][0]["text"], "over MCP: " + sql, result)
        untouched(s, sql)
    result = tool(s, "validate_sql", {"sql": "SELECT * FROM salaries"})
    t.check(not result.get("isError") and result["structuredContent"]["valid"] is False, "validate_sql is a result", result)
    result = tool(s, "get_schema", {"question": "total amount of orders per customer", "max_tables": 1})
    t.equal([x["name"] for x in result["structuredContent"]["tables"]], ["orders"], "the table of a question")
    result = tool(s, "get_schema", {"question": "who is in which country"})["structuredContent"]
    t.equal(sorted(x["name"] for x in result["tables"]), ["customers", "orders"], "denied tables are missing")
    columns = [c["name"] for x in result["tables"] for c in x["columns"]]
    t.check("email" not in columns and "country" in columns, "denied columns are missing", columns)
    t.check(set(result["tables"][0]) == {"name", "columns"} and set(result["tables"][0]["columns"][0]) == {"name", "type"},
            "exactly these members", result["tables"][0])


with tempfile.TemporaryDirectory() as folder:
    shop = os.path.join(folder, "shop.sqlite")
    make_shop(shop)
    server = Server(config=CONFIG % shop)
    try:
        rest(server)
        validate(server)
        mcp(server)
    finally:
        server.stop()
t.finish()
