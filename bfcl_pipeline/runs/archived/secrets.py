"""Searching all files of an archive for secrets before it is written.

Covers texts, the columns of Parquet files, and binary parts of cassettes. A finding is reported by file,
place and fingerprint, never by its text; a finding that is not a secret is accepted by its fingerprint.
"""

from __future__ import annotations

import hashlib
import io
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.secrets import LONGEST, SHAPES, secret_patterns
from bfcl_pipeline.runs.archived.members import ArchiveMember, member


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A text that is a secret or looks like one."""

    name: str  # of the member
    place: str  # a line, or a row and its column
    what: str
    fingerprint: str  # 16 hex digits of its sha256

    def __str__(self) -> str:
        return f"{self.name}, {self.place}: {self.what} (fingerprint {self.fingerprint})"


class Search:
    """A search for the shapes of keys and for given values."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """secrets: values by name, such as the variables that contain them."""
        self._values = [
            (f"the value of {name}", pattern)
            for name, value in secrets.items()
            for pattern in secret_patterns(value)
        ]

    def findings(self, member: ArchiveMember) -> Iterator[SecretFinding]:
        """The findings in one member."""
        if member.name.endswith(".parquet"):
            yield from self._in_table(member)
            return
        for line, what, text in self._in_pieces(member.chunks()):
            yield SecretFinding(member.name, f"line {line:,}", what, fingerprint(text))
        if member.name.endswith(".yaml"):
            yield from self._in_binary(member)

    def lines(self, name: str, content: bytes) -> list[str]:
        """The findings in one file, one line each."""
        return [str(finding) for finding in self.findings(member(name, content))]

    def _in_text(self, text: bytes) -> Iterator[tuple[int, str, bytes]]:
        """Offset, description and text of each finding in `text`."""
        for what, value in self._values:
            for match in value.finditer(text):
                yield match.start(), what, match[0]
        for shape in SHAPES:
            for start, found in shape.found(text):
                yield start, shape.what, found

    def _in_pieces(self, pieces: Iterable[bytes]) -> Iterator[tuple[int, str, bytes]]:
        """Line, description and text of each finding in a text that is read in pieces."""
        line, text, begin = 1, b"", 0
        for piece in chain(pieces, (None,)):
            # A match near the end of a piece may continue in the next one, so it is searched for there.
            end = len(text) if piece is None else max(begin, len(text) - LONGEST)
            for start, what, found in self._in_text(text):
                if begin <= start < end:
                    yield line + text.count(b"\n", 0, start), what, found
            cut = max(0, end - LONGEST)
            line += text.count(b"\n", 0, cut)
            text, begin = text[cut:] + (piece or b""), end - cut

    def _in_binary(self, member: ArchiveMember) -> Iterator[SecretFinding]:
        """The findings in the binary parts of a cassette, which are stored as base64."""
        document = b"".join(member.chunks())
        if b"!!binary" not in document:
            return
        for binary in _binaries(document):
            for _, what, text in self._in_text(binary):
                yield SecretFinding(member.name, "a binary part", what, fingerprint(text))

    def _in_table(self, member: ArchiveMember) -> Iterator[SecretFinding]:
        source = member.source if isinstance(member.source, Path) else io.BytesIO(member.source)
        try:
            with pq.ParquetFile(source) as file:
                row = 1
                for batch in file.iter_batches():
                    for column in batch.schema.names:
                        yield from self._in_column(member.name, column, row, batch.column(column))
                    row += batch.num_rows
                for text in _descriptions(file.schema_arrow):
                    for _, what, found in self._in_text(text):
                        yield SecretFinding(member.name, "its description", what, fingerprint(found))
        except (pa.ArrowInvalid, OSError) as error:
            raise ArchiveError(
                f"{member.name}: not a readable Parquet file ({error}). Make it again."
            ) from error

    def _in_column(
        self, name: str, column: str, first: int, values: pa.Array[Any]
    ) -> Iterator[SecretFinding]:
        for texts in _texts(values):
            # All at once, as most contain nothing; one by one if there is a finding.
            items = texts.to_pylist()
            if next(self._in_text("\n".join(text or "" for text in items).encode()), None) is None:
                continue
            for row, text in enumerate(items, start=first):
                # A nested text has no row of its own.
                place = f"row {row:,}, column {column!r}" if texts is values else f"column {column!r}"
                for _, what, found in self._in_text((text or "").encode()):
                    yield SecretFinding(name, place, what, fingerprint(found))


def fingerprint(text: bytes) -> str:
    """The identifier of a finding, which does not reveal the text."""
    return hashlib.sha256(text).hexdigest()[:16]


def _texts(values: pa.Array[Any]) -> Iterator[pa.Array[Any]]:
    """The arrays of text within an array of any kind."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        yield values
    elif pa.types.is_dictionary(values.type):
        yield from _texts(values.dictionary)  # type: ignore[attr-defined]
    elif pa.types.is_list(values.type) or pa.types.is_struct(values.type):
        flat = values.flatten()  # type: ignore[attr-defined]
        for part in flat if isinstance(flat, list) else [flat]:
            yield from _texts(part)


def _descriptions(schema: pa.Schema) -> Iterator[bytes]:
    for metadata in (schema.metadata, *(field.metadata for field in schema)):
        yield from (metadata or {}).values()


def _binaries(document: bytes) -> Iterator[bytes]:
    """The binary values in a YAML document, up to the first error; nothing is built from the document."""
    with suppress(yaml.YAMLError, ValueError):  # no program reads more of it either
        for event in yaml.parse(document, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.ScalarEvent) and event.tag == "tag:yaml.org,2002:binary":
                yield b64decode(event.value)
