"""The guard on the shared corpora: every attack refused, every look-alike allowed; and gold queries through plan and back.
Skips where the data is not there."""
import json
import os
import pathlib
import subprocess
import sys

QUERENT = os.environ["QUERENT"]
DATA = pathlib.Path("../shared/data")
passed = failed = 0


def check(what, good, detail=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what, detail)


def run(*arguments):
    done = subprocess.run([QUERENT, *map(str, arguments)], capture_output=True, text=True, timeout=500)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    check(f"exit code of {arguments[0]} {arguments[1]}", done.returncode == 0, done.stderr)
    return lines[:-1], lines[-1] if lines else {}


def guard():
    corpus = DATA / "guard"
    for name in ("attacks", "benign"):
        wrong, summary = run("guard", corpus / f"{name}.jsonl", "--context", corpus / "context.json")
        check(f"guard {name}", summary and summary["as_expected"] == summary["n"] > 0, wrong)
    # A reason names no hidden thing, and a parser's failure is never the answer to a statement that is understood.
    lines, _ = run("guard", corpus / "attacks.jsonl", "--context", corpus / "context.json", "--json")
    for line in lines:
        message = line["message"] or ""
        hidden = [word for word in ("secrets", "ssn", "password_hash") if f"{word}," in message or f".{word}" in message]
        check(f"{line['id']} names nothing hidden", not hidden, message)


def roundtrip():
    for questions, databases, least in (("archer/train.jsonl", "spider/database", 0.99),
                                        ("text2sql/restaurants.jsonl", "text2sql/database", 0.99)):
        wrong, summary = run("sql", "roundtrip", DATA / questions, "--databases", DATA / databases, "--jobs", "2")
        check(f"roundtrip {questions}", summary and summary["coverage"] >= least, (summary, wrong[:3]))
    wrong, summary = run("sql", "roundtrip", DATA / "text2sql/restaurants.jsonl", "--databases",
                         DATA / "text2sql/database", "--dialect", "postgres")
    check("roundtrip to postgres", summary and summary["coverage"] >= 0.99, (summary, wrong[:3]))


def parse():
    lines = subprocess.run([QUERENT, "sql", "parse", str(DATA / "sqlglot/dialect_tests.jsonl")], capture_output=True,
                           text=True, timeout=500).stdout.splitlines()
    summaries = [json.loads(line) for line in lines if '"understood"' in line]
    check("five dialects were parsed", len(summaries) == 5, lines[-5:])
    for summary in summaries:
        check(f"parse {summary['dialect']}", summary["understood"] >= 0.95, summary)


if not DATA.is_dir():
    print("skipped: ../shared/data is not there")
else:
    guard()
    roundtrip()
    parse()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
