#!/usr/bin/env bash
# tests/bench/engines.sh [introspect TABLES... | overhead | stream]: see engines_bench.c; all three without an argument. Needs a
# configured build in BUILD_DIR (default build) and the servers that the contract tests use.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD_DIR:-build}
cmake --build "$build" --target querent engines_bench >/dev/null
export WORKER_BINARY=$build/querent DUCKDB_LIBRARY=${DUCKDB_LIBRARY:-.deps/duckdb/libduckdb.so}
if [ $# -gt 0 ]; then
  exec "$build/tests/engines_bench" "$@"
fi
"$build/tests/engines_bench" introspect 100 1000 10000
"$build/tests/engines_bench" overhead
"$build/tests/engines_bench" stream
