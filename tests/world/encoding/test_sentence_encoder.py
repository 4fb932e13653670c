"""The staged encoder: its embeddings, and the files and libraries that it needs.

Its libraries take seconds to import, so that one process without network embeds the texts of all tests.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.definition import encoder as pinned
from bfcl_pipeline.world.encoding import SentenceEncoder
from tests.support.encoder_process import Embedded, embedded

PUBLISHED = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
ANY = ["", " ", "x " * 50_000, "漢字 😀 naïve", "\x00"]
NEIGHBOURS = ["short", "a text that is a good deal longer than the others are", *PUBLISHED]
HALF = ["half \ud83d"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of the process, where it keeps embeddings in the folder `kept`."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def done(staged_encoder: Path, home: Path) -> Embedded:
    """What the process embeds, by encoder: each takes lists of texts, one after the other."""
    alone = {f"alone {number}": [[text]] for number, text in enumerate(NEIGHBOURS)}
    encoders = {
        "": [PUBLISHED, ANY, ["mine"], ["mine"], HALF],
        "together": [NEIGHBOURS],
        "backwards": [NEIGHBOURS[::-1]],
        **alone,
    }
    return embedded(staged_encoder, home, encoders, kept=[["a text"], HALF])


def test_likeness_is_as_published(done):
    """The cosines are those in the documentation of sentence-transformers for these sentences."""
    rows = done.rows("", 0)
    assert rows.shape == (3, 384)
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-4)


def test_rows_have_length_one(done):
    """Any text has a row of length 1: an empty one, one of 100,000 characters, one in any script."""
    np.testing.assert_allclose((done.rows("", 1) ** 2).sum(axis=1), 1, atol=1e-6)


def test_neighbours_do_not_matter(done):
    """The embedding of a text is the same to the last bit alone, among others, and in another order."""
    together, backwards = done.rows("together", 0), done.rows("backwards", 0)[::-1]
    alone = np.vstack([done.rows(f"alone {number}", 0) for number in range(len(NEIGHBOURS))])
    assert together.tobytes() == backwards.tobytes() == alone.tobytes()


def test_no_texts_give_no_rows(tmp_path):
    """An empty list does not load the model and gives an array without rows."""
    assert SentenceEncoder(tmp_path).encode([]).shape == (0, 384)


def test_rows_belong_to_the_caller(done):
    """Changing the returned rows does not change later embeddings: the process sets all to 0."""
    assert done.rows("", 2).tobytes() == done.rows("", 3).tobytes()
    assert done.rows("", 3).any()


def test_half_a_surrogate_pair_is_refused_as_by_the_library(done):
    """A text that is not valid UTF-8 is a TypeError with the official encoder's message, with and without a
    cache."""
    for error in (done.error("", 4), done.error("kept", 1)):
        assert error.startswith("TypeError: TextEncodeInput must be")


def test_a_process_without_network_embeds_in_silence(done, home):
    """It needs no network, prints nothing to stderr even with warnings as errors, and does not write to the
    home folder."""
    assert done.stderr == ""
    assert "torch" in done.loaded
    assert [path.name for path in home.iterdir()] == ["kept"]


def test_cached_embeddings_need_neither_model_nor_libraries(done, home, tmp_path):
    """A process with all its embeddings in the cache neither imports torch nor reads the model."""
    shutil.copytree(home / "kept", tmp_path / "kept")
    again = embedded(tmp_path / "no model here", tmp_path, {}, kept=[["a text"]])
    assert again.rows("kept", 0).tobytes() == done.rows("kept", 0).tobytes()
    assert again.loaded == []


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
    for name in ("torch", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelError, match=r"pip install sentence-transformers"):
        SentenceEncoder(tmp_path / "encoder").encode(["a"])
