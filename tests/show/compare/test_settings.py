"""Sides that were made with different settings: compared in part, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.settings import Settings, run_settings, searched_web, webs_differ
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.compare.text import column_notes
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, marks, write_run

BOTH = {"web_search_base": marks(3, 1), "multiple": marks(2)}


def made(folder: Path, web: str | None, **config: object) -> Path:
    """A run of one model that searched `web`, with this recorded config; without a web, none."""
    webs = {} if web is None else {"web_search_base": web}
    write_run(folder, [MadeUpModel("m", BOTH, webs=webs)])
    if web is not None:
        (folder / "config.yaml").write_text(recorded(yaml.safe_dump({"web": web, **config})))
    return folder


def compared(first: Path, second: Path, common: bool = False) -> Comparison:
    """The comparison of the model of two runs."""
    numbering, sides = read_sides([Choice(Run(first)), Choice(Run(second))], Rules.OFFICIAL)
    return Comparer(numbering, Rules.OFFICIAL, common).compare(*sides)


def test_a_simulated_web_is_not_compared_with_the_real_one(tmp_path: Path) -> None:
    """The two webs are named; with `common` everything but web search is compared."""
    first, second = made(tmp_path / "a", "simulated"), made(tmp_path / "b", "record")
    with pytest.raises(
        TableError, match=r"a:m and b:m searched different webs: simulated web, real web.*--common"
    ):
        compared(first, second)
    found = compared(first, second, common=True)
    assert found.web_left_out
    assert found.of("web_search_base") is None
    assert found.of("multiple") is not None


def test_executed_calls_of_different_webs_are_not_compared(tmp_path: Path) -> None:
    """Without a web they are executed with the simulated one; what executes nothing is compared."""
    asked = {"multiple": marks(2), "exec_simple": marks(1, 1), "rest": marks(2), "sql": marks(1)}
    webs: dict[str, dict[str, str]] = {
        "none": {},
        "simulated": {"exec_simple": "simulated", "rest": "simulated"},
        "replay": {"exec_simple": "replay", "rest": "replay"},
        "record": {"exec_simple": "record", "rest": "record"},
    }
    for name, of in webs.items():
        write_run(tmp_path / name, [MadeUpModel("m", asked, webs=of)])
    names = ["multiple", "exec_simple", "rest", "sql"]
    for one, two in (("none", "simulated"), ("record", "replay")):
        found = compared(tmp_path / one, tmp_path / two)
        assert not found.executed_left_out
        assert all(found.of(name) is not None for name in names)
    found = compared(tmp_path / "none", tmp_path / "replay")
    assert found.executed_left_out
    assert not found.web_left_out
    assert [name for name in names if found.of(name) is None] == ["exec_simple", "rest"]
    assert "Not compared: exec_* and rest" in "".join(column_notes([found]))


@pytest.mark.parametrize(
    ("one", "web"), [("record", "live"), ("record", "replay"), ("record", None), ("simulated", "off")]
)
def test_all_modes_of_the_real_web_are_one(tmp_path: Path, one: str, web: str | None) -> None:
    """A recorded, a replayed and a live web are compared, as are imported answers, which name no web; no
    web is compared with any."""
    first, second = made(tmp_path / "a", one), made(tmp_path / "b", web)
    found = compared(first, second)
    assert found.of("web_search_base") is not None
    assert not found.web_left_out


def test_a_run_without_web_questions_is_compared_whatever_its_web(tmp_path: Path) -> None:
    """The web mode of the config does not matter where no web category was run."""
    for name, web in (("a", "simulated"), ("b", "live")):
        write_run(tmp_path / name, [MadeUpModel("m", {"multiple": marks(2)})])
        (tmp_path / name / "config.yaml").write_text(recorded(f"web: {web}\n"))
    assert compared(tmp_path / "a", tmp_path / "b").of("multiple") is not None


@pytest.mark.parametrize(
    ("searched", "web"), [("simulated", "simulated"), (None, "real"), ("unknown", "unknown")]
)
def test_the_responses_decide_which_web_was_searched(
    searched: str | None, web: str, tmp_path: Path
) -> None:
    """Answers that were imported into a run with a simulated web searched the real or an unknown one."""
    webs = {} if searched is None else {"web_search_base": searched}
    run = Run(write_run(tmp_path, [MadeUpModel("m", BOTH, webs=webs)]))
    assert searched_web(run, "m", "simulated") == web
    assert searched_web(run, "other", "simulated") == "simulated"  # as the run records
    assert webs_differ("simulated", web) == (web != "simulated")
    assert not webs_differ("real", "unknown")
    assert str(Settings(web="unknown")) == "web not recorded"


def test_releases_that_differ_are_named_with_common(tmp_path: Path) -> None:
    """The comparison says which releases the two sides have."""
    pins = [{"release": {"version": version, "sha256": "0" * 64}} for version in ("1", "2")]
    first, second = (made(tmp_path / f"r{n}", "simulated", **pin) for n, pin in enumerate(pins))
    with pytest.raises(TableError, match=r"different releases: 1 \(sha256 0+\), 2"):
        compared(first, second)
    found = compared(first, second, common=True)
    assert found.releases == ("1 (sha256 000000000000)", "2 (sha256 000000000000)")


def test_nothing_is_known_of_a_run_without_a_config(tmp_path: Path) -> None:
    """Verdicts alone are compared, without settings."""
    assert run_settings(Run(tmp_path)) == Settings()
    (tmp_path / "config.yaml").write_text(recorded("a: [\n"))
    with pytest.raises(ConfigError, match="not readable as YAML"):
        run_settings(Run(tmp_path))


def test_a_text_of_a_config_from_elsewhere_is_short(tmp_path: Path) -> None:
    """A version and a name of a tool, which are letters of any number, are cut."""
    long = "x" * 1000
    (tmp_path / "config.yaml").write_text(recorded(f"release: {{version: {long}}}\nsearch_tool: {long}\n"))
    stated = run_settings(Run(tmp_path))
    assert len(stated.release or long) < 200
    assert len(stated.search_tool or long) < 200
