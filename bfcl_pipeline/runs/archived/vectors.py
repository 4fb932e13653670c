"""The embeddings that a run of memory_vector used, in one file of an archive.

Their last digits depend on the processor, and a search shows similarities to the model: on another machine
the run can only be derived with the same vectors. Only vectors of texts in the calls and snapshots of the
run are archived, not those of other runs in the same cache.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Json, Mode
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.dialogue.calls import calls_by_step
from bfcl_pipeline.runs.archived.members import MAX_VECTORS
from bfcl_pipeline.runs.archived.writing import TOO_MUCH
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.encoding import EmbeddingCache
from bfcl_pipeline.world.tools.call_rewriter import CallRewriter
from bfcl_pipeline.world.tools.memory.encoder import DIMENSIONS

NAME = "cache/encoder.vectors"
"""The member: records sorted by name, each the 32-byte name of a vector (a sha256) and its file."""

_NAME_BYTES = 32
_RECORD_BYTES = _NAME_BYTES + 4 * DIMENSIONS + 32
_REWRITER = CallRewriter({})  # changes texts as the execution of calls does; it knows no method names

MAX_BYTES = MAX_VECTORS * _RECORD_BYTES
"""The largest size of the member."""


def pack_vectors(run: Run) -> bytes:
    """The vectors of the run in its cache, or no bytes. Raises ArchiveError if there are too many."""
    stored = EmbeddingCache(run.cache / "encoder")
    # Also of results from elsewhere: the tables play their searches again, as far as embeddings are stored.
    texts = {text for folder in run.recorded.folders for text in _texts_of(run, folder)}
    records: dict[bytes, bytes] = {}
    for text in texts:
        if stored.get(text) is not None:
            path = stored.path(text)
            records[bytes.fromhex(path.stem)] = path.read_bytes()
    if len(records) > MAX_VECTORS:
        raise ArchiveError(f"{len(records):,} embeddings: {TOO_MUCH}")
    return b"".join(name + records[name] for name in sorted(records))


def unpack_vectors(content: bytes, cache: Path) -> None:
    """Writes the vectors in `content` to files below `cache`. Raises ArchiveError if it is malformed."""
    names: list[bytes] = []
    for start in range(0, len(content), _RECORD_BYTES):
        record = content[start : start + _RECORD_BYTES]
        names.append(record[:_NAME_BYTES])
        if len(record) != _RECORD_BYTES or names[-2:-1] >= names[-1:]:
            raise ArchiveError(f"{NAME}: refused: no vector at byte {start:,}, or not in order.")
        name = names[-1].hex()
        path = cache / name[:2] / f"{name}.f32"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(record[_NAME_BYTES:])


def embedded_texts(turns: Json, mode: Mode) -> Iterator[str]:
    """The texts in the arguments of calls, as written and as executed; `turns` as in result_json."""
    for step in calls_by_step(turns, mode):
        for text in _texts([call.arguments for call in step]):
            yield from {text, _REWRITER.text(text)}


def _texts_of(run: Run, folder: str) -> Iterator[str]:
    """All texts that may have been embedded for one model."""
    for category in run.recorded.categories_of(folder):
        if not CATEGORIES[category].needs_encoder:
            continue
        for table, columns in ((run.responses, ()), (run.sessions, ("snapshot_json",))):
            path = table(folder, category)
            if not path.is_file():  # results from elsewhere without sessions
                continue
            for row in read_table(path, ["mode", "result_json", *columns]).to_pylist():
                yield from embedded_texts(loaded_json(row["result_json"]), Mode(row["mode"]))
                yield from _texts(loaded_json(row.get("snapshot_json")))


def _texts(value: Any) -> Iterator[str]:
    """All texts within a value."""
    match value:
        case str():
            yield value
        case Call(arguments=arguments):
            yield from _texts(arguments)
        case dict():
            yield from _texts(list(value.values()))
        case list() | tuple():
            for item in value:
                yield from _texts(item)
