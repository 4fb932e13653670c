"""The cassettes of a run: played by `verify`, `replay` and `web check RUN`."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive import replay as replaying
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import digest
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import SmallRun


def _outcomes(run: SmallRun) -> dict[str, dict[str, Any]]:
    """The outcome files of searches in the archive, by member."""
    found = {}
    for path in run.cache.rglob("web/*/*/*.json"):
        document = json.loads(path.read_bytes())
        if document["outcome"]["kind"] == "hits" and "another run" not in document["key"]["keywords"]:
            found[f"cache/web/{path.relative_to(run.cache / 'web').as_posix()}"] = document
    return found


def _written(document: Mapping[str, Any], **changed: Any) -> bytes:
    content = {**{name: value for name, value in document.items() if name != "sha256"}, **changed}
    return json.dumps({**content, "sha256": digest(content)}, indent=1).encode() + b"\n"


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """No staged data, so that a verification only checks files."""
    folder = tmp_path / "nothing"
    folder.mkdir()
    return folder


def test_a_contradiction_is_a_difference(
    small_run: SmallRun, archived: Path, nothing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search whose results are not those of its cassette is named, with all hashes and the seal right."""
    name, document = next(iter(_outcomes(small_run).items()))
    document["outcome"]["hits"][0]["title"] = "Something else"
    file = repack(archived, nothing.with_name("x.zip"), {name: _written(document)})
    capsys.readouterr()
    assert small_run.verify(file, "--data", str(nothing)) == 1
    output = capsys.readouterr().out
    assert f"DIFFERS       web        {name}: search for" in output
    assert 'the title of result 1 is "Something else"' in output


def test_what_is_not_proven_is_reported(
    small_run: SmallRun, archived: Path, nothing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing cassette and a search by another version of the reader are not verified, and no error."""
    (name, document), (other, changed), *_ = _outcomes(small_run).items()
    cassette = f"{name.rpartition('/')[0]}/{document['cassette']}"
    recorded = f"{other.rpartition('/')[0]}/{changed['cassette']}"
    content = (small_run.folder / recorded).read_bytes().replace(b"engine=duckduckgo", b"engine=old")
    sha256 = hashlib.sha256(content).hexdigest()
    changes = {
        recorded: content,
        other: _written(changed, engine="duckduckgo by requests of 0.0.1", cassette_sha256=sha256),
    }
    file = repack(archived, nothing.with_name("x.zip"), changes, left_out={cassette})
    capsys.readouterr()
    assert small_run.verify(file, "--data", str(nothing)) == 3
    output = capsys.readouterr().out
    assert "not verified  web        1 of them have no cassette, the first: " in output
    assert "not verified  web        1 of them were recorded by another version of the reader" in output
    assert "DIFFERS" not in output


def test_the_outcomes_of_a_run_are_checked(small_run: SmallRun, capsys: pytest.CaptureFixture[str]) -> None:
    """`web check RUN` plays the cassettes that the run used, and no others."""
    record = small_run.cache / "web"
    everything = len(list(WebCache(record).paths()))
    options = ["--record", str(record), "--data", str(small_run.data)]
    assert main(["web", "check", str(small_run.results), *options]) == 0
    assert f"{record}: {everything - 1:,} outcomes in " in capsys.readouterr().out


def test_an_unfinished_run_is_checked_as_far_as_it_is_there(
    small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model without responses is named; what the others used is checked."""
    run = shutil.copytree(small_run.results, tmp_path / small_run.name)
    shutil.rmtree(run / "responses/oracle-FC")
    options = ["--record", str(small_run.cache / "web"), "--data", str(small_run.data)]
    assert main(["web", "check", str(run), *options]) == 0
    assert "not finished: oracle-FC. " in capsys.readouterr().err


def test_a_replay_plays_what_the_run_used(
    small_run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its result has the check of the outcomes that the run used, and fails with it."""
    monkeypatch.setattr(replaying, "derive", lambda *_, **__: small_run.results)  # without its minutes
    cache = tmp_path / "cache"
    shutil.copytree(small_run.cache, cache)

    def result() -> replaying.ReplayResult:
        run = Run(small_run.results, cache, small_run.data)
        return replaying.replay(run, work=tmp_path / "work", cores=1, log=lambda _: None)

    sound = result()
    assert sound.web is not None
    assert (sound.failed, sound.web.proven) == (False, sound.web.outcomes)
    assert f"Web: {sound.web.proven:,} of {sound.web.proven:,} outcomes follow" in "\n".join(sound.lines())
    name, document = next(iter(_outcomes(small_run).items()))
    document["outcome"]["hits"].pop()
    (tmp_path / name).write_bytes(_written(document))
    assert result().failed
    assert "Web: contradicts its cassette: 1, the first: " in "\n".join(result().lines())
