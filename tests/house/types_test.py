"""The types of the operations and the schemas of openapi.json are equal, and the examples fit them."""
import json, os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import openapi
from querent import BINARY, Checks

t = Checks()
document = openapi.document()
table = json.loads(subprocess.run([BINARY, "routes"], capture_output=True, text=True, check=True).stdout)
operations = {o["name"]: o for o in table["operations"]}


def first_difference(a, b, at=""):
    if type(a) is not type(b):
        return "%s: %r against %r" % (at, a, b)
    if isinstance(a, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                return "%s/%s is only in %s" % (at, key, "openapi.json" if key in a else "the type")
            found = first_difference(a[key], b[key], at + "/" + key)
            if found:
                return found
        return None
    if isinstance(a, list):
        if len(a) != len(b):
            return "%s: %r against %r" % (at, a, b)
        for i, (x, y) in enumerate(zip(a, b)):
            found = first_difference(x, y, "%s/%d" % (at, i))
            if found:
                return found
        return None
    return None if a == b else "%s: %r against %r" % (at, a, b)


def same(described, wanted, what):
    found = first_difference(document.expand(described), wanted)
    t.check(found is None, what, found)


def check_input(row, operation, what):
    kind = operations[row["operation"]]["in"]
    in_path = re.findall(r"{([^}]*)}", row["path"])
    properties = dict(kind["schema"]["properties"]) if kind else {}
    required = [n for n in kind["schema"].get("required", []) if n not in in_path] if kind else []
    for name in in_path:
        t.check(properties.pop(name, None), what + ": the path's " + name + " is a member of the input")
    query = {p["name"]: p for p in operation.get("parameters", []) if p["in"] == "query"}
    body = operation.get("requestBody")
    if row["method"] in ("GET", "DELETE"):
        t.check(body is None, what + ": no body")
        t.equal(sorted(query), sorted(properties), what + ": query parameters")
        for name in set(query) & set(properties):
            same(query[name]["schema"], {k: v for k, v in properties[name].items() if k != "description"}, what + ": " + name)
            t.equal(query[name].get("required", False), name in required, what + ": " + name + " required")
        return
    t.equal(sorted(query), [], what + ": no query parameters")
    t.equal(body is not None, bool(properties), what + ": a body")
    if body:
        wanted = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            wanted["required"] = required
        media = body["content"]["application/json"]
        same(media["schema"], wanted, what + ": schema of the body")
        t.check(media.get("examples"), what + ": has an example")
        for name, example in media.get("examples", {}).items():
            t.equal(document.errors(example["value"], media["schema"]), [], what + ": example " + name)


for row in table["routes"]:
    if "operation" not in row:
        continue
    what = "%s %s" % (row["method"], row["path"])
    operation = document.tree["paths"].get(row["path"], {}).get(row["method"].lower())
    if not t.check(operation, what + " is described"):
        continue
    check_input(row, operation, what)
    kind = operations[row["operation"]]["out"]
    content = operation["responses"][str(row["status"])].get("content", {})
    if row["bytes"]:
        continue
    t.equal("application/json" in content, kind is not None and row["status"] != 204, what + ": answers JSON")
    if kind and "application/json" in content:
        same(content["application/json"]["schema"], kind["schema"], what + ": schema of the answer")
same({"$ref": "#/components/schemas/Problem"}, table["problem"]["schema"], "the schema of a problem")

used = json.dumps(document.tree)
for name in document.tree["components"]["schemas"]:
    t.check('"#/components/schemas/%s"' % name in used, "schema %s is used" % name)
t.finish()
