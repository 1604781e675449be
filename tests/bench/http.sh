#!/usr/bin/env bash
# tests/bench/http.sh [SECONDS]: requests a second at 16 connections, the server beside a bare CivetWeb "hello" built with the
# same flags, in alternating rounds so that a busy machine disturbs both alike. Prints the best round of each and the ratio.
# Needs wrk and a finished build in BUILD_DIR (default build).
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-3} build=${BUILD_DIR:-build}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
include=$(ls -td "$build"/civetweb-*/include | head -n 1)
cc -std=c17 -O2 -g -D_GNU_SOURCE -I"$include" tests/bench/hello.c "$build/libcivetweb.a" -lssl -lcrypto -lpthread -ldl -lm \
  -o "$work/hello"

hello=$(free_port) port=$(free_port)
"$work/hello" "127.0.0.1:$hello" &
started=$(date +%s%N)
QUERENT_STATE=$work/state ${QUERENT:-$build/querent} serve --listen "127.0.0.1:$port" >/dev/null 2>"$work/log" &
querent=$!
until curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; do
  kill -0 $querent || { cat "$work/log"; exit 1; }
  sleep 0.005
done
echo "start to /readyz (with the first demo): $((($(date +%s%N) - started) / 1000000)) ms"
awk '/^RssAnon|^VmRSS/ { print "idle " $1 " " $2 / 1024 " MiB" }' "/proc/$querent/status"

cat >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"question": "How many customers are there?"}'
LUA
cat >"$work/run.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"sql": "SELECT 1", "datasource_id": "demo"}'
LUA
cat >"$work/ask.lua" <<'LUA'
local questions = { "How many customers are there?", "How many customers are there in each country?",
  "How many orders are there?", "What is the average price of products?", "Which product has the highest price?" }
local n = 0
request = function()
  n = n + 1
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
    '{"question": "' .. questions[n % #questions + 1] .. '"}')
end
LUA
rate() { wrk -t1 -c16 -d"${seconds}s" "$@" | awk '/Non-2xx/ { bad = $NF } /Requests\/sec/ { printf "%d %d\n", $2, bad }'; }
compare() { # name, then the arguments for wrk against the server
  local name=$1 best=0 best_hello=0 bad=0 n b
  shift
  for _ in 1 2 3; do
    read -r n b < <(rate "${@:1:$#-1}" "http://127.0.0.1:$hello/")
    ((n > best_hello)) && best_hello=$n
    read -r n b < <(rate "${@:1:$#-1}" "http://127.0.0.1:$port${!#}")
    ((n > best)) && best=$n
    ((bad += b)) || true
  done
  awk -v name="$name" -v a="$best" -v h="$best_hello" -v bad="$bad" \
    'BEGIN { printf "%-26s %8d /s   hello %8d /s   ratio %.2f%s\n", name, a, h, a / h, bad ? "   (" bad " failed)" : "" }'
}
mcp() { # file, body
  printf 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n' >"$1"
  printf 'wrk.headers["Accept"] = "application/json, text/event-stream"\nwrk.body = [[%s]]\n' "$2" >>"$1"
}
mcp "$work/list.lua" '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
mcp "$work/call.lua" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_datasources","arguments":{}}}'
key=$(QUERENT_STATE=$work/state ${QUERENT:-$build/querent} keys create --user bench --level viewer 2>/dev/null)
compare "GET /livez" /livez
compare "GET /api/v1/version" /api/v1/version
compare "GET /api/v1/datasources" /api/v1/datasources
compare "the same, with an API key" -H "Authorization: Bearer $key" /api/v1/datasources
compare "MCP tools/list" -s "$work/list.lua" /mcp
compare "MCP list_datasources" -s "$work/call.lua" /mcp
compare "POST /api/v1/queries" -s "$work/post.lua" /api/v1/queries
compare "POST /api/v1/queries/run" -s "$work/run.lua" /api/v1/queries/run
echo "five questions in turn at 16 connections, each planned, probed, run and stored:"
wrk -t1 -c16 -d"$((seconds * 3))s" --latency -s "$work/ask.lua" "http://127.0.0.1:$port/api/v1/queries" |
  awk '/ 50%| 99%/ { printf "  p%s %s\n", $1, $2 } /Non-2xx|Socket errors/ { print "  " $0 } /Requests\/sec/ { print "  " $2 " a second" }'
