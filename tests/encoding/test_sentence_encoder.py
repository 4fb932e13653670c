"""The staged encoder: its embeddings, and the files and libraries that it needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.benchmark import encoder as pinned
from bfcl_pipeline.encoding import SentenceEncoder
from bfcl_pipeline.errors import ModelError

PUBLISHED = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
SILENT = "\n".join(
    (
        "import socket, sys",
        "def refused(*_): raise SystemExit('asked the network')",
        "socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = refused",
        "from pathlib import Path",
        "from bfcl_pipeline.encoding import SentenceEncoder",
        "encoder = SentenceEncoder(Path(sys.argv[1]), Path(sys.argv[2]))",
        "first = encoder.encode(['a text']).tobytes().hex()",
        "loaded = {'sentence_transformers', 'torch', 'transformers'} & sys.modules.keys()",
        "import json; print(json.dumps([first, sorted(loaded)]))",
    )
)
"""Embeds one text in a process that cannot reach a network."""


@pytest.fixture(scope="module")
def encoder(staged_encoder: Path) -> SentenceEncoder:
    """The real encoder, without a cache on disk."""
    return SentenceEncoder(staged_encoder)


def in_a_process(folder: Path, kept: Path) -> tuple[str, list[str]]:
    """An embedding from a new process, as hex digits, and the heavy libraries that it imported."""
    bare = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH") if key in os.environ}
    command = [sys.executable, "-W", "error", "-c", SILENT, folder, kept]
    environment = {**bare, "HOME": str(kept.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    embedding, loaded = json.loads(done.stdout)
    return embedding, loaded


def test_likeness_is_as_published(encoder):
    """The cosines are those in the documentation of sentence-transformers for these sentences."""
    rows = encoder.encode(PUBLISHED)
    assert rows.dtype == np.float32
    assert rows.shape == (3, 384)
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-4)


def test_rows_have_length_one(encoder):
    """Any text has a row of length 1: an empty one, one of 100,000 characters, one in any script."""
    rows = encoder.encode(["", " ", "x " * 50_000, "漢字 😀 naïve", "\x00"])
    np.testing.assert_allclose((rows**2).sum(axis=1), 1, atol=1e-6)


def test_neighbours_do_not_matter(staged_encoder):
    """The embedding of a text is the same to the last bit alone, among others, and in another order."""
    texts = ["short", "a text that is a good deal longer than the others are", *PUBLISHED]
    together = SentenceEncoder(staged_encoder).encode(texts)
    backwards = SentenceEncoder(staged_encoder).encode(texts[::-1])[::-1]
    alone = np.vstack([SentenceEncoder(staged_encoder).encode([text]) for text in texts])
    assert together.tobytes() == backwards.tobytes() == alone.tobytes()


def test_no_texts_give_no_rows(tmp_path):
    """An empty list does not load the model and gives an array without rows."""
    assert SentenceEncoder(tmp_path).encode([]).shape == (0, 384)


def test_rows_belong_to_the_caller(encoder):
    """Changing the returned rows does not change later embeddings."""
    encoder.encode(["mine"])[:] = 0
    assert encoder.encode(["mine"]).any()


def test_half_a_surrogate_pair_is_refused_as_by_the_library(encoder, staged_encoder, tmp_path):
    """A text that is not valid UTF-8 is a TypeError with the official encoder's message, with and without a
    cache."""
    for refusing in (encoder, SentenceEncoder(staged_encoder, tmp_path / "kept")):
        with pytest.raises(TypeError, match="TextEncodeInput must be"):
            refusing.encode(["half \ud83d"])


def test_a_process_without_network_embeds_in_silence(staged_encoder, tmp_path):
    """It needs no network, prints nothing to stderr even with warnings as errors, and does not write to the
    home folder."""
    embedding, loaded = in_a_process(staged_encoder, tmp_path / "home" / "kept")
    assert embedding == SentenceEncoder(staged_encoder).encode(["a text"]).tobytes().hex()
    assert "torch" in loaded
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["kept"]


def test_cached_embeddings_need_neither_model_nor_libraries(staged_encoder, tmp_path):
    """A process with all its embeddings in the cache neither imports torch nor reads the model."""
    expected = SentenceEncoder(staged_encoder, tmp_path / "kept").encode(["a text"])
    embedding, loaded = in_a_process(tmp_path / "no model here", tmp_path / "kept")
    assert embedding == expected.tobytes().hex()
    assert loaded == []


def test_a_model_that_is_not_staged_is_reported(tmp_path):
    """The message names the file and the command that writes it."""
    with pytest.raises(
        ModelError, match=r"encoder/model\.safetensors: cannot read the file .* stage --encoder"
    ):
        SentenceEncoder(tmp_path / "encoder").encode(["a"])


def test_an_altered_model_is_refused(staged_encoder, tmp_path):
    """Embeddings of another model are never used as those of the pinned one."""
    folder = tmp_path / "encoder"
    shutil.copytree(staged_encoder, folder)
    (folder / "config.json").write_text("{}")
    expected = (
        rf"config\.json: differs from the pinned encoder: expected sha256 {pinned.FILES['config.json']}"
    )
    with pytest.raises(ModelError, match=expected):
        SentenceEncoder(folder).encode(["a"])


def test_missing_libraries_are_reported(staged_encoder, monkeypatch, tmp_path):
    """The message is the command that installs them."""
    shutil.copytree(staged_encoder, tmp_path / "encoder")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match=r"pip install sentence-transformers"):
        SentenceEncoder(tmp_path / "encoder").encode(["a"])
