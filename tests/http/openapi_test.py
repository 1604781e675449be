"""The whole interface once: every operation answers as openapi.json says. Each reply is checked against its schema, and an
operation whose status of success was never seen fails the run. The examples of the document are sent as they stand."""
import copy, json, os, shutil, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import openapi
from querent import Server, Checks

t = Checks()
document = openapi.document()


def server_things(s):
    served = s.get("/api/v1/openapi.json")
    with open(os.path.join(openapi.ROOT, "openapi", "openapi.json"), "rb") as f:
        t.check(served.body == f.read(), "openapi.json is served byte for byte")
    t.equal(served.json["openapi"], "3.1.0", "the version of OpenAPI")
    t.equal(s.get("/livez").json, {"status": "alive"}, "/livez")
    t.equal(s.get("/readyz").json, {"status": "ready"}, "/readyz")
    t.equal(s.get("/api/v1/version").json["name"], "querent", "version")
    t.equal(s.get("/api/v1/me").status, 200, "me")
    metrics = s.get("/metrics")
    t.check('querent_datasources{status="ready"} 1' in metrics.text, "a server that is ready has indexed the demo", metrics)
    t.check("querent_info" in metrics.text and metrics.headers["content-type"].startswith("text/plain"), "/metrics", metrics)


def datasources(s):
    listed = s.get("/api/v1/datasources")
    t.check("demo" in [d["id"] for d in listed.json["datasources" if "datasources" in listed.json else "items"]], "the demo is listed")
    t.equal(s.get("/api/v1/datasources/demo").json["id"], "demo", "the demo")
    schema = s.get("/api/v1/datasources/demo/schema")
    t.check("orders" in schema.text, "its schema", schema)
    t.check("orders" in s.get("/api/v1/datasources/demo/schema?search=orders").text, "searched")
    t.check("customer" in s.get("/api/v1/datasources/demo/tables/orders").text, "a table of it")
    types = s.get("/api/v1/datasource-types")
    t.check("sqlite" in types.text, "datasource types", types)
    copy_of_demo = os.path.join(folder, "shop.sqlite")
    shutil.copy(os.path.join(s.state, "demo.sqlite"), copy_of_demo)
    wish = {"id": "shop", "type": "sqlite", "connection": {"path": copy_of_demo}}
    tested = s.post("/api/v1/datasources/test", {"type": "sqlite", "connection": wish["connection"]})
    t.equal(tested.status, 200, "a connection is tested")
    t.equal(s.post("/api/v1/datasources", wish).status, 201, "a datasource is connected")
    t.equal(s.post("/api/v1/datasources", wish).status, 409, "not twice")
    t.equal(s.call("PATCH", "/api/v1/datasources/shop", {"description": "Tea."}).status, 200, "it is changed")
    t.check(s.get("/api/v1/datasources/shop/diagnosis").json["findings"], "and diagnosed")
    t.check(s.post("/api/v1/datasources/shop/test").json["ok"], "its connection is tested")
    job = s.index("shop")
    t.equal((job["state"], job["result"]["tables"]), ("done", 12), "it is indexed")
    t.equal(s.delete("/api/v1/jobs/" + job["id"]).json["state"], "done", "a job that ended cannot be cancelled any more")
    t.equal(s.post("/api/v1/datasources/scan", {}).json["items"][0]["found"], {"kind": "file", "value": copy_of_demo}, "a scan finds the file")
    outside = dict(wish, id="outside", connection={"path": "/etc/passwd"})
    t.equal(s.post("/api/v1/datasources", outside).status, 422, "only files of the configured folders")
    t.equal(s.delete("/api/v1/datasources/shop").status, 204, "it is removed")
    t.equal(s.get("/api/v1/datasources/shop").status, 404, "and gone")


def asking(s):
    answer = s.post("/api/v1/queries", {"question": "How many customers are there?"}).json
    t.equal(answer["status"], "success", "an ask")
    result = answer["sub_queries"][0]["result_id"]
    t.equal(s.get("/api/v1/results/" + result).json["id"], result, "its result")
    t.equal(len(s.get("/api/v1/results/%s/rows" % result).json["rows"]), 1, "its rows")
    for form in ("csv", "json", "ndjson"):
        t.equal(s.get("/api/v1/results/%s/export?format=%s" % (result, form)).status, 200, "its export as " + form)
    return result


def conversations(s):
    one = s.post("/api/v1/conversations", {}).json["id"]
    s.post("/api/v1/conversations", {"title": "Other"})
    turn = s.post("/api/v1/conversations/%s/turns" % one, {"text": "How many customers are there?"})
    t.equal(turn.status, 201, "a turn")
    t.equal(len(s.get("/api/v1/conversations/" + one).json["turns"]), 1, "is stored")
    first = s.get("/api/v1/conversations?limit=1").json
    second = s.get("/api/v1/conversations?limit=1&cursor=" + first["next"]).json
    t.check(first["items"][0]["id"] != second["items"][0]["id"], "pages of conversations", (first, second))
    t.equal(s.delete("/api/v1/conversations/" + one).status, 204, "a conversation is deleted")
    t.equal(s.get("/api/v1/conversations/" + one).status, 404, "and gone")


def dashboards(s, result):
    board = s.post("/api/v1/dashboards", {"title": "Sales"}).json["id"]
    base = "/api/v1/dashboards/" + board
    tile = s.post(base + "/tiles", {"result_id": result, "title": "Customers"})
    t.equal(tile.status, 201, "a tile is pinned")
    run = s.post(base + "/refresh", {})
    t.equal([x["status"] for x in run.json["tiles"]], ["ok"], "every tile runs")
    t.equal(len(s.get(base).json["tiles"]), 1, "the dashboard has its tile")
    t.check(board in [d["id"] for d in s.get("/api/v1/dashboards").json["items"]], "and is listed")
    t.equal(s.delete("%s/tiles/%s" % (base, tile.json["id"])).status, 204, "a tile is taken off")
    t.equal(s.delete(base).status, 204, "a dashboard is deleted")
    t.equal(s.get(base).status, 404, "and gone")


def keys(s):
    made = s.post("/api/v1/api-keys", {"user_id": "ann"})
    t.equal(made.status, 201, "a key is made")
    t.check(made.json["api_key"]["id"] in [k["id"] for k in s.get("/api/v1/api-keys").json["items"]], "and listed")
    t.equal(s.delete("/api/v1/api-keys/" + made.json["api_key"]["id"]).status, 200, "and revoked")


def examples(s, result):
    """Ids in the document stand for any id; here they are real ones."""
    conversation = s.post("/api/v1/conversations", {}).json["id"]
    board = s.post("/api/v1/dashboards", {"title": "Examples"}).json["id"]
    real = {"results": result, "conversations": conversation, "dashboards": board, "datasources": "demo"}

    def fill(value):
        if isinstance(value, dict):
            return {k: result if k == "result_id" else fill(v) for k, v in value.items()}
        if isinstance(value, str):
            return value.replace("/srv/databases", folder)
        return value
    for path, item in document.tree["paths"].items():
        for method, operation in item.items():
            media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            for name, example in media.get("examples", {}).items():
                target = path.replace("{id}", real.get(path.split("/")[3], "")).replace("{datasource_id}", "demo")
                reply = s.call(method.upper(), target, fill(copy.deepcopy(example["value"])))
                want = [x for x in operation["responses"] if x.startswith("2")]
                if operation["operationId"] not in ("datasource_create", "datasource_test", "datasource_update"):
                    t.check(str(reply.status) in want, "example %s of %s" % (name, operation["operationId"]), reply)


folder = tempfile.mkdtemp(prefix="querent-files-")
with Server("version: 1\napi: {auth: none}\nconnect: {folders: ['%s'], scan: true}\n" % folder) as server:
    server_things(server)
    keys(server)
    datasources(server)
    result_id = asking(server)
    conversations(server)
    dashboards(server, result_id)
    examples(server, result_id)
shutil.rmtree(folder)
for operations in document.tree["paths"].values():
    for described in operations.values():
        for status in described["responses"]:
            if status.startswith("2"):
                t.check((described["operationId"], int(status)) in document.seen,
                        "%s answered %s at least once" % (described["operationId"], status))
t.finish()
