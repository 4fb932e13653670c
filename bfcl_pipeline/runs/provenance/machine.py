"""The machine of a record and the server that it started, without what only the machine knows.

That is system, processor, GPUs and container of this process, without the names of host and user; and the
command and the environment of a server, without directories, addresses, ports and keys.
"""

import os
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.runs.provenance.document import MOST_TEXT, Gpu, MachineRecord, ServerRecord

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


_DIRECTORIES = re.compile(r"(?<![\w./~-])(?:~[\w-]*|\.{1,2})?/(?!/)(?:[^\s\"',;:{}()/]+/)*")
_SECRET = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_NOT_ANSWERS = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|HOST|_IP$|PORT|PATH|ROOT|DIR|URL|ADDR|USER|CACHE|LOG", re.IGNORECASE
)
_PLAIN = re.compile(r"[\w.,:+=-]{0,200}")
_PREFIXES = ("VLLM_", "TORCH_", "NCCL_")
_NAMES = ("CUBLAS_WORKSPACE_CONFIG", "NVIDIA_TF32_OVERRIDE", "PYTORCH_CUDA_ALLOC_CONF", "OMP_NUM_THREADS")
_MOST_VARIABLES = 100
_OF_THE_MACHINE = ("--host", "--port")


def started_server(
    kind: str,
    version: str | None,
    packages: Mapping[str, str],
    command: Sequence[str],
    environment: Mapping[str, str],
    gpus: tuple[Gpu, ...],
) -> ServerRecord:
    """The record of a server that was started with `command` in `environment`."""
    words = tuple(word[:MOST_TEXT] for word in recorded_command(command))[:200]
    version = None if version is None else version[:MOST_TEXT]
    return ServerRecord(kind, version, packages, words, recorded_environment(environment), gpus)


def recorded_command(command: Sequence[str]) -> Iterator[str]:
    """The words of a command without directories, address, port and values of options that name keys."""
    words = iter(command)
    for word in words:
        name, separator, _ = word.partition("=")
        if name in _OF_THE_MACHINE:
            if not separator:
                next(words, None)
        elif name.startswith("--") and _SECRET.search(name) and not _is_count(name):
            yield f"{name}={REDACTED}" if separator else name
            if not separator and next(words, None) is not None:
                yield REDACTED
        else:
            yield without_directories(word)


def recorded_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that may change answers and have plain values: no paths, addresses or keys."""
    chosen = {
        name: value
        for name, value in sorted(environment.items())
        if (name.startswith(_PREFIXES) or name in _NAMES)
        and not _NOT_ANSWERS.search(name)
        and _PLAIN.fullmatch(value)
        and len(name) <= 100
    }
    return dict(list(chosen.items())[:_MOST_VARIABLES])


def without_directories(text: str) -> str:
    """`text` with only the last part of each local path; names on the hub and URLs stay."""
    return _DIRECTORIES.sub("", text)


def _is_count(name: str) -> bool:
    """Whether an option is about tokens of texts, such as --max-num-batched-tokens."""
    return "tokens" in name or "tokenizer" in name or "token-id" in name
