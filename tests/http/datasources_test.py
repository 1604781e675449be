"""Datasources over REST: what is listed and described for whom, connecting files from open folders only, bad files, restart."""
import os, shutil, sqlite3, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

t = Checks()
DS = "/api/v1/datasources"


def make(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()
    return path


def demo():
    s = Server()
    try:
        listed = s.get(DS).json
        t.equal([(d["id"], d["type"], d["status"]) for d in listed["items"]], [("demo", "sqlite", "ready")], "the demo is listed")
        one = s.get(DS + "/demo").json
        t.equal((one["status"], one["tables"], one["managed"]), ("ready", 12, True), "the demo is ready at its first use")
        schema = s.get(DS + "/demo/schema").json
        t.equal(len(schema["items"]), 12, "all its tables")
        orders = [x for x in schema["items"] if x["name"] == "orders"][0]
        t.check(orders["row_count"] > 10000, "rows are counted", orders)
        t.equal(sorted(k["referred_table"] for k in orders["foreign_keys"]), ["customers", "employees", "stores"], "keys")
        found = s.get(DS + "/demo/schema?search=lead%20time").json
        t.equal([x["name"] for x in found["items"]], ["product_suppliers"], "search")
        seen, path = [], DS + "/demo/schema?limit=5"
        while path:
            page = s.get(path).json
            seen += [x["name"] for x in page["items"]]
            path = page["next"] and DS + "/demo/schema?limit=5&cursor=" + page["next"]
        t.equal(seen, sorted(x["name"] for x in schema["items"]), "pages")
        t.equal(s.get(DS + "/demo/schema?cursor=abc").code, "CURSOR_INVALID", "a foreign cursor")
        described = s.get(DS + "/demo/tables/Orders").json
        t.equal((described["status"], described["table"]["name"]), ("ok", "orders"), "described, whatever the case")
        amount = [c for c in s.get(DS + "/demo/tables/order_items").json["table"]["columns"] if c["name"] == "amount"][0]
        t.equal(amount["type"], "DECIMAL(10,2)", "declared types")
        missing = s.get(DS + "/demo/tables/nothing").json
        t.equal((missing["status"], missing["message"]), ("not_found", "No table 'nothing' in datasource 'demo'."), "no table")
        t.equal(len(missing["tables"]), 12, "the tables there are")
        gone = s.get(DS + "/nowhere/tables/orders").json
        t.equal((gone["message"], "tables" in gone), ("No datasource 'nowhere'.", False), "no datasource")
        t.equal((s.get(DS + "/nowhere").status, s.get(DS + "/nowhere/schema").status), (404, 404), "unknown is 404")
        t.equal(s.delete(DS + "/demo").code, "MANAGED_BY_FILE", "the demo stays")
        report = s.index("demo")["result"]
        t.equal((report["complete"], report["changed"], report["tables"]), (True, False, 12), "indexed anew")
        t.check(report["rows"] > 60000 and report["values"] > 1000, "the report counts", report)
        kinds = {k["type"]: k for k in s.get("/api/v1/datasource-types").json["items"]}
        t.equal(kinds["sqlite"]["connection"]["required"], ["path"], "what a connection needs")
        t.equal(s.post(DS + "/scan").code, "FORBIDDEN", "scanning is off")
        refused = s.post(DS + "/test", {"type": "sqlite", "connection": {"path": s.state + "/demo.sqlite"}})
        t.equal((refused.status, refused.json["errors"][0]["pointer"]), (422, "/connection/path"), "no folder is open")
    finally:
        s.stop()


CONFIG = """version: 1
api: {auth: none}
connect: {folders: ["%s"]}
"""


def connecting(folder, outside):
    open_folder = os.path.join(folder, "open")
    os.mkdir(open_folder)
    shop = make(os.path.join(open_folder, "shop.sqlite"),
                "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items VALUES (1, 'tea')")
    secret = make(os.path.join(outside, "secret.sqlite"), "CREATE TABLE s (x)")
    os.symlink(secret, os.path.join(open_folder, "link.sqlite"))
    open(os.path.join(open_folder, "empty.sqlite"), "w").close()
    with open(os.path.join(open_folder, "text.sqlite"), "w") as f:
        f.write("not a database, but some text\n" * 100)
    s = Server(CONFIG % open_folder)
    try:
        for path, stage in (("shop.sqlite", "done"), ("absent.sqlite", "resolve"), ("empty.sqlite", "open_database"),
                            ("text.sqlite", "open_database")):
            tried = s.post(DS + "/test", {"type": "sqlite", "connection": {"path": os.path.join(open_folder, path)}}).json
            t.equal((tried["stage"], tried["ok"]), (stage, stage == "done"), "test of " + path)
            t.check(stage == "done" or (tried["fix"] and folder not in tried["message"]), "says what is wrong, not where", tried)
        for path in (secret, os.path.join(open_folder, "link.sqlite"), os.path.join(open_folder, "..", "x.sqlite"), "shop.sqlite",
                     os.path.join(outside, "absent.sqlite"), "/etc/passwd", "/", "", "file:" + shop, ":memory:",
                     open_folder + "-not/x", os.path.join(open_folder, "a", "..", "..", "..", "etc", "passwd")):
            for route, more in ((DS + "/test", {}), (DS, {"id": "other"})):
                r = s.post(route, dict(more, type="sqlite", connection={"path": path}))
                t.equal((r.status, r.json["errors"][0]["pointer"]), (422, "/connection/path"), "outside: %r" % path)
                t.check(outside not in r.text and "exist" not in r.text, "nothing is told about other folders", r)
        made = s.post(DS, {"id": "shop", "description": "Tea.", "type": "sqlite", "connection": {"path": shop}})
        t.equal((made.status, made.json["managed"]), (201, False), "connected")
        t.equal(s.get(DS + "/shop/tables/items").json["table"]["row_count"], 1, "usable at once")
        for body, status, code in (
            ({"id": "shop", "type": "sqlite", "connection": {"path": shop}}, 409, "CONFLICT"),
            ({"id": "Bad Name", "type": "sqlite", "connection": {"path": shop}}, 422, "VALIDATION_ERROR"),
            ({"id": "x", "type": "sqlight", "connection": {"path": shop}}, 422, "VALIDATION_ERROR"),
            ({"id": "x", "type": "sqlite", "connection": {}}, 422, "VALIDATION_ERROR"),
            ({"id": "x", "type": "sqlite", "connection": {"path": shop, "mode": "rw"}}, 422, "VALIDATION_ERROR"),
            ({"id": "x", "type": "sqlite", "connection": [1]}, 422, "VALIDATION_ERROR"),
            ({"id": "x", "type": "sqlite", "connection": {"path": shop}, "options": {"row_limit": 0}}, 422, "VALIDATION_ERROR"),
            ({"id": "x", "type": "sqlite", "connection": {"path": open_folder + "/text.sqlite"}}, 503, "DATASOURCE_UNAVAILABLE"),
        ):
            r = s.post(DS, body)
            t.equal((r.status, r.code), (status, code), "refused: %r" % body)
        s.process.terminate()
        s.process.wait(40)
        os.rename(shop, shop + ".away")
        s.start()
        t.equal([(d["id"], d["status"]) for d in s.get(DS).json["items"]], [("shop", "unavailable")], "a missing file stops nothing")
        problem = s.get(DS + "/shop").json["problem"]
        t.check("does not exist" in problem and folder not in problem, "and an admin reads why", problem)
        os.rename(shop + ".away", shop)
        job = s.index("shop")
        t.equal((job["state"], s.get(DS + "/shop").json["status"]), ("done", "ready"), "indexing brings it back")
        t.equal(s.delete(DS + "/shop").status, 204, "disconnected")
        t.equal((s.get(DS + "/shop").status, s.delete(DS + "/shop").status), (404, 404), "gone")
    finally:
        s.stop()


POLICY = """version: 1
api: {auth: api_keys}
datasources:
  - {id: shop, type: sqlite, connection: {path: "%s"}}
  - {id: hidden, type: sqlite, connection: {path: "%s"}}
  - {id: broken, type: sqlite, connection: {path: "/nonexistent/file.sqlite"}}
policies:
  default_role: clerk
  roles:
    clerk:
      allow: ["shop.*"]
      deny: ["shop.payroll"]
      columns_deny: ["shop.items.cost"]
      filters: {"shop.sales": {"clerk": "{user_id}"}}
"""


def denied_is_missing(folder):
    shop = make(os.path.join(folder, "a.sqlite"),
                "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, cost REAL); CREATE TABLE payroll (id INTEGER PRIMARY KEY);"
                "CREATE TABLE sales (id INTEGER PRIMARY KEY, clerk TEXT, pay INTEGER REFERENCES payroll (id));"
                "INSERT INTO sales VALUES (1, 'ann', NULL), (2, 'bob', NULL); INSERT INTO items VALUES (1, 'tea', 2)")
    other = make(os.path.join(folder, "b.sqlite"), "CREATE TABLE t (x)")
    s = Server(POLICY % (shop, other))
    try:
        def get(path):
            return s.get(path, token=key)

        key = s.cli("keys", "create", "--user", "ann", "--role", "clerk").strip()
        listed = get(DS).json["items"]
        t.equal([(d["id"], d["status"]) for d in listed], [("shop", "ready")], "out of reach and never seen are not listed")
        t.check("problem" not in listed[0], "problems are for admins", listed)
        t.equal([x["name"] for x in get(DS + "/shop/schema").json["items"]], ["items", "sales"], "a denied table is not there")
        denied, missing = get(DS + "/shop/tables/payroll").json, get(DS + "/shop/tables/payrolx").json
        t.equal(denied["message"].replace("payroll", "?"), missing["message"].replace("payrolx", "?"), "denied is missing")
        t.equal((denied["tables"], denied["status"]), (missing["tables"], "not_found"), "in all members")
        items, sales = (get(DS + "/shop/tables/" + x).json["table"] for x in ("items", "sales"))
        t.equal([c["name"] for c in items["columns"]], ["id", "name"], "a denied column is not there")
        t.equal((items["row_count"], sales["row_count"]), (1, None), "behind a row filter nothing is counted")
        t.equal(sales["foreign_keys"], [], "no key leads to a denied table")
        for path in ("/hidden", "/broken", "/nowhere", "/hidden/schema", "/broken/schema"):
            r = get(DS + path)
            t.equal((r.status, r.code, r.json["detail"]),
                    (404, "DATASOURCE_NOT_FOUND", "No datasource '%s'." % path.split("/")[1]), path)
        for kind in ("conversations", "dashboards"):
            for name in ("hidden", "broken", "nowhere"):
                r = s.post("/api/v1/" + kind, {"title": "x", "datasource_id": name}, token=key)
                t.equal((r.status, r.code, r.json.get("detail")), (404, "DATASOURCE_NOT_FOUND", "No datasource '%s'." % name),
                        "%s about %s" % (kind, name))
        for call in (get("/api/v1/datasource-types"), s.post(DS + "/shop/index", token=key), s.delete(DS + "/shop", token=key),
                     s.post(DS, {"id": "x", "type": "sqlite", "connection": {"path": shop}}, token=key),
                     s.post(DS + "/test", {"type": "sqlite", "connection": {"path": shop}}, token=key)):
            t.equal((call.status, call.code), (403, "FORBIDDEN"), "admin only")
    finally:
        s.stop()


def scanning(folder, outside):
    """Files by their first bytes, in the open folders only; links are not followed; nothing is connected."""
    place = os.path.join(folder, "scanned")
    os.makedirs(os.path.join(place, "deep", "er"))
    first = make(os.path.join(place, "a.data"), "CREATE TABLE a (x)")
    second = make(os.path.join(place, "deep", "er", "b"), "CREATE TABLE b (x)")
    make(os.path.join(outside, "out.sqlite"), "CREATE TABLE o (x)")
    make(os.path.join(place, ".hidden.sqlite"), "CREATE TABLE h (x)")
    os.symlink(outside, os.path.join(place, "link"))
    os.symlink(os.path.join(outside, "out.sqlite"), os.path.join(place, "link.sqlite"))
    os.mkfifo(os.path.join(place, "pipe"))
    with open(os.path.join(place, "c.duckdb"), "wb") as f:
        f.write(bytes(8) + b"DUCK" + bytes(100))
    with open(os.path.join(place, "d.sqlite"), "wb") as f:
        f.write(b"SQLite")
    s = Server("version: 1\napi: {auth: none}\nconnect: {folders: ['%s'], scan: true}\n" % place, env={"SHOP_URL": "postgresql://u:p@h/d"})
    try:
        found = s.post(DS + "/scan")
        files = [c for c in found.json["items"] if c["found"]["kind"] == "file"]
        t.equal([(c["type"], c["found"]["value"], c["connection"], c["missing"]) for c in files],
                [(kind, path, {"path": path}, []) for kind, path in
                 (("sqlite", first), ("duckdb", os.path.join(place, "c.duckdb")), ("sqlite", second))], "what the folders hold")
        t.check("out.sqlite" not in found.text and "SHOP" not in found.text and "u:p" not in found.text, "nothing else", found)
        t.check(all(c["found"]["value"].startswith("127.0.0.1:") for c in found.json["items"] if c not in files), "loopback only", found)
        t.equal(s.post(DS, {"id": "a", "type": files[0]["type"], "connection": files[0]["connection"]}).status, 201, "connects as it was found")
    finally:
        s.stop()


folder, outside = tempfile.mkdtemp(), tempfile.mkdtemp()
try:
    scanning(os.path.realpath(folder), os.path.realpath(outside))
    demo()
    denied_is_missing(folder)
    connecting(os.path.realpath(folder), os.path.realpath(outside))
finally:
    shutil.rmtree(folder)
    shutil.rmtree(outside)
t.finish()
