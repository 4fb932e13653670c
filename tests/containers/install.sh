#!/bin/sh
# Installs, as root on Debian, what `make test-containers` needs and this machine lacks. Called by CI.
set -eu

packages="buildah debootstrap netavark patchelf podman runc slirp4netns squashfs-tools uidmap"
missing=""
for package in $packages; do
  dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq --yes --no-install-recommends $missing
