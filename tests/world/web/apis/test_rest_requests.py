"""REST requests of models against web APIs: what is sent, and the verdicts by recorded answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Rules, Status, Verdict
from bfcl_pipeline.judge.scoring import judge
from bfcl_pipeline.world.executables import Apis
from bfcl_pipeline.world.web.api_recording import RecordingApis
from bfcl_pipeline.world.web.apis import ReplayingApis
from bfcl_pipeline.world.web.cache import WebCache
from tests.support.api_hosts import KEYS, answered
from tests.support.web_server import WebServer

KEY = "YOUR-OMDB-API-KEY"


def verdicts(entry: Entry, apis: Apis, text: str) -> list[Verdict]:
    """The verdicts on `text`, by each rule set."""
    answer = Response(entry.entry_id, "m", mode=Mode.PROMPT, result_json=json.dumps(text))
    return [judge(entry, answer, rules, apis=apis) for rules in Rules]


def test_a_request_is_sent_once_and_has_the_same_verdict_in_replay(
    hosts: WebServer,
    recording: Callable[..., RecordingApis],
    tmp_path: Path,
    entries: Callable[[str], list[Entry]],
) -> None:
    """All rule sets use one request, with the key in its place; the replay needs neither host nor key."""
    entry = entries("rest")[58]
    hosts.script("www.omdbapi.com/", answered(entry.truth["response"]))
    text = f"requests.get(url='http://www.omdbapi.com?t=Barbie', params={{'apikey': '{KEY}'}}, timeout=9)"
    recorded = verdicts(entry, recording(), text)
    assert [verdict.valid for verdict in recorded] == [True] * len(Rules)
    (arrived,) = hosts.asked
    assert (arrived.tls, arrived.target) == (True, f"/?apikey={KEYS['OMDB_API_KEY']}&t=Barbie")
    replay = ReplayingApis(WebCache(tmp_path / "web"))
    assert verdicts(entry, replay, text.replace("timeout=9", "headers={'Accept': '*/*'}")) == recorded
    assert verdicts(entry, replay, text.replace("Barbie", "Ken"))[0].status is Status.NOT_RECORDED
    assert len(hosts.asked) == 1


def test_the_reference_request_and_refused_requests_are_not_sent(
    hosts: WebServer, recording: Callable[..., RecordingApis], entries: Callable[[str], list[Entry]]
) -> None:
    """Recording asks nothing for a verdict that needs no answer, nor a host that no entry has."""
    entry = entries("rest")[58]
    apis = recording()
    assert [verdict.valid for verdict in verdicts(entry, apis, entry.truth["request"])] == [True] * len(
        Rules
    )
    for text in ("requests.get(url='www.omdbapi.com')", "requests.get(t='Barbie')", "Barbie"):
        assert [verdict.valid for verdict in verdicts(entry, apis, text)] == [False] * len(Rules)
    official, *others = verdicts(entry, apis, "requests.get(url='https://evil.example/?t=Barbie')")
    assert official.status is Status.NOT_RECORDED
    assert [verdict.error_type for verdict in others] == ["executable_checker_rest:other_host"] * 2
    assert hosts.asked == []
