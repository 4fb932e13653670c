"""The recipes as texts: what they pin, and that each image has the same in both forms."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.containers.apptainer_engine import Apptainer
from tests.containers.main_job import BASE, ROOT
from tests.containers.pip_settings import folders_to_mount, pip_settings
from tests.containers.podman_engine import ALONE, Podman

RECIPES = {
    "pipeline": ("containers/pipeline/Containerfile", "containers/pipeline/bfcl-pipeline.def"),
    "vllm": ("containers/vllm/Containerfile", "containers/vllm/bfcl-vllm.def"),
}


@pytest.mark.parametrize("image", RECIPES)
def test_both_recipes_of_an_image_pin_one_base(image: str) -> None:
    """The default base is named by its digest, the same in both."""
    found = [
        re.findall(
            r"^(?:ARG| {3}) ?BASE=\S+@(sha256:[0-9a-f]{64})$", (ROOT / path).read_text(), re.MULTILINE
        )
        for path in RECIPES[image]
    ]
    assert len(found[0]) == 1
    assert found[0] == found[1]


@pytest.mark.parametrize("image", RECIPES)
def test_both_recipes_of_an_image_have_the_same_extras(image: str) -> None:
    """The default extras do not depend on the tool that builds the image."""
    found = [
        re.findall(r'(?m)^(?:ARG| {3}) ?EXTRAS="?([a-z ]*?)"?$', (ROOT / path).read_text())
        for path in RECIPES[image]
    ]
    assert len(found[0]) == 1
    assert found[0] == found[1]


@pytest.mark.usefixtures("full")
def test_the_server_uses_the_vllm_of_its_base(podman: Podman, build: Callable[..., str]) -> None:
    """On a base without vLLM the image is built, and `serve` names the Python in which vLLM is missing."""
    build("IMAGES=vllm")
    output = podman(
        *(*ALONE, "localhost/bfcl-vllm:test", "sh", "-c"),
        "bfcl-pipeline serve --help && $BFCL_VLLM_PYTHON -c 'import sys; print(sys.prefix)'",
    )
    assert "--address-out" in output
    assert output.splitlines()[-1] == "/usr"


@pytest.mark.usefixtures("full", "base")
def test_the_definition_builds_the_same_as_the_containerfile(podman: Podman, apptainer: Apptainer) -> None:
    """Apptainer builds the pipeline from a base on this machine; it runs, its workflow beside it."""
    archive, sandbox = podman.folder / "base-image.tar", podman.folder / "defined.sandbox"
    settings = pip_settings()
    volumes = folders_to_mount(settings)
    # Unlike podman, Apptainer mounts where something is already: podman leaves that behind.
    podman("run", "--network=none", "--name", "mounted", *volumes, BASE, "true")
    podman("commit", "--quiet", "mounted", "localhost/bfcl-test-base:mounted")
    podman("rm", "mounted")
    podman(
        *("save", "--quiet", "--format", "docker-archive", "--output", archive),
        "localhost/bfcl-test-base:mounted",
    )
    arguments = {"BOOTSTRAP": "docker-archive", "BASE": str(archive), **settings}
    binds = [flag.replace("--volume=", "--bind=") for flag in volumes]
    apptainer(
        *("build", "--force", "--sandbox", *binds),
        *(f"--build-arg={key}={value}" for key, value in arguments.items()),
        *(sandbox, RECIPES["pipeline"][1]),
        cwd=ROOT,
    )
    output = apptainer("exec", sandbox, "sh", "-c", "bfcl-pipeline --version; ls /opt/bfcl-pipeline")
    assert {"Snakefile", "workflow", "config"} <= set(output.split())
