"""`bfcl-pipeline web status`: the state of the web cache."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.executed_requests import needed_requests
from bfcl_pipeline.world.executables import ApiAnswer, SimulatedApis
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from tests.support.run_form import FORM_LINE

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
PAGE = FetchKey("http://example.com/")


@pytest.fixture
def cache(tmp_path):
    """A web cache with a search, a page and a failure."""
    made = WebCache(tmp_path / "web")
    made.add(SearchKey("tea", "wt-wt"), Hits(()), engine="duck 1", recorded_at=NOON, cassette=b"{}\n")
    made.add(PAGE, Page("text"), engine="client 1", recorded_at=NOON)
    made.add(FetchKey("http://b.example/"), WebFailure("404"), engine="client 1", recorded_at=NOON)
    return made


def test_the_state_is_printed(cache, capsys):
    """An aligned table of counts is followed by size, times and engines."""
    assert main(["web", "status", "--record", str(cache.folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "function  outcome  number",
        "search    hits          1",
        "fetch     page          1",
        "fetch     failure       1",
        "all                     3",
    ]
    assert "cassettes: 1." in lines[6]
    assert lines[7:] == [
        "Recorded from 2026-10-01 12:00 to 2026-10-01 12:00 UTC.",
        "By client 1: 2.",
        "By duck 1: 1.",
        "Damaged files: 0.",
    ]


def test_an_empty_cache_is_reported(tmp_path, capsys):
    """A directory without outcomes is not an error."""
    assert main(["web", "status", "--record", str(tmp_path / "none")]) == 0
    assert "nothing recorded yet" in capsys.readouterr().out


def test_damage_is_a_failure(cache, capsys):
    """A damaged file is named and the exit status is 1."""
    cache.path(PAGE).write_text("{}")
    assert main(["web", "status", "--record", str(cache.folder)]) == 1
    printed = capsys.readouterr()
    assert "Damaged files: 1." in printed.out
    assert cache.path(PAGE).name in printed.err


def test_coverage_of_a_run_is_printed(cache, tmp_path, capsys):
    """With a run, the number of web calls that the cache can replay is printed for each model."""
    calls = [{"search_engine_query": json.dumps({"keywords": word})} for word in ("tea", "tea", "coffee")]
    response = Response(
        "web_search_base_0", "web_search_base", Mode.FC, json.dumps([[calls, "done"]]), model="m"
    )
    run = tmp_path / "run"
    write_responses(run / "responses" / "m" / "web_search_base.parquet", [response])
    assert main(["web", "status", "--record", str(cache.folder), str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "m: 3 web calls, 2 recorded."


def test_what_is_left_of_a_run_is_printed(cache, tmp_path, capsys):
    """For each model with web questions that failed: how many, and about how many searches they need."""
    failed = Response(
        "web_search_base_0",
        "web_search_base",
        Mode.FC,
        None,
        Status.INFRASTRUCTURE_ERROR,
        "duckduckgo: it refused",
        model="m",
        web="record",
    )
    run = tmp_path / "run"
    others = [replace(failed, entry_id=f"web_search_base_{number}") for number in range(1, 10)]
    write_responses(run / "responses" / "m" / "web_search_base.parquet", [failed, *others])
    (run / "config.yaml").write_text(FORM_LINE + "models: [m]\nweb: record\nweb_pause: 10\n")
    assert main(["web", "status", "--record", str(cache.folder), str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "m: 10 web questions are left: about 31 searches and as many pages, at least 16 min by duckduckgo "
        "at web_pause 10. What is recorded is not searched again."
    )


def test_executed_calls_count_as_web_calls(cache, staged, tmp_path, capsys):
    """What verdicts need of web APIs is counted, for answers of a recorded web only."""
    entries = read_entries(entries_path(staged, "exec_simple"), {"exec_simple_30", "exec_simple_31"})
    answers = []
    for entry in entries:
        called = [{"get_active_covid_case_by_country": json.dumps({"country": "Fiji"})}]
        answers.append(
            Response(entry.entry_id, entry.category, Mode.FC, json.dumps(called), model="m", web="replay")
        )
    simulated = replace(answers[0], web="simulated", model="s")
    unreadable = replace(answers[0], result_json="[", model="u")
    run = tmp_path / "run"
    for model in ("m", "s", "u"):
        of_model = [one for one in (*answers, simulated, unreadable) if one.model == model]
        write_responses(run / "responses" / model / "exec_simple.parquet", of_model)
    apis = SimulatedApis(read_recorded_calls(staged))
    needed = [*needed_requests(entries[0], answers[:1], apis)]
    assert len(needed) == 2  # that of the expected call, and that of the answer
    for key in needed:
        cache.add(key, ApiAnswer(200, "{}"), engine="client 1", recorded_at=NOON)
    options = ["--record", str(cache.folder), "--data", str(staged)]
    assert main(["web", "status", *options, str(run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "api       answer        2" in lines
    assert lines[-4:] == [
        "m: 4 web calls, 3 recorded.",
        "s: 0 web calls, 0 recorded.",
        "u: 0 web calls, 0 recorded.",
        "u: responses that cannot be read: 1.",
    ]


def test_a_run_without_web_calls_is_an_error(cache, tmp_path, capsys):
    """A directory without responses of web_search is named in the error."""
    assert main(["web", "status", "--record", str(cache.folder), str(tmp_path)]) == 1
    assert "no responses of web_search_base" in capsys.readouterr().err


def test_a_run_without_finished_models_is_reported(cache, tmp_path, capsys):
    """After an interruption, each model without responses is named; it is not an error."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml").write_text(
        FORM_LINE + "web: record\nmodels: [m, other]\ncategories: [web_search_base]\n"
    )
    assert main(["web", "status", "--record", str(cache.folder), str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "m: not finished. Run again: what is recorded is not searched again.",
        "other: not finished. Run again: what is recorded is not searched again.",
    ]
    response = Response("web_search_base_0", "web_search_base", Mode.FC, "[[]]", model="m", web="record")
    write_responses(run / "responses" / "m" / "web_search_base.parquet", [response])
    assert main(["web", "status", "--record", str(cache.folder), str(run)]) == 0
    printed = capsys.readouterr().out
    assert "m: not finished" not in printed
    assert "other: not finished" in printed


def test_a_run_without_web_categories_is_an_error(cache, tmp_path, capsys):
    """A run that asks nothing of the web has nothing to report."""
    (tmp_path / "config.yaml").write_text(FORM_LINE + "models: [m]\ncategories: [simple_python]\n")
    assert main(["web", "status", "--record", str(cache.folder), str(tmp_path)]) == 1
    assert "no responses of web_search_base" in capsys.readouterr().err


def test_searches_count_as_they_were_executed(cache, tmp_path, capsys):
    """The execution removes white space before a bracket, as the release does; so does the count."""
    cache.add(SearchKey("tea(green)", "wt-wt"), Hits(()), engine="duck 1", recorded_at=NOON)
    calls = [{"search_engine_query": json.dumps({"keywords": "tea (green)"})}]
    response = Response("web_search_base_0", "web_search_base", Mode.FC, json.dumps([[calls]]), model="m")
    write_responses(tmp_path / "run/responses/m/web_search_base.parquet", [response])
    assert main(["web", "status", "--record", str(cache.folder), str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "m: 1 web call, 1 recorded."
