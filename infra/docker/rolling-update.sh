#!/usr/bin/env bash
# Replaces what runs by what was built (or pulled) last, one container after the other, while the others serve:
#   infra/docker/rolling-update.sh                  gateways, workers, Redis, Caddy
#   infra/docker/rolling-update.sh gateway worker   these only
# From the folder of docker-compose.yml; COMPOSE_PROJECT_NAME as for compose itself. A new container that does not become healthy
# is removed, and what runs stays.
set -euo pipefail
if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi
running() { "${compose[@]}" ps -q "$1"; }
name() { docker inspect --format '{{slice .Name 1}}' "$1"; }

containers() { # containers ROLE: those that do not run too; without those of `compose run`
  local all
  all=$("${compose[@]}" ps -a -q "$1")
  [ -z "$all" ] || docker inspect --format '{{if eq (index .Config.Labels "com.docker.compose.oneoff") "False"}}{{.Id}}{{end}}' $all
}

healthy() { # healthy CONTAINER: waits until it takes work; fails with its last lines
  for _ in $(seq 240); do
    [ "$(docker inspect --format '{{.State.Health.Status}}' "$1")" = healthy ] && return
    sleep 0.25
  done
  echo "roll: $(name "$1") does not become healthy. Its last lines:" >&2
  docker logs --tail 10 "$1" >&2
  return 1
}

start_one() { # start_one ROLE KEPT...: one more beside those; where it does not become healthy it is removed
  local role=$1 all new started=true
  shift
  "${compose[@]}" up -d --no-deps --no-recreate --scale "$role=$(($# + 1))" "$role" || started=false
  all=$(containers "$role") || return 1
  for new in $all; do
    case " $* " in *" $new "*) continue ;; esac
    if $started && healthy "$new"; then continue; fi
    started=false
    echo "roll: $(name "$new") is removed" >&2
    docker rm --force "$new" >/dev/null
  done
  $started
}

replace() { # replace ROLE: a new one first, then an old one goes, so that there is never one less
  local role=$1 old before kept replaced=0
  before=$(containers "$role")
  for old in $before; do
    kept=$(containers "$role")
    if ! start_one "$role" $kept; then
      echo "roll: $replaced of $(wc -w <<<"$before") containers of $role were replaced, the others are as they were. Mend what is said above and run this again" >&2
      exit 1
    fi
    docker stop --time 15 "$old" >/dev/null
    docker rm "$old" >/dev/null
    replaced=$((replaced + 1))
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
    *) sed -n 2,6p "$0" >&2 && exit 2 ;;
  esac
done
