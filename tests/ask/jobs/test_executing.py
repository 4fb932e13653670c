"""Calls of answers: jobs record them in the mode `record`, and scoring reads them from the web cache."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.api import score
from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.benchmark.config import Job, JobPaths, Selection, WebChoice, load_models
from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import (
    entries_path,
    read_entries,
    read_table,
    responses_table,
    write_responses,
)
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.judging import score_table_by_all_rules
from bfcl_pipeline.judge.web_files import needed_requests
from bfcl_pipeline.world.executables import ApiRequest, SimulatedApis
from bfcl_pipeline.world.web.apis import ApisByMode
from tests.support.api_hosts import KEYS, answered, know, serve_jobs
from tests.support.local_chat import local_chat
from tests.support.web_server import WebServer

ROWS = load_models(Path(__file__).parent / "models.yaml")
PURE, COVID, FILM, MIXED = "exec_simple_0", "exec_simple_30", "exec_simple_94", "exec_parallel_multiple_0"
IDS = (PURE, COVID, FILM, MIXED)
CATEGORIES = ("exec_simple", "exec_parallel_multiple")


def job(staged: Path, folder: Path, model: str = "oracle-FC", ids: Iterable[str] = IDS) -> Job:
    """A job in the mode record over entries whose calls are pure, or use one of three APIs."""
    return Job(
        row=ROWS[model],
        run="r",
        categories=tuple(name for name in CATEGORIES if any(one.startswith(name) for one in ids)),
        selection=Selection(entry_ids=tuple(ids)),
        web=WebChoice(mode="record", cache=folder / "web"),
        paths=JobPaths(data=staged, journals=folder / "exchanges"),
    )


def requests_of(staged: Path, completed: Iterable[Completed]) -> list[ApiRequest]:
    """What the verdicts need."""
    apis = SimulatedApis(read_recorded_calls(staged))
    found = [needed_requests(one.entry, [one.response], apis) for one in completed]
    return [key.request for keys in found for key in keys]


def known(hosts: WebServer, staged: Path, folder: Path) -> None:
    """The hosts answer what the oracle's calls need as the simulated APIs do."""
    simulated = replace(job(staged, folder), web=WebChoice())
    know(hosts, SimulatedApis(read_recorded_calls(staged)), requests_of(staged, run_job(simulated)))


def responses(completed: Iterable[Completed]) -> list[Response]:
    return [one.response for one in completed]


def statuses(completed: Iterable[Completed]) -> dict[str, Status]:
    return {one.entry.entry_id: one.response.status for one in completed}


def verdicts(staged: Path, folder: Path, answers: Iterable[Response]) -> list[tuple[str, bool | None, str]]:
    """Entry, verdict and status by the official rules, from the web cache alone."""
    table = score_table_by_all_rules(
        responses_table(list(answers)), staged, None, ApisByMode(staged, folder / "web")
    )
    rows = [row for row in table.to_pylist() if row["rules"] == "official"]
    return [(row["entry_id"], row["valid"], row["status"]) for row in rows]


def test_a_job_records_what_verdicts_need(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request is sent once, scoring sends none, and so does the same job again, without keys."""
    known(hosts, staged, tmp_path)
    serve_jobs(hosts, monkeypatch)
    first = run_job(job(staged, tmp_path))
    assert set(statuses(first).values()) == {Status.ANSWERED}
    assert {one.web for one in responses(first)} == {"record"}
    sent = [(one.host, one.target) for one in hosts.asked]
    assert len(sent) == len(set(sent)) == 3
    assert {(valid, status) for _, valid, status in verdicts(staged, tmp_path, responses(first))} == {
        (True, "answered")
    }
    serve_jobs(hosts, monkeypatch, {})
    assert responses(run_job(job(staged, tmp_path))) == responses(first)
    replayed = replace(job(staged, tmp_path), replay=True)
    assert responses(run_job(replayed)) == responses(first)
    assert len(hosts.asked) == 3


def test_answers_of_other_modes_are_not_executed_by_the_job(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent or recorded; scoring gives the verdicts that it can."""
    serve_jobs(hosts, monkeypatch)
    expected = {"simulated": 4, "replay": 1, "live": 1, "off": 1}
    for mode, valid in expected.items():
        web = WebChoice(mode=mode, cache=tmp_path / "web")
        found = verdicts(staged, tmp_path, responses(run_job(replace(job(staged, tmp_path), web=web))))
        assert sum(one[1] is True for one in found) == valid, mode
        assert {one[2] for one in found if one[1] is None} <= {"not_recorded"}
    assert hosts.asked == []
    assert not (tmp_path / "web").exists()


def test_scoring_again_needs_the_web_cache(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With it the verdicts are those of the run; without it they are missing, with a text on what to do."""
    known(hosts, staged, tmp_path)
    serve_jobs(hosts, monkeypatch)
    table, out = tmp_path / "responses.parquet", tmp_path / "verdicts.parquet"
    write_responses(table, responses(run_job(job(staged, tmp_path))))
    command = ["score", str(table), "--out", str(out), "--data", str(staged), "--cache"]
    assert main([*command, str(tmp_path)]) == 0
    assert read_table(out)["valid"].to_pylist() == [True] * 4
    assert score(read_table(table), data=staged, cache=tmp_path)["valid"].to_list() == [True] * 4
    assert main([*command, str(tmp_path / "none")]) == 0
    found = {row["entry_id"]: row for row in read_table(out).to_pylist()}
    assert found.pop(PURE)["valid"] is True
    assert {row["status"] for row in found.values()} == {"not_recorded"}
    assert all("give a web cache that has it (--cache)" in row["error_message"] for row in found.values())


def test_a_request_without_its_key_is_a_status_of_the_verdict(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry is answered; other requests are recorded."""
    known(hosts, staged, tmp_path)
    serve_jobs(hosts, monkeypatch, {"OMDB_API_KEY": KEYS["OMDB_API_KEY"]})
    done = run_job(job(staged, tmp_path))
    assert set(statuses(done).values()) == {Status.ANSWERED}
    assert {one.host for one in hosts.asked} == {"www.omdbapi.com", "api.open-meteo.com"}
    assert {name: status for name, _, status in verdicts(staged, tmp_path, responses(done))} == {
        PURE: "answered",
        COVID: "not_recorded",
        FILM: "answered",
        MIXED: "answered",
    }


def test_an_api_that_fails_is_asked_again_and_the_model_is_not(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry fails with the reason; in the next run its answer comes from the journal."""
    serve_jobs(hosts, monkeypatch)
    hosts.script("covid-193.p.rapidapi.com/statistics", answered({"message": "subscribe"}, 403))
    with local_chat() as server:
        asking = job(staged, tmp_path, "org/chat-FC", (PURE, COVID))
        asking = replace(asking, row=replace(asking.row, endpoint=server.endpoint))
        first = run_job(asking)
        assert statuses(first) == {PURE: Status.ANSWERED, COVID: Status.INFRASTRUCTURE_ERROR}
        (failed,) = (one for one in responses(first) if one.status is not Status.ANSWERED)
        assert "RAPID_API_KEY with HTTP 403" in str(failed.status_detail)
        assert failed.output_tokens
        replayed = run_job(replace(asking, replay=True))
        assert statuses(replayed)[COVID] is Status.ANSWERED  # no API is needed for it
        observed = tmp_path / "results/r"
        write_responses(observed / "responses/org_chat-FC/exec_simple.parquet", responses(first))
        replayed = run_job(replace(asking, replay=True, paths=replace(asking.paths, observed=observed)))
        assert responses(replayed) == responses(first)
        requests = server.counts()["requests"]
        hosts.script("covid-193.p.rapidapi.com/statistics", answered({"response": []}))
        again = run_job(asking)
        assert set(statuses(again).values()) == {Status.ANSWERED}
        assert server.counts()["requests"] == requests


def test_given_answers_are_recorded_too(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of kind results: its calls use the web of this run; without an answer of an API the job ends
    with the error."""
    asked = job(staged, tmp_path, ids=(PURE, FILM))
    path = tmp_path / "theirs.parquet"
    write_responses(path, responses(run_job(replace(asked, web=WebChoice()))))
    row = replace(ROWS["oracle-FC"], kind="results", path=str(path), model="oracle-FC")
    given = replace(asked, row=row)
    serve_jobs(hosts, monkeypatch)
    hosts.script("www.omdbapi.com/", answered("", 401))
    with pytest.raises(WebError, match="OMDB_API_KEY with HTTP 401"):
        run_job(given)
    known(hosts, staged, tmp_path)
    done = responses(run_job(given))
    assert [one.web for one in done] == ["record"] * 2
    assert all(valid for _, valid, _ in verdicts(staged, tmp_path, done))


def test_other_requests_than_the_reference_are_recorded(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REST: the reference request is not sent; another one is, if its host is known, and is judged."""
    key = "YOUR-OMDB-API-KEY"
    reference = {"url": "http://www.omdbapi.com/", "params": {"t": "Barbie", "y": "2023", "apikey": key}}
    asked = {
        "rest_58": reference,
        "rest_59": {**reference, "params": {"t": "Other", "apikey": key}},
        "rest_62": {"url": "https://evil.example/", "params": {"apikey": key}},
        "rest_63": {**reference, "params": {"t": "Elsewhere", "apikey": "made-up-key"}},
    }
    answers = [
        Response(name, "rest", Mode.FC, json.dumps([{"requests_get": json.dumps(arguments)}]))
        for name, arguments in asked.items()
    ]
    write_responses(tmp_path / "theirs.parquet", answers)
    (entry,) = read_entries(entries_path(staged, "rest"), {"rest_59"})
    assert isinstance(entry.truth, dict)
    serve_jobs(hosts, monkeypatch)
    hosts.script("www.omdbapi.com/?apikey=omdbkey1&t=Other", answered(entry.truth["response"]))
    hosts.script("www.omdbapi.com/?apikey=made-up-key&t=Elsewhere", answered({"Error": "key"}, 401))
    row = replace(ROWS["oracle-FC"], kind="results", path=str(tmp_path / "theirs.parquet"), model="m")
    given = replace(
        job(staged, tmp_path), row=row, categories=("rest",), selection=Selection(entry_ids=tuple(asked))
    )
    done = responses(run_job(given))
    assert {(arrived.tls, arrived.target) for arrived in hosts.asked} == {
        (True, "/?apikey=omdbkey1&t=Other"),
        (False, "/?apikey=made-up-key&t=Elsewhere"),
    }
    assert verdicts(staged, tmp_path, done) == [
        ("rest_58", True, "answered"),
        ("rest_59", True, "answered"),
        ("rest_62", None, "not_recorded"),
        ("rest_63", False, "answered"),
    ]


def test_a_key_is_in_no_file(
    hosts: WebServer, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in the record, nor in the responses, when APIs echo keys in their answers."""
    known(hosts, staged, tmp_path)
    for place, (answer,) in list(hosts.answers.items()):
        assert isinstance(answer, bytes)
        body = answer.partition(b"\r\n\r\n")[2].decode()
        hosts.script(place, answered(body, 200, X_Echo=" ".join(KEYS.values())))
    serve_jobs(hosts, monkeypatch)
    write_responses(tmp_path / "out.parquet", responses(run_job(job(staged, tmp_path))))
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"YOUR-RAPID-API-KEY" in written
    assert not [key for key in KEYS.values() if key.encode() in written]
