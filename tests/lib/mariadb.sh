#!/usr/bin/env bash
# mariadb.sh start DIR | load DIR | stop DIR: a MariaDB of its own in DIR: unix socket DIR/socket, TCP off, root without a
# password; load runs DIR/fixture.sql as root. MARIADB_OPTIONS: more for the server. Exit code 3: there is no server on this machine.
set -euo pipefail
dir=$2
server=$(command -v mariadbd || echo /usr/sbin/mariadbd)
[ -x "$server" ] || exit 3
user=$(id -un)
[ "$user" != root ] || user=mysql
case $1 in
start)
  mkdir -p "$dir/data"
  chmod 755 "$dir"
  [ "$(id -u)" != 0 ] || chown -R mysql "$dir"
  mariadb-install-db --no-defaults --datadir="$dir/data" --user="$user" --auth-root-authentication-method=normal \
    --skip-test-db >/dev/null 2>&1
  "$server" --no-defaults --datadir="$dir/data" --user="$user" --socket="$dir/socket" --pid-file="$dir/pid" --skip-networking \
    --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=64M ${MARIADB_OPTIONS:-} >"$dir/log" 2>&1 </dev/null &
  for _ in $(seq 300); do
    mariadb-admin --no-defaults --socket="$dir/socket" -u root ping >/dev/null 2>&1 && exit 0
    sleep 0.1
  done
  cat "$dir/log" >&2
  exit 1
  ;;
load) mariadb --no-defaults --default-character-set=utf8mb4 --socket="$dir/socket" -u root <"$dir/fixture.sql" ;;
stop)
  mariadb-admin --no-defaults --socket="$dir/socket" -u root shutdown >/dev/null 2>&1 || kill "$(cat "$dir/pid")" 2>/dev/null || true
  rm -rf "$dir"
  ;;
esac
