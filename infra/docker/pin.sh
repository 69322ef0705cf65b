#!/usr/bin/env bash
# Pins the base images: pulls their tags and writes the digests that they have now into .env, where docker-compose.yml
# takes them from. Run it again to take newer ones. From the folder of docker-compose.yml.
set -euo pipefail
touch .env
chmod 600 .env

pin() { # pin VARIABLE TAG
  local digest
  docker pull --quiet "$2" >/dev/null
  digest=$(docker image inspect --format '{{index .RepoDigests 0}}' "$2")
  sed -i "/^$1=/d" .env
  echo "$1=$digest" | tee -a .env
}

pin BATON_NODE_IMAGE node:22-bookworm-slim
pin BATON_REDIS_IMAGE redis:7-bookworm
pin BATON_CADDY_IMAGE caddy:2
pin BATON_PROMETHEUS_IMAGE prom/prometheus:latest
