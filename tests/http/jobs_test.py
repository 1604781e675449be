"""Indexing as a job: it runs beside requests, tells how far it is, is cancelled, survives its process, and says what changed."""
import os, shutil, signal, sqlite3, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks, ROOT

t = Checks()
DS, JOBS = "/api/v1/datasources", "/api/v1/jobs/"
TABLES = 5000
CONFIG = """version: 1
api: {auth: none}
datasources:
  - {id: big, type: sqlite, connection: {path: "%s"}}
  - {id: shop, type: sqlite, connection: {path: "%s"}}
"""


def script(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


def running(s, job, until=20):
    """The job once it reads contents."""
    end = time.time() + until
    while time.time() < end:
        seen = s.get(JOBS + job["id"]).json
        if seen["state"] != "queued" and seen.get("stage") in ("statistics", "keys", "values"):
            return seen
        time.sleep(0.01)
    return seen


def ended(s, job, until=60):
    end = time.time() + until
    while time.time() < end:
        seen = s.get(JOBS + job["id"]).json
        if seen["state"] not in ("queued", "running"):
            return seen
        time.sleep(0.02)
    return seen


def life(s):
    began = time.time()
    first = s.post(DS + "/big/index", {"full": True})
    took = time.time() - began
    t.equal((first.status, first.headers.get("location")), (202, JOBS + first.json["id"]), "accepted, with its place")
    t.check(took < 0.5, "at once", took)
    job = running(s, first.json)
    t.equal((job["state"], job["datasource_id"], job["owner"], job["total"]), ("running", "big", "local", TABLES), "it runs")
    t.check(0 < job["percent"] < 100 and job["started_at"] and "finished_at" not in job, "it tells how far it is", job)
    t.equal(s.post(DS + "/big/index").json["id"], first.json["id"], "asked again, it is the same one")
    t.equal(s.get(DS + "/big").json["job_id"], first.json["id"], "the datasource names it")
    slowest = 0
    for _ in range(20):
        at = time.time()
        t.equal(s.post("/api/v1/queries/run", {"datasource_id": "shop", "sql": "SELECT count(*) FROM items"}).json["rows"], [[2]], "others work")
        slowest = max(slowest, time.time() - at)
    t.check(slowest < 2, "and are not held up", slowest)
    other = s.index("shop")
    t.equal(other["state"], "done", "another datasource is indexed beside it")
    later = s.get(JOBS + first.json["id"]).json
    t.check((later["done"], later["stage"]) != (job["done"], job["stage"]), "it went on", later)
    t.equal(ended(s, first.json)["state"], "done", "it ends")
    again = s.post(DS + "/big/index", {"full": True}).json
    running(s, again)
    at = time.time()
    stopped = s.delete(JOBS + again["id"])
    t.equal((stopped.status, stopped.json["state"]), (200, "cancelled"), "cancelled")
    t.check(time.time() - at < 2 and "result" not in stopped.json, "soon", stopped)
    t.equal(s.delete(JOBS + again["id"]).json["state"], "cancelled", "twice is once")
    t.check("job_id" not in s.get(DS + "/big").json, "and nothing works on it")
    for path in ("jb_00000000000000000000000000", "x", "%2e%2e"):
        t.equal((s.get(JOBS + path).status, s.delete(JOBS + path).status), (404, 404), "no job " + path)
    t.equal(s.post(DS + "/nowhere/index").code, "DATASOURCE_NOT_FOUND", "no datasource")
    t.equal(s.post(DS + "/big/index", {"full": "yes"}).status, 422, "a bad member")
    metrics = s.get("/metrics").text
    t.check('querent_jobs_ended_total{state="cancelled"} 1' in metrics, "counted", metrics[:400])


def interrupted(s):
    for how in (signal.SIGKILL, signal.SIGTERM):
        job = s.post(DS + "/big/index", {"full": True}).json
        running(s, job)
        s.process.send_signal(how)
        s.process.wait(40)
        s.start()
        at = time.time()
        done = ended(s, job)
        t.equal((done["state"], done["attempts"]), ("done", 2 if how == signal.SIGKILL else 1), "taken up after %s" % how.name)
        print("after %s: done %.1f s after the start" % (how.name, time.time() - at))
    db = sqlite3.connect(os.path.join(s.state, "querent.db"))
    kept = db.execute("SELECT outcome, datasource_id FROM audit WHERE op = 'job_index' AND object_id = ?", (job["id"],)).fetchall()
    t.equal(kept, [("done", "big")], "the audit trail has the job")
    db.execute("UPDATE jobs SET state = 'running', lease_until = 0, attempts = 3 WHERE id = ?", (job["id"],))
    db.commit()
    db.close()
    failed = ended(s, job)
    t.equal((failed["state"], failed["error"]["code"]), ("failed", "UNAVAILABLE"), "not for ever")


def told_to_whom(folder):
    """An admin's level opens no data: what the policy hides is not named in what changed either."""
    path = os.path.join(folder, "hidden.sqlite")
    script(path, "CREATE TABLE open (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE TABLE payroll (id INTEGER PRIMARY KEY)")
    config = """version: 1
api: {auth: none}
datasources:
  - {id: shop, type: sqlite, connection: {path: "%s"}}
policies:
  default_role: admin
  roles:
    admin: {allow: ["shop.*"], deny: ["shop.pay*"], columns_deny: ["shop.open.secret_*"]}
"""
    with Server(config % path) as s:
        s.index("shop")
        script(path, "ALTER TABLE payroll ADD COLUMN pay; CREATE TABLE payroll2 (x); ALTER TABLE open ADD COLUMN secret_one; ALTER TABLE open ADD COLUMN c;"
                     "CREATE TABLE child (id INTEGER PRIMARY KEY, p INTEGER REFERENCES payroll (id))")
        job = s.index("shop")
        t.equal([(c["kind"], c["table"], c.get("column")) for c in job["result"]["changes"]],
                [("table_added", "child", None), ("column_added", "open", "c")], "only what the policy shows")
        one = s.get(DS + "/shop")
        t.check("pay" not in one.text and "secret_" not in one.text and one.json["versions"][0]["changes"], "nor in its versions", one)


def changed_underneath(s, datasource, change):
    """Between the index and the question a column gets another name: said clearly, and the next question works."""
    ask = {"datasource_id": datasource, "question": "What is the maximum salary of staff?"}
    t.equal(s.index(datasource)["state"], "done", datasource + ": indexed")
    first = s.post("/api/v1/queries", ask).json
    t.equal([q["rows"] for q in first["sub_queries"]], [[[900]]], datasource + ": answered")
    statement = lambda sql: s.post("/api/v1/queries/run", {"datasource_id": datasource, "sql": sql})
    change("ALTER TABLE staff RENAME COLUMN salary TO wage")
    run = statement("SELECT salary FROM staff")
    t.equal((run.status, run.code, run.json["retryable"]), (409, "SCHEMA_CHANGED", True), datasource + ": a statement")
    t.check("no longer has" in run.json["detail"] and run.json["hint"], datasource + ": says what to do", run)
    t.equal((statement("SELECT max(wage) FROM staff").json or {}).get("rows"), [[900]], datasource + ": the next one works")
    gone = statement("SELECT salary FROM staff")
    t.equal((gone.status, gone.code), (422, "COLUMN_NOT_FOUND"), datasource + ": the old name is unknown now")
    change("ALTER TABLE staff RENAME COLUMN wage TO salary")
    t.equal((statement("SELECT wage FROM staff").code, statement("SELECT max(salary) FROM staff").status), ("SCHEMA_CHANGED", 200),
            datasource + ": and back")
    change("ALTER TABLE staff RENAME COLUMN age TO years")
    change("ALTER TABLE staff DROP COLUMN salary")
    asked = s.post("/api/v1/queries", ask).json
    t.equal([e["code"] for e in asked.get("errors", [])], ["SCHEMA_CHANGED"], datasource + ": a question")
    change("ALTER TABLE staff ADD COLUMN salary integer")
    change("UPDATE staff SET salary = 900 WHERE id = 1")
    again = s.post("/api/v1/queries", ask).json
    t.equal([q["rows"] for q in again["sub_queries"]], [[[900]]], datasource + ": asked again, it is answered")
    names = [c["name"] for c in s.get(DS + "/%s/tables/staff" % datasource).json["table"]["columns"]]
    t.equal(names, ["id", "name", "years", "salary"], datasource + ": the new picture")


STAFF = ("CREATE TABLE staff (id integer PRIMARY KEY, name varchar(40), age integer, salary integer);"
         "INSERT INTO staff VALUES (1, 'Ann', 30, 900), (2, 'Bob', 40, 700);")


def lib(script, verb, place):
    return subprocess.run([os.path.join(ROOT, "tests", "lib", script), verb, place], stdout=subprocess.DEVNULL).returncode


def servers(folder):
    """Those that this machine has, as (id, type, connection, run a change)."""
    place = os.path.join(folder, "postgres")
    if lib("postgres.sh", "start", place) == 0:
        def psql(sql):
            subprocess.run(["psql", "-q", "-h", place, "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True)
        psql(STAFF + "CREATE ROLE reader LOGIN; GRANT SELECT ON staff TO reader;")
        yield "pg", "postgres", '{host: "%s", user: reader, database: postgres}' % place, psql
        lib("postgres.sh", "stop", place)
    place = os.path.join(folder, "mariadb")
    if lib("mariadb.sh", "start", place) == 0:
        def mariadb(sql):
            with open(os.path.join(place, "fixture.sql"), "w") as f:
                f.write("CREATE DATABASE IF NOT EXISTS shop; USE shop; " + sql)
            lib("mariadb.sh", "load", place)
        mariadb(STAFF + "CREATE USER reader@localhost; GRANT SELECT ON shop.* TO reader@localhost;")
        yield "maria", "mysql", '{host: "%s/socket", user: reader, database: shop}' % place, mariadb
        lib("mariadb.sh", "stop", place)


def drift(s, path):
    s.index("shop")
    script(path, "ALTER TABLE items ADD COLUMN price NUMERIC; ALTER TABLE items DROP COLUMN note; CREATE TABLE extra (id INTEGER PRIMARY KEY);"
                 "DROP TABLE old; ALTER TABLE lines RENAME TO order_lines; UPDATE people SET name = 'Zoe' WHERE id = 1;")
    result = s.index("shop")["result"]
    t.equal((result["changed"], result["change_count"]), (True, 6), "the structure changed")
    t.equal(sorted((c["kind"], c["table"], c.get("column")) for c in result["changes"]),
            [("column_added", "items", "price"), ("column_removed", "items", "note"), ("table_added", "extra", None),
             ("table_added", "order_lines", None), ("table_removed", "lines", None), ("table_removed", "old", None)], "what changed")
    again = s.index("shop")["result"]
    t.equal((again["changed"], again["tables_read"], again["change_count"]), (False, 0, 0), "nothing changed, nothing is read")
    full = s.index("shop", full=True)["result"]
    t.equal((full["tables_read"], full["values"]), (4, again["values"]), "unless all is asked for; the values are the same")
    script(path, "ALTER TABLE people ADD COLUMN born DATE; ALTER TABLE items RENAME COLUMN price TO cost")
    third = s.index("shop")["result"]
    t.equal(third["change_count"], 3, "another change")
    one = s.get(DS + "/shop").json
    t.equal([v["change_count"] for v in one["versions"]], [3, 6, 0], "versions, latest first")
    t.equal(one["versions"][0]["fingerprint"], one["fingerprint"], "the latest is the one in use")
    t.check(one["memory_bytes"] > 0, "its memory", one)
    t.equal(one["versions"][1]["changes"], result["changes"], "with what changed")
    for i in range(6):
        script(path, "CREATE TABLE more%d (x)" % i)
        s.index("shop")
    t.equal(len(s.get(DS + "/shop").json["versions"]), 5, "so many and no more")


folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
try:
    big, shop = os.path.join(folder, "big.sqlite"), os.path.join(folder, "shop.sqlite")
    script(big, "BEGIN;" + "".join("CREATE TABLE t%d (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO t%d VALUES (1, 'x%d', 'y');" % (i, i, i)
                                   for i in range(TABLES)) + "COMMIT;")
    script(shop, "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, note TEXT); INSERT INTO items VALUES (1, 'tea', ''), (2, 'cup', '');"
                 "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');"
                 "CREATE TABLE old (x); CREATE TABLE lines (id INTEGER PRIMARY KEY, item_id INTEGER)")
    with Server(CONFIG % (big, shop)) as s:
        life(s)
        interrupted(s)
        drift(s, shop)
    told_to_whom(folder)
    staff = os.path.join(folder, "staff.sqlite")
    script(staff, STAFF)
    one = "version: 1\napi: {auth: none}\ndatasources:\n  - {id: %s, type: %s, connection: %s}\n"
    with Server(one % ("lite", "sqlite", '{path: "%s"}' % staff)) as s:
        changed_underneath(s, "lite", lambda sql: script(staff, sql))
    for name, kind, connection, change in servers(folder):
        with Server(one % (name, kind, connection)) as s:
            changed_underneath(s, name, change)
finally:
    shutil.rmtree(folder)
t.finish()
