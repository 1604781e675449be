"""Two thousand datasources: quick to start, listed by pages, no thread and no connection for those that nobody uses; deleting frees.
Connections with references; rules of the policy that hide nothing."""
import os, shutil, sqlite3, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import BINARY, Server, Checks

t = Checks()
DS = "/api/v1/datasources"
MANY = 2000


def script(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


def threads(s):
    return len(os.listdir("/proc/%d/task" % s.process.pid))


def pages(s, limit):
    seen, path = [], DS + "?limit=%d" % limit
    while path:
        page = s.get(path).json
        seen += page["items"]
        path = page["next"] and DS + "?limit=%d&cursor=%s" % (limit, page["next"])
    return seen


def many(folder, shop):
    # Every port is refused: what nobody asks for is never tried.
    lines = ["  - {id: pg%04d, type: postgres, connection: {host: 127.0.0.1, port: 1, user: u, database: d}}" % i for i in range(MANY)]
    config = "version: 1\napi: {auth: none}\nconnect: {folders: ['%s']}\ndatasources:\n%s\n  - {id: shop, type: sqlite, connection: {path: '%s'}}\n"
    with Server("version: 1\napi: {auth: none}\ndatasources:\n  - {id: shop, type: sqlite, connection: {path: '%s'}}\n" % shop) as s:
        alone, calm = s.memory_kib(), threads(s)
    at = time.time()
    with Server(config % (folder, "\n".join(lines), shop)) as s:
        print("# %d datasources in the file: ready in %.0f ms, %.1f KiB each" % (MANY, (time.time() - at) * 1000, (s.memory_kib() - alone) / MANY))
        t.check(threads(s) <= calm + 2, "no thread for each", threads(s))
        at = time.time()
        t.equal(s.post("/api/v1/queries/run", {"datasource_id": "shop", "sql": "SELECT 1"}).json["rows"], [[1]], "one of them is used")
        t.check(time.time() - at < 5, "without waiting for the others", time.time() - at)
        t.equal(s.get(DS + "/pg0007/diagnosis").status, 503, "one that is away says so")
        at = time.time()
        listed = pages(s, 200)
        print("# all pages of the list in %.1f s" % (time.time() - at))
        t.equal([d["id"] for d in listed], ["pg%04d" % i for i in range(MANY)] + ["shop"], "all of them, by pages")
        t.check(time.time() - at < 60, "a page waits for nobody long", time.time() - at)
        t.equal(s.get(DS + "?limit=201").status, 422, "not more")
        t.equal(s.get(DS + "?cursor=x").code, "CURSOR_INVALID", "a foreign cursor")
        t.check(len(s.get(DS).json["items"]) == 200 and s.get(DS).json["next"], "a page without being asked")
        t.check("querent_datasources" in s.get("/metrics").text, "counted")
        t.check(threads(s) <= calm + 12, "still no thread for each", threads(s))


def over_rest(folder, shop):
    config = "version: 1\napi: {auth: none}\nconnect: {folders: ['%s']}\n"
    count = 200
    s = Server(config % folder)
    try:
        before = s.memory_kib()
        for i in range(count):
            t.equal(s.post(DS, {"id": "s%04d" % i, "type": "sqlite", "connection": {"path": shop}}).status, 201, "created")
        print("# %d over REST: %.1f KiB each" % (count, (s.memory_kib() - before) / count))
        s.process.terminate()
        s.process.wait(40)
        s.start()
        t.equal(len(pages(s, 100)), count, "all there after a restart")
        for i in range(count):
            t.equal(s.delete(DS + "/s%04d" % i).status, 204, "deleted")
        t.equal(pages(s, 100), [], "none is left")
    finally:
        s.stop()


def references(folder, shop):
    secret = os.path.join(folder, "secret")
    with open(secret, "w") as f:
        f.write("from-file\n")
    config = "version: 1\napi: {auth: none}\nconnect: {references: ['env:SHOP_PASSWORD', 'file:%s']}\n" % secret
    place = {"type": "postgres", "connection": {"host": "127.0.0.1", "port": 1, "user": "u", "database": "d"}}
    with Server(config, env={"SHOP_PASSWORD": "s3cret-value", "OTHER": "hidden-value"}) as s:
        for reference, status in (("${env:SHOP_PASSWORD}", 200), ("${file:%s}" % secret, 200), ("plain ${env:OTHER}", 200), ("${env:OTHER}", 422),
                                  ("${env:HOME}", 422), ("${file:/etc/passwd}", 422), ("${file:%s/../secret}" % folder, 422),
                                  ("${file:secret}", 422), ("${vault:x}", 422), ("${env:}", 422)):
            body = dict(place, connection=dict(place["connection"], password=reference))
            r = s.post(DS + "/test", body)
            t.equal(r.status, status, "reference %s" % reference)
            t.check(status == 200 or r.json["errors"][0]["pointer"] == "/connection/password", "at its place", r)
            t.check("hidden-value" not in r.text and "s3cret" not in r.text and "from-file" not in r.text, "no value comes back", r)
            if status != 200:
                t.equal(s.post(DS, dict(body, id="x")).status, 422, "nor is it kept")
        t.check("connect.references" in s.post(DS + "/test", dict(place, connection=dict(place["connection"], password="${env:HOME}"))).json["hint"],
                "says what would be right")


def kept_reference(folder):
    """A reference is kept as one: what it stands for may change."""
    first, second = os.path.join(folder, "one.sqlite"), os.path.join(folder, "two.sqlite")
    script(first, "CREATE TABLE a (x); INSERT INTO a VALUES (1)")
    state = tempfile.mkdtemp()
    try:
        config = "version: 1\napi: {auth: none}\nconnect: {folders: ['%s']}\n" % folder
        s = Server(config, state=state)
        t.equal(s.post(DS, {"id": "a", "type": "sqlite", "connection": {"path": first}}).status, 201, "connected")
        well = s.post(DS + "/a/test")
        t.equal((well.status, well.json["ok"], well.json["stage"]), (200, True, "done"), "tested as it is kept")
        os.rename(first, second)
        ill = s.post(DS + "/a/test").json
        t.equal((ill["ok"], ill["stage"], s.get(DS + "/a").json["status"]), (False, "resolve", "unavailable"), "and shown as what it is")
        os.rename(second, first)
        t.equal((s.post(DS + "/a/test").json["ok"], s.get(DS + "/a").json["status"]), (True, "not_indexed"), "back again")
        t.equal(s.post(DS + "/nowhere/test").code, "DATASOURCE_NOT_FOUND", "none of that name")
        s.stop()
    finally:
        shutil.rmtree(state)


POLICY = """version: 1
api: {auth: none}
datasources:
  - {id: shop, type: sqlite, connection: {path: "%s"}}
policies:
  default_role: admin
  roles:
    admin: {allow: ["*.*"]}
    clerk:
      allow: ["shop.*"]
      deny: ["shop.payrol", "shop.items", "shp.items"]
      columns_deny: ["shop.items.prise", "shop.items.name"]
      filters: {"shop.nothing": {"a": 1}}
"""


def unmatched(shop):
    with Server(POLICY % shop) as s:
        t.equal(s.index("shop")["state"], "done", "indexed")
        found = [f for f in s.get(DS + "/shop/diagnosis").json["findings"] if f["name"] == "policy"]
        t.equal([(f["found"].split("'")[1], f["advice"]) for f in found],
                [("shop.payrol", "Did you mean 'payroll'?"), ("shop.items.prise", "Did you mean 'price'?"),
                 ("shop.nothing", "Correct or remove the rule.")], "rules that hide nothing are told")
        t.check("policy.matches_nothing" in s.read_log() and "payroll" in s.read_log(), "and logged")
        checked = s.cli("check")
        t.check("'shp.items' names no datasource of this file; did you mean 'shop'?" in checked, "check tells of a datasource", checked)


folder = os.path.realpath(tempfile.mkdtemp())
try:
    shop = os.path.join(folder, "shop.sqlite")
    script(shop, "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC); CREATE TABLE payroll (id INTEGER PRIMARY KEY)")
    many(folder, shop)
    over_rest(folder, shop)
    references(folder, shop)
    kept_reference(folder)
    unmatched(shop)
finally:
    shutil.rmtree(folder)
t.finish()
