"""`bfcl-pipeline web status`: the state of the web cache."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bfcl_pipeline.benchmark.config import load_models, recorded_models
from bfcl_pipeline.benchmark.config.check import config_schema, with_defaults
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.web_files import needed_requests
from bfcl_pipeline.world.executables import ApiAnswer, SimulatedApis
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
MODEL = "oracle-FC"
PAGE = FetchKey("http://example.com/")
TEA, TEA_GREEN = SearchKey("tea", "wt-wt"), SearchKey("tea(green)", "wt-wt")


@pytest.fixture
def cache(tmp_path):
    """A web cache with a search, a page and a failure."""
    made = WebCache(tmp_path / "web")
    evidence, day = b"#" * 1_500_000, timedelta(days=1)
    made.add(TEA, Hits(()), engine="duck 1", recorded_at=NOON, cassette=evidence)
    made.add(PAGE, Page("text"), engine="client 1", recorded_at=NOON + day, cassette=b"[]\n")
    made.add(FetchKey("http://b.example/"), WebFailure("404"), engine="client 1", recorded_at=NOON - day)
    return made


def _status(record, *run):
    """The exit status, and the lines that are printed for the web cache."""
    return main(["web", "status", "--record", str(record), *run])


def test_the_state_is_printed(cache, capsys):
    """A table of counts, then size, times and engines; cassettes are left to the check."""
    (cassette,) = cache.path(TEA).parent.glob("*.yaml")
    cassette.write_bytes(b"x" + cassette.read_bytes()[1:])
    assert _status(cache.folder) == 0
    assert capsys.readouterr().out.splitlines() == [
        "function  outcome  number",
        "search    hits          1",
        "fetch     page          1",
        "fetch     failure       1",
        "all                     3",
        "",
        f"{cache.folder}: 1.5 MB.",
        "Recorded from 2026-09-30 12:00 to 2026-10-02 12:00 UTC.",
        "By client 1: 2.",
        "By duck 1: 1.",
        "Damaged outcomes: 0.",
    ]


def test_an_empty_cache_is_reported(tmp_path, capsys):
    """A directory without outcomes is not an error."""
    assert _status(tmp_path / "none") == 0
    assert capsys.readouterr().out == f"{tmp_path}/none: nothing recorded yet (no such directory).\n"


def test_damage_is_a_failure(cache, capsys):
    """A damaged file is named, without control characters of its name, and not counted; exit status 1."""
    cache.path(PAGE).write_text("{}")
    cache.add(TEA_GREEN, Hits(()), engine="new\nline \x1b[31m \u202e", recorded_at=NOON)
    (cache.path(TEA_GREEN).parent / "\x1b[2J\n.json").write_text("{}")
    assert _status(cache.folder) == 1
    printed = capsys.readouterr()
    assert "all                     3" in printed.out
    assert "By new\\nline \\x1b[31m \\u202e: 1." in printed.out
    assert "Damaged outcomes: 2." in printed.out
    assert cache.path(PAGE).name in printed.err
    assert "\\x1b[2J\\n.json: differs" in printed.err
    assert not {"\x1b", "\u202e"} & {*printed.out, *printed.err}


def _run(folder, *responses, **config):
    """A run with the models oracle-FC and lexical-FC, and these responses of the former."""
    asked = {"models": ["oracle-FC", "lexical-FC"], "web": "record", "categories": ["web_search_base"]}
    folder.mkdir(exist_ok=True)
    config = with_defaults({**asked, **config}, config_schema())
    (folder / "config.yaml").write_text(recorded_config(config))
    rows = [{"name": name, "kind": name.removesuffix("-FC")} for name in config["models"]]
    (folder / "models.yaml").write_text(json.dumps({"models": rows}))
    models = load_models([folder / "models.yaml"])
    (folder / "models.yaml").write_text(recorded_models(models.values()))
    if responses:
        write_responses(folder / "responses" / MODEL / f"{responses[0].category}.parquet", [*responses])
    return str(folder)


def _searching(*keywords):
    calls = [{"search_engine_query": json.dumps({"keywords": words})} for words in keywords]
    result = json.dumps([[calls, "done"]])
    return Response("web_search_base_0", "web_search_base", Mode.FC, result, model=MODEL, web="record")


def test_the_requests_of_a_run_are_counted(cache, tmp_path, capsys):
    """With a run, the number of its different web requests is printed, and how many are recorded. White
    space before a bracket is removed, as the execution does."""
    cache.add(TEA_GREEN, Hits(()), engine="duck 1", recorded_at=NOON)
    run = _run(tmp_path / "run", _searching("tea", "tea", "coffee", "tea (green)"))
    assert _status(cache.folder, run) == 0
    assert f"{run}: 3 different web requests, 2 recorded." in capsys.readouterr().out.splitlines()


def test_what_is_left_of_a_run_is_printed(cache, tmp_path, capsys):
    """For each model with web questions that failed: how many, and about how many searches they need."""
    failed = Response(
        "web_search_base_0",
        "web_search_base",
        Mode.FC,
        None,
        Status.INFRASTRUCTURE_ERROR,
        "duckduckgo: it refused",
        model=MODEL,
        web="record",
    )
    others = [replace(failed, entry_id=f"web_search_base_{number}") for number in range(1, 10)]
    run = _run(tmp_path / "run", failed, *others, categories=["web_search"])
    assert _status(cache.folder, run) == 0
    assert capsys.readouterr().out.splitlines()[-3] == (
        "oracle-FC: 10 web questions are left: about 31 searches and as many pages, at least 3 min by "
        "duckduckgo at web_pause 2. What is recorded is not searched again."
    )


def test_executed_calls_count_as_web_calls(cache, staged, tmp_path, capsys):
    """What verdicts need of web APIs is counted, for answers of a recorded web only."""
    entries = read_entries(entries_path(staged, "exec_simple"), {"exec_simple_30", "exec_simple_31"})
    answers = []
    for entry in entries:
        called = [{"get_active_covid_case_by_country": json.dumps({"country": "Fiji"})}]
        answers.append(
            Response(entry.entry_id, entry.category, Mode.FC, json.dumps(called), model=MODEL, web="replay")
        )
    run = _run(tmp_path / "run", *answers, web="replay", categories=["exec_simple"])
    apis = SimulatedApis(read_recorded_calls(staged))
    needed = [*needed_requests(entries[0], answers[:1], apis)]
    assert len(needed) == 2  # that of the expected call, and that of the answer
    for key in needed:
        cache.add(key, ApiAnswer(200, "{}"), engine="client 1", recorded_at=NOON)
    assert _status(cache.folder, "--data", str(staged), run) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "api       answer        2" in lines
    assert f"{run}: 3 different web requests, 2 recorded." in lines


def test_a_run_without_finished_models_is_reported(cache, tmp_path, capsys):
    """After an interruption, each model without responses is named; it is not an error."""
    told = "not finished. Run again: what is recorded is not searched again."
    assert _status(cache.folder, _run(tmp_path / "run")) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [f"oracle-FC: {told}", f"lexical-FC: {told}"]
    run = _run(tmp_path / "run", replace(_searching(), result_json="[[]]"))
    assert _status(cache.folder, run) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"lexical-FC: {told}"


def test_a_run_without_web_categories_has_no_requests(cache, tmp_path, capsys):
    """A run that asks nothing of the web is no error; what is no run is."""
    run = _run(tmp_path / "run", categories=["simple_python"])
    assert _status(cache.folder, run) == 0
    assert f"{run}: 0 different web requests, 0 recorded." in capsys.readouterr().out
    assert _status(cache.folder, str(tmp_path / "none")) == 1
