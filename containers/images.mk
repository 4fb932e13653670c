# Images: built, and run. Part of the Makefile; containers/README.md explains.

# podman or docker.
ENGINE ?= podman
# Which folders of containers/ are built.
IMAGES ?= pipeline
# An image on this machine, instead of the public one that a recipe pins.
BASE ?=
# Where PyTorch's build for processors is, which most indexes lack; empty: in the index that pip asks.
TORCH_INDEX_URL ?= $(if $(PIP_INDEX_URL)$(PIP_EXTRA_INDEX_URL)$(PIP_FIND_LINKS),,https://download.pytorch.org/whl/cpu)
# Where the code can be had, for the label of that name.
SOURCE ?=
# Further options of the engine's build and run.
BUILD_FLAGS ?=
RUN_FLAGS ?=
# What make run-in-container runs, and on which network.
IMAGE ?= localhost/bfcl-pipeline:$(VERSION)
NETWORK ?= none

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' bfcl_pipeline/__init__.py)
COMMIT = $(shell git describe --always --abbrev=40 --dirty 2>/dev/null || echo unknown)
# Files in an image bear the time of the commit, so that building it again gives the same ones.
SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
PODMAN := $(findstring podman,$(ENGINE))
# pip's own variables, as far as they are set.
PIP_SETTINGS := PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_CERT PIP_TRUSTED_HOST

BUILD = $(ENGINE) build $(if $(PODMAN),--timestamp $(SOURCE_DATE_EPOCH)) $(BUILD_FLAGS) \
  $(foreach name,BASE EXTRAS TORCH_INDEX_URL VERSION COMMIT SOURCE,$(if $($(name)),--build-arg '$(name)=$($(name))')) \
  $(foreach name,$(PIP_SETTINGS),$(if $($(name)),--build-arg '$(name)=$($(name))'))

# The user of the container is who calls, with no other right than theirs; written are the mounted folders only.
CONTAINER = $(ENGINE) run --rm --read-only --tmpfs /tmp:rw,mode=1777 --cap-drop all \
  --security-opt no-new-privileges --security-opt label=disable $(if $(PODMAN),$(if $(filter-out 0,$(UID)),--userns keep-id)) \
  --user $(UID):$(shell id -g) \
  $(foreach folder,data cache results .snakemake,--volume '$(CURDIR)/$(folder):/opt/bfcl-pipeline/$(folder)') \
  --volume '$(CURDIR)/config:/opt/bfcl-pipeline/config:ro' $(RUN_FLAGS)
UID := $(shell id -u)

.PHONY: images sif run-in-container test-containers

images: ## build the images of containers/: IMAGES="pipeline vllm" ENGINE=podman
	@for image in $(IMAGES); do \
	  echo "$(ENGINE): localhost/bfcl-$$image:$(VERSION)"; \
	  $(BUILD) --tag localhost/bfcl-$$image:$(VERSION) --file containers/$$image/Containerfile . || exit 1; \
	done

sif: ## build the same for Apptainer, as containers/bfcl-<image>.sif: IMAGES="pipeline vllm"
	@for image in $(IMAGES); do \
	  apptainer build --force $(SIF_ARGUMENTS) containers/bfcl-$$image.sif containers/$$image/bfcl-$$image.def || exit 1; \
	done

run-in-container: ## what `make run` does, in the image and without any network
	@$(ENGINE) image inspect $(IMAGE) >/dev/null 2>&1 || { echo "There is no image $(IMAGE) yet: make images"; exit 1; }
	@mkdir -p results .snakemake
	@test -e $(STAGED) -a -e data/encoder/model.safetensors || { echo "Staging first, with the network:"; \
	  $(CONTAINER) $(foreach name,$(PIP_SETTINGS),$(if $($(name)),--env $(name))) $(IMAGE) \
	  $(SNAKEMAKE) $(ARGS) --until stage stage_encoder; }
	@$(CONTAINER) --network $(NETWORK) $(IMAGE) $(SNAKEMAKE) $(ARGS)
	@test ! -e $(RUN)/report.html || \
	  $(CONTAINER) --network none $(IMAGE) bfcl-pipeline table $(RUN) --rules $(call key,rules,official)

test-containers: $(VENV) ## build the image from a base made here, run the main job in it, compare every byte
	BFCL_CONTAINERS_REQUIRED=1 pytest -m containers $(ARGS)
