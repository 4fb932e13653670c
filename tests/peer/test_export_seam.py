"""Exported runs: scored by the official tool as by us, and the same responses when they are read back."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.ask.models import build_model
from bfcl_pipeline.ask.results.import_results import import_official
from bfcl_pipeline.benchmark.config import ModelRow, pick
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Response, Status, Step, total
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.scoring.judge import Judge
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.official.export_results import export_official
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.peer.peer import require_peer
from tests.peer.recorded import Seam, folder_digest
from tests.support.local_generation import generate

SAMPLE = 12
EMBEDDED = {
    ("oracle", Mode.FC): "gpt-4o-2024-11-20-FC",
    ("oracle", Mode.PROMPT): "gpt-4o-2024-11-20",
    ("lexical", Mode.FC): "gpt-4.1-2025-04-14-FC",
    ("lexical", Mode.PROMPT): "gpt-4.1-2025-04-14",
}
"""Official models that store the uniform form, one for each embedded one."""

FORMS = (
    "claude-sonnet-4-5-20250929-FC",  # arguments as text
    "firefunction-v2-FC",
    "mistral-large-2411-FC",
    "gemini-2.5-flash-FC",  # arguments as objects
    "nova-pro-v1.0",
    "katanemo/Arch-Agent-3B",
    "ibm-granite/granite-3.2-8b-instruct",
    "microsoft/Phi-4-mini-instruct-FC",
    "command-a-03-2025-FC",  # pairs
    "xiaoming-14B",
    "Qwen/Qwen3-8B-FC",  # tagged text
    "ibm-granite/granite-4.0-350m",
    "X-Humanoid/Pelican1.0-VL-30B-A3B-FC",
    "BitAgent/BitAgent-Bounty-8B",  # JSON as text
    "MadeAgents/Hammer2.1-7b",
    "Salesforce/Llama-xLAM-2-8b-fc-r",
    "Salesforce/xLAM-2-3b-fc-r",
)
"""Function-calling models, of every form in which the official tool stores calls that we write."""

ODD = (
    "simple_python",
    "multiple",
    "parallel",
    "simple_java",
    "irrelevance",
    "live_relevance",
    "live_simple",
)
ODD += ("multi_turn_base", "multi_turn_miss_func", "web_search_base")
"""Categories for which malformed answers are generated."""


@pytest.fixture(scope="session")
def asked(entries, staged, constants):
    """The responses of an embedded model to the scored `entries` (and those that they depend on)."""
    web = SimulatedWeb.of(entries("web_search_base"))
    texts = read_texts(staged)

    def ask(kind: str, mode: Mode, chosen: Sequence[Entry]) -> list[Response]:
        model = build_model(ModelRow(name=kind, kind=kind, mode=mode, display_name=kind))
        return responses(generate(chosen, model, texts, lambda _: WorldConfig(constants, web=web)))

    return ask


def sampled(found: Sequence[Entry], count: int) -> list[Entry]:
    """That many scored entries, in order, and the sessions that they depend on."""
    taken = pick([entry.entry_id for entry in found if not entry.prerequisite], count, 0)
    wanted = set(taken).union(*(entry.depends_on for entry in found if entry.entry_id in taken))
    return [entry for entry in found if entry.entry_id in wanted]


def write(run: Path, made: Iterable[Response]) -> None:
    """Lays responses out as a run has them."""
    files: dict[Path, list[Response]] = {}
    for response in made:
        folder = run / "responses" / str(response.model).replace("/", "_")
        files.setdefault(folder / f"{response.category}.parquet", []).append(response)
    for path, rows in files.items():
        write_responses(path, rows)


def our_scores(made: Iterable[Response], entries, constants) -> dict[str, dict[str, Json]]:
    """The answer of the reference as computed from our verdicts."""
    known = {category: {entry.entry_id: entry for entry in entries(category)} for category in V4_CATEGORIES}
    scores: dict[str, dict[str, Json]] = {}
    for response in made:
        if response.status is not Status.ANSWERED:
            continue
        verdict = Judge(known[response.category][response.entry_id], constants).verdict(response)
        of_model = scores.setdefault(str(response.model).replace("/", "_"), {})
        count = of_model.setdefault(response.category, {"correct": 0, "total": 0, "wrong": []})
        count["correct"] += bool(verdict.valid)
        count["total"] += 1
        if not verdict.valid:
            count["wrong"] = sorted([*count["wrong"], response.entry_id])
    return scores


def check_seam(
    name: str, made: list[Response], folder: Path, staged: Path, entries, constants
) -> list[Response]:
    """Compares the scores of an export of `made` on both sides; returns the responses imported from it.

    The official scores are recorded under a name.
    """
    write(folder / "run", made)
    lines: list[str] = []
    result = folder / "result"
    export_official(Run(folder / "run", data=staged), result, log=lines.append)
    ours = our_scores(made, entries, constants)
    seam = Seam(name, "export_reference", names={str(result): folder_digest(result)})
    (theirs,) = seam.answers([{"results": str(result)}], [ours], folder / "peer")
    assert {model: set(found) for model, found in ours.items()} == {m: set(f) for m, f in theirs.items()}
    differ = [
        (model, category, ours[model][category], theirs[model][category])
        for model in ours
        for category in ours[model]
        if ours[model][category] != theirs[model][category]
    ]
    assert differ == []
    count = sum(found["total"] for of_model in ours.values() for found in of_model.values())
    wrong = sum(len(found["wrong"]) for of_model in ours.values() for found in of_model.values())
    print(f"export seam: {count} answers of {len(ours)} models scored, {wrong} of them wrong, 0 differ")
    import_official(result, folder / "back.parquet", data=staged, log=lines.append)
    return read_responses(folder / "back.parquet")


def test_the_embedded_models_are_scored_equal(asked, entries, staged, constants, tmp_path):
    """In every category and both modes, the same answers are right, and all of them are imported
    unchanged."""
    require_peer()
    made = []
    for (kind, mode), name in EMBEDDED.items():
        for category in map(CATEGORIES.__getitem__, V4_CATEGORIES):
            if category.name == "memory_vector" or (category.prompt_only and mode is not Mode.PROMPT):
                continue  # the encoder changes nothing here
            found = asked(kind, mode, sampled(entries(category.name), SAMPLE))
            made += [replace(one, model=name) for one in found]
    back = check_seam("export_embedded", made, tmp_path, staged, entries, constants)
    sent = {(one.model, one.entry_id): one for one in made}
    assert len(back) == len(sent)
    for one in back:
        given = sent[one.model, one.entry_id]
        assert json.loads(one.result_json or "") == json.loads(given.result_json or "")
        assert replace(one, name_style=None, result_json=None) == replace(given, result_json=None, web=None)


def test_odd_answers_are_scored_equal_in_every_form(asked, entries, staged, constants, tmp_path):
    """Text, empty answers and malformed arguments are as wrong for the handler of each form as for us.

    Responses without an answer are not scored. Tokens and latencies of the answers are imported unchanged.
    """
    require_peer()
    plain = [
        one for category in ODD for one in asked("oracle", Mode.FC, sampled(entries(category), SAMPLE))
    ]
    rng = random.Random(0)
    made = [odd(replace(one, model=name), rng) for name in FORMS for one in plain]
    back = check_seam("export_odd", made, tmp_path, staged, entries, constants)
    sent = {(one.model, one.entry_id): one for one in made if one.status is Status.ANSWERED}
    assert {(one.model, one.entry_id) for one in back} == set(sent)
    assert len(sent) < len(made)
    for one in back:
        assert one.steps == sent[one.model, one.entry_id].steps
    assert our_scores(back, entries, constants) == our_scores(sent.values(), entries, constants)


def odd(response: Response, rng: random.Random) -> Response:
    """`response` with a malformed answer or part of it, with a failure, or unchanged."""
    if rng.random() < 0.15:
        status = rng.choice([status for status in Status if status is not Status.ANSWERED])
        return replace(
            response, result_json=None, status=status, status_detail="Error during inference: no"
        )
    result = json.loads(response.result_json or "")
    if CATEGORIES[response.category].single_turn:
        result = odd_answer(result, rng)
    else:
        result = [
            [odd_answer(step, rng) if rng.random() < 0.3 else step for step in turn] for turn in result
        ]
    steps = tuple(
        Step(step.turn, rng.randrange(1, 999), rng.randrange(1, 99), rng.random())
        for step in response.steps
    )
    return replace(
        response,
        result_json=json.dumps(result),
        steps=steps,
        input_tokens=total(step.input_tokens for step in steps),
        output_tokens=total(step.output_tokens for step in steps),
        latency_seconds=total(step.latency_seconds for step in steps),
        web=None,
    )


def odd_answer(calls: Json, rng: random.Random) -> Json:
    """One of the ways in which an answer is odd."""
    if not isinstance(calls, list) or not calls:
        return rng.choice([calls, "", []])
    first = next(iter(calls[0]))
    return rng.choice(
        [
            calls,
            calls,
            "I cannot do that; sorry.",
            "",
            [],
            calls[:-1],
            [*calls[:-1], {first: '{"broken": '}],
            [*calls[:-1], {first: "[1]"}],
            [*calls[:-1], {first: '"text"'}],
            [{first: "{}"}],
            [{"no_such.function": '{"x": "a;b"}'}],
            [{first: json.dumps({"x": "</tool_call>`\n\u2028 \U0001f600 ';", "y": [None, True, 1e300]})}],
        ]
    )
