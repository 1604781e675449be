#!/usr/bin/env python3
"""tests/bench/scale.py [TABLES...]: the same questions put to the demo's tables alone and among so many others
(default 11 1000 60000), through REST: the index job, memory, asking without and with execution, get_schema, the list of
datasources; and each figure beside that of the first size. Makes a PostgreSQL of its own for each size. Needs a finished
build; $QUERENT names another binary."""
import json, os, shutil, sqlite3, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from querent import Server, BINARY
import http.client, subprocess

QUESTIONS = ["How many customers are there?", "How many customers are there in each country?", "How many orders are there?",
             "What is the average price of products?", "Which product has the highest price?",
             "What are the names of customers from Germany?"]
ROUNDS = 30

MODULES = ("ledger payroll fleet clinic campus harbor mining forest rail grid water lab media sport museum hotel airline bank "
           "insurance court police fire census weather soil crop dairy textile paper steel glass chemical pharma retail "
           "wholesale export customs tax audit legal hr travel training research patent grant donor club church school "
           "library archive archive2 test stage legacy mirror").split()
THINGS = ("account invoice payment person contract vehicle route station sensor reading sample batch recipe machine part "
          "supplier warehouse shelf shipment parcel ticket seat event venue artist album track member team player match "
          "season course lesson teacher student exam grade room building floor device alarm case claim policy permit "
          "license inspection visit").split()
ASPECTS = ("", "history", "detail", "type", "status", "note", "link", "audit", "import", "export", "draft", "version",
           "summary", "daily", "monthly", "mapping", "queue", "error", "cache", "backup")


def names(count):
    made = 0
    for aspect in ASPECTS:
        for thing in THINGS:
            for module in MODULES:
                if made == count:
                    return
                made += 1
                yield "_".join(x for x in (module, thing, aspect) if x), module, thing
    for n in range(count - made):
        yield "extra_%d" % n, "extra", "extra"


def demo_sql():
    """The demo's tables, keys and rows as PostgreSQL's SQL, and how many tables there are."""
    folder = tempfile.mkdtemp(prefix="querent-demo-")
    subprocess.run([BINARY, "demo", folder], check=True, stdout=subprocess.DEVNULL)
    db = sqlite3.connect(os.path.join(folder, "demo.sqlite"))
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    kinds, out, keys = {"INTEGER": "bigint", "REAL": "double precision"}, [], []
    for t in tables:
        columns = list(db.execute("PRAGMA table_info(%s)" % t))
        primary = [c[1] for c in columns if c[5]]
        out.append("CREATE TABLE %s (%s%s);" % (
            t, ", ".join("%s %s" % (c[1], kinds.get(c[2].upper(), "numeric" if "DEC" in c[2].upper() else "text"))
                         for c in columns), ", PRIMARY KEY (%s)" % ", ".join(primary) if primary else ""))
        rows = db.execute("SELECT * FROM %s" % t).fetchall()
        for at in range(0, len(rows), 500):
            out.append("INSERT INTO %s VALUES %s;" % (t, ", ".join(
                "(%s)" % ", ".join("NULL" if v is None else "'%s'" % str(v).replace("'", "''") for v in row)
                for row in rows[at:at + 500])))
        by_key = {}
        for key, _, to, own, theirs, *_ in db.execute("PRAGMA foreign_key_list(%s)" % t):
            by_key.setdefault((key, to), []).append((own, theirs))
        for (_, to), pairs in by_key.items():
            keys.append("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s);" % (
                t, ", ".join(p[0] for p in pairs), to, ", ".join(p[1] for p in pairs)))
    db.close()
    shutil.rmtree(folder)
    return out + keys, len(tables)


def build(folder, tables):
    """The demo's tables and as many others as make up the number, in a PostgreSQL of its own."""
    if subprocess.run([os.path.join(ROOT, "tests", "lib", "postgres.sh"), "start", folder]).returncode:
        raise RuntimeError("there is no PostgreSQL on this machine")
    out, have = demo_sql()
    before = {}
    for n, (name, module, thing) in enumerate(names(max(0, tables - have))):
        if n % 500 == 0:  # the locks of one transaction are counted
            out += ["COMMIT;"] * (n > 0) + ["BEGIN;"]
        key = ", parent_id bigint REFERENCES %s (id)" % before[module] if module in before else ""
        out.append("CREATE TABLE %s (id bigint PRIMARY KEY, %s_name text, code text, amount numeric, placed date, "
                   "remark text%s);" % (name, thing, key))
        if n < 1000:
            out.append("INSERT INTO %s VALUES (1, '%s one', 'A', 1.5, '2025-01-01');" % (name, thing))
        before[module] = name
    out.append("COMMIT;" if tables > have else "")
    out.append("CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader; ANALYZE;")
    done = subprocess.run(["psql", "-q", "-h", folder, "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1"],
                          input="\n".join(out), text=True, stdout=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError("the tables could not be made")


class Line:
    """One kept connection."""

    def __init__(self, port):
        self.to = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if path == "/mcp":
            headers["Accept"] = "application/json, text/event-stream"
        began = time.perf_counter()
        self.to.request(method, path, json.dumps(body) if body is not None else None, headers)
        reply = self.to.getresponse()
        text = reply.read()
        took = (time.perf_counter() - began) * 1e3
        if reply.status >= 300:
            raise RuntimeError("%s %s: %d %s" % (method, path, reply.status, text[:400]))
        return json.loads(text), took


def spread(times):
    times = sorted(times)
    return times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]


def anonymous_mib(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("RssAnon:"))


def cpu_ms(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000.0 / os.sysconf("SC_CLK_TCK")


def measure(tables):
    folder = tempfile.mkdtemp(prefix="querent-scale-")
    figures = {}
    try:
        began = time.time()
        build(folder, tables)
        print("%d tables made in %.1f s" % (tables, time.time() - began), file=sys.stderr, flush=True)
        config = ("version: 1\napi: {auth: none}\nmcp: {auth: none}\ndatasources:\n"
                  "  - {id: blind, type: postgres, connection: {host: %s, user: reader, database: postgres}, "
                  "options: {evidence: 'off'}}\n"
                  "  - {id: looks, type: postgres, connection: {host: %s, user: reader, database: postgres}, "
                  "options: {evidence: execute}}\n" % (folder, folder))
        server = Server(config)
        line, pid = Line(server.port), server.process.pid
        idle = anonymous_mib(pid)
        for id in ("blind", "looks"):
            began = time.time()
            job, _ = line.call("POST", "/api/v1/datasources/%s/index" % id)
            while True:
                state, _ = line.call("GET", "/api/v1/jobs/" + job["id"])
                if state["state"] not in ("queued", "running"):
                    break
                time.sleep(0.02)
            figures["index job, s"] = time.time() - began
            if id == "blind":
                figures["memory for a datasource, MiB"] = anonymous_mib(pid) - idle
            if state["state"] != "done":
                raise RuntimeError(state)
            figures["(tables read)"] = state.get("result", {}).get("tables_read", 0)
        kinds = {"ask without execution": lambda q: line.call("POST", "/api/v1/queries", {"question": q, "datasource_id":
                                                                                           "blind", "execute": False}),
                 "ask with evidence": lambda q: line.call("POST", "/api/v1/queries", {"question": q, "datasource_id": "looks"}),
                 "list of datasources": lambda q: line.call("GET", "/api/v1/datasources"),
                 "one datasource": lambda q: line.call("GET", "/api/v1/datasources/blind"),
                 "get_schema": lambda q: line.call("POST", "/mcp", {
                     "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "get_schema", "arguments": {"question": q, "datasource_id": "blind"}}})}
        for kind, call in kinds.items():
            first = call(QUESTIONS[0])[1]
            times, began = [], cpu_ms(pid)
            for _ in range(ROUNDS):
                for q in QUESTIONS:
                    times.append(call(q)[1])
            figures[kind + ", first, ms"] = first
            figures[kind + ", p50, ms"], figures[kind + ", p99, ms"] = spread(times)
            figures[kind + ", CPU, ms"] = (cpu_ms(pid) - began) / len(times)
        figures["memory in the end, MiB"] = anonymous_mib(pid)
        server.stop()
    finally:
        subprocess.run([os.path.join(ROOT, "tests", "lib", "postgres.sh"), "stop", folder])
    return figures


def main():
    sizes = [int(x) for x in sys.argv[1:]] or [11, 1000, 60000]
    results = [measure(n) for n in sizes]
    print("%-34s" % "tables" + "".join("%10d%9s" % (n, "") for n in sizes))
    for name in results[0]:
        row = "%-34s" % name
        for r in results:
            ratio = r[name] / results[0][name] if results[0][name] else 0
            row += "%10.2f" % r[name] + ("%8.1fx" % ratio if r is not results[0] else " " * 9)
        print(row, flush=True)


if __name__ == "__main__":
    main()
