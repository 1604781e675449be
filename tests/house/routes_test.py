"""The route table and openapi.json say the same: paths, methods, operations, levels, statuses, parameters, order."""
import json, os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import openapi
from querent import BINARY, Checks

t = Checks()
document = openapi.document().tree
table = json.loads(subprocess.run([BINARY, "routes"], capture_output=True, text=True, check=True).stdout)
OUTSIDE = re.compile(r"^(/livez|/readyz|/metrics|/api/.*)$")  # /mcp speaks its own protocol, /.well-known answers 404

rows = {(r["method"], r["path"]): r for r in table["routes"]}
described = {(method.upper(), path): operation for path, item in document["paths"].items() for method, operation in item.items()}
public = {key for key in rows if OUTSIDE.match(key[1])}
t.equal(sorted(public - set(described)), [], "every route is described")
t.equal(sorted(set(described) - public), [], "everything described is a route")
t.equal([(r["path"], r["method"]) for r in table["routes"]], sorted((r["path"], r["method"]) for r in table["routes"]),
        "the rows are in order")
t.equal(len(rows), len(table["routes"]), "no route twice")

ids = [operation["operationId"] for operation in described.values()]
t.equal(len(ids), len(set(ids)), "no operationId twice")
for key in sorted(public & set(described)):
    row, operation, what = rows[key], described[key], "%s %s" % key
    if "operation" in row:
        t.equal(operation["operationId"], row["operation"], what + ": operationId")
        t.equal(operation["x-level"], row["level"], what + ": level")
    t.equal([s for s in operation["responses"] if s.startswith("2")], [str(row["status"])], what + ": status of success")
    t.equal("security" in operation and operation["security"] == [], row["open"], what + ": open")
    names = re.findall(r"{([^}]*)}", key[1])
    t.equal(sorted(p["name"] for p in operation.get("parameters", []) if p["in"] == "path"), sorted(names), what + ": parameters")
    t.check(operation.get("summary"), what + ": has a summary")
    t.check(operation["tags"][0] in [tag["name"] for tag in document["tags"]], what + ": has a known tag")
    t.check(re.match(r"^(/livez|/readyz|/metrics|/api/v1(/(\{[a-z_]+\}|[a-z]+(-[a-z]+)*(\.json)?))+)$", key[1]), what + ": kebab-case")
    t.check(len(key[1].split("/")) <= 8, what + ": few levels")
    content = operation["responses"][str(row["status"])].get("content", {})
    t.equal("text/event-stream" in content, row["events"], what + ": events")

operations = [o["name"] for o in table["operations"]]
t.equal(operations, sorted(operations), "the operations are in order")
for name in operations:
    t.check(os.path.exists(os.path.join(openapi.ROOT, "engine", "ops", name + ".c")), "operation %s has its file" % name)
t.finish()
