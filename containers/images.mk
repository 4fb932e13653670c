# Building and running images. Included by the Makefile; see containers/README.md.

# podman or docker.
ENGINE ?= podman
# Folders of containers/ to build.
IMAGES ?= pipeline
# Base image on this machine, instead of the public one that a recipe pins.
BASE ?=
# Index with PyTorch's CPU build, which most indexes do not have; empty: pip's default index.
TORCH_INDEX_URL ?= $(if $(PIP_INDEX_URL)$(PIP_EXTRA_INDEX_URL)$(PIP_FIND_LINKS),,https://download.pytorch.org/whl/cpu)
# URL of the source code, for the image label org.opencontainers.image.source.
SOURCE ?=
# Additional options of the engine's build and run.
BUILD_FLAGS ?=
RUN_FLAGS ?=
# Image and network of `make run-in-container`.
IMAGE ?= localhost/bfcl-pipeline:$(VERSION)
NETWORK ?= none

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' bfcl_pipeline/__init__.py)
COMMIT = $(shell git describe --always --abbrev=40 --exclude='*' --dirty 2>/dev/null || echo unknown)
# Files in an image have the time of the commit, so that rebuilding gives the same files.
SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
PODMAN := $(findstring podman,$(ENGINE))
# pip's environment variables; those that are set are passed on.
PIP_SETTINGS := PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_CERT PIP_TRUSTED_HOST

BUILD = $(ENGINE) build $(if $(PODMAN),--timestamp $(SOURCE_DATE_EPOCH)) $(BUILD_FLAGS) \
  $(foreach name,BASE EXTRAS TORCH_INDEX_URL VERSION COMMIT SOURCE,$(if $($(name)),--build-arg '$(name)=$($(name))')) \
  $(foreach name,$(PIP_SETTINGS),$(if $($(name)),--build-arg '$(name)=$($(name))'))

# The container runs as the calling user, without capabilities, and can write only to the mounted folders.
CONTAINER = $(ENGINE) run --rm --read-only --tmpfs /tmp:rw,mode=1777 --cap-drop all \
  --security-opt no-new-privileges --security-opt label=disable $(if $(PODMAN),$(if $(filter-out 0,$(UID)),--userns keep-id)) \
  --user $(UID):$(shell id -g) \
  $(foreach folder,data cache results .snakemake,--volume '$(CURDIR)/$(folder):/opt/bfcl-pipeline/$(folder)') \
  --volume '$(CURDIR)/config:/opt/bfcl-pipeline/config:ro' $(RUN_FLAGS)
UID := $(shell id -u)

.PHONY: images push-images sif run-in-container test-containers

images: ## build the container images: IMAGES="pipeline vllm" ENGINE=podman
	@for image in $(IMAGES); do \
	  echo "$(ENGINE): localhost/bfcl-$$image:$(VERSION)"; \
	  $(BUILD) --tag localhost/bfcl-$$image:$(VERSION) --file containers/$$image/Containerfile . || exit 1; \
	done

push-images: ## push built images and print their digests: make push-images REGISTRY=ghcr.io/me (OUTPUT=FILE: into a file)
	@test -n "$(REGISTRY)" || { echo "Name a registry: make push-images REGISTRY=ghcr.io/me"; exit 1; }
	@set -e; registry=$$(echo "$(REGISTRY)" | tr '[:upper:]' '[:lower:]'); digest=$$(mktemp); \
	if [ -n "$$REGISTRY_PASSWORD" ]; then \
	  echo "$$REGISTRY_PASSWORD" | podman login --username "$$REGISTRY_USER" --password-stdin "$${registry%%/*}"; \
	fi; \
	for image in $(IMAGES); do \
	  podman push --digestfile "$$digest" localhost/bfcl-$$image:$(VERSION) "$$registry/bfcl-$$image:$(VERSION)"; \
	  printf '%s=%s\n' "$$image-name" "$$registry/bfcl-$$image" "$$image-digest" "$$(cat "$$digest")" \
	    >>"$(or $(OUTPUT),/dev/stdout)"; \
	done; rm "$$digest"

sif: ## build Apptainer images, containers/bfcl-<image>.sif: IMAGES="pipeline vllm"
	@for image in $(IMAGES); do \
	  apptainer build --force --build-arg 'VERSION=$(VERSION)' --build-arg 'COMMIT=$(COMMIT)' $(SIF_ARGUMENTS) \
	    containers/bfcl-$$image.sif containers/$$image/bfcl-$$image.def || exit 1; \
	done

run-in-container: ## like `make run`, in the image and without network access
	@$(ENGINE) image inspect $(IMAGE) >/dev/null 2>&1 || { echo "Image $(IMAGE) does not exist. Build it: make images"; exit 1; }
	@mkdir -p results .snakemake
	@test -e $(STAGED) -a -e data/encoder/model.safetensors || { echo "Staging first, with network access:"; \
	  $(CONTAINER) $(foreach name,$(PIP_SETTINGS),$(if $($(name)),--env $(name))) $(IMAGE) \
	  $(SNAKEMAKE) $(ARGS) --until stage stage_encoder; }
	@$(CONTAINER) --network $(NETWORK) $(IMAGE) $(SNAKEMAKE) $(ARGS)

test-containers: $(VENV) ## build the image from a local base, run the main job in it, compare every byte
	BFCL_CONTAINERS_REQUIRED=1 pytest -m containers $(ARGS)
	@$(PASSED)
