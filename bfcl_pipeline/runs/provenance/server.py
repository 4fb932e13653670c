"""The record of a server that this project starts, and of one that somebody else did.

The command and the environment are recorded without what only the machine knows: directories, addresses,
ports and keys.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.runs.provenance.document import MOST_TEXT, Gpu, ServerRecord

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
