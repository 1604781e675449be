"""Bad input over HTTP: each is a clear error, the server lives, and the next request is fine."""
import json, os, socket, sys, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

CONFIG = """version: 1
api: {auth: none}
server: {max_body_bytes: 100000, body_timeout_ms: 700}
"""
HEAD = b"Host: 127.0.0.1:%d\r\nConnection: close\r\nContent-Type: application/json\r\n"
QUERIES = "/api/v1/queries"

t = Checks()


def problem(reply, status, code, what, pointer=None):
    ok = t.equal((reply.status, reply.code), (status, code), what)
    if not ok:
        print("  ", reply)
        return
    t.equal(reply.headers.get("x-request-id"), reply.json["request_id"], what + ": request id")
    if pointer is not None:
        t.check(pointer in [e["pointer"] for e in reply.json.get("errors", [])], what + ": pointer " + pointer, reply)


def bodies(s):
    cases = [
        ("malformed", '{"question": ', 400, "MALFORMED_JSON", None),
        ("not JSON at all", "hello", 400, "MALFORMED_JSON", None),
        ("two documents", "{} {}", 400, "MALFORMED_JSON", None),
        ("duplicate member", '{"question": "a", "question": "b"}', 400, "MALFORMED_JSON", None),
        ("a NUL in a text", '{"question": "a\\u0000b"}', 400, "MALFORMED_JSON", None),
        ("a lone surrogate", '{"question": "\\ud800"}', 400, "MALFORMED_JSON", None),
        ("bad UTF-8", b'{"question": "\xff\xfe"}', 400, "MALFORMED_JSON", None),
        ("overlong UTF-8", b'{"question": "\xc0\xaf"}', 400, "MALFORMED_JSON", None),
        ("an array", "[]", 422, "VALIDATION_ERROR", None),
        ("a text", '"hello"', 422, "VALIDATION_ERROR", None),
        ("an empty object", "{}", 422, "VALIDATION_ERROR", "/question"),
        ("no body", None, 422, "VALIDATION_ERROR", "/question"),
        ("null", '{"question": null}', 422, "VALIDATION_ERROR", "/question"),
        ("a number for a text", '{"question": 5}', 422, "VALIDATION_ERROR", "/question"),
        ("an object for a text", '{"question": {}}', 422, "VALIDATION_ERROR", "/question"),
        ("a text for a boolean", '{"question": "a", "execute": "yes"}', 422, "VALIDATION_ERROR", "/execute"),
        ("an unknown planner", '{"question": "a", "planner": "magic"}', 422, "VALIDATION_ERROR", "/planner"),
        ("an unknown member", '{"question": "a", "qestion": "b"}', 422, "VALIDATION_ERROR", "/qestion"),
        ("an empty question", '{"question": ""}', 422, "VALIDATION_ERROR", "/question"),
        ("a blank question", '{"question": "  \\n "}', 422, "VALIDATION_ERROR", "/question"),
        ("a question of 10,000 characters", json.dumps({"question": "how many " * 1111}), 422, "VALIDATION_ERROR",
         "/question"),
        ("nesting 100 deep", "[" * 100 + "]" * 100, 400, "MALFORMED_JSON", None),
        ("nesting 100 deep inside", '{"question": ' + '{"a":' * 100 + "1" + "}" * 101, 400, "MALFORMED_JSON", None),
        ("nesting 40,000 deep", "[" * 40000, 400, "MALFORMED_JSON", None),
        ("a number out of range", '{"question": 1e999}', 400, "MALFORMED_JSON", None),
    ]
    for what, body, status, code, pointer in cases:
        problem(s.post(QUERIES, body), status, code, "body: " + what, pointer)
    nul = s.post(QUERIES, '{"question": "a\\u0000b"}').json["detail"]
    t.check("a text holds the character NUL" in nul, "a NUL in a text: says so in our words", nul)
    hint = s.post(QUERIES, {"question": "a", "dataource_id": "demo"}).json.get("hint", "")
    t.check("datasource_id" in hint, "an unknown member: the hint names the nearest one", hint)


def media(s):
    for what, value in [("text", "text/plain"), ("a form", "application/x-www-form-urlencoded"), ("nothing", "")]:
        problem(s.post(QUERIES, '{"question": "a"}', headers={"Content-Type": value}), 415, "UNSUPPORTED_MEDIA_TYPE",
                "media type: " + what)
    reply = s.post(QUERIES, {"question": "How many customers are there?"},
                   headers={"Content-Type": "Application/JSON; charset=utf-8"})
    t.equal(reply.status, 200, "media type with a charset")


def sizes(s):
    problem(s.post(QUERIES, json.dumps({"question": "a" * 100001})), 413, "PAYLOAD_TOO_LARGE", "a body over the ceiling")
    head = b"POST /api/v1/queries HTTP/1.1\r\n" + HEAD % s.port
    t.equal(s.raw_status(head + b"Content-Length: 5000000000\r\n\r\n"), 413, "an announced body over the ceiling")
    big = b"%x\r\n" % 60000 + b" " * 60000 + b"\r\n"
    t.equal(s.raw_status(head + b"Transfer-Encoding: chunked\r\n\r\n" + big + big + b"0\r\n\r\n"), 413,
            "chunks over the ceiling")
    begun = time.time()
    got = s.raw(head + b"Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n")
    t.check(b"100 Continue" not in got and b" 413 " in got, "Expect with too large a body gets the answer at once", got)
    body = b'{"question": "How many customers are there?"}'
    with s.connect() as c:
        c.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        t.equal(c.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n", "Expect: 100-continue is answered")
        c.sendall(body)
        t.check(c.recv(100).startswith(b"HTTP/1.1 200"), "the body after it is read")
    t.check(time.time() - begun < 5, "none of these waits")


def slow(s):
    head = b"POST /api/v1/queries HTTP/1.1\r\n" + HEAD % s.port + b"Content-Length: 50\r\n\r\n"

    def drip(path_head, what, want):
        begun = time.time()
        with s.connect() as c:
            c.sendall(path_head)
            got = b""
            c.settimeout(0.1)
            while time.time() - begun < 10:
                try:
                    piece = c.recv(4096)
                    if not piece:
                        break
                    got += piece
                except socket.timeout:
                    pass
                try:
                    c.sendall(b" ")
                except OSError:
                    break
        t.check(want in got, what, got)
        t.check(0.5 < time.time() - begun < 4, what + ": after the deadline", time.time() - begun)

    drip(head, "a body that drips is refused", b" 408 ")
    with s.connect() as c:
        c.sendall(head + b"{")
        begun = time.time()
        t.check(b" 408 " in c.recv(4096), "a body that stops is refused")
        t.check(time.time() - begun < 4, "a body that stops: after the deadline")
    with s.connect() as c:
        c.sendall(head + b"{")
        c.shutdown(socket.SHUT_WR)
        t.check(b" 400 " in c.recv(4096), "a body that is cut short is refused")
    t.check(s.alive(), "alive after slow bodies")


def framing(s):
    line = b"POST /api/v1/queries HTTP/1.1\r\n"
    head = HEAD % s.port
    get = b"GET /api/v1/me HTTP/1.1\r\n"
    host = b"Host: 127.0.0.1:%d\r\nConnection: close\r\n" % s.port
    cases = [
        ("TE and CL", line + head + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"),
        ("CL and TE", line + head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("two lengths", line + head + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
        ("a length with letters", line + head + b"Content-Length: 2x\r\n\r\n{}"),
        ("a signed length", line + head + b"Content-Length: +2\r\n\r\n{}"),
        ("a length of 30 digits", line + head + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}"),
        ("a space before the colon", line + head + b"Content-Length : 2\r\n\r\n{}"),
        ("an unknown transfer coding", line + head + b"Transfer-Encoding: gzip\r\n\r\n"),
        ("a bad chunk size", line + head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
        ("a huge chunk size", line + head + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
        ("a folded header", get + host + b"A: b\r\n c\r\n\r\n"),
        ("a header without a name", get + host + b": c\r\n\r\n"),
        ("65 headers", get + host + b"".join(b"X-%d: y\r\n" % i for i in range(63)) + b"\r\n"),
        ("200 headers", get + host + b"".join(b"X-%d: y\r\n" % i for i in range(200)) + b"\r\n"),
        ("a head of 20 KB", get + host + b"X: " + b"y" * 20000 + b"\r\n\r\n"),
        ("a path of 20 KB", b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + host + b"\r\n"),
        ("no Host", get + b"Connection: close\r\n\r\n"),
        ("two Hosts", get + host + host + b"\r\n"),
        ("an unknown method", b"BREW /api/v1/me HTTP/1.1\r\n" + host + b"\r\n"),
        ("TRACE", b"TRACE /api/v1/me HTTP/1.1\r\n" + host + b"\r\n"),
        ("OPTIONS *", b"OPTIONS * HTTP/1.1\r\n" + host + b"\r\n"),
        ("another host in the target", b"GET http://example.com/api/v1/me HTTP/1.1\r\n" + host + b"\r\n"),
        ("raw bytes in the path", b"GET /api/v1/\xff HTTP/1.1\r\n" + host + b"\r\n"),
        ("a NUL in the head", get + host + b"A: \x00\r\n\r\n"),
        ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"),
    ]
    for what, data in cases:
        got = s.raw(data)
        t.check(got.startswith(b"HTTP/1.1 400 ") and b"application/problem+json" in got, "framing: " + what, got[:300])
    t.equal(s.raw_status(get + host + b"".join(b"X-%d: y\r\n" % i for i in range(62)) + b"\r\n"), 200, "64 headers are fine")
    smuggled = s.raw(line + head.replace(b"Connection: close\r\n", b"") +
                     b"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    t.equal(smuggled.count(b"HTTP/1.1 "), 1, "nothing behind an ambiguous body is taken as a request")


def paths(s):
    bad = ["/api/v1/datasources/a%2Fb", "/api/v1/datasources/a%2fb", "/api/v1/datasources/%00", "/api/v1/datasources/a%00b",
           "/api/v1/datasources/%zz", "/api/v1/datasources/%4", "/api/v1/datasources/%", "/api/v1/datasources/%ff",
           "/api/v1/datasources/%c0%af", "/%2e%2e%2fetc%2fpasswd"]
    for path in bad:
        problem(s.get(path), 400, "INVALID_REQUEST", "path " + path)
    for path in ["/", "/nothing", "/api/v1", "/api/v1/", "/api/v1/me/", "//api/v1/me", "/api/v1//me", "/api/v1/../v1/me",
                 "/api/v1/%2e%2e/me", "/api/v2/me", "/API/V1/me", "/a" * 40, "/.well-known/openid-configuration"]:
        reply = s.get(path)
        t.check(reply.status == 404 and reply.code == "NOT_FOUND", "path " + path, reply)
    t.equal(s.get("/api/v1/%6de").status, 200, "an encoded letter is the letter")
    reply = s.call("PUT", "/api/v1/me")
    problem(reply, 405, "METHOD_NOT_ALLOWED", "a method that the path does not have")
    t.equal(reply.headers.get("allow"), "GET, HEAD, OPTIONS", "Allow says what it has")
    t.equal(s.call("HEAD", "/api/v1/me").body, b"", "HEAD has no body")
    problem(s.call("GET", "/api/v1/me", body="{}"), 400, "INVALID_REQUEST", "a body where none belongs")
    problem(s.get("/api/v1/me?x=1"), 422, "VALIDATION_ERROR", "an unknown parameter", "/x")
    problem(s.get("/api/v1/datasources/demo/schema?search=a&search=b"), 422, "VALIDATION_ERROR", "a parameter twice", "/search")
    problem(s.get("/api/v1/datasources/demo/schema?search=%00"), 400, "INVALID_REQUEST", "a NUL in a parameter")
    problem(s.get("/api/v1/datasources/demo/schema?search=%ff"), 400, "INVALID_REQUEST", "bad UTF-8 in a parameter")


def ids(s):
    unknown = [("GET", "/api/v1/datasources/nowhere"), ("GET", "/api/v1/datasources/nowhere/schema"),
               ("GET", "/api/v1/results/rs_00000000000000000000000000"), ("GET", "/api/v1/results/%20%27--/rows"),
               ("GET", "/api/v1/results/rs_00000000000000000000000000/export?format=csv"),
               ("GET", "/api/v1/conversations/cv_00000000000000000000000000"),
               ("DELETE", "/api/v1/conversations/cv_00000000000000000000000000"),
               ("GET", "/api/v1/dashboards/db_00000000000000000000000000"),
               ("DELETE", "/api/v1/dashboards/db_00000000000000000000000000"),
               ("DELETE", "/api/v1/api-keys/nothing"), ("DELETE", "/api/v1/datasources/nowhere"),
               ("GET", "/api/v1/datasources/" + "x" * 5000),
               ("GET", "/api/v1/conversations/%F0%9F%92%A9")]
    for method, path in unknown:
        reply = s.call(method, path)
        t.check(reply.status == 404 and reply.code in ("NOT_FOUND", "DATASOURCE_NOT_FOUND"), "unknown: " + method + " " + path[:80],
                reply)
    problem(s.get("/api/v1/conversations?cursor=garbage"), 400, "CURSOR_INVALID", "a cursor that is none")
    problem(s.get("/api/v1/conversations?limit=many"), 422, "VALIDATION_ERROR", "a limit that is no number", "/limit")
    problem(s.get("/api/v1/conversations?limit=0"), 422, "VALIDATION_ERROR", "a limit of nothing", "/limit")
    answer = s.post(QUERIES, {"question": "How many customers are there?"})
    result = answer.json["sub_queries"][0]["result_id"] if answer.json.get("sub_queries") else None
    if t.check(result, "an answer has a result", answer):
        problem(s.get("/api/v1/results/%s/export?format=exe" % result), 422, "VALIDATION_ERROR", "an unknown format", "/format")
        t.equal(s.call("HEAD", "/api/v1/results/%s/export" % result).status, 405, "HEAD of a stream")
        problem(s.get("/api/v1/results/%s/rows?cursor=eyJ9" % result), 400, "CURSOR_INVALID", "a forged cursor")
        other = s.get("/api/v1/conversations?limit=1").json
        if other and other.get("next"):
            problem(s.get("/api/v1/results/%s/rows?cursor=%s" % (result, other["next"])), 400, "CURSOR_INVALID",
                    "a cursor of another list")


def crowd(s):
    """Many connections that say nothing, and many half requests, keep nobody from an answer."""
    held = [s.connect() for _ in range(150)]
    for c in held[:75]:
        c.sendall(b"POST /api/v1/queries HTTP/1.1\r\nHost: a\r\nContent-Le")
    begun = time.time()
    t.equal(s.get("/api/v1/me").status, 200, "an answer beside 150 silent connections")
    t.check(time.time() - begun < 5, "and soon", time.time() - begun)
    for c in held:
        c.close()
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(s.post(QUERIES, "{").status)) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    t.equal(sorted(replies), [400] * 30, "30 bad requests at once")


with Server(CONFIG) as server:
    for part in (bodies, media, sizes, slow, framing, paths, ids, crowd):
        part(server)
        t.check(server.alive(), "alive after " + part.__name__)
    t.equal(server.stop(), 0, "stops cleanly")
    t.check("Sanitizer" not in server.read_log(), "no sanitizer report", server.read_log()[-3000:])
t.finish()
