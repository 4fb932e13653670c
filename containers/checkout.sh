#!/bin/sh
# Turns the current folder into a checkout that any user can run: sh checkout.sh ENVIRONMENT
set -eu

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
find . -type d -name __pycache__ -prune -exec rm -rf {} +
# Installed as editable, so that the package is beside the workflow, where `replay` expects it.
"$1/bin/python" -m pip install --quiet --no-compile --no-deps --no-build-isolation --no-index --editable .
mkdir -p data cache results .snakemake
chmod -R a+rX .
chmod 1777 data cache results .snakemake
