"""A server that is asked every night at one address: a run asks it again, or reports that it did not."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.jobs.preflight import journaled_lines
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.benchmark.config import RunConfig, load_models, load_run, recorded_models
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.tables import read_table, write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.making import read_making
from bfcl_pipeline.show.screen.progress import RateWindow, job_progress
from tests.support import ROOT
from tests.support.local_chat import LocalChat, local_chat

MODEL, EMBEDDED = "near/chat-FC", "oracle-FC"
RESPONSES, VERDICTS = "responses/near_chat-FC/simple_python.parquet", "verdicts/near_chat-FC.parquet"
ENTRIES = 8
DAY = r"\d{4}-\d\d-\d\d"
GATE = ["--no-worse", "100", "--category", "simple_python"]


@dataclass(frozen=True, slots=True)
class Night:
    """One run, and what it did."""

    folder: Path  # results/<run>
    run: RunConfig
    before: list[str]  # what is printed at its start
    counts: ProgressCounts  # of the model behind the server
    requests: int  # that the server received

    def column(self, table: str, name: str) -> list[Any]:
        """A column of a table of the model behind the server."""
        return read_table(self.folder / table).column(name).to_pylist()

    @property
    def fact(self) -> str:
        """What its page says of its requests."""
        cache = self.folder.parents[1] / "cache"
        facts = read_making(Run(self.folder, cache), self.folder.name, [MODEL, EMBEDDED]).facts
        return facts["Requests (days in UTC)"]


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


@pytest.fixture(scope="module")
def nights(
    tmp_path_factory: pytest.TempPathFactory, staged: Path, server: LocalChat
) -> Mapping[str, Night]:
    """The first night, and the second one, another build, with the shared journal and with its own."""
    folder = tmp_path_factory.mktemp("nights")
    (folder / "models.yaml").write_text(
        f"models:\n  - {{name: {EMBEDDED}, kind: oracle}}\n"
        f"  - {{name: {MODEL}, kind: openai_chat, model: chat, endpoint: '{server.endpoint}'}}\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return {
            run: _night(folder, staged.resolve(), server, run, journal, voice)
            for run, journal, voice in (
                ("first", "shared", ""),
                ("shared", "shared", "another build"),
                ("fresh", "run", "another build"),
            )
        }


def _night(folder: Path, staged: Path, server: LocalChat, run: str, journal: str, voice: str) -> Night:
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config |= {"run": run, "models": [EMBEDDED, MODEL], "categories": ["simple_python"], "journal": journal}
    config["entry_ids"] = [f"simple_python_{number}" for number in range(ENTRIES)]
    loaded = load_run(config, load_models(Path("models.yaml")))
    results = folder / "results" / run
    before = list(journaled_lines(loaded, ()))
    server.behave(voice=voice)
    counts = _answered(loaded, staged, results)
    (results / "config.yaml").write_text(recorded_config(config))
    (results / "models.yaml").write_text(recorded_models([job.row for job in loaded.jobs]))
    return Night(results, loaded, before, counts, server.counts()["requests"])


def _answered(run: RunConfig, staged: Path, results: Path) -> ProgressCounts:
    """Generates and scores all responses of a run."""
    found: dict[str, ProgressCounts] = {}

    @asynccontextmanager
    async def progress(name: str, counts: ProgressCounts) -> AsyncIterator[None]:
        found[name] = counts
        yield

    for job in run.jobs:
        completed = run_job(replace(job, paths=replace(job.paths, data=staged)), progress)
        table = results / f"responses/{job.folder}/simple_python.parquet"
        write_responses(table, [one.response for one in completed])
        score = ["score", str(table), "--out", str(results / f"verdicts/{job.folder}.parquet")]
        assert main([*score, "--data", str(staged), "--rules", "all", "--processes", "1"]) == 0
    return found[MODEL]


def test_a_journal_of_its_own_asks_the_new_build(nights: Mapping[str, Night]) -> None:
    """The second night's answers are asked for and scored; with the shared journal nothing is sent."""
    first, shared, fresh = nights["first"], nights["shared"], nights["fresh"]
    assert [night.requests for night in (first, shared, fresh)] == [ENTRIES, 0, ENTRIES]
    assert first.column(RESPONSES, "result_json") == shared.column(RESPONSES, "result_json")
    assert first.column(RESPONSES, "result_json") != fresh.column(RESPONSES, "result_json")
    assert first.column(VERDICTS, "valid") != fresh.column(VERDICTS, "valid")


def test_journals_of_runs_share_nothing(nights: Mapping[str, Night]) -> None:
    """Each has the exchanges of its own run alone."""
    results = nights["fresh"].folder
    own, shared = results / "exchanges", results.parents[1] / "cache/exchanges"
    for folder, run in ((own, "fresh"), (shared, "first")):
        lines = (folder / "near_chat-FC/exchanges.jsonl").read_text().splitlines()
        assert [json.loads(line)["run"] for line in lines] == [run] * ENTRIES


def test_a_run_is_continued_from_its_own_journal(
    nights: Mapping[str, Night], staged: Path, server: LocalChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an interruption: the server, another build again, is sent nothing."""
    night, data = nights["fresh"], staged.resolve()
    monkeypatch.chdir(night.folder.parents[1])
    before = night.column(RESPONSES, "result_json")
    (line,) = journaled_lines(night.run, ())
    assert line.startswith("near/chat-FC: results/fresh/exchanges/near_chat-FC has 8 answers")
    assert "--fresh" not in line
    server.behave(voice="a third build")
    assert _answered(night.run, data, night.folder).replayed == ENTRIES
    assert server.counts()["requests"] == 0
    assert night.column(RESPONSES, "result_json") == before


def test_a_run_prints_what_journals_answer(nights: Mapping[str, Night]) -> None:
    """Before it starts, in the summary of its job, and on its page, with the days."""
    span = rf"{DAY}(?: to {DAY})?"
    (line,) = nights["shared"].before
    assert re.fullmatch(
        rf"near/chat-FC: cache/exchanges/near_chat-FC has 8 answers, recorded on {span}: a request that "
        "has one is not sent; --fresh sends all requests.",
        line,
    )
    assert re.fullmatch(
        rf"0 requests sent; 8 answers from the journal, recorded on {span}", nights["shared"].fact
    )
    job = job_progress(MODEL, nights["shared"].counts, RateWindow(), 1.0, 1.0)
    assert (job.requests_sent, job.replayed, job.recorded_from <= job.recorded_to) == (0, ENTRIES, True)
    for night in (nights["first"], nights["fresh"]):
        assert night.before == []
        assert re.fullmatch(rf"8 requests sent, answered on {span}", night.fact)


def test_pairs_of_the_same_exchange_are_known(
    nights: Mapping[str, Night], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate refuses them, and decides about a fresh run and about an embedded model, which has no
    exchanges; a comparison counts them by category."""
    out = tmp_path / "pairs.json"
    first, shared, fresh = (str(nights[run].folder) for run in ("first", "shared", "fresh"))
    assert main(["gate", f"{shared}:{MODEL}", "--against", f"{first}:{MODEL}", *GATE]) == 2
    refused = capsys.readouterr().err
    assert "all 8 pairs are the same exchange" in refused
    assert "bfcl-pipeline run --fresh" in refused
    assert main(["gate", fresh, "--against", first, *GATE]) == 0
    assert main(["gate", shared, "--against", first, "--model", EMBEDDED, *GATE]) == 0
    assert main(["compare", f"{shared}:{MODEL}", f"{first}:{MODEL}", "--out", str(out)]) == 0
    assert "The same exchange on both sides, from a journal: 8 pairs.\n" in capsys.readouterr().out
    assert json.loads(out.read_text())["comparisons"][0]["same_exchange"] == {"simple_python": ENTRIES}
    assert main(["compare", f"{fresh}:{MODEL}", f"{first}:{MODEL}"]) == 0
    assert "The same exchange" not in capsys.readouterr().out
