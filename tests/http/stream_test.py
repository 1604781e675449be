"""Streams and time: events of an ask, exports, slow and dead clients, draining."""
import json, os, signal, socket, sys, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

t = Checks()
COUNT = {"question": "How many customers are there?"}


def events(s):
    got = s.events("/api/v1/queries", COUNT)
    if not t.check(isinstance(got, list), "an ask as a stream of events", got):
        return
    names = [name for name, _ in got]
    t.check(len(names) > 1, "more than one event", names)
    t.equal(names.count("run.finished"), 1, "exactly one run.finished")
    t.equal(names[-1], "run.finished", "run.finished is the last event")
    plain = s.post("/api/v1/queries", COUNT).json
    t.equal(got[-1][1]["status"], "success", "it carries the status")
    t.equal(got[-1][1]["answer"], plain["answer"], "and the whole answer")
    made = s.post("/api/v1/conversations", {}).json
    got = s.events("/api/v1/conversations/%s/turns" % made["id"], {"text": COUNT["question"]})
    t.equal([name for name, _ in got].count("run.finished"), 1, "a turn as a stream: one run.finished")
    reply = s.events("/api/v1/queries", {"question": ""})
    t.check(not isinstance(reply, list) and reply.status == 422, "a bad body is an ordinary error", reply)
    reply = s.events("/api/v1/queries", dict(COUNT, datasource_id="nowhere"))
    status = reply[-1][1]["status"] if isinstance(reply, list) else reply.json["status"]
    t.check(status in ("error", 404), "an unknown datasource ends as an error", reply)


def exports(s):
    asked = s.post("/api/v1/queries", {"question": "How many customers are there in each city?"}).json
    query = asked["sub_queries"][0]
    base = "/api/v1/results/" + query["result_id"]
    csv = s.get(base + "/export?format=csv")
    t.equal(csv.headers.get("content-type", "").split(";")[0], "text/csv", "csv says so")
    t.check("attachment" in csv.headers.get("content-disposition", ""), "and is a file", csv.headers)
    lines = csv.text.splitlines()
    t.equal(lines[0].split(","), query["columns"], "the first line names the columns")
    t.equal(len(lines) - 1, query["total_rows"], "and the rows follow")
    ndjson = s.get(base + "/export?format=ndjson")
    t.equal(len([json.loads(line) for line in ndjson.text.splitlines()]), query["total_rows"], "ndjson: a row a line")
    whole = s.get(base + "/export?format=json")
    t.check(isinstance(whole.json, dict), "json is one object", whole)
    rows, cursor, stored = [], None, s.get(base).json["stored_rows"]
    while True:
        page = s.get(base + "/rows?limit=%d" % max(1, stored // 3) + ("&cursor=" + cursor if cursor else "")).json
        rows += page["rows"]
        cursor = page["next"]
        if not cursor or len(rows) > stored:
            break
    t.equal(len(rows), stored, "all pages together are all stored rows")


def open_ask(s, accept=b"text/event-stream"):
    c = s.connect()
    body = json.dumps(COUNT).encode()
    c.sendall(b"POST /api/v1/queries HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nAccept: %s\r\n"
              b"Content-Length: %d\r\n\r\n" % (s.port, accept, len(body)) + body)
    return c


def dead_clients(s):
    """Clients that hang up in the middle leave nothing behind."""
    for _ in range(60):
        open_ask(s).close()
    for _ in range(20):
        c = open_ask(s)
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        c.close()
    end = time.time() + 10
    while time.time() < end and in_flight(s):
        time.sleep(0.1)
    t.equal(in_flight(s), 0, "no request of a dead client stays")
    t.check(s.alive(), "alive")


def in_flight(s):
    """Worker threads that are inside a request: sockets of the server in ESTABLISHED or CLOSE_WAIT with our port."""
    count = 0
    with open("/proc/net/tcp") as f:
        for line in f.read().splitlines()[1:]:
            fields = line.split()
            if int(fields[1].split(":")[1], 16) == s.port and fields[3] == "08":
                count += 1
    return count


def last_words():
    """Under load, who was accepted gets an answer: no connection is cut with a request in it."""
    import http.client
    with Server("version: 1\napi: {auth: none}\nserver: {threads: 64}\n") as s:
        outcomes, answered = [], []

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", s.port, timeout=20)
            while True:
                try:
                    connection.request("GET", "/api/v1/version")
                    reply = connection.getresponse()
                    reply.read()
                except ConnectionRefusedError:
                    outcomes.append("refused")
                    return
                except Exception as e:
                    outcomes.append(repr(e))
                    return
                answered.append(reply.status)
                if reply.getheader("Connection") == "close" and reply.status == 503:
                    outcomes.append("told")
                    return

        def late(connection):
            time.sleep(0.3)
            connection.sendall(b"GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n")
            got = b""
            while True:
                piece = connection.recv(4096)
                if not piece:
                    break
                got += piece
            outcomes.append("told" if got.startswith(b"HTTP/1.1 503") and b"Connection: close" in got else repr(got[:100]))
        silent = [s.connect() for _ in range(4)]
        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        s.process.send_signal(signal.SIGTERM)
        threads += [threading.Thread(target=late, args=(one,)) for one in silent]
        for thread in threads[12:]:
            thread.start()
        for thread in threads:
            thread.join()
        t.equal(s.process.wait(20), 0, "SIGTERM under load ends with 0")
        t.check(set(outcomes) <= {"told", "refused"} and outcomes.count("told") >= 4 and len(outcomes) == 16, "nobody is cut off", outcomes)
        t.check(set(answered) == {200, 503}, "answers before and after", set(answered))


def draining():
    with Server("version: 1\napi: {auth: none}\n") as s:
        held = s.connect()  # a keep-alive connection that is idle
        held.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        held.recv(4096)
        replies = []

        def ask():
            for _ in range(20):
                try:
                    replies.append(s.post("/api/v1/queries", COUNT).status)
                except OSError:
                    replies.append(0)
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        begun = time.time()
        s.process.send_signal(signal.SIGTERM)
        code = s.process.wait(20)
        for thread in threads:
            thread.join()
        t.equal(code, 0, "SIGTERM ends with 0")
        t.check(time.time() - begun < 10, "and soon", time.time() - begun)
        t.check(set(replies) <= {200, 503, 0}, "a request is answered, refused or not accepted", sorted(set(replies)))
        t.check(200 in replies, "what was in flight finished", replies)
        held.close()
        log = s.read_log()
        t.check('"server.draining"' in log and '"server.stopped"' in log, "the log tells the shutdown")


def reload():
    with Server("version: 1\napi: {auth: none}\n") as s:
        with open(s.options[1], "w") as f:
            f.write("version: 1\napi: {auth: none, nonsense: 1}\n")
        s.process.send_signal(signal.SIGHUP)
        end = time.time() + 5
        while time.time() < end and "config.rejected" not in s.read_log():
            time.sleep(0.05)
        t.check("config.rejected" in s.read_log(), "a bad configuration is rejected")
        t.equal(s.get("/api/v1/me").status, 200, "and the old one stays")
        t.equal(s.get("/api/v1/me", headers={"Origin": "https://new.example"}).status, 403, "an origin that is not on the list")
        with open(s.options[1], "w") as f:
            f.write("version: 1\napi: {auth: none, cors_origins: ['https://new.example']}\n")
        s.process.send_signal(signal.SIGHUP)
        end = time.time() + 5
        while time.time() < end and "config.reloaded" not in s.read_log():
            time.sleep(0.05)
        t.equal(s.get("/api/v1/me", headers={"Origin": "https://new.example"}).status, 401,
                "a good one is taken: the origin may call, but its page is no local caller")


with Server("version: 1\napi: {auth: none}\n") as server:
    events(server)
    exports(server)
    dead_clients(server)
draining()
last_words()
reload()
t.finish()
