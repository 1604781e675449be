"""Who may come in: Host, Origin and CORS, credentials, the local caller, levels, owners."""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import Server, Checks

t = Checks()
ME = "/api/v1/me"


def with_host(s, host, more=b"", path=b"/api/v1/me"):
    return s.raw_status(b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n" % (path, host, more))


def local(s):
    """auth none: only a caller on this very machine, with nothing between."""
    port = b"%d" % s.port
    for host in (b"127.0.0.1:" + port, b"localhost:" + port, b"LOCALHOST:" + port, b"[::1]:" + port):
        t.equal(with_host(s, host), 200, "local: Host %r" % host)
    for host in (b"evil.example:" + port, b"127.0.0.1.evil.example:" + port, b"127.0.0.2:" + port, b"localhost.:" + port):
        t.equal(with_host(s, host), 403, "foreign Host %r" % host)
    for host in (b"localhost", b"localhost:1", b"127.0.0.1"):
        t.equal(with_host(s, host), 401, "Host without our port is not local: %r" % host)
    good = b"127.0.0.1:" + port
    for header in (b"Forwarded: for=1.2.3.4", b"X-Forwarded-For: 1.2.3.4", b"X-Forwarded-Proto: https", b"X-Forwarded-Host: a",
                   b"Via: 1.1 proxy", b"x-forwarded-anything: 1"):
        t.equal(with_host(s, good, header + b"\r\n"), 401, "a proxy stands between: %r" % header)
    for origin, status in ((b"http://127.0.0.1:" + port, 200), (b"http://localhost:" + port, 403), (b"https://evil.example", 403),
                           (b"null", 403), (b"http://127.0.0.1:1", 403), (b"file://", 403)):
        t.equal(with_host(s, good, b"Origin: " + origin + b"\r\n"), status, "Origin %r" % origin)
    t.equal(with_host(s, good, b"Origin: https://app.example.com\r\n"), 401, "a page that may call is no local caller")
    t.equal(with_host(s, good, b"Origin: http://%s\r\nOrigin: http://%s\r\n" % (good, good)), 400, "two Origins")
    t.equal(s.raw_status(b"GET /api/v1/me HTTP/1.0\r\n\r\n"), 401, "HTTP/1.0 without a Host is not local")
    t.equal(with_host(s, b"evil.example", path=b"/livez"), 200, "/livez looks at no Host")
    t.equal(with_host(s, b"evil.example", path=b"/readyz"), 200, "/readyz looks at no Host")
    me = s.get(ME).json
    t.equal((me["user"], me["tenant"], me["source"], me["level"]), ("local", "default", "none", "admin"), "the local caller")
    reply = s.get(ME, token="qk_nothing_nothing")
    t.equal((reply.status, reply.code), (401, "UNAUTHENTICATED"), "a bad key is no local caller")
    t.check(reply.headers["www-authenticate"].startswith("Bearer"), "401 says how to authenticate", reply.headers)


def cors(s):
    allowed, ask = "https://app.example.com", {"Access-Control-Request-Method": "POST"}
    reply = s.call("OPTIONS", "/api/v1/queries", headers=dict(ask, Origin=allowed))
    t.equal(reply.status, 204, "preflight of a listed origin")
    t.equal(reply.headers.get("access-control-allow-origin"), allowed, "preflight names the origin")
    t.check("POST" in reply.headers.get("access-control-allow-methods", ""), "preflight names the methods", reply.headers)
    t.check("authorization" in reply.headers.get("access-control-allow-headers", "").lower(), "preflight names the headers")
    reply = s.call("OPTIONS", "/api/v1/queries", headers=dict(ask, Origin="https://evil.example"))
    t.equal((reply.status, reply.headers.get("access-control-allow-origin")), (403, None), "preflight of another origin")
    reply = s.get(ME, headers={"Origin": allowed})
    t.equal(reply.headers.get("access-control-allow-origin"), allowed, "a reply names the listed origin")
    t.check("Origin" in reply.headers.get("vary", ""), "and varies by it")
    t.equal(reply.headers.get("access-control-allow-credentials"), None, "and takes no cookies")
    reply = s.get(ME, headers={"Origin": "https://evil.example"})
    t.equal((reply.status, reply.code), (403, "ORIGIN_NOT_ALLOWED"), "a foreign origin is refused")
    t.equal(s.get(ME).headers.get("access-control-allow-origin"), None, "without an origin there is no CORS header")


def hosts(s):
    """A list of hosts: a name with a port, with any port, or with none, which is any."""
    for host, status in ((b"any.example:5", 401), (b"ANY.example", 401), (b"one.example:81", 401), (b"one.example:82", 403),
                         (b"one.example", 403), (b"bare.example:9", 401), (b"bare.example", 401), (b"other.example", 403),
                         (b"xany.example:5", 403), (b"127.0.0.1:%d" % s.port, 403)):
        t.equal(with_host(s, host), status, "a listed Host: %r" % host)


def identity(s):
    t.equal(s.get(ME).status, 401, "without a credential")
    for bad in ("Bearer", "Bearer ", "Bearer x", "Basic dXNlcjpw", "bearer qk_a_b", "Bearer qk_" + "a" * 5000, "qk_a_b"):
        reply = s.get(ME, headers={"Authorization": bad})
        t.equal((reply.status, reply.code), (401, "UNAUTHENTICATED"), "credential %r" % bad[:30])
        t.equal(reply.json["detail"], s.get(ME).json["detail"], "and the answer does not say why")
    token = json.loads(s.cli("keys", "create", "--user", "ann", "--level", "admin", "--json"))["token"]
    t.equal(s.get(ME, token=token).json["level"], "admin", "a key made on the command line")
    t.equal(s.get(ME, headers={"X-API-Key": token}).status, 200, "the key in X-API-Key")
    both = s.raw_status(b"GET /api/v1/me HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\nAuthorization: Bearer a\r\n"
                        b"Authorization: Bearer b\r\n\r\n" % s.port)
    t.equal(both, 400, "two credentials")

    def key(user, level):
        reply = s.post("/api/v1/api-keys", {"user_id": user, "level": level}, token=token)
        t.equal(reply.status, 201, "a key for " + user)
        return dict(reply.json["api_key"], token=reply.json["token"])
    bob, eve = key("bob", "viewer"), key("eve", "viewer")
    t.check(bob["token"] not in s.get("/api/v1/api-keys", token=token).text, "a token is shown once")
    for method, path, body in (("GET", "/api/v1/api-keys", None), ("POST", "/api/v1/api-keys", {"user_id": "x", "level": "admin"}),
                               ("GET", "/api/v1/datasource-types", None), ("DELETE", "/api/v1/datasources/demo", None),
                               ("POST", "/api/v1/datasources/demo/index", {}), ("DELETE", "/api/v1/api-keys/" + eve["id"], None)):
        reply = s.call(method, path, body, token=bob["token"])
        t.equal((reply.status, reply.code), (403, "FORBIDDEN"), "a viewer at %s %s" % (method, path))

    made = s.post("/api/v1/conversations", {}, token=bob["token"])
    t.equal(made.status, 201, "a conversation of bob's")
    mine = "/api/v1/conversations/" + made.json["id"]
    t.equal(s.get(mine, token=bob["token"]).status, 200, "bob reads it")
    foreign, unknown = s.get(mine, token=eve["token"]), s.get("/api/v1/conversations/cv_00000000000000000000000000", token=eve["token"])
    t.equal((foreign.status, foreign.code, foreign.json["detail"].replace(made.json["id"], "X")),
            (unknown.status, unknown.code, unknown.json["detail"].replace("cv_00000000000000000000000000", "X")),
            "a foreign conversation and an unknown one look alike")
    t.equal(s.delete(mine, token=eve["token"]).status, 404, "eve cannot delete it")
    t.equal(s.post(mine + "/turns", {"text": "How many customers are there?"}, token=eve["token"]).status, 404, "nor speak in it")
    asked = s.post("/api/v1/queries", {"question": "How many customers are there?"}, token=bob["token"])
    result = "/api/v1/results/" + asked.json["sub_queries"][0]["result_id"]
    t.equal([s.get(result + tail, token=bob["token"]).status for tail in ("", "/rows", "/export?format=csv")], [200] * 3, "bob's result")
    t.equal([s.get(result + tail, token=eve["token"]).status for tail in ("", "/rows", "/export?format=csv")], [404] * 3,
            "a foreign result")

    t.equal(s.delete("/api/v1/api-keys/" + bob["id"], token=token).status, 200, "bob's key is revoked")
    t.equal(s.get(ME, token=bob["token"]).status, 401, "and opens nothing")
    t.check(token not in s.read_log() and bob["token"] not in s.read_log(), "no token in the log")


def ids_of_requests(s):
    t.equal(s.get(ME, headers={"X-Request-Id": "abc-1.2_3"}).headers["x-request-id"], "abc-1.2_3", "a request id comes back")
    for bad in ("a b", "a" * 129, "<script>", "a\tb"):
        got = s.get(ME, headers={"X-Request-Id": bad})
        t.check(got.headers.get("x-request-id", "").startswith("tr_") or got.status == 400, "a bad request id is not used: %r" % bad[:20],
                got.headers)


PROXY = """version: 1
api: {auth: proxy, proxy_addresses: ['%s']}
policies: {roles: {clerk: {allow: ['demo.*']}, admin: {allow: ['*.*']}}}
"""


def proxies():
    """A proxy at a configured address says who calls; nobody else does, and nobody beside it."""
    said = {"X-Querent-User": "eve", "X-Querent-Roles": "clerk"}
    with Server(PROXY % "10.1.2.3") as s:
        for more in ({}, {"X-Forwarded-For": "10.1.2.3"}, {"Forwarded": "for=10.1.2.3"}):
            t.equal(s.get(ME, headers=dict(said, **more)).status, 401, "headers from another address %r" % more)
    with Server(PROXY % "127.0.0.1") as s:
        me = s.get(ME, headers=said).json
        t.equal((me["user"], me["source"], me["level"], me["roles"]), ("eve", "proxy", "viewer", ["clerk"]), "the proxy's word")
        t.equal(s.get(ME, headers={"X-Querent-Roles": "admin"}).status, 401, "roles without a user")
        t.equal(s.get(ME, headers={"X-Querent-User": "eve", "X-Querent-Roles": "ghost"}).json["level"], "anyone", "an undefined role")
        for extra in (b"X-Querent-Roles: admin\r\n", b"x-querent-roles: clerk\r\n", b"X-Querent-User: root\r\n"):
            sent = b"X-Querent-User: eve\r\nX-Querent-Roles: clerk\r\n" + extra
            t.equal(with_host(s, b"127.0.0.1:%d" % s.port, sent), 400, "a second word about the caller: %r" % extra)


proxies()
with Server("version: 1\napi: {auth: none, cors_origins: ['https://app.example.com']}\n") as server:
    local(server)
    cors(server)
    ids_of_requests(server)
with Server("version: 1\napi: {auth: api_keys, allowed_hosts: ['any.example:*', 'one.example:81', bare.example]}\n") as server:
    hosts(server)
with Server("version: 1\napi: {auth: api_keys, cors_origins: ['https://app.example.com']}\n") as server:
    identity(server)
    t.equal(server.get("/livez").status, 200, "/livez needs no credential")
t.finish()
