#!/usr/bin/env bash
# postgres.sh start DIR | restart DIR | stop DIR: a PostgreSQL of its own in DIR: unix socket in DIR (port 5432), TCP off, superuser "owner"
# without a password. POSTGRES_OPTIONS: more for the server. Exit code 3: there is no server on this machine.
set -euo pipefail
dir=$2
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$bin" ] || exit 3
as_user() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
case $1 in
start)
  mkdir -p "$dir"
  chmod 755 "$dir"
  [ "$(id -u)" != 0 ] || chown postgres "$dir"
  as_user "$bin/initdb" -D "$dir/data" -A trust -U owner -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null 2>&1
  as_user "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/server.log" -w -t 60 \
    -o "-k $dir -c listen_addresses='' -c fsync=off -c max_connections=50 ${POSTGRES_OPTIONS:-}" start >/dev/null
  ;;
restart) as_user "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/server.log" -w -t 60 -m immediate restart >/dev/null ;;
stop) as_user "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir" ;;
esac
