"""Runs of a model whose server gives hostile replies among usual ones, in each wire format."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.ask.generation import Origin, WorldConfigOf, run_entries
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.generate import responses
from bfcl_pipeline.ask.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.benchmark.config import ModelRow, RequestLimits, load_models
from bfcl_pipeline.benchmark.records import Entry, Json, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.benchmark.tables.responses import responses_table
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.judging import score_table
from bfcl_pipeline.runs.journal import Journal
from tests.support.api_formats import FORMATS
from tests.support.api_server import Answer, answer, serve
from tests.support.journal_exchanges import PROVENANCE

COUNT = "@count"

ROWS: Mapping[str, dict[str, object]] = {
    "vllm": {
        "backend": "endpoint",
        "family": "qwen3-fc",
        "prompting": "leaderboard",
        "options": {"max_tokens": 9},
    },
    "litellm": {"model": "openai/m"},
}
"""What rows of these kinds have besides."""
LIMITS = RequestLimits(in_flight=16, attempts=1, seconds=60)


def replies(kind: str) -> dict[str, Answer]:
    """Two usual replies, and ten hostile ones between them."""
    form = FORMATS["openai_chat" if kind == "litellm" else kind]
    deep: Json = 1
    for _ in range(150):
        deep = {"a": [deep]}

    def reply(text: Json = "Hi.", *names: str, count: str = "7") -> Answer:
        calls = [form.call(name, {"a": "1"}, "c") for name in names if kind != "vllm"]
        made = json.dumps(form.whole(form.text(text), *calls, sent=COUNT))
        return answer(made.replace(f'"{COUNT}"', count).encode())

    usual = form.whole(form.text("Hi."))
    return {
        "usual": reply(),
        "a number for a text": reply(7),
        "deep": reply(deep),
        "calls with one id": reply("Hi.", "f", "f"),
        "surrogates": reply("\ud800 \udfff", "\udfff"),
        "control characters": reply("\x1b[2J\0\u202e", "\x1b]0;\0"),
        "long number": reply(count="9" * 5000),
        "missing parts": answer(b"{}"),
        "empty": answer(b""),
        "parts of no kind": answer({**usual, "more": [None, {"": [0.1e-9]}]}),
        "a page": answer(b"<html>\x1b[2J" + b"x" * 5000),
        "also usual": reply(),
    }


ANSWERED = {
    "usual",
    "also usual",
    "calls with one id",
    "surrogates",
    "control characters",
    "parts of no kind",
}


def asked(
    row: ModelRow, chosen: Sequence[Entry], staged: Path, setting_of: WorldConfigOf, journal_file: Path
) -> list[Response]:
    """The responses of a model to entries."""

    async def main() -> list[Response]:
        journal, adapter = Journal.open(journal_file), build_adapter(row)
        remote = ApiBackend(adapter, journal, LIMITS, RunTerms("r", PROVENANCE), ProgressCounts())
        try:
            adapter.open()
            done = await run_entries(chosen, remote, read_texts(staged), setting_of, Origin("m", "r"))
        finally:
            await adapter.close()
            await journal.close()
        return responses(done)

    return asyncio.run(main())


def assert_each_costs_its_own_entry(
    kind: str, mode: str, chosen: Sequence[Entry], staged: Path, setting_of: WorldConfigOf, folder: Path
) -> None:
    """A hostile reply ends as an answer or as a failure with a short, printable reason; all others are
    answered.

    Tables hold what it said, it can be scored, and a second run finds the answers in the journal.
    """
    sent = replies(kind)
    questions = [json.dumps(entry.turns[0][-1]["content"])[1:-1] for entry in chosen]
    by_question = dict(zip(questions, sent.values(), strict=True))

    def answered(body: Any) -> Answer:
        return next(reply for text, reply in by_question.items() if text in json.dumps(body))

    with serve(answered) as server:
        suffix = "-FC" if mode == "fc" else ""
        values = {
            "name": f"m{suffix}",
            "kind": kind,
            "mode": mode,
            "model": "m",
            "endpoint": server.endpoint,
        }
        models = folder / "models.yaml"
        models.write_text(yaml.safe_dump({"models": [{**values, **ROWS.get(kind, {})}]}))
        row = load_models(models)[f"m{suffix}"]
        found, again = (
            asked(row, chosen, staged, setting_of, folder / "exchanges.jsonl") for _ in range(2)
        )
    statuses = {name: one.status for name, one in zip(sent, found, strict=True)}
    assert {name for name, status in statuses.items() if status is Status.ANSWERED} == ANSWERED
    assert set(statuses.values()) == {Status.ANSWERED, Status.INFRASTRUCTURE_ERROR}
    details = [one.status_detail for one in found if one.status_detail is not None]
    assert all(len(detail) < 1000 and detail.isprintable() for detail in details), details
    write_responses(folder / "r.parquet", found)
    assert read_responses(folder / "r.parquet") == found == again
    assert score_table(responses_table(found), staged).num_rows == len(found)
