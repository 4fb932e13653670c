"""The embeddings of a run, packed into one file and unpacked elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.runs.archived.vectors import embedded_texts, unpack_vectors
from bfcl_pipeline.world.encoding import EmbeddingCache
from bfcl_pipeline.world.tools.memory.encoder import DIMENSIONS


def packed(folder: Path, *texts: str) -> bytes:
    """Vectors of `texts` in the form of an archive."""
    stored = EmbeddingCache(folder)
    records = []
    for number, text in enumerate(texts):
        stored.put(text, np.full(DIMENSIONS, number, dtype=np.float32))
        path = stored.path(text)
        records.append(bytes.fromhex(path.stem) + path.read_bytes())
    return b"".join(sorted(records))


def test_unpacked_vectors_are_found(tmp_path: Path) -> None:
    """Each text has the same vector after unpacking, and other texts have none."""
    content = packed(tmp_path / "here", "one", "two")
    unpack_vectors(content, tmp_path / "there")
    there = EmbeddingCache(tmp_path / "there")
    for number, text in enumerate(("one", "two")):
        vector = there.get(text)
        assert vector is not None
        assert vector.tolist() == [number] * DIMENSIONS
    assert there.get("three") is None


def test_a_malformed_file_of_vectors_is_refused(tmp_path: Path) -> None:
    """Truncated, out of order, or with a duplicate vector."""
    content = packed(tmp_path / "here", "one", "two")
    half = len(content) // 2
    for wrong in (content[:-1], content + b"x", content[half:] + content[:half], content[:half] * 2):
        with pytest.raises(ArchiveError, match="refused"):
            unpack_vectors(wrong, tmp_path / "there")


def test_texts_of_calls_are_those_that_may_be_embedded() -> None:
    """Also those in lists, in both modes; text outside of calls is not."""
    fc = [[[{"core_memory_add": json.dumps({"text": ["a", "b"]})}], "I have noted that."]]
    prompt = [['[core_memory_retrieve(query="c", top_k=2)]', "no call"]]
    assert list(embedded_texts(fc, Mode.FC)) == ["a", "b"]
    assert list(embedded_texts(prompt, Mode.PROMPT)) == ["c"]
    assert list(embedded_texts(None, Mode.FC)) == []


def test_texts_as_executed_are_included() -> None:
    """The release removes the space between a word and a bracket; both forms may be embedded."""
    turns = [[[{"core_memory_retrieve": json.dumps({"query": "the price (in $)"})}]]]
    assert set(embedded_texts(turns, Mode.FC)) == {"the price (in $)", "the price(in $)"}
