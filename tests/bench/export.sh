#!/usr/bin/env bash
# tests/bench/export.sh [ROWS]: a table of 1,000,000 rows exported as CSV over HTTP, beside the sqlite3 shell writing the
# same rows, in alternating rounds. Prints the best round of each, the ratio, and the most anonymous memory the server had.
# Needs curl, python3, sqlite3 and a finished build in BUILD_DIR (default build).
set -euo pipefail
cd "$(dirname "$0")/../.."
rows=${1:-1000000} build=${BUILD_DIR:-build}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

python3 - "$work/shop.sqlite" "$rows" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE readings (reading_id INTEGER PRIMARY KEY, station TEXT, day TEXT, amount NUMERIC(10,2), note TEXT)")
db.executemany("INSERT INTO readings VALUES (?, ?, ?, ?, ?)",
               ((i, "station %d" % (i % 97), "2026-%02d-%02d" % (i % 12 + 1, i % 28 + 1), (i * 7 % 100000) / 100,
                 None if i % 5 else "checked, \"twice\"") for i in range(1, int(sys.argv[2]) + 1)))
db.commit()
PY
cat >"$work/querent.yaml" <<Y
version: 1
api: {auth: none}
datasources:
  - {id: shop, type: sqlite, connection: {path: $work/shop.sqlite}, options: {evidence: 'off', index_values: none}}
Y
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
${QUERENT:-$build/querent} --config "$work/querent.yaml" --state "$work/state" serve --listen "127.0.0.1:$port" \
  >/dev/null 2>"$work/log" &
server=$!
until curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; do sleep 0.02; done
curl -fs -H 'Content-Type: application/json' "http://127.0.0.1:$port/api/v1/queries" \
  -d '{"question": "What are the station, day, amount and note of all readings?"}' >"$work/answer"
read -r result sql < <(python3 - "$work/answer" <<'PY'
import json, sys
query = json.load(open(sys.argv[1]))["sub_queries"][0]
print(query["result_id"], query["sql"])
PY
)
most=0 best=0 best_shell=0
memory() { awk '/^RssAnon/ { print $2 }' "/proc/$server/status"; }
for _ in 1 2 3; do
  began=$(date +%s%N)
  curl -fs "http://127.0.0.1:$port/api/v1/results/$result/export?format=csv" >"$work/ours.csv" &
  curl=$!
  while kill -0 $curl 2>/dev/null; do
    kib=$(memory)
    ((kib > most)) && most=$kib
    sleep 0.05
  done
  wait $curl
  ours=$((($(date +%s%N) - began) / 1000))
  began=$(date +%s%N)
  sqlite3 -readonly -header -csv "$work/shop.sqlite" "${sql%%LIMIT*}" >"$work/shell.csv"
  shell=$((($(date +%s%N) - began) / 1000))
  ((best == 0 || ours < best)) && best=$ours
  ((best_shell == 0 || shell < best_shell)) && best_shell=$shell
done
awk -v rows="$(($(wc -l <"$work/ours.csv") - 1))" -v a="$best" -v s="$best_shell" -v kib="$most" 'BEGIN {
  printf "export of %d rows as CSV: %.0f rows/s   sqlite3 shell %.0f rows/s   ratio %.2f (at least 0.5)\n", rows, rows / a * 1e6, rows / s * 1e6, s / a
  printf "most anonymous memory: %.1f MiB (at most 64)\n", kib / 1024 }'
