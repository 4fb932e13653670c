"""The section of the report on how the run was made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.records import Mode, Response, Rules, Step
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.making import read_making
from bfcl_pipeline.show.report.page.render import write_page
from tests.support.journal_exchanges import exchange, written
from tests.support.run_form import recorded

CONFIG = """\
run: mine
categories: [live]
sample: 20
seed: 7
entry_ids: null
trials: 2
budget: 1.5
web: record
search_engine: serpapi
fetch_failures: 0.25
rules: corrected
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two trials of one model on two entries, and the journals of the model."""
    folder = tmp_path / "results" / "mine"
    for name in ("org_m", "org_m~2"):
        ids = ("simple_python_0", "simple_python_1")
        steps = (Step(0, 100, 10, 0.25),)
        answers = [Response(one, "simple_python", Mode.PROMPT, '"x"', steps=steps) for one in ids]
        write_responses(folder / "responses" / name / "simple_python.parquet", answers)
    (folder / "config.yaml").write_text(recorded(CONFIG))
    journals = tmp_path / "cache" / "exchanges"
    written(
        journals / "org_m" / "exchanges.jsonl",
        exchange(0, run="mine", received_at="2026-10-03T23:59:59.000+00:00"),
        exchange(1, run="mine", received_at="2026-10-01T00:00:00.000+00:00"),
    )
    return folder


def facts(run: Path, *models: str) -> dict[str, str]:
    """The facts of the run `mine`."""
    return dict(read_making(Run(run, run.parents[1] / "cache"), "mine", models or ("org/m",)).facts)


def test_the_recorded_config_and_the_days_are_facts(run: Path) -> None:
    """Every setting that determines what was evaluated, the days of the requests, and the versions."""
    assert facts(run) == {
        "Categories": "live",
        "Sample": "20 entries, seed 7",
        "Trials": "2",
        "Rules": "corrected",
        "Web": "record",
        "Search engine": "serpapi",
        "Failed fetches": "a share of 0.25, seed 7",
        "Budget": "$1.5 for each model",
        "Requests (days in UTC)": "2 requests sent, answered on 2026-10-01 to 2026-10-03",
        "Release": "bfcl-eval 2026.3.23",
        "Release, SHA-256": release.SHA256,
        "Pipeline": f"bfcl-pipeline {__version__}",
    }


def test_exchanges_of_other_runs_trials_and_entries_change_nothing(run: Path) -> None:
    """A journal is shared and grows: only what this run requested for its own entries counts."""
    before = facts(run)
    late = {"received_at": "2027-01-01T00:00:00.000+00:00"}
    journal = run.parents[1] / "cache/exchanges/org_m/exchanges.2.jsonl"
    written(
        journal,
        exchange(2, run="another", entry_id="simple_python_0", **late),
        exchange(3, run="mine", trial=2, entry_id="simple_python_0", **late),
        exchange(4, run="mine", entry_id="simple_python_9", **late),
        exchange(5, run=None, entry_id="simple_python_0", **late),
        exchange(6, run="mine", entry_id="simple_python_0", latency_seconds=0.5, **late),
    )
    assert facts(run) == before
    with journal.open("ab") as torn:
        torn.write(b'{"key":"')
    assert facts(run) == before


def test_a_second_trial_has_journals_of_its_own(run: Path) -> None:
    """The days of all trials are combined."""
    folder = run.parents[1] / "cache/exchanges/org_m~2"
    later = "2026-10-09T00:00:00.000+00:00"
    written(
        folder / "exchanges.jsonl",
        exchange(2, run="mine", trial=2, entry_id="simple_python_0", received_at=later),
    )
    assert facts(run, "org/m", "org/m~2")["Requests (days in UTC)"] == (
        "3 requests sent, answered on 2026-10-01 to 2026-10-09"
    )


def test_answers_of_other_runs_are_counted_apart(run: Path) -> None:
    """An answer that the journal had is not a request of the run; its day is that of its receipt."""
    folder = run.parents[1] / "cache/exchanges/org_m~2"
    earlier = {"trial": 2, "received_at": "2026-09-30T00:00:00.000+00:00"}
    written(folder / "exchanges.jsonl", *(exchange(number, run="earlier", **earlier) for number in (0, 1)))
    assert facts(run, "org/m~2")["Requests (days in UTC)"] == (
        "0 requests sent; 2 answers from the journal, recorded on 2026-09-30"
    )


def test_a_journal_of_the_run_is_read_instead_of_the_shared_one(run: Path) -> None:
    """The recorded config decides."""
    (run / "config.yaml").write_text(recorded(f"{CONFIG}journal: run\n"))
    assert "Requests (days in UTC)" not in facts(run)
    shutil.copytree(run.parents[1] / "cache/exchanges", run / "exchanges")
    assert facts(run)["Requests (days in UTC)"].startswith("2 requests sent")
    (run / "config.yaml").write_text(recorded(f"{CONFIG}journal: theirs\n"))
    with pytest.raises(ConfigError, match=r"journal: expected shared or run, got \"theirs\""):
        facts(run)


def test_without_journals_and_config_only_the_versions_are_known(run: Path) -> None:
    """An embedded model sends no requests; a directory made by hand has no config."""
    shutil.rmtree(run.parents[1] / "cache")
    (run / "config.yaml").unlink()
    assert list(facts(run)) == ["Release", "Pipeline"]


@pytest.mark.parametrize("text", ["[1]", "run: [", "\x00"])
def test_a_malformed_config_is_an_error(run: Path, text: str) -> None:
    """The message names the file."""
    (run / "config.yaml").write_text(recorded(text))
    with pytest.raises(ConfigError, match=r"config\.yaml: "):
        facts(run)


def test_an_imported_run_is_not_offered_for_replay(run: Path) -> None:
    """Its commands are those that work without journals."""
    (run / "config.yaml").write_text(
        recorded("imported: result folders of the official tool\ncategories: [live]\n")
    )
    making = read_making(Run(run, run.parents[1] / "cache"), "mine", ["org/m"])
    assert "Requests (days in UTC)" not in making.facts
    assert making.facts["Imported from"] == "result folders of the official tool"
    assert not [command for command in making.commands.values() if "replay" in command]


def test_facts_are_short_visible_texts(run: Path) -> None:
    """Control characters of the config are spelled out, and long values are cut."""
    (run / "config.yaml").write_text(recorded(f'imported: "\\e[2J\\u202e{"x" * 100_000}"\n'))
    shown = facts(run)["Imported from"]
    assert shown.startswith("\\x1b[2J\\u202exxx")
    assert len(shown) < 2_000


@pytest.mark.usefixtures("without_figures")
def test_the_page_has_the_section(made_up_run: Path, tmp_path: Path) -> None:
    """Facts as text, and the commands with the name of the run."""
    copied = tmp_path / "run"
    shutil.copytree(made_up_run, copied)
    (copied / "config.yaml").write_text(recorded(CONFIG.replace("[live]", "['<b>x']")))
    page = write_page(Run(copied, tmp_path, tmp_path), Rules.OFFICIAL).read_text()
    section = page[page.index('<section id="making">') :].partition("</section>")[0]
    assert "<dd>&lt;b&gt;x</dd>" in section
    assert "<code>bfcl-pipeline replay made-up</code>" in section
    assert '<a href="#making">' in page


@pytest.mark.parametrize(
    ("config", "fact", "shown"),
    [
        ("sample:\n  by: weight\n  entries: 20\nseed: 7\n", "Sample", "20 entries by weight, seed 7"),
        ("web: record\nsearch_engine: serpapi\n", "Search engine", "serpapi"),
        ("web: live\nsearch_engine: duckduckgo\n", "Search engine", "duckduckgo"),
        ("web: replay\nsearch_engine: duckduckgo\n", "Search engine", None),
        ("web: simulated\nsearch_engine: serpapi\n", "Search engine", None),
    ],
)
def test_the_sample_and_the_search_engine_are_facts(
    run: Path, config: str, fact: str, shown: str | None
) -> None:
    """A sample with its division, and the engine of a web that is asked."""
    (run / "config.yaml").write_text(recorded(config))
    assert facts(run).get(fact) == shown
