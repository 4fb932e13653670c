#!/bin/sh
# Creates the Python environment of an image from requirements.lock, in the folder of that file and pyproject.toml:
#
#   sh environment.sh FOLDER "EXTRA EXTRA..." ["PACKAGE PACKAGE..."]     packages: dependencies to leave out
#
# All recipes call it, so that all images have the same packages.
#
#   PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS, PIP_CERT, PIP_TRUSTED_HOST   read by pip; empty counts as unset
#   TORCH_INDEX_URL   index with PyTorch's CPU build, if pip's default index does not have it
set -eu

venv=$1
extras=$2
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1

for name in PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_CERT PIP_TRUSTED_HOST; do
  eval "[ -n \"\${$name:-}\" ]" || unset "$name"
done

# A Python without ensurepip (Debian's, for example) installs pip into the environment with its own pip.
python3 -m venv "$venv" 2>/dev/null || {
  python3 -m venv --clear --without-pip "$venv"
  python3 -m pip --quiet --python "$venv/bin/python" install pip
}
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
install() {
  # compiled.py later compiles only the modules that a run loads; compiling all would add 400 MB.
  "$venv/bin/python" -m pip install --quiet --no-compile "$@"
}

python3 - "$extras" "${3:-}" >wanted.txt <<'EOF'
import re, sys, tomllib

project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = project["optional-dependencies"]
lines = project["dependencies"] + [line for name in sys.argv[1].split() for line in extras[name]]
print(*(line for line in lines if re.match(r"[\w.-]+", line)[0] not in sys.argv[2].split()), sep="\n")
EOF

# Packages that are published as source only are built with the pinned setuptools, this project with hatchling.
install --constraint requirements.lock setuptools hatchling
# Installed separately, as in the Makefile, to get the CPU build if there is one.
if grep -q "^torch" wanted.txt; then
  install --no-deps $(grep '^torch==' requirements.lock) ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"}
  if ! grep -q '^cuda.* = None' "$packages/torch/version.py"; then
    echo "pip's index provides PyTorch's GPU build, gigabytes that this image does not use." \
      "Set an index with the CPU build: make images TORCH_INDEX_URL=..." >&2
    exit 1
  fi
fi
install --use-pep517 --no-build-isolation --requirement wanted.txt --constraint requirements.lock
rm wanted.txt

# Remove what a run does not use: headers, tests, pyarrow's client of Flight servers, solvers for other machines, and the
# symbols of the largest libraries (200 MB, which stay if the base image does not have `strip`).
cd "$packages"
rm -rf torch/include torch/share torch/bin/*Test torch/bin/test_* torch/bin/protoc* pyarrow/include pyarrow/*flight* \
  litellm/proxy/_experimental/out
find . -type d \( -name test -o -name tests \) -not -path '*/licenses/*' -prune -exec rm -rf {} +
find . -type d -name __pycache__ -prune -exec rm -rf {} +
if [ -d pulp/solverdir/cbc ]; then
  find pulp/solverdir/cbc -type f -name 'cbc*' -not -path "*/linux/*64/*" -delete
fi
if command -v strip >/dev/null; then
  for library in $(find torch/lib pyarrow _polars_runtime_32 -name '*.so*' -size +1M); do
    strip --strip-unneeded "$library"
  done
fi
chmod -R a+rX "$venv"
