"""Asking the models of an archive again: honest and other models, own rows, cost, interruptions, failures.

The server of a model is a process on this machine. The check is called as `verify` calls it; one test runs
the whole command.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.runs.archived.crate_metadata import read_metadata
from bfcl_pipeline.runs.archived.findings import ArchiveFinding, Findings, Part, Verification
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.journal import exchange_key
from bfcl_pipeline.share.asked_again.asking import RequestDraw, draw, models_of
from bfcl_pipeline.share.asked_again.check import AskAgain
from tests.share.archive.small_run import SmallRun
from tests.support.local_chat import LocalChat, local_chat
from tests.support.served_vllm import served
from tests.support.serving_process import environment

MODEL = "near/chat-FC"
KEY = "the-key-of-the-verifier"
VARIABLE = "VERIFIER_KEY"
N = 40


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as running:
        yield running


@pytest.fixture(scope="module")
def unpacked(small_run: SmallRun, archived: Path) -> ArchivedRun:
    """The archived run as `verify` hands it to a check."""
    with SealedArchive(archived) as archive:
        metadata, sha256 = read_metadata(archive), archive.seal.sha256
    places = (small_run.results, small_run.cache, small_run.data)
    return ArchivedRun(*places, file=archived, sha256=sha256, metadata=metadata)


@dataclass
class Verifier:
    """Somebody who has rows of their own, and asks again."""

    folder: Path
    run: ArchivedRun
    lines: list[str] = field(default_factory=list)
    found: list[ArchiveFinding] = field(default_factory=list)

    def has(self, name: str = MODEL, **values: Any) -> None:
        row = {"name": name, "kind": "openai_chat", "model": "chat", "key": VARIABLE, **values}
        self.models.write_text(yaml.safe_dump({"models": [row]}))

    @property
    def models(self) -> Path:
        return self.folder / "own.yaml"

    def asks(self, count: int = N, seed: int = 7, **options: Any) -> Verification:
        """Asks again; the lines and findings are kept."""
        check = AskAgain(
            count=count, seed=seed, models_files=(self.models,), cache=self.folder / "cache", **options
        )
        self.lines = []
        findings = Findings(self.lines.append)
        done = check(self.run, findings, lambda _line: None)
        findings.end()
        self.found = findings.found
        return done

    def finding(self, part: Part = Part.ASKED) -> ArchiveFinding:
        return next(finding for finding in self.found if finding.part is part)


@pytest.fixture
def verifier(
    tmp_path: Path, unpacked: ArchivedRun, server: LocalChat, monkeypatch: pytest.MonkeyPatch
) -> Verifier:
    """With a key, a row for the server, and the same model behind it."""
    monkeypatch.setenv(VARIABLE, KEY)
    server.behave()
    one = Verifier(tmp_path, unpacked)
    one.has(endpoint=server.endpoint)
    return one


@pytest.mark.usefixtures("derived_before")
def test_the_whole_command(
    small_run: SmallRun,
    archived: Path,
    verifier: Verifier,
    server: LocalChat,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """An honest archive is verified, with what was sent, what is equal, and what is still not covered."""
    out = verifier.folder / "asked.json"
    options = ["--ask-again", str(N), "--seed", "7", "--models", str(verifier.models)]
    options += ["--cache", str(verifier.folder / "cache"), "--asked-out", str(out)]
    capfd.readouterr()
    assert small_run.verify(archived, *options) == 0
    output = capfd.readouterr().out
    assert server.counts()["requests"] == 2 * N
    assert Part.ASKED.value in output
    drawn = f"on {N} of {N} drawn requests"
    assert f"verified      answers    {MODEL}: could be answers of your {MODEL}, {drawn}" in output
    assert re.search(rf"same texts +{N} +100.0 +100.0 +0.0 +-6.6 to 6.6 +30.0 +1 +pass", output)
    assert "not verified  answers    answers that were not drawn" in output
    assert "whether the models gave these answers" not in output
    document = json.loads(out.read_text())
    [model] = document["models"]
    assert document["archive"]["sha256"] == hashlib.sha256(archived.read_bytes()).hexdigest()
    assert model["outcome"] == "complete"
    assert [one["decision"] for one in model["comparison"][:1]] == ["pass"]
    assert len(model["exchanges"]) == N
    assert all({"result": one["archived"]} in one["askings"] for one in model["exchanges"])
    assert KEY not in out.read_text() + output


def test_too_few_requests_verify_nothing(verifier: Verifier) -> None:
    """If not even a wholly invented run would be found, equal answers show nothing."""
    assert verifier.asks(5) is Verification.INCOMPLETE
    assert verifier.finding().outcome == "not verified"
    assert "5 of 5 drawn requests were answered: too few" in verifier.finding().what


def test_another_model_is_told_apart(verifier: Verifier, server: LocalChat) -> None:
    """If the verifier's model gives other answers, the archive's are not its own."""
    server.behave(voice=" Yours truly.")
    assert verifier.asks() is Verification.DIFFERS
    finding = verifier.finding()
    assert finding.outcome == "DIFFERS"
    assert "below its own by more than the margin: same texts, same calls" in finding.what


def test_a_dry_run_sends_nothing(
    verifier: Verifier, server: LocalChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints requests, tokens, dollars and time, and needs no key."""
    monkeypatch.delenv(VARIABLE)
    verifier.has(endpoint=server.endpoint, input_price=1, output_price=2)
    assert verifier.asks(dry_run=True) is Verification.INCOMPLETE
    assert server.counts()["requests"] == 0
    plan = "\n".join(verifier.lines)
    assert f"{N} of " in plan
    assert f"to be sent: about {2 * N} requests, " in plan
    assert re.search(r" out, 0\.\d\d US dollars, ", plan)
    verifier.has(endpoint=server.endpoint)
    verifier.asks(dry_run=True)
    assert "US dollars" not in "\n".join(verifier.lines)


def test_an_interrupted_asking_goes_on(verifier: Verifier, server: LocalChat) -> None:
    """A spent budget ends it without a result; with more money only what is missing is sent, and
    the same answers make the same statement."""
    verifier.has(endpoint=server.endpoint, input_price=100, output_price=100, limits={"in_flight": 1})
    assert verifier.asks(budget=0.5) is Verification.INCOMPLETE
    first = server.counts()["requests"]
    assert 0 < first < 2 * N
    assert verifier.finding().outcome == "not verified"
    assert "budget of $0.25 is spent" in verifier.finding(Part.NOT_COVERED).what
    statements = [verifier.folder / name for name in ("first.json", "second.json")]
    assert verifier.asks(budget=1000.0, out=statements[0]) is Verification.COMPLETE
    assert server.counts()["requests"] == 2 * N
    assert f"to be sent: about {2 * N - first} requests" in "\n".join(verifier.lines)
    assert verifier.asks(out=statements[1]) is Verification.COMPLETE
    assert server.counts()["requests"] == 2 * N
    assert statements[0].read_bytes() == statements[1].read_bytes()


def test_a_model_that_does_not_answer_verifies_nothing(verifier: Verifier) -> None:
    """The reason is among what is not covered."""
    verifier.has(endpoint="http://127.0.0.1:9/v1", limits={"attempts": 1})
    assert verifier.asks() is Verification.INCOMPLETE
    assert verifier.finding().outcome == "not verified"
    assert "had no answer, the first" in verifier.finding(Part.NOT_COVERED).what


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "another temperature": ({"options": {"temperature": 1}}, {}, "is 0.001 in the archive and 1 in yours"),
    "an option more": ({"options": {"top_p": 0.5}}, {}, "top_p is missing in the archive and 0.5"),
    "another mode": ({"name": "chat", "mode": "prompt"}, {"renamed": {MODEL: "chat"}}, "in mode prompt"),
    "another format": ({"kind": "anthropic"}, {}, "and the format"),
    "no row": ({"name": "other-FC"}, {}, f"--as {MODEL}=OWN"),
    "a model that is not asked": (
        {"name": "x", "kind": "oracle"},
        {"renamed": {MODEL: "x"}},
        "cannot be asked",
    ),
    "a model that the archive lacks": ({}, {"models": ("other",)}, "model of the archive"),
    "a budget without prices": ({}, {"budget": 1.0}, "a budget needs prices"),
    "another server": ({}, {"endpoint_from": Path("none.json")}, "--endpoint-from is for models"),
    "no request": ({}, {"count": 0}, "1 request or more"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_prove_nothing_is_refused(case: str, verifier: Verifier, server: LocalChat) -> None:
    """A row that asks something else, or none: an error says what differs, and nothing is sent."""
    values, options, why = REFUSED[case]
    if values.get("kind") == "oracle":
        verifier.models.write_text(yaml.safe_dump({"models": [values]}))
    else:
        verifier.has(**{"endpoint": server.endpoint, **values})
    with pytest.raises(ConfigError) as raised:
        verifier.asks(**options)
    assert why in str(raised.value)
    assert server.counts()["requests"] == 0


def test_another_name_of_the_model_is_reported(verifier: Verifier, server: LocalChat) -> None:
    """The same weights may have another name at the verifier's API: it is no reason to refuse."""
    verifier.has("mine-FC", endpoint=server.endpoint, model="provider/chat")
    assert verifier.asks(renamed={MODEL: "mine-FC"}) is Verification.COMPLETE
    told = "\n".join(verifier.lines)
    assert "model is 'chat' in the archive and 'provider/chat' in yours" in told
    assert "endpoint is " in told


def test_an_archive_cannot_direct_a_request(verifier: Verifier, server: LocalChat, tmp_path: Path) -> None:
    """Its row names a server and a key; neither is used, whether the verifier has a row or not."""
    with local_chat() as attacker:
        attacker.behave()
        verifier.run = _with_row(verifier.run, tmp_path, attacker.endpoint)
        assert verifier.asks() is Verification.COMPLETE
        assert server.counts()["requests"] == 2 * N
        verifier.has("unrelated")
        with pytest.raises(ConfigError, match="own row is never used"):
            verifier.asks()
        assert attacker.counts()["requests"] == 0


def _with_row(run: ArchivedRun, folder: Path, endpoint: str) -> ArchivedRun:
    """The run as if its model had been asked at `endpoint` with the verifier's key."""
    [(model, trial)] = models_of(run).items()
    row = replace(run.recorded.job_of(trial).row, endpoint=endpoint, key=VARIABLE)
    jobs = tuple(replace(job, row=row) if job.row.name == model else job for job in run.recorded.jobs)
    identity = build_adapter(row, offline=True).identity
    journal = folder / "archive/exchanges" / trial / "exchanges.jsonl"
    journal.parent.mkdir(parents=True)
    source = run.cache / "exchanges" / trial / "exchanges.jsonl"
    lines = {json.loads(line)["key"]: line for line in source.read_text().splitlines()[:-1]}
    with journal.open("w") as file:
        for one in _drawn(run, 10_000).requests:
            key = exchange_key(identity, one.entry.entry_id, 1, one.body)
            file.write(json.dumps({**json.loads(lines[one.key]), "key": key}) + "\n")
    (folder / "archive/web").symlink_to(run.cache / "web")
    changed = replace(run, cache=folder / "archive")
    changed.__dict__["recorded"] = replace(run.recorded, jobs=jobs)
    return changed


def _drawn(run: ArchivedRun, count: int, seed: int = 7) -> RequestDraw:
    [model] = models_of(run)
    return draw(run, model, count, seed)


def test_a_draw_depends_on_the_seed_alone(unpacked: ArchivedRun, tmp_path: Path) -> None:
    """Not on the order of the journal's lines; fewer requests are the first of more."""
    whole, some, other = _drawn(unpacked, 10_000), _drawn(unpacked, 30), _drawn(unpacked, 30, seed=8)
    keys = [one.key for one in whole.requests]
    assert len(keys) == whole.of == some.of
    assert [one.key for one in some.requests] == keys[:30]
    assert {one.key for one in other.requests} != set(keys[:30])
    for source in (unpacked.cache / "exchanges").glob("*/exchanges.jsonl"):
        path = tmp_path / source.relative_to(unpacked.cache)
        path.parent.mkdir(parents=True)
        lines = source.read_text().splitlines(keepends=True)
        path.write_text("".join(reversed([line for line in lines if line.endswith("\n")])))
    (tmp_path / "web").symlink_to(unpacked.cache / "web")
    again = _drawn(replace(unpacked, cache=tmp_path), 30)
    assert [one.key for one in again.requests] == keys[:30]


def test_requests_of_other_runs_are_not_drawn(unpacked: ArchivedRun) -> None:
    """The journal has exchanges that no conversation of this run uses."""
    drawn = _drawn(unpacked, 10_000)
    journal = unpacked.cache / "exchanges/near_chat-FC/exchanges.jsonl"
    assert drawn.of < len(journal.read_text().splitlines()) - 1
    assert {one.entry.entry_id for one in drawn.requests}.isdisjoint({"simple_python_2"})


def test_a_served_model_is_asked_at_its_server(verifier: Verifier) -> None:
    """The status file of `bfcl-pipeline serve` names it; without one, the error says how to serve."""
    row = {"name": "local-FC", "kind": "vllm", "prompting": "server", "model": "chat",
           "vllm": {"tool_parser": "hermes"}}  # fmt: skip
    verifier.models.write_text(yaml.safe_dump({"models": [row]}))
    with pytest.raises(ConfigError, match="bfcl-pipeline serve local-FC"):
        verifier.asks(renamed={MODEL: "local-FC"})
    with served("local-FC", verifier.models, environment("chat"), verifier.folder) as address:
        done = verifier.asks(renamed={MODEL: "local-FC"}, endpoint_from=address)
    assert done is Verification.COMPLETE
    assert (verifier.folder / "local-FC.log").read_text().count("asked ") == 2 * N
    assert "kind is 'openai_chat' in the archive and 'vllm' in yours" in "\n".join(verifier.lines)
