"""The machine of this process: system, processor, GPUs and container, without names of host and user."""

import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bfcl_pipeline.runs.provenance.document import MOST_TEXT, Gpu, MachineRecord

IMAGE_VARIABLE = "BFCL_IMAGE"
"""Environment variable with the name and version of the image, set in the project's images."""

GPU_SECONDS = 20.0
"""Time limit of nvidia-smi, which is slow while a driver starts."""

_QUERY = (
    "nvidia-smi",
    "--query-gpu=index,uuid,name,memory.total,driver_version",
    "--format=csv,noheader,nounits",
)
_IMAGE = re.compile(r'^image="([^"\n]{1,300})"$', re.MULTILINE)


def this_machine(environment: Mapping[str, str] = os.environ) -> MachineRecord:
    """The machine that runs this process."""
    system = f"{platform.system()} {platform.machine()}"
    library = " ".join(filter(None, platform.libc_ver()))
    return MachineRecord(
        f"{system}, {library}" if library else system,
        processor_name()[:MOST_TEXT],
        gpus(environment),
        image_name(environment),
    )


def processor_name(cpu_info: Path = Path("/proc/cpuinfo")) -> str:
    """The name of the processor; that of its architecture if the system does not say more."""
    try:
        lines = cpu_info.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine() or "unknown"


def gpus(environment: Mapping[str, str] = os.environ, seconds: float = GPU_SECONDS) -> tuple[Gpu, ...]:
    """The NVIDIA GPUs that CUDA shows to this process; none without a working nvidia-smi."""
    try:
        done = subprocess.run(
            _QUERY, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    lines = done.stdout[:100_000].decode(errors="replace").splitlines()
    rows = [row for line in lines if len(row := [cell.strip() for cell in line.split(",")]) == 5]
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        names = [name.strip() for name in visible.split(",") if name.strip()]
        rows = [row for row in rows if any(name == row[0] or _is_uuid(name, row[1]) for name in names)]
    return tuple(_gpu(row) for row in rows[:64])


def image_name(
    environment: Mapping[str, str] = os.environ,
    containers: tuple[Path, ...] = (Path("/run/.containerenv"), Path("/.dockerenv")),
) -> str | None:
    """The container of this process: its image's own name, the engine's name for it, or `container`."""
    engine = environment.get("APPTAINER_NAME") or environment.get("SINGULARITY_NAME")
    marked = [path for path in containers if path.is_file()]
    if engine is None and marked:
        try:
            found = _IMAGE.search(marked[0].read_text(encoding="utf-8", errors="replace")[:10_000])
        except OSError:
            found = None
        engine = found[1] if found else None
    names = [environment.get(IMAGE_VARIABLE), engine and engine.rpartition("/")[2]]
    return ", ".join(filter(None, names))[:MOST_TEXT] or ("container" if marked else None)


def _gpu(row: list[str]) -> Gpu:
    _, _, name, memory, driver = row
    known = memory.isdecimal() and len(memory) < 10
    return Gpu(name[:MOST_TEXT], int(memory) * 2**20 if known else None, driver[:MOST_TEXT] or None)


def _is_uuid(name: str, uuid: str) -> bool:
    """Whether CUDA takes `name` for the GPU with that UUID: its beginning is enough."""
    return name.startswith("GPU-") and uuid.startswith(name)
