#!/usr/bin/env bash
# Backs up the Redis of docker-compose.yml while it runs, and shows that a Redis starts on what was written:
#   infra/docker/backup.sh baton.tgz         writes the archive, readable by its owner alone, and checks it
#   infra/docker/backup.sh check baton.tgz   checks an archive that is there, as before a restore
# From the folder of docker-compose.yml; COMPOSE_PROJECT_NAME as for compose itself.
set -euo pipefail
umask 077
if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi

check() { # check ARCHIVE: starts a Redis on it, in a container with a volume of its own, both of which are removed afterwards
  local image confined
  image=$("${compose[@]}" config | awk '/^  redis:/ { found = 1 } found && $1 == "image:" { print $2; exit }')
  confined=(--network none --user redis --read-only --cap-drop ALL --security-opt no-new-privileges:true --tmpfs /tmp)
  # An archive without an append-only file makes an empty Redis, which starts too: no keys are an error.
  docker run --rm -i "${confined[@]}" -v /data "$image" sh -c '
    tar -C /data -xz || exit 1
    { redis-server --dir /data --appendonly yes --port 0 --unixsocket /tmp/check.sock >/tmp/check.log 2>&1; touch /tmp/ended; } &
    until keys=$(redis-cli -s /tmp/check.sock dbsize 2>/dev/null) && [ "$keys" -ge 0 ] 2>/dev/null; do
      [ ! -e /tmp/ended ] || { cat /tmp/check.log >&2; echo "backup: no Redis starts on the archive" >&2; exit 1; }
      sleep 0.2
    done
    redis-cli -s /tmp/check.sock shutdown nosave 2>/dev/null
    [ "$keys" -gt 0 ] || { echo "backup: the archive holds no data" >&2; exit 1; }
    echo "backup: a Redis starts on it, with $keys keys"' <"$1"
}

write() { # write ARCHIVE: no rewrite of the append-only file may remove a file while tar reads the folder
  container=$("${compose[@]}" ps -q redis)
  [ -n "$container" ] || { echo "backup: no Redis runs" >&2 && exit 1; }
  redis() { docker exec "$container" redis-cli -e "$@"; }
  trap 'redis config set auto-aof-rewrite-percentage 100 >/dev/null' EXIT
  redis config set auto-aof-rewrite-percentage 0 >/dev/null
  until [ "$(redis info persistence | grep -cE '^aof_rewrite_(in_progress|scheduled):0')" = 2 ]; do sleep 0.5; done
  # A file that grew is no fault: Redis writes meanwhile. tar ends with 1 for that, and for files that are gone, which it tells.
  docker exec "$container" sh -c '
    tar -C /data --warning=no-file-changed -cz . 2>/tmp/backup.log || [ $? = 1 -a ! -s /tmp/backup.log ] ||
      { cat /tmp/backup.log >&2; exit 1; }' >"$1.part"
  check "$1.part"
  mv "$1.part" "$1"
}

case $#:${1:-} in
  2:check) check "$2" ;;
  1:*) write "$1" ;;
  *) sed -n 2,5p "$0" >&2 && exit 2 ;;
esac
