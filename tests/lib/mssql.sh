#!/usr/bin/env bash
# mssql.sh start DIR | load DIR | stop DIR: the stand-in for SQL Server (tds_server.py) in DIR: a unix socket DIR/tds, its TCP port in
# DIR/port, user "reader" without a password, database "shop"; load runs DIR/fixture.sql, statements that each end in NUL.
# TDS_OPTIONS: more for the server. Exit code 3: there is no python3 on this machine.
set -euo pipefail
dir=$2
server=$(dirname "$0")/tds_server.py
command -v python3 >/dev/null || exit 3
case $1 in
start)
  mkdir -p "$dir"
  # shellcheck disable=SC2086
  setsid python3 "$server" serve "$dir" ${TDS_OPTIONS:-} >"$dir/log" 2>&1 </dev/null &
  for _ in $(seq 600); do
    [ -f "$dir/port" ] && exit 0
    sleep 0.05
  done
  cat "$dir/log" >&2
  exit 1
  ;;
load) python3 "$server" load "$dir" "$dir/fixture.sql" ;;
stop) python3 "$server" stop "$dir" || true; rm -rf "$dir" ;;
esac
