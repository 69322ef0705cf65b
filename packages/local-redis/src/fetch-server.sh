#!/usr/bin/env bash
# Usage: fetch-server.sh <redis|valkey> <cache> [cached|fetched]
# Prints the path of a redis-server or valkey-server in <cache>. Where there is none that runs, it is unpacked, without root,
# from the packages of Debian or Ubuntu, unless only a cached one is asked for; Valkey from Debian's backports. Calls that meet wait for
# one another.
set -euo pipefail
name=$1
cache=$2
how=${3:-fetched}
command -v apt-get >/dev/null || { echo "only Debian and Ubuntu have packages that can be unpacked" >&2; exit 1; }
. /etc/os-release
place=$cache/$name-$ID-${VERSION_ID:-rolling}-$(uname -m)
[ "$how" = fetched ] || [ -x "$place/$name-server" ] || { echo "none was fetched into $cache" >&2; exit 1; }
mkdir -p -m 700 "$cache"
exec 9>"$cache/fetch.lock"
flock 9
if ! "$place/$name-server" --version >/dev/null 2>&1; then
  echo "Fetching $name-server from the packages of $PRETTY_NAME into $place (once, about 10 MB)" >&2
  work=$(mktemp -d "$cache/fetching-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts" "$work/root"
  cp -r /etc/apt/sources.list.d/. "$work/parts" 2>/dev/null || true
  if [ "$name" = valkey ]; then
    site=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Identifier: Packages' |
      awk -v release="$VERSION_CODENAME" '$2 == release {print $1; exit}')
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $VERSION_CODENAME-backports main" >"$work/parts/backports.list"
  fi
  # The system's list of installed packages is read; all that apt writes is in $work.
  apt() {
    (cd "$work" && LC_ALL=C apt-get -qq -o Dir::Etc::sourceparts="$work/parts" -o Dir::State="$work" -o Dir::State::lists="$work/lists" \
      -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none \
      -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@" 9>&-)
  }
  # One source that is out of order fails the whole update; whether the others have what is needed shows below.
  apt update >&2 || true
  # Two C libraries in one process would not go together, so the system's is the one.
  needed=$(apt --simulate --no-install-recommends --yes install "$name-tools" | awk '$1 == "Inst" && $2 !~ /^libc(6|-bin)$/ {print $2}')
  # What is installed already is not planned, but unpacked nonetheless.
  # shellcheck disable=SC2086
  apt download "$name-tools" $needed >&2
  for package in "$work"/*.deb; do dpkg-deb --extract "$package" "$work/root"; done
  # The checker is the server itself, when it is called by the server's name.
  ln -s "$name-check-rdb" "$work/root/usr/bin/$name-server"
  libraries=$(find "$work/root" -name '*.so.*' -printf '%h\n' | sort -u | sed "s#^$work#$place#" | paste -sd:)
  cat >"$work/$name-server" <<END
#!/bin/sh
LD_LIBRARY_PATH=$(printf %q "$libraries") exec $(printf %q "$place/root/usr/bin/$name-server") "\$@"
END
  chmod +x "$work/$name-server"
  rm -rf "$place"
  mkdir "$place"
  mv "$work/root" "$work/$name-server" "$place"
  "$place/$name-server" --version >/dev/null
fi
echo "$place/$name-server"
