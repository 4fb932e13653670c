"""Embeddings on disk: found again, never wrong, never in the way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.world import encoding
from bfcl_pipeline.world.encoding import EmbeddingCache, SentenceEncoder

VECTOR = np.linspace(-1, 1, 384, dtype=np.float32)


@pytest.fixture
def vectors(tmp_path: Path) -> EmbeddingCache:
    """An empty folder of embeddings."""
    return EmbeddingCache(tmp_path / "kept")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were embedded by a model that replaces the real one."""
    texts: list[str] = []

    def embed(text: str):
        texts.append(text)
        return VECTOR * np.float32(len(text))

    monkeypatch.setattr(encoding, "load_model", lambda _folder: embed)
    return texts


@pytest.mark.parametrize("text", ["", "a text", "漢字", "half \ud83d", "../../up", "x" * 100_000])
def test_stored_embeddings_are_found(vectors, tmp_path, text):
    """Embeddings of any text are read back bit for bit from a file below the folder."""
    assert vectors.get(text) is None
    vectors.put(text, VECTOR)
    assert vectors.get(text).tobytes() == VECTOR.tobytes()
    assert vectors.path(text).is_relative_to(tmp_path / "kept")
    assert vectors.get(text + "!") is None


def test_another_model_has_other_files(vectors, monkeypatch):
    """Embeddings of one model are not returned for another."""
    vectors.put("a", VECTOR)
    monkeypatch.setattr(encoding.pinned, "FILES", {encoding.pinned.WEIGHTS: "0" * 64})
    assert vectors.get("a") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: bytes([content[0] ^ 1]) + content[1:],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    ],
)
def test_a_damaged_file_is_written_anew(vectors, tmp_path, asked, damage):
    """A file that is cut, longer or has one bit flipped counts as absent, and is whole afterwards."""
    encoder = SentenceEncoder(tmp_path, tmp_path / "kept")
    first = encoder.encode(["a"])
    path = vectors.path("a")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert vectors.get("a") is None
    assert (SentenceEncoder(tmp_path, tmp_path / "kept").encode(["a"]) == first).all()
    assert path.read_bytes() == whole
    assert asked == ["a", "a"]


def test_each_text_is_embedded_once(tmp_path, asked):
    """A text that was embedded before, in this process or another, does not need the model."""
    encoder = SentenceEncoder(tmp_path, tmp_path / "kept")
    first = encoder.encode(["a", "bb", "a"])
    assert (encoder.encode(["bb"]) == first[1]).all()
    assert (SentenceEncoder(tmp_path, tmp_path / "kept").encode(["bb", "a"]) == first[1::-1]).all()
    assert asked == ["a", "bb"]


def test_many_may_write_at_once(vectors, tmp_path):
    """Writers of the same text leave one whole file and no temporary one."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: vectors.put("a", VECTOR), range(64)))
    assert vectors.get("a").tobytes() == VECTOR.tobytes()
    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == [vectors.path("a")]


def test_an_unwritable_folder_is_not_used(tmp_path, asked):
    """Embeddings that cannot be stored are still returned."""
    (tmp_path / "kept").write_bytes(b"a file in the way")
    encoder = SentenceEncoder(tmp_path, tmp_path / "kept")
    assert encoder.encode(["a"]).any()
    assert asked == ["a"]
