#!/usr/bin/env bash
# Replaces what runs by what was built (or pulled) last, one container after the other, while the others serve:
#   infra/docker/rolling-update.sh                  gateways, workers, Redis, Caddy
#   infra/docker/rolling-update.sh gateway worker   these only
# From the folder of docker-compose.yml; COMPOSE_PROJECT_NAME as for compose itself.
set -euo pipefail
if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi
running() { "${compose[@]}" ps -q "$1"; }

healthy() { # healthy CONTAINER: waits until it takes work
  for _ in $(seq 240); do
    [ "$(docker inspect --format '{{.State.Health.Status}}' "$1")" = healthy ] && return
    sleep 0.25
  done
  echo "roll: $1 does not become healthy" >&2
  exit 1
}

replace() { # replace ROLE: a new one first, then an old one goes, so that there is never one less
  local role=$1 old new before
  before=$(running "$role")
  for old in $before; do
    "${compose[@]}" up -d --no-deps --no-recreate --scale "$role=$(($(wc -w <<<"$before") + 1))" "$role"
    for new in $(running "$role"); do healthy "$new"; done
    docker stop --time 15 "$old" >/dev/null
    docker rm "$old" >/dev/null
    echo "roll: $role ${old:0:12} is replaced"
  done
}

replace_caddy() { # one container has the port: it ends what is open and goes, and clients repeat what finds nobody meanwhile
  local old
  old=$(running caddy)
  "${compose[@]}" up -d --no-deps --force-recreate caddy
  for _ in $(seq 60); do
    [ "$(docker inspect --format '{{.State.Running}}' "$(running caddy)" 2>/dev/null)" = true ] && break
    sleep 0.25
  done
  [ "$(running caddy)" != "$old" ] || { echo "roll: caddy is not replaced" >&2 && exit 1; }
  echo "roll: caddy ${old:0:12} is replaced"
}

for role in "${@:-}"; do
  case ${role:-all} in
    gateway | worker) replace "$role" ;;
    redis) "${compose[@]}" restart redis && healthy "$(running redis)" ;;
    caddy) replace_caddy ;;
    all) "$0" gateway worker redis caddy ;;
    *) sed -n 2,5p "$0" >&2 && exit 2 ;;
  esac
done
