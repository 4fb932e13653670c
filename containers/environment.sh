#!/bin/sh
# Makes the environment of an image from requirements.lock: sh environment.sh FOLDER "EXTRA EXTRA...", beside that
# file and pyproject.toml. All recipes call it, so that they hold the same.
#
#   PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS, PIP_CERT, PIP_TRUSTED_HOST   pip's own; empty counts as unset
#   TORCH_INDEX_URL   index that has PyTorch's build for processors, if the one that pip asks anyway has not
set -eu

venv=$1
extras=$2
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1

for name in PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_CERT PIP_TRUSTED_HOST; do
  eval "[ -n \"\${$name:-}\" ]" || unset "$name"
done

# A Python without ensurepip has a pip of its own.
python3 -m venv "$venv" 2>/dev/null || {
  python3 -m venv --clear --without-pip "$venv"
  python3 -m pip --quiet --python "$venv/bin/python" install pip
}
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
install() {
  # What a run loads is compiled at the end (compiled.py); all of it would be 400 MB.
  "$venv/bin/python" -m pip install --quiet --no-compile "$@"
}

python3 - $extras >wanted.txt <<'EOF'
import sys, tomllib

project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = project["optional-dependencies"]
print(*project["dependencies"], *(line for name in sys.argv[1:] for line in extras[name]), sep="\n")
EOF

# A package or two come as source only: they are built with the pinned setuptools, not with one of the day.
install $(grep '^setuptools==' requirements.lock)
# By itself, as in the Makefile: so it is the build for processors if there is one.
if grep -q sentence-transformers wanted.txt; then
  install --no-deps $(grep '^torch==' requirements.lock) ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"}
  if ! grep -q '^cuda.* = None' "$packages/torch/version.py"; then
    echo "The index that pip asks gives PyTorch's build for GPUs, gigabytes that this image has no use for." \
      "Name one that has the build for processors: make images TORCH_INDEX_URL=..." >&2
    exit 1
  fi
fi
install --use-pep517 --no-build-isolation --requirement wanted.txt --constraint requirements.lock
rm wanted.txt

# What no run uses: headers, tests, solvers for other machines, and the symbols of the largest libraries (where the
# base has no `strip`, they stay: 200 MB).
cd "$packages"
rm -rf torch/include torch/share torch/bin/*Test torch/bin/test_* torch/bin/protoc* pyarrow/include \
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
