"""What is recorded of the machine, with stand-ins for nvidia-smi on PATH."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.runs.provenance import Gpu
from bfcl_pipeline.runs.provenance.machine import gpus, image_name, processor_name, this_machine
from tests.support.provenance_records import H200

LINES = "0, GPU-aa11, NVIDIA H200, 144005, 580.95.05\\n1, GPU-bb22, NVIDIA H200, 144005, 580.95.05\\n"
EXPECTED = Gpu(H200.name, 144005 * 2**20, H200.driver)


@pytest.fixture
def nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a shell script in the place of nvidia-smi."""

    def put(script: str) -> None:
        program = tmp_path / "nvidia-smi"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return put


def test_gpus_are_those_of_nvidia_smi(nvidia_smi: Callable[[str], None]) -> None:
    """Name, memory in bytes and driver of each, in its order."""
    nvidia_smi(f"printf '{LINES}'")
    assert gpus({}) == (EXPECTED, EXPECTED)


@pytest.mark.parametrize(("visible", "count"), [("", 0), ("1", 1), ("GPU-aa", 1), ("0,1", 2), ("7", 0)])
def test_only_gpus_that_cuda_shows_count(
    nvidia_smi: Callable[[str], None], visible: str, count: int
) -> None:
    """A job on a shared machine does not claim the GPUs of others."""
    nvidia_smi(f"printf '{LINES}'")
    assert gpus({"CUDA_VISIBLE_DEVICES": visible}) == (EXPECTED,) * count


@pytest.mark.parametrize(
    "script",
    ["exit 9", "echo 'Failed to initialize NVML'", "printf '\\377\\0,'", "yes | head -c 300000"],
)
def test_a_broken_driver_has_no_gpus(nvidia_smi: Callable[[str], None], script: str) -> None:
    """Whatever it prints, the job goes on."""
    nvidia_smi(script)
    assert gpus({}) == ()


def test_a_driver_that_hangs_is_not_waited_for(nvidia_smi: Callable[[str], None]) -> None:
    """The time is limited."""
    nvidia_smi("exec tail -f /dev/null")
    assert gpus({}, seconds=0.1) == ()


def test_without_nvidia_smi_there_are_no_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most machines have none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpus({}) == ()


def test_unknown_memory_is_not_invented(nvidia_smi: Callable[[str], None]) -> None:
    """Some GPUs share the memory of the machine, and report none."""
    nvidia_smi("echo '0, GPU-x, NVIDIA GB10, [N/A], 580.1'")
    assert gpus({}) == (Gpu("NVIDIA GB10", None, "580.1"),)


def test_the_processor_has_a_name(tmp_path: Path) -> None:
    """That of the first, or of the architecture."""
    info = tmp_path / "cpuinfo"
    info.write_text("processor: 0\nmodel name\t: A Fast One @ 3GHz\nmodel name\t: Another\n")
    assert processor_name(info) == "A Fast One @ 3GHz"
    assert processor_name(tmp_path / "none")


def test_the_image_is_named_by_itself_or_by_the_engine(tmp_path: Path) -> None:
    """Its own variable, then what podman or Apptainer say; nothing outside a container."""
    mark = tmp_path / ".containerenv"
    assert image_name({}, (mark,)) is None
    mark.touch()
    assert image_name({}, (mark,)) == "container"
    mark.write_text('engine="podman"\nimage="registry.example/me/bfcl:1"\n')
    assert image_name({}, (mark,)) == "bfcl:1"
    assert image_name({"BFCL_IMAGE": "bfcl-pipeline 1"}, (mark,)) == "bfcl-pipeline 1, bfcl:1"
    assert image_name({"APPTAINER_NAME": "/home/me/bfcl.sif"}, ()) == "bfcl.sif"


def test_a_machine_is_described_without_its_name() -> None:
    """No path and no name of host or user."""
    import getpass
    import socket

    about = this_machine({})
    texts = (about.system, about.processor, about.image or "")
    assert about.system
    assert not any(socket.gethostname() in text or text.startswith("/") for text in texts)
    assert getpass.getuser() not in about.system.split()
