#!/usr/bin/env python3
"""querent eval judges by rows: golds that say the same in other words, types and orders are right, others are not; lines that
say nothing are left out and counted; and the same input gives the same bytes, however many threads work."""
import json, os, re, sqlite3, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))
from querent import BINARY, ROOT, Checks

checks = Checks()
folder = tempfile.mkdtemp(prefix="querent-eval-")


def database(name, script):
    os.makedirs(os.path.join(folder, name))
    db = sqlite3.connect(os.path.join(folder, name, name + ".sqlite"))
    db.executescript(script)
    db.commit()
    db.close()


def evaluate(lines, *args, raw=False, databases=folder):
    path = os.path.join(folder, "questions.jsonl")
    with open(path, "wb") as f:
        for line in lines:
            f.write(line if isinstance(line, bytes) else (line if raw or isinstance(line, str) else json.dumps(line)).encode())
            f.write(b"\n")
    done = subprocess.run([BINARY, "eval", path, "--databases", databases, "--json", *args], capture_output=True, timeout=300)
    out = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return done.returncode, out[:-1], out[-1] if out else None, done.stderr.decode()


SINGERS = """
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER, height REAL);
INSERT INTO singer VALUES (1, 'Ann', 'France', 40, 1.7), (2, 'Bob', 'France', 30, 1.8), (3, 'Cid', 'Spain', 20, 1.6);
"""
database("concert", SINGERS)
COUNT = "How many singers are there?"
NAMES = "List the name of singers ordered by age."


def line(sql, question=COUNT, db="concert", **more):
    return {"id": "q", "db_id": db, "question": question, "sql": sql, **more}


# ---- what is right ----
judged = [
    ("SELECT count(*) FROM singer", COUNT, "correct"),
    ("SELECT 3", COUNT, "correct"),
    ("SELECT 3.0", COUNT, "correct"),
    ("SELECT '3'", COUNT, "correct"),
    ("SELECT '3.0'", COUNT, "correct"),
    ("SELECT 3.0000004", COUNT, "correct"),
    ("SELECT 3.00001", COUNT, "wrong"),
    ("SELECT 4", COUNT, "wrong"),
    ("SELECT 'three'", COUNT, "wrong"),
    ("SELECT NULL", COUNT, "wrong"),
    ("SELECT 3, 3", COUNT, "wrong"),
    ("SELECT 3 UNION ALL SELECT 3", COUNT, "wrong"),
    ("SELECT 3 WHERE 0", COUNT, "wrong"),
    (["SELECT 4", "SELECT 3"], COUNT, "correct"),
    (["SELECT nothing FROM nowhere", "SELECT 3"], COUNT, "correct"),
    (["SELECT 1"] * 40 + ["SELECT 3"], COUNT, "correct"),
    ("SELECT name FROM singer ORDER BY age", NAMES, "correct"),
    ("SELECT name FROM singer ORDER BY age DESC", NAMES, "wrong"),
    ("SELECT name FROM singer", NAMES, "correct"),
    ("SELECT name FROM singer UNION SELECT 'Dan'", NAMES, "wrong"),
]
code, lines, summary, _ = evaluate([line(sql, question) for sql, question, _ in judged])
checks.equal(code, 0, "exit code")
checks.equal(len(lines), len(judged), "a line for each question")
for got, (sql, _, want) in zip(lines, judged):
    checks.equal(got["outcome"], want, "outcome of gold %r" % (sql if isinstance(sql, str) else sql[-1]))
checks.equal(summary["n"], len(judged), "n")
right = sum(want == "correct" for _, _, want in judged)
checks.equal(round(summary["accuracy"] * len(judged)), right, "accuracy is correct / n")
checks.equal(summary["by_outcome"]["correct"], right, "by outcome")
checks.equal(sum(part["n"] for part in summary["by_hardness"].values()), len(judged), "difficulties add up")
checks.equal([point["coverage"] for point in summary["risk_coverage"]], [i / 10 for i in range(1, 11)], "the curve's points")
checks.equal(summary["risk_coverage"][-1]["precision"], summary["accuracy"], "the curve ends at the accuracy")
for got in lines:
    for key, kind in (("id", str), ("outcome", str), ("answered", bool), ("top3", bool), ("confidence", float), ("sql", str),
                      ("ms", float), ("hardness", str)):
        checks.check(isinstance(got.get(key), kind), "a line has %s" % key, got)
    checks.check(0 <= got["confidence"] <= 1, "confidence is a probability", got)
    checks.check(got["outcome"] != "correct" or got["top3"], "what is right is right among three", got)
answered = [x for x in lines if x["answered"]]
checks.equal(round(summary["coverage"] * len(lines)), len(answered), "coverage")
if answered:
    checks.equal(round(summary["precision"] * len(answered)), sum(x["outcome"] == "correct" for x in answered), "precision")

# ---- what is left out ----
good = line("SELECT 3")
code, lines, summary, told = evaluate([
    good, "", "   ", '{"id": "broken', "[1, 2]", "7", b'{"id": "bytes", "db_id": "\xff\xfe"}',
    {"id": 1}, {"id": "no question", "db_id": "concert", "sql": "SELECT 3"},
    {"id": "no gold", "db_id": "concert", "question": COUNT}, line("SELECT 3", question=17), line(None), line([]), line([5]),
    line("SELECT 3", db="missing"), line("SELECT 3", db="../concert/../missing"), line("SELECT 3", db="x" * 3000),
    line("SELECT 3", db=""), line("SELECT nothing"), line("DELETE FROM singer"), line("SELECT 3; SELECT 4"), line(""),
    '{"id": "nul", "db_id": "concert", "question": "How\\u0000many", "sql": "SELECT 3"}', good])
checks.equal(code, 0, "exit code with lines that say nothing")
checks.equal(summary["n"], 3, "the lines that count: two good ones and a gold of two statements, whose first runs")
checks.equal([x["outcome"] for x in lines], ["correct"] * 3, "they are judged")
checks.check(summary["left_out"]["malformed"] >= 9, "malformed lines are counted", summary["left_out"])
checks.check(summary["left_out"]["no_database"] >= 3, "missing databases are counted", summary["left_out"])
checks.check(summary["left_out"]["gold_failed"] >= 3, "golds that do not run are counted", summary["left_out"])
checks.equal(summary["by_outcome"]["left_out"], sum(summary["left_out"].values()), "left out adds up")
checks.check("line 4" in told and "line 7" in told, "broken lines are told by number", told)
checks.equal(evaluate([])[2]["n"], 0, "no questions")
checks.equal(evaluate(["\ufeff" + json.dumps(good)])[2]["n"], 1, "a byte order mark is none of the line")

# ---- ids and questions of any kind ----
_, lines, _, _ = evaluate([line("SELECT 3") | {"id": 12}, {k: v for k, v in good.items() if k != "id"},
                           {"id": "m", "db_id": "concert", "sql": "SELECT 3", "questions": [COUNT, "How many singers?"]}],
                          "--field", "question")
checks.equal([x["id"] for x in lines], [12, None], "an id is given back as it came")
_, lines, _, _ = evaluate([{"id": "m", "db_id": "concert", "sql": "SELECT 3", "questions": [COUNT, "How many singers?"]}],
                          "--field", "questions")
checks.equal([x["id"] for x in lines], ["m#1", "m#2"], "a list of questions is several")
odd = ["?", "\U0001f600" * 50, "SELECT * FROM singer", "how " * 20000, "wie viele S\u00e4nger gibt es?", "'; DROP TABLE singer --",
       "\t\n x", "'" * 500, "\"" * 999, "5 " * 400]
code, lines, summary, _ = evaluate([line("SELECT 3", question=q) for q in odd])
checks.equal((code, len(lines)), (0, len(odd)), "odd questions are judged like others")
checks.check(not any(x["answered"] and x["outcome"] != "correct" for x in lines), "and none is answered by a guess", lines)
checks.check(all(x.get("detail") for x in lines if x["outcome"] == "unanswered"), "a refusal says why", lines)

# ---- used wrongly ----
checks.equal(subprocess.run([BINARY, "eval", os.path.join(folder, "none.jsonl"), "--databases", folder],
                            capture_output=True).returncode, 1, "no such file")
checks.equal(subprocess.run([BINARY, "eval", os.path.join(folder, "questions.jsonl")], capture_output=True).returncode, 2,
             "no databases")
code, _, _, told = evaluate([good], "--planner", "oracle")
checks.check(code == 2 and "oracle" in told, "an unknown planner", told)
code, _, _, told = evaluate([good], "--evidence", "some")
checks.check(code == 2 and "some" in told, "unknown evidence", told)

# ---- odd databases ----
database("wide", "CREATE TABLE wide (%s);" % ", ".join("c%d REAL" % i for i in range(900)) +
         "INSERT INTO wide (c0, c1) VALUES (1, 2);")
database("odd names", """
CREATE TABLE "order details" ("select" INTEGER, "group by" TEXT, "it's" TEXT, "a""b" REAL);
INSERT INTO "order details" VALUES (1, 'x', 'y', 2.5), (2, 'z', 'w', 3.5);
CREATE VIEW "from" AS SELECT "select" AS "where" FROM "order details";
CREATE TABLE nothing_in_it (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES gone(id));
CREATE TABLE "\u00dcbersicht" ("gr\u00f6\u00dfe" INTEGER);""")
database("bytes", "CREATE TABLE town (name TEXT, size INTEGER);")
db = sqlite3.connect(os.path.join(folder, "bytes", "bytes.sqlite"))
db.execute("INSERT INTO town VALUES (CAST(x'ff41fe' AS TEXT), 5), ('B' || char(0) || 'c', 6), (x'00ff', 7), ('Ulm', '8')")
db.commit()
db.close()
database("50% of #1?", SINGERS)
database("bare", "CREATE TABLE t (x); INSERT INTO t VALUES (1), ('a'), (NULL), (x'00'), (1e999), (-1e999);")
os.makedirs(os.path.join(folder, "empty"))
open(os.path.join(folder, "empty", "empty.sqlite"), "w").close()
os.makedirs(os.path.join(folder, "junk"))
with open(os.path.join(folder, "junk", "junk.sqlite"), "wb") as f:
    f.write(b"no database" * 1000)
code, lines, summary, _ = evaluate([
    line("SELECT count(*) FROM wide", "How many wide are there?", "wide"),
    line('SELECT count(*) FROM "order details"', "How many order details are there?", "odd names"),
    line('SELECT "group by" FROM "order details"', "Show the group by of order details", "odd names"),
    line('SELECT count(*) FROM "\u00dcbersicht"', "How many \u00dcbersicht?", "odd names"),
    line("SELECT count(*) FROM town", "How many towns are there?", "bytes"),
    line("SELECT name FROM town WHERE size = 8", "What is the name of the town with size 8?", "bytes"),
    line("SELECT name FROM town", "List the names of all towns", "bytes"),
    line("SELECT count(*) FROM t", "How many t are there?", "bare"),
    line("SELECT x FROM t", "Show x of all t", "bare"),
    line("SELECT 3", COUNT, "50% of #1?"),
    line("SELECT 1", "How many are there?", "empty"),
    line("SELECT 1", "How many are there?", "junk")])
checks.equal(code, 0, "odd databases")
outcomes = [x["outcome"] for x in lines]
checks.equal(outcomes[:8] + outcomes[9:10], ["correct"] * 9, "plain questions to odd databases")
checks.equal(summary["left_out"], {"malformed": 0, "no_database": 1, "gold_failed": 0}, "a file that is no database")

# ---- long results ----
database("long", "CREATE TABLE item (item_id INTEGER PRIMARY KEY, label TEXT);"
         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
         " INSERT INTO item SELECT i, 'label ' || i FROM n;")
_, lines, _, _ = evaluate([line("SELECT label FROM item", "List the label of all items.", "long")])
checks.equal(lines[0]["outcome"], "correct", "a result beyond the product's ceiling of rows is compared whole")

# ---- the same bytes ----
spider = os.path.join(ROOT, "..", "shared", "data", "spider")
if os.path.exists(os.path.join(spider, "train.jsonl")):
    some = open(os.path.join(spider, "train.jsonl"), encoding="utf-8").read().splitlines()[::25]
    runs = []
    for jobs in ("1", "2", "1"):
        _, lines, summary, _ = evaluate(some, "--jobs", jobs, databases=os.path.join(spider, "database"))
        for entry in lines + [summary]:
            for key in ("ms", "p50_ms", "p99_ms"):
                entry.pop(key, None)
        runs.append(json.dumps([lines, summary]))
    checks.check(len(some) > 200 and runs[0] == runs[1] == runs[2], "the same bytes twice, and by two threads")
else:
    print("skipped: ../shared/data/spider is not here")

checks.finish()
