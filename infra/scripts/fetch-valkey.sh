#!/usr/bin/env bash
# Puts Valkey's server as <dir>/valkey-server, for tests of what the distribution's Redis is too old for. Needs no root: the package
# is the one of the distribution's backports, from where the system's own packages come, and is unpacked into <dir>.
set -euo pipefail
dir=$1
server=$dir/valkey-server
[ -x "$server" ] && exit 0
. /etc/os-release
site=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Identifier: Packages' |
  awk -v release="$VERSION_CODENAME" '$2 == release {print $1; exit}')
[ -n "$site" ] || { echo "no package source of $VERSION_CODENAME is configured: install valkey-server 7.2 or later" >&2; exit 1; }
mkdir -p "$dir"
work=$(mktemp -d "$dir/fetching-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] $site $VERSION_CODENAME-backports main" >"$work/sources.list"
# What it needs beside the C library comes with Debian's own redis-tools, or from these.
packages=(valkey-tools libjemalloc2 liblzf1 libatomic1)
apt() {
  (cd "$work" && apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::State="$work/state" \
    -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root \
    -o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::http::Timeout=20 "$@" >&2)
}
apt update || true
apt download "${packages[@]}"
for deb in "$work"/*.deb; do dpkg-deb --extract "$deb" "$work/root"; done
# The program is the server when it is called by that name.
ln -s valkey-check-rdb "$work/root/usr/bin/valkey-server"
libraries=$(find "$work/root" -name '*.so.*' -printf '%h\n' | sort -u | sed "s#^$work/root#$dir/root#" | paste -sd:)
rm -rf "$dir/root"
mv "$work/root" "$dir/root"
cat >"$work/valkey-server" <<END
#!/bin/sh
LD_LIBRARY_PATH=$libraries exec "$dir/root/usr/bin/valkey-server" "\$@"
END
chmod +x "$work/valkey-server"
mv "$work/valkey-server" "$server"
