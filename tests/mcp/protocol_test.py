"""POST /mcp, probe by probe: both eras, every refusal, with the status and the JSON-RPC code the protocol asks for."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import querent  # noqa: E402

V, C = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
META = {V: "2026-07-28", C: {}}
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def modern(method, name=None, **more):
    headers = dict(JSON, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method})
    if name is not None:
        headers["Mcp-Name"] = name
    headers.update(more)
    return {k: v for k, v in headers.items() if v is not None}


def rpc(method, params=None, **more):
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    if params is not None:
        message["params"] = params
    message.update(more)
    return {k: v for k, v in message.items() if v != "absent"}


def meta(**params):
    return dict(params, _meta=META)


def code(expected):
    return lambda r: r.get("error", {}).get("code") == expected


def result(*path):
    def test(r):
        at = r.get("result")
        for key in path:
            if not isinstance(at, dict) or key not in at:
                return False
            at = at[key]
        return r.get("jsonrpc") == "2.0" and "error" not in r
    return test


def tool_result(r):
    found = r["result"]
    return found.get("isError") is not True and json.loads(found["content"][0]["text"]) == found["structuredContent"]


DISCOVER = rpc("server/discover", meta(), id="d1")
INIT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}

# name, headers, body (object or bytes), status, check of the parsed body (None = it must be empty)
PROBES = [
    ("discover", modern("server/discover"), DISCOVER, 200,
     lambda r: r["id"] == "d1" and r["result"]["supportedVersions"] == ["2026-07-28"] and r["result"]["resultType"] == "complete"
     and r["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "querent" and r["result"]["ttlMs"] >= 0),
    ("tools/list modern", modern("tools/list"), rpc("tools/list", meta()), 200, result("tools")),
    ("modern header, no _meta", modern("tools/list"), rpc("tools/list", {}), 400, code(-32602)),
    ("no clientCapabilities", modern("tools/list"), rpc("tools/list", {"_meta": {V: "2026-07-28"}}), 400, code(-32602)),
    ("version not a string", modern("tools/list"), rpc("tools/list", {"_meta": {V: 1, C: {}}}), 400, code(-32602)),
    ("bad log level", modern("tools/list"),
     rpc("tools/list", {"_meta": dict(META, **{"io.modelcontextprotocol/logLevel": "loud"})}), 400, code(-32602)),
    ("no version header", modern("tools/list", **{"MCP-Protocol-Version": None}), rpc("tools/list", meta()), 400, code(-32020)),
    ("no Mcp-Method", modern("tools/list", **{"Mcp-Method": None}), rpc("tools/list", meta()), 400, code(-32020)),
    ("Mcp-Method differs", modern("prompts/list"), rpc("tools/list", meta()), 400, code(-32020)),
    ("Mcp-Name missing", modern("tools/call"), rpc("tools/call", meta(name="list_datasources")), 400, code(-32020)),
    ("Mcp-Name differs", modern("tools/call", "ask"), rpc("tools/call", meta(name="list_datasources")), 400, code(-32020)),
    ("Mcp-Name base64", modern("tools/call", "=?base64?bGlzdF9kYXRhc291cmNlcw==?="),
     rpc("tools/call", meta(name="list_datasources")), 200, tool_result),
    ("Mcp-Name bad base64", modern("tools/call", "=?base64?bGlzdF9kYXRhc291cmNlcw?="),
     rpc("tools/call", meta(name="list_datasources")), 400, code(-32020)),
    ("unknown version", modern("server/discover", **{"MCP-Protocol-Version": "1900-01-01"}),
     rpc("server/discover", {"_meta": {V: "1900-01-01", C: {}}}), 400,
     lambda r: r["error"]["code"] == -32022 and r["error"]["data"] == {"supported": ["2026-07-28"], "requested": "1900-01-01"}),
    ("version header and body differ", modern("server/discover"), rpc("server/discover", {"_meta": {V: "2099-01-01", C: {}}}),
     400, code(-32020)),
    ("unknown method modern", modern("no/such"), rpc("no/such", meta()), 404, code(-32601)),
    ("ping modern", modern("ping"), rpc("ping", meta()), 404, code(-32601)),
    ("initialize with modern _meta", modern("initialize"), rpc("initialize", meta()), 404, code(-32601)),
    ("unknown tool modern", modern("tools/call", "nope"), rpc("tools/call", meta(name="nope")), 200, code(-32602)),
    ("arguments of a wrong type", modern("tools/call", "ask"), rpc("tools/call", meta(name="ask", arguments={"question": 1})), 200,
     lambda r: r["result"]["isError"] and "structuredContent" not in r["result"] and "question" in r["result"]["content"][0]["text"]),
    ("an unknown argument", modern("tools/call", "ask"),
     rpc("tools/call", meta(name="ask", arguments={"question": "x", "datasource": "demo"})), 200,
     lambda r: r["result"]["isError"] and "datasource_id" in r["result"]["content"][0]["text"]),
    ("arguments absent", modern("tools/call", "list_datasources"), rpc("tools/call", meta(name="list_datasources")), 200, tool_result),
    ("arguments null", modern("tools/call", "list_datasources"),
     rpc("tools/call", meta(name="list_datasources", arguments=None)), 200, tool_result),
    ("a query's types stand in _meta", modern("tools/call", "run_query"),
     rpc("tools/call", meta(name="run_query", arguments={"sql": "SELECT city FROM customers LIMIT 1"})), 200,
     lambda r: set(r["result"]["structuredContent"]) == {"columns", "rows", "row_count", "truncated"}
     and r["result"]["_meta"]["querent/details"]["column_types"][0]["sources"] == ["customers.city"]),
    ("missing resource modern", modern("resources/read", "schema://nope/tables"), rpc("resources/read", meta(uri="schema://nope/tables")),
     200, lambda r: r["error"]["code"] == -32602 and r["error"]["data"] == {"uri": "schema://nope/tables"}),
    ("schema resource", modern("resources/read", "schema://demo/tables"), rpc("resources/read", meta(uri="schema://demo/tables")),
     200, lambda r: r["result"]["contents"][0]["text"].startswith("Table ") and r["result"]["cacheScope"] == "private"),
    ("templates modern", modern("resources/templates/list"), rpc("resources/templates/list", meta()), 200, result("resourceTemplates")),
    ("prompts modern", modern("prompts/list"), rpc("prompts/list", meta()), 200, result("prompts")),
    ("bad cursor", modern("tools/list"), rpc("tools/list", meta(cursor="")), 200, code(-32602)),
    ("modern notification", modern("notifications/cancelled", **{"Mcp-Method": None}),
     rpc("notifications/cancelled", {"requestId": 1}, id="absent"), 202, None),
    ("parse error", modern("x"), b"{bad", 400, code(-32700)),
    ("bad UTF-8", JSON, b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', 400, code(-32700)),
    ("100 deep", JSON, b"[" * 100 + b"]" * 100, 400, code(-32700)),
    ("empty body", JSON, b"", 400, code(-32700)),
    ("scalar", JSON, b"3", 400, code(-32600)),
    ("legacy batch", JSON, [rpc("ping", id=20), rpc("tools/list", id=21), rpc("notifications/initialized", id="absent")], 200,
     lambda r: [x["id"] for x in r] == [20, 21]),
    ("batch of notifications", JSON, [rpc("notifications/initialized", id="absent")], 202, None),
    ("batch empty", JSON, [], 400, code(-32600)),
    ("batch with a modern element", JSON, [DISCOVER], 400, code(-32600)),
    ("initialize 2025-11-25", JSON, rpc("initialize", INIT, id=0), 200,
     lambda r: r["id"] == 0 and r["result"]["protocolVersion"] == "2025-11-25" and r["result"]["serverInfo"]["name"] == "querent"
     and "resultType" not in r["result"]),
    ("initialize 2024-11-05", JSON, rpc("initialize", dict(INIT, protocolVersion="2024-11-05")), 200,
     lambda r: r["result"]["protocolVersion"] == "2024-11-05"),
    ("initialize 2026-07-28 in the old shape", JSON, rpc("initialize", dict(INIT, protocolVersion="2026-07-28")), 200,
     lambda r: r["result"]["protocolVersion"] == "2025-11-25"),
    ("initialize of an unknown version", JSON, rpc("initialize", dict(INIT, protocolVersion="1999-01-01")), 200,
     lambda r: r["result"]["protocolVersion"] == "2025-11-25"),
    ("initialize with a modern header", modern("initialize"), rpc("initialize", INIT), 400, code(-32020)),
    ("initialized", dict(JSON, **{"MCP-Protocol-Version": "2025-11-25"}), rpc("notifications/initialized", id="absent"), 202, None),
    ("bad legacy version header", dict(JSON, **{"MCP-Protocol-Version": "1999-01-01"}), rpc("tools/list"), 400, code(-32000)),
    ("legacy, nothing optional", JSON, rpc("tools/list"), 200,
     lambda r: [t["name"] for t in r["result"]["tools"]][:3] == ["ask", "list_datasources", "describe_table"] and "ttlMs" not in r["result"]),
    ("legacy ping", JSON, rpc("ping", id="p"), 200, lambda r: r == {"jsonrpc": "2.0", "id": "p", "result": {}}),
    ("legacy unknown method", JSON, rpc("no/such"), 200, code(-32601)),
    ("legacy missing resource", JSON, rpc("resources/read", {"uri": "file:///etc/passwd"}), 200, code(-32002)),
    ("params is an empty array", JSON, rpc("tools/list", []), 200, result("tools")),
    ("params is a number", JSON, rpc("tools/list", 3), 400, code(-32602)),
    ("id null", JSON, rpc("ping", id=None), 400, code(-32600)),
    ("id fractional", JSON, rpc("ping", id=1.5), 400, code(-32600)),
    ("a posted response", JSON, {"jsonrpc": "2.0", "id": 99, "result": {}}, 202, None),
    ("Accept JSON only", {"Content-Type": "application/json", "Accept": "application/json"}, rpc("ping"), 200, result()),
    ("no Accept", {"Content-Type": "application/json"}, rpc("ping"), 200, result()),
    ("text/plain", {"Content-Type": "text/plain"}, rpc("ping"), 415, None),
    ("charset", {"Content-Type": "application/json; charset=utf-8"}, rpc("ping"), 200, result()),
    ("foreign Origin", dict(JSON, Origin="http://evil.example.com"), rpc("ping"), 403, None),
    ("Origin null", dict(JSON, Origin="null"), rpc("ping"), 403, None),
    ("foreign Host", dict(JSON, Host="evil.example.com"), rpc("ping"), 403, None),
]


def main():
    checks = querent.Checks()

    def that(what, ok, detail=""):
        checks.check(ok, what, detail)

    with querent.Server() as server:
        for name, headers, body, status, check in PROBES:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            reply = server.call("POST", "/mcp", data, headers, validate=False)
            right = reply.status == status
            if right and status == 202:
                right = reply.body == b"" and "content-type" not in reply.headers
            elif right and check:
                try:
                    right = bool(check(json.loads(reply.body)))
                except (KeyError, TypeError, ValueError, IndexError):
                    right = False
            that(name, right, f"{reply.status} {reply.body[:300]!r}")
        for method, status in (("GET", 405), ("HEAD", 405), ("DELETE", 405)):
            reply = server.call(method, "/mcp", None, {"Accept": "text/event-stream"}, validate=False)
            that(f"{method} /mcp", reply.status == status and "POST" in (reply.headers.get("allow") or ""), str(reply.status))
        reply = server.post("/mcp", rpc("ping"), headers={"Accept": "text/event-stream"}, validate=False)
        that("an event stream for who asks for nothing else",
                     reply.status == 200 and reply.headers.get("content-type").startswith("text/event-stream")
                     and reply.body.startswith(b"event: message\ndata: {"), reply.body[:200])
        reply = server.post("/mcp", rpc("subscriptions/listen", meta(notifications={"toolsListChanged": True})),
                            headers=modern("subscriptions/listen"), validate=False)
        events = [json.loads(line[6:]) for line in reply.body.decode().splitlines() if line.startswith("data: ")]
        that("subscriptions are acknowledged and ended", len(events) == 2
                     and events[0]["method"] == "notifications/subscriptions/acknowledged" and events[1]["result"]["resultType"] == "complete",
                     reply.body[:300])
        reply = server.call("POST", "/mcp/", json.dumps(rpc("ping")).encode(), JSON, validate=False)
        that("a trailing slash", reply.status == 200, str(reply.status))
        reply = server.call("OPTIONS", "/mcp", None, {"Origin": f"http://127.0.0.1:{server.port}", "Access-Control-Request-Method": "POST",
                                                      "Access-Control-Request-Headers": "content-type,mcp-method"}, validate=False)
        that("preflight before authentication", reply.status in (200, 204)
                     and "mcp-method" in (reply.headers.get("access-control-allow-headers") or "").lower(), str(reply.status))
        for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/mcp/x", "/sse"):
            reply = server.call("GET", path, None, {}, validate=False)
            that(f"{path} is a clean 404", reply.status == 404 and "json" in (reply.headers.get("content-type") or ""), str(reply.status))
        that("the server is alive", server.call("GET", "/livez", None, {}, validate=False).status == 200, "")
    checks.finish()


main()
