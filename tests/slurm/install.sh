#!/bin/sh
# Installs what the tests of the SLURM profile need and this machine lacks, from Debian's packages.
# Their services are not used and not started: the tests run daemons of their own.
set -eu
lacking=
for package in munge slurm-client slurm-wlm-basic-plugins slurmctld slurmd; do
  dpkg -s "$package" >/dev/null 2>&1 || lacking="$lacking $package"
done
[ -n "$lacking" ] || exit 0
# Asked by the installation whether a service may start; 101 is no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of words
apt-get install -y -qq --no-install-recommends $lacking
