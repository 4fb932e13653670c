"""Conversations with web search, replayed from the web cache: recorded outcomes and missing ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.ask.models import build_model
from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.records import Entry, Status
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants, WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.recording import RecordingWeb
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.support.local_generation import generate

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"
CATEGORY = "web_search_base"


class Unreliable:
    """Replaces the real web: every third fetch fails."""

    def __init__(self, web: SimulatedWeb) -> None:
        self._web = web
        self._fetches = 0

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        return self._web.search(keywords, region)

    def fetch(self, url: str) -> Page | WebFailure:
        self._fetches += 1
        if self._fetches % 3 == 0:
            raise WebError(f"{url}: the network is down")
        return self._web.fetch(url)


class Observed:
    """The results of a run in web mode record, and its web cache."""

    def __init__(self, folder: Path, staged: Path, asked: list[Entry], setting: WorldConfig) -> None:
        self.folder, self._staged = folder, staged
        self.ids = [entry.entry_id for entry in asked]
        model = build_model(load_models(MODELS)["oracle-FC"])
        held = generate(asked, model, read_texts(staged), lambda _: setting, "r", "record")
        self.table = folder / f"results/responses/oracle-FC/{CATEGORY}.parquet"
        write_responses(self.table, responses(held))

    def replayed(self, *options: str, web: str = "record") -> Path:
        """The table that the command derives."""
        out = self.folder / "out"
        command = ["generate", "--run", "r", "--model", "oracle-FC", "--models", str(MODELS), "--replay"]
        command += ["--data", str(self._staged), "--category", CATEGORY, "--entry-ids", *self.ids]
        command += ["--web", web, "--web-record", str(self.folder / "web"), "--out", str(out), *options]
        assert main(command) == 0
        return out / f"{CATEGORY}.parquet"


@pytest.fixture
def observed(
    entries: Callable[[str], list[Entry]], staged: Path, constants: Constants, tmp_path: Path
) -> Observed:
    live = Unreliable(SimulatedWeb.of(entries(CATEGORY)))
    setting = WorldConfig(constants, web=RecordingWeb(WebCache(tmp_path / "web"), live))
    return Observed(tmp_path, staged, entries(CATEGORY)[:12], setting)


def test_a_recorded_run_is_replayed_with_its_failures(
    observed: Observed, capsys: pytest.CaptureFixture[str]
) -> None:
    """Byte for byte with the same label; failures of fetches are taken over and counted."""
    failed = [one for one in read_responses(observed.table) if one.status is not Status.ANSWERED]
    assert 0 < len(failed) < 12
    derived = observed.replayed("--observed", str(observed.folder / "results"))
    assert derived.read_bytes() == observed.table.read_bytes()
    assert f"{len(failed)} failures taken over from the run" in capsys.readouterr().err


def test_without_the_tables_of_the_run_failures_are_not_recorded(
    observed: Observed, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is fetched in their place, and answers are the same."""
    before = read_responses(observed.table)
    after = read_responses(observed.replayed())
    for one, other in zip(before, after, strict=True):
        if one.status is Status.ANSWERED:
            assert other == one
        else:
            assert other.status is Status.NOT_RECORDED
            assert "fetch" in str(other.status_detail)
    assert "not recorded: " in capsys.readouterr().err


def test_a_live_web_cannot_be_replayed(observed: Observed, capsys: pytest.CaptureFixture[str]) -> None:
    """Mode `live` records no outcomes; the status of every entry that used the web states that."""
    found = read_responses(observed.replayed(web="live"))
    assert {one.status for one in found} == {Status.NOT_RECORDED}
    assert all("The web was live in this run" in str(one.status_detail) for one in found)
    assert "not recorded: 12 entries" in capsys.readouterr().err


def test_an_answer_is_never_copied_from_the_run(observed: Observed) -> None:
    """If an outcome is missing from the web cache, the entry is not recorded, even if the run has an
    answer."""
    answered = next(one for one in read_responses(observed.table) if one.status is Status.ANSWERED)
    for path in WebCache(observed.folder / "web").paths():
        path.unlink()
    found = read_responses(observed.replayed("--observed", str(observed.folder / "results")))
    (same,) = (one for one in found if one.entry_id == answered.entry_id)
    assert same.status is Status.NOT_RECORDED
