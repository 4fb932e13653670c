"""The embeddings that a run of memory_vector used, in one file of an archive.

Their last digits follow from the processor, and a search tells a model how similar texts are: elsewhere the
same run can only be derived with the vectors that it had. They belong to texts that stand in the calls and
snapshots of the run; what was kept for other runs is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bfcl_pipeline.archive.bounds import MAX_VECTORS
from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.archive.writing import TOO_MUCH
from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.encoding.kept import KeptVectors
from bfcl_pipeline.errors import ArchiveError
from bfcl_pipeline.records import Call, DecodeFailure, Json, Mode
from bfcl_pipeline.tables import read_table
from bfcl_pipeline.tools.encoder import DIMENSIONS
from bfcl_pipeline.tools.retelling import Retelling

NAME = "cache/encoder.vectors"
"""Records in order of their names: the sha256 that is the name of a kept vector, and its file."""

_NAME_BYTES = 32
_RECORD_BYTES = _NAME_BYTES + 4 * DIMENSIONS + 32
_CATEGORY = "memory_vector"
_AS_TOLD = Retelling({})  # what a method gets of a text, but for one that calls methods itself

MAX_BYTES = MAX_VECTORS * _RECORD_BYTES
"""Of all of them."""


def pack_vectors(recorded: RecordedRun, cache: Path) -> bytes:
    """The vectors of the run that are kept in `cache`; empty if there are none. Raises ArchiveError."""
    kept = KeptVectors(cache)
    texts = {text for folder in recorded.run.folders for text in _texts_of(recorded, folder)}
    records: dict[bytes, bytes] = {}
    for text in texts:
        if kept.get(text) is not None:
            path = kept.path(text)
            records[bytes.fromhex(path.stem)] = path.read_bytes()
    if len(records) > MAX_VECTORS:
        raise ArchiveError(f"{len(records):,} embeddings: {TOO_MUCH}")
    return b"".join(name + records[name] for name in sorted(records))


def unpack_vectors(content: bytes, cache: Path) -> None:
    """Writes the vectors in `content` as they are kept. Raises ArchiveError for what is no such file."""
    names: list[bytes] = []
    for start in range(0, len(content), _RECORD_BYTES):
        record = content[start : start + _RECORD_BYTES]
        names.append(record[:_NAME_BYTES])
        if len(record) != _RECORD_BYTES or names[-2:-1] >= names[-1:]:
            raise ArchiveError(f"{NAME}: refused: at byte {start:,} it holds no vector, or not in order.")
        name = names[-1].hex()
        path = cache / name[:2] / f"{name}.f32"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(record[_NAME_BYTES:])


def embedded_texts(turns: Json, mode: Mode) -> Iterator[str]:
    """The texts in the arguments of calls; `turns` as the column result_json has them."""
    for turn in turns if isinstance(turns, list) else ():
        for step in turn if isinstance(turn, list) else ():
            calls = decode_step(step, mode)
            if not isinstance(calls, DecodeFailure):
                for text in _texts([call.arguments for call in calls]):
                    yield from {text, _AS_TOLD.text(text)}


def _texts_of(recorded: RecordedRun, folder: str) -> Iterator[str]:
    """All texts that one model may have had embedded."""
    if _CATEGORY not in recorded.run.categories_of(folder):
        return
    for part, columns in (("responses", ()), ("memory", ("snapshot_json",))):
        path = recorded.folder / part / folder / f"{_CATEGORY}.parquet"
        for row in read_table(path, ["mode", "result_json", *columns]).to_pylist():
            yield from embedded_texts(_json(row["result_json"]), Mode(row["mode"]))
            yield from _texts(_json(row.get("snapshot_json")))


def _json(text: str | None) -> Json:
    """What a column says; None where it is no JSON."""
    try:
        value: Json = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    return value


def _texts(value: Any) -> Iterator[str]:
    """All texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Call):
        yield from _texts(value.arguments)
    else:
        held: Iterable[Any] = ()
        if isinstance(value, dict):
            held = value.values()
        elif isinstance(value, list | tuple):
            held = value
        for one in held:
            yield from _texts(one)
