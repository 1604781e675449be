"""Questions through REST: answers, pages, exports, conversations, dashboards, and what is left of them when the policy
changes."""
import csv, io, json, os, signal, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

t = Checks()
COUNTRIES = "How many customers are there in each country?"
CUSTOMERS = "How many customers do we have?"
PAYMENTS = "What is the total amount of all payments?"

CONFIG = """version: 1
server: {listen: "127.0.0.1:0"}
datasources:
  - id: shop
    type: sqlite
    description: a shop
    connection: {path: "{state}/shop.sqlite"}
policies:
  default_role: analyst
  roles:
    analyst:
      allow: ["*.*"]
%s"""


def ask(s, question, **more):
    reply = s.post("/api/v1/queries", dict(more, question=question))
    t.equal(reply.status, 200, "asking " + question)
    return reply.json


def answers(s):
    a = ask(s, CUSTOMERS)
    if not t.equal(a["status"], "success", CUSTOMERS):
        return
    t.check("3000" in a["answer"]["summary"], "the sentence states the value", a["answer"])
    t.equal(a["sub_queries"][0]["rows"], [[3000]], "the rows")
    t.equal(a["sub_queries"][0]["truncated"], False, "nothing was cut")
    t.check(len(a["receipt"]["row_hash"]) == 64 and a["receipt"]["engine_version"], "a receipt", a["receipt"])
    t.equal(a["chart"]["kind"], "big_number", "a chart")
    plan = ask(s, CUSTOMERS, execute=False)
    t.equal((plan["status"], plan["sub_queries"][0]["rows"], plan["sub_queries"][0]["result_id"]), ("plan_only", None, None),
            "plan only runs nothing")
    t.equal(plan["sub_queries"][0]["sql"], a["sub_queries"][0]["sql"], "the same question makes the same SQL")
    none = ask(s, CUSTOMERS, datasource_id="nowhere")
    t.equal((none["status"], none["errors"][0]["code"]), ("error", "DATASOURCE_NOT_FOUND"), "an unknown datasource")
    reply = s.post("/api/v1/queries", {"question": CUSTOMERS, "choice": "a"})
    t.equal((reply.status, reply.code), (422, "VALIDATION_ERROR"), "a choice without a conversation")
    reply = s.post("/api/v1/queries", {"question": "x" * 10000})
    t.equal((reply.status, reply.code), (422, "VALIDATION_ERROR"), "a question of 10,000 characters")


def pages_and_exports(s):
    a = ask(s, COUNTRIES)
    if not t.equal(a["status"], "success", COUNTRIES):
        return
    base = "/api/v1/results/" + a["sub_queries"][0]["result_id"]
    rows, cursor, pages = [], None, 0
    while True:
        page = s.get(base + "/rows?limit=5" + ("&cursor=" + cursor if cursor else "")).json
        t.equal(page["first_row"], len(rows), "a page begins where the last one ended")
        rows += page["rows"]
        pages += 1
        cursor = page["next"]
        if not cursor:
            break
    t.equal((pages, len(rows)), (3, 13), "pages of five")
    t.equal(rows, a["sub_queries"][0]["rows"], "the pages are the answer's rows")
    text = s.get(base + "/export?format=csv").text
    t.equal(list(csv.reader(io.StringIO(text, newline="")))[1:], [[str(v) for v in row] for row in rows], "csv")
    t.check(text.endswith("\r\n") and text.count("\r\n") == 14, "csv lines end in CRLF", text)
    whole = s.get(base + "/export?format=json").json
    t.equal((whole["rows"], whole["end"]["row_hash_equal"], whole["end"]["row_count"]), (rows, True, 13), "json")
    lines = [json.loads(line) for line in s.get(base + "/export?format=ndjson").text.splitlines()]
    t.equal([list(line.values()) for line in lines], rows, "ndjson")
    got = s.get(base).json
    t.equal((got["row_count"], got["stored_rows"], got["question"]), (13, 13, COUNTRIES), "the result itself")
    t.equal(got["receipt"], a["receipt"], "its receipt")


def conversations(s):
    made = s.post("/api/v1/conversations", {}).json
    base = "/api/v1/conversations/" + made["id"]
    reply = s.post(base + "/turns", {"choice": "a"})
    t.equal((reply.status, reply.json["detail"]), (422, "Nothing in this conversation is waiting for a choice."), "no choice")
    t.equal(s.post(base + "/turns", {}).status, 422, "a turn of nothing")
    turn = s.post(base + "/turns", {"text": CUSTOMERS})
    t.equal((turn.status, turn.json["index"], turn.json["status"]), (201, 1, "answered"), "the first turn")
    t.equal(turn.json["result"]["sub_queries"][0]["rows"], [[3000]], "its reply has rows")
    t.equal(turn.json["result"]["conversation_id"], made["id"], "and names the conversation")
    back = s.post(base + "/turns", {"text": "What is the total amount?"}).json
    t.check(back["status"] in ("needs_clarification", "error"), "an ambiguous question is not answered", back)
    if back["status"] == "needs_clarification":
        pending = s.get(base).json["pending"]
        t.equal(pending, back["result"]["clarification"], "the conversation waits")
        reply = s.post(base + "/turns", {"choice": "zz"})
        t.equal((reply.status, reply.code), (422, "CLARIFICATION_INVALID"), "an option that is none")
        chosen = s.post(base + "/turns", {"choice": pending["options"][0]["id"]}).json
        t.equal((chosen["status"], chosen["kind"], chosen["text"]), ("answered", "choice", pending["options"][0]["label"]), "a choice")
        t.equal(s.get(base).json["pending"], None, "nothing waits any more")
    whole = s.get(base).json
    t.equal(whole["title"], CUSTOMERS, "the first question is the title")
    t.equal([turn["index"] for turn in whole["turns"]], list(range(1, len(whole["turns"]) + 1)), "turns in order")
    t.check(all(q["rows"] is None for turn in whole["turns"] if turn["result"] for q in turn["result"]["sub_queries"]),
            "no rows are stored with turns")
    more = [s.post("/api/v1/conversations", {"title": "t%d" % i}).json["id"] for i in range(5)]
    seen, cursor = [], None
    while True:
        page = s.get("/api/v1/conversations?limit=2" + ("&cursor=" + cursor if cursor else "")).json
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if not cursor:
            break
    t.equal(sorted(seen), sorted(more + [made["id"]]), "all conversations, once each")
    t.equal(seen[0], more[-1], "the latest first")
    t.equal(s.delete(base).status, 204, "deleting")
    t.equal((s.get(base).status, s.delete(base).status, s.post(base + "/turns", {"text": "x"}).status), (404, 404, 404), "gone")


def dashboards(s):
    made = s.post("/api/v1/dashboards", {"title": "Sales"}).json
    base = "/api/v1/dashboards/" + made["id"]
    results = [ask(s, q)["sub_queries"][0]["result_id"] for q in (COUNTRIES, CUSTOMERS, PAYMENTS)]
    tiles = [s.post(base + "/tiles", {"result_id": r}).json for r in results]
    t.equal([(tile["layout"]["x"], tile["layout"]["y"]) for tile in tiles], [(0, 0), (2, 0), (0, 2)], "places of tiles")
    reply = s.post(base + "/tiles", {"result_id": "rs_00000000000000000000000000"})
    t.equal(reply.status, 404, "a result that is none")
    reply = s.post(base + "/tiles", {"result_id": results[0], "layout": {"x": 3, "y": 0, "w": 2, "h": 1}})
    t.equal((reply.status, reply.code), (422, "VALIDATION_ERROR"), "a tile beyond the grid")
    run = s.post(base + "/refresh").json
    t.equal([r["status"] for r in run["tiles"]], ["ok"] * 3, "a refresh")
    t.equal([r["chart"]["kind"] for r in run["tiles"]], ["bar", "big_number", "big_number"], "its charts")
    t.equal(len({r["trace_id"] for r in run["tiles"]}), 3, "each tile is a run of its own")
    for _ in range(7):
        s.post(base + "/tiles", {"result_id": results[1]})
    reply = s.post(base + "/tiles", {"result_id": results[1]})
    t.equal((reply.status, reply.code), (422, "LIMIT_EXCEEDED"), "the eleventh tile")
    t.equal(s.get("/api/v1/dashboards").json["items"][0]["tiles"], 10, "the list counts tiles")
    for tile in s.get(base).json["tiles"][3:]:
        t.equal(s.delete(base + "/tiles/" + tile["id"]).status, 204, "a tile less")
    return base, results


def policy_changes(s, base, results):
    """Payments are denied from now on: the tile is, the stored result is gone, nothing tells that the table exists."""
    path = os.path.join(s.state, "querent.yaml")
    with open(path, "w") as f:
        f.write((CONFIG % '      deny: ["*.payments"]\n').replace("{state}", s.state))
    s.process.send_signal(signal.SIGHUP)
    end = time.time() + 10
    while s.get("/api/v1/results/" + results[2]).status == 200 and time.time() < end:
        time.sleep(0.05)
    for what in ("", "/rows", "/export?format=csv"):
        reply = s.get("/api/v1/results/" + results[2] + what)
        t.equal(reply.status, 404, "a result that may not be seen any more" + what)
        t.check("payment" not in reply.text.lower(), "and its table is not named", reply.text)
    t.equal(s.get("/api/v1/results/%s/rows" % results[0]).status, 200, "a result that may still be seen")
    run = s.post(base + "/refresh").json
    t.equal([r["status"] for r in run["tiles"]], ["ok", "ok", "denied"], "a denied tile")
    t.equal(run["tiles"][2]["error"]["message"], "You do not have permission to see the data this question requires.",
            "is refused in the usual words")
    a = ask(s, PAYMENTS)
    t.check(a["status"] != "success" or "payments" not in json.dumps(a["sub_queries"]), "a denied question", a)
    t.equal(s.delete(base).status, 204, "deleting the dashboard")
    t.equal(s.get(base).status, 404, "gone")


with Server() as s:
    answers(s)
    pages_and_exports(s)
    conversations(s)
    demo = os.path.join(s.state, "demo.sqlite")
    copy = open(demo, "rb").read()

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "shop.sqlite"), "wb") as f:
        f.write(copy)
    with Server(state=folder, config=CONFIG % "", env={"QUERENT_API_AUTH": "none"}) as s:
        policy_changes(s, *dashboards(s))
t.finish()
