"""The golden set: every question of questions.jsonl through the command line and through REST, compared with rows that
Python's own sqlite3 reads with independently written SQL. Ten of them must be refused or asked back. A question marked
`asks_back` is one that the planner does not answer by itself yet: it may ask back or refuse, but a wrong answer fails, and so
does the mark once the answer is right."""
import json, os, socket, sqlite3, subprocess, sys, tempfile, time, urllib.error, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
QUERENT = os.environ["QUERENT"]
REFUSED = {"QUESTION_NOT_ANSWERABLE"}
passed = failed = 0


def check(ok, what, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAILED:", what, detail)


def number(v):
    if isinstance(v, bool) or v is None:
        return None
    try:
        return float(v)
    except (TypeError, ValueError):
        return None


def same_value(a, b):
    if a is None or b is None:
        return a is b
    x, y = number(a), number(b)
    if x is not None and y is not None:
        return abs(x - y) <= 1e-6 * max(1.0, abs(x), abs(y))
    return str(a) == str(b)


def same_row(a, b):
    return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b))


def sort_key(row):
    return [(v is not None, "%.6e" % number(v) if number(v) is not None else str(v)) for v in row]


def same_rows(got, want, ordered):
    if len(got) != len(want):
        return False
    if not ordered:
        got, want = sorted(got, key=sort_key), sorted(want, key=sort_key)
    return all(same_row(a, b) for a, b in zip(got, want))


def any_order_of_columns(got, want, ordered):
    if same_rows(got, want, ordered):
        return True
    return bool(got) and len(got[0]) == 2 and same_rows([row[::-1] for row in got], want, ordered)


def contained(rows, want):
    left = [list(r) for r in want]
    for row in rows:
        hit = next((i for i, r in enumerate(left) if same_row(row, r)), None)
        if hit is None:
            hit = next((i for i, r in enumerate(left) if same_row(row[::-1], r)), None)
        if hit is None:
            return False
        del left[hit]
    return True


class Api:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}/api/v1"

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as e:
            return e.code, json.loads(e.read() or b"null")

    def all_rows(self, result):
        rows, cursor = [], ""
        while True:
            status, page = self.send("GET", f"/results/{result}/rows?limit=200" + (f"&cursor={cursor}" if cursor else ""))
            if status != 200:
                return None
            rows += page["rows"]
            cursor = page.get("next")
            if not cursor:
                return rows


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_ready(port, process):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit("the server ended at once")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    sys.exit("the server did not become ready")


def judge_answer(door, case, answer, rows, golds):
    what = f"{door} {case['id']} {case['question']}"
    if "asks_back" in case:
        check(answer.get("status") in ("needs_clarification", "error"), what + ": is answered now, take the mark away or mend it")
        return
    if answer.get("status") != "success":
        check(False, what, answer.get("status", "") + " " + str(answer.get("errors") or answer.get("clarification")))
        return
    query = answer["sub_queries"][0]
    ordered = case.get("ordered", False)
    full = any(any_order_of_columns(rows, g, ordered) for g in golds) if rows is not None else any(
        query["total_rows"] == len(g) and contained(query["rows"], g) for g in golds)
    check(full, what, query["sql"] + " gave " + str((rows or query["rows"])[:3]))
    check(bool(answer["answer"]["summary"].strip()), what + ": a sentence")
    if "chart" in case:
        check((answer.get("chart") or {}).get("kind") == case["chart"], what + ": the chart", str(answer.get("chart"))[:80])
    if query["total_rows"] == 1 and len(query["columns"]) == 1:
        check(str(query["rows"][0][0]) in answer["answer"]["summary"], what + ": the sentence states the value",
              answer["answer"]["summary"])


def options_hold(api, case, golds):
    """The question asked in a conversation: choosing one of the options gives the right rows."""
    status, conversation = api.send("POST", "/conversations", {})
    status, turn = api.send("POST", f"/conversations/{conversation['id']}/turns", {"text": case["question"]})
    options = ((turn.get("result") or {}).get("clarification") or {}).get("options") or []
    for option in options:
        status, conversation = api.send("POST", "/conversations", {})
        api.send("POST", f"/conversations/{conversation['id']}/turns", {"text": case["question"]})
        status, chosen = api.send("POST", f"/conversations/{conversation['id']}/turns", {"choice": option["id"]})
        queries = (chosen.get("result") or {}).get("sub_queries") or []
        rows = api.all_rows(queries[0]["result_id"]) if queries else None
        if rows is not None and any(any_order_of_columns(rows, g, case.get("ordered", False)) for g in golds):
            return True
    return False


def judge_refusal(door, case, answer):
    codes = {e["code"] for e in answer.get("errors", [])}
    asked_back = answer.get("status") == "needs_clarification" and len(answer["clarification"]["options"]) >= 2
    check(asked_back or (answer.get("status") == "error" and codes <= REFUSED and codes),
          f"{door} {case['id']} {case['question']}",
          str(answer.get("status")) + " " + str(codes) + " " + str([q["sql"] for q in answer.get("sub_queries", [])]))


def main():
    cases = [json.loads(line) for line in open(os.path.join(HERE, "questions.jsonl"), encoding="utf-8")]
    with tempfile.TemporaryDirectory() as state:
        port = free_port()
        server = subprocess.Popen([QUERENT, "serve", "--listen", f"127.0.0.1:{port}", "--state", state],
                                  stderr=subprocess.DEVNULL)
        try:
            wait_ready(port, server)
            api = Api(port)
            gold = sqlite3.connect(f"file:{state}/demo.sqlite?mode=ro", uri=True)
            for case in cases:
                status, answer = api.send("POST", "/queries", {"question": case["question"]})
                if status != 200:
                    check(False, f"rest {case['id']}", f"{status} {answer}")
                    continue
                run = subprocess.run([QUERENT, "--state", state, "ask", "--json", case["question"]], capture_output=True,
                                     text=True, timeout=60)
                try:
                    told = json.loads(run.stdout)
                except ValueError:
                    check(False, f"cli {case['id']}", run.stdout[:200] + run.stderr[:200])
                    continue
                if "refuse" in case:
                    judge_refusal("rest", case, answer)
                    judge_refusal("cli", case, told)
                    continue
                texts = case["sql"] if isinstance(case["sql"], list) else [case["sql"]]
                golds = [[list(r) for r in gold.execute(t).fetchall()] for t in texts]
                rows = api.all_rows(answer["sub_queries"][0]["result_id"]) if answer.get("status") == "success" else None
                if case.get("asks_back") == "options":
                    check(options_hold(api, case, golds), f"rest {case['id']} {case['question']}: a right option")
                judge_answer("rest", case, answer, rows, golds)
                judge_answer("cli", case, told, None, golds)
        finally:
            server.terminate()
            server.wait(20)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
