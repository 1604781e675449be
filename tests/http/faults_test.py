"""The database's file goes away, is another one, is locked, is damaged, while the server runs: each is said as what it is, nothing
is made up, and when the file is well again so are the answers."""
import os, shutil, sqlite3, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

t = Checks()
CONFIG = "version: 1\napi: {auth: none}\ndatasources:\n  - {id: shop, type: sqlite, connection: {path: '%s'}}\n"
ASK = {"question": "How many customers are there in each city?"}
RUN = {"datasource_id": "shop", "sql": "SELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY city"}


def make(path, count):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
    db.executemany("INSERT INTO customers VALUES (?, ?, ?)", [(i, "n%d" % i, ("Oslo", "Rome")[i % 2]) for i in range(2 * count)])
    db.commit()
    db.close()


def well(s, count, what):
    run = s.post("/api/v1/queries/run", RUN)
    t.equal((run.json or {}).get("rows"), [["Oslo", count], ["Rome", count]], what + ": the statement")
    asked = s.post("/api/v1/queries", ASK).json
    t.equal([q["rows"] for q in asked["sub_queries"]], [[["Oslo", count], ["Rome", count]]], what + ": the question")


def ill(s, what, words):
    run = s.post("/api/v1/queries/run", RUN)
    t.equal((run.status, run.code), (503, "DATASOURCE_UNAVAILABLE"), what + ": the statement")
    t.check(words in (run.json or {}).get("detail", ""), what + ": says why", run)
    asked = s.post("/api/v1/queries", ASK)
    t.equal([e["code"] for e in asked.json.get("errors") or []], ["DATASOURCE_UNAVAILABLE"], what + ": the question")
    t.check("sqlite" not in asked.text and folder not in asked.text and folder not in run.text, what + ": no path", asked)


with tempfile.TemporaryDirectory() as folder:
    path, spare = os.path.join(folder, "shop.sqlite"), os.path.join(folder, "spare")
    make(path, 200)
    shutil.copy(path, spare)
    with Server(CONFIG % path) as s:
        t.equal(s.index("shop")["state"], "done", "indexed")
        well(s, 200, "at first")
        os.remove(path)
        ill(s, "gone", "does not exist")
        make(path, 5)
        well(s, 5, "another file of the same structure")
        os.remove(path)
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE other (x)")
        db.commit()
        run = s.post("/api/v1/queries/run", RUN)
        t.equal((run.status, run.code), (409, "SCHEMA_CHANGED"), "another structure")
        t.check("no longer has" in run.json["detail"], "another structure: says why", run)
        db.close()
        shutil.copy(spare, path)
        s.post("/api/v1/queries/run", RUN)
        well(s, 200, "copied over in place")
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN EXCLUSIVE")
        ill(s, "locked", "locked by another program")
        writer.execute("ROLLBACK")
        writer.close()
        well(s, 200, "unlocked")
        with open(path, "r+b") as f:
            f.write(b"no database" * 700)
        ill(s, "another content", "not a SQLite database")
        shutil.copy(spare, path)
        well(s, 200, "restored")
        with open(path, "r+b") as f:
            f.truncate(0)
        t.equal(s.post("/api/v1/queries/run", RUN).code, "SCHEMA_CHANGED", "empty under an open connection")
        ill(s, "empty", "empty")
        os.remove(path)
        os.mkfifo(path)
        ill(s, "a pipe", "regular file")
        os.remove(path)
        os.symlink("/dev/zero", path)
        ill(s, "a device", "regular file")
        os.remove(path)
        os.mkdir(path)
        ill(s, "a folder", "folder")
        os.rmdir(path)
        shutil.copy(spare, path)
        well(s, 200, "well again")
        t.check(s.alive(), "the server lives")
t.finish()
