"""The staged entries and answers against the official package's own loading of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.ask.results.forms import known_form
from bfcl_pipeline.ask.results.layout import official_models
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Mode
from tests.support import ROOT

HERE = Path(__file__).resolve().parent
HINT = " Note that the provided function is in Python 3 syntax."
PEER = ROOT / ".venv-peer" / "bin" / "python"

pytestmark = pytest.mark.skipif(not PEER.exists(), reason="no official package in .venv-peer (make parity)")

RunPeer = Callable[..., str]


@pytest.fixture(scope="session")
def run_peer(tmp_path_factory) -> RunPeer:
    """Runs a script of this folder with the official package and returns its output."""

    def run(script: str, *arguments: str, text: str = "") -> str:
        root = tmp_path_factory.mktemp("official")
        keys = {
            f"{vendor}_API_KEY": "x" for vendor in ("OPENAI", "GOOGLE", "ANTHROPIC", "MISTRAL", "WRITER")
        }
        environment = {**os.environ, **keys, "BFCL_PROJECT_ROOT": str(root)}
        done = subprocess.run(
            [PEER, HERE / script, *arguments],
            input=text,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


@pytest.fixture(scope="session")
def official(run_peer, tmp_path_factory) -> Path:
    """The folder with the official entries of all categories."""
    folder = tmp_path_factory.mktemp("official-entries")
    run_peer("dump_official_entries.py", str(folder))
    return folder


def without_hint(doc: dict) -> dict:
    """`doc` without the language hint, which the official loader always adds to restated entries."""
    assert doc["description"].endswith(HINT)
    return {**doc, "description": doc["description"].removesuffix(HINT)}


@pytest.mark.parametrize("category", V4_CATEGORIES)
def test_entries_are_the_official_ones(official, entries, category):
    """Ids, messages, function docs, held-out docs, APIs, states and dependencies are all equal."""
    theirs = {row["id"]: row for row in json.loads((official / f"{category}.json").read_text())["entries"]}
    ours = {entry.entry_id: entry for entry in entries(category)}
    assert set(ours) == set(theirs)
    for entry_id, entry in ours.items():
        row = theirs[entry_id]
        assert [list(turn) for turn in entry.turns] == row["question"]
        functions = row["function"]
        if category == "format_sensitivity":
            functions = [without_hint(doc) for doc in functions]
        assert json.dumps(entry.functions) == json.dumps(functions)  # the order of keys too
        assert json.dumps(entry.held_out) == json.dumps(row.get("missed_function", {}))
        assert list(entry.apis) == row.get("involved_classes", [])
        assert list(entry.depends_on) == row.get("depends_on", [])
        assert entry.scenario == row.get("scenario")
        if CATEGORIES[category].check is Check.MULTI_TURN:
            assert entry.initial_state == row["initial_config"]


@pytest.mark.parametrize("category", V4_CATEGORIES)
def test_scored_entries_come_in_the_official_order(official, entries, category):
    """Scored entries have the order of the official loader, which pairs them by position."""
    theirs = [row["id"] for row in json.loads((official / f"{category}.json").read_text())["entries"]]
    ours = [entry.entry_id for entry in entries(category) if not entry.prerequisite]
    assert ours == [entry_id for entry_id in theirs if "_prereq_" not in entry_id]


@pytest.mark.parametrize("category", V4_CATEGORIES)
def test_truths_are_the_official_ones(official, entries, category):
    """Each entry has the truth that the official scorer pairs with it."""
    truths = json.loads((official / f"{category}.json").read_text())["truths"]
    ours = [entry for entry in entries(category) if not entry.prerequisite]
    if truths is None:
        assert all(entry.truth is None for entry in ours)
        return
    assert [entry.truth for entry in ours] == [row["ground_truth"] for row in truths]
    assert [entry.source for entry in ours] == [row.get("source") for row in truths]


CALLS = [{"name": "a.b", "arguments": {"x": 1, "y": ["z", None]}}, {"name": "c", "arguments": {}}]
TAGGED = "\n".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in CALLS)
ANSWERS = {
    "objects": [{call["name"]: call["arguments"]} for call in CALLS],
    "texts": [{call["name"]: json.dumps(call["arguments"])} for call in CALLS],
    "pairs": CALLS,
    "cohere": [{"tool_name": call["name"], "parameters": call["arguments"]} for call in CALLS],
    "tagged": TAGGED,
    "tagged, one broken": TAGGED + "\n<tool_call>\n{oops\n</tool_call>",
    "tagged, no arguments": '<tool_call>\n{"name": "a"}\n</tool_call>',
    "tagged, arguments no object": '<tool_call>\n{"name": "a", "arguments": [1]}\n</tool_call>',
    "tagged, a list": "<tool_call>\n[1]\n</tool_call>",
    "json": json.dumps(CALLS),
    "json, one": json.dumps(CALLS[0]),
    "json, fenced": f"```{json.dumps(CALLS)}```",
    "json, semicolons": "; ".join(json.dumps(call) for call in CALLS),
    "json, semicolons, one broken": json.dumps(CALLS[0]) + "; {",
    "json, no arguments": '[{"name": "a"}]',
    "json, no list": "5",
    "none": [],
    "text": "I cannot do that; sorry.",
    "python": "[a.b(x=1), c()]",
    "python, fenced": "```python\n[a.b(x=1)]\n```",
    "json fence": "```json\n[a.b(x=1)]\n```",
    "tool code": "```tool_code\n[a.b(x=1), c()]\n```",
}
TEXTS = tuple(name for name, answer in ANSWERS.items() if isinstance(answer, str))
HANDLERS = {
    ("ArchHandler", True): ("objects", *TEXTS),
    ("BitAgentHandler", True): TEXTS,
    ("ClaudeHandler", True): ("texts", "none", *TEXTS),
    ("CohereHandler", True): ("cohere", *TEXTS),
    ("DMCitoHandler", False): ("pairs", "none", *TEXTS),
    ("GeminiHandler", False): TEXTS,
    ("GeminiHandler", True): ("objects", "none"),
    ("Granite3FCHandler", True): ("objects", *TEXTS),
    ("Granite4FCHandler", True): TEXTS,
    ("HammerHandler", True): TEXTS,
    ("LlamaHandler", True): TEXTS,
    ("MiningHandler", True): ("pairs", "none", *TEXTS),
    ("MistralFCHandler", False): ("objects", "none", *TEXTS),
    ("MistralHandler", True): ("texts", *TEXTS),
    ("NanbeigeFCHandler", True): TEXTS,
    ("NovaHandler", True): ("objects", "none"),
    ("OpenAIResponsesHandler", False): TEXTS,
    ("OpenAIResponsesHandler", True): ("texts", "none", *TEXTS),
    ("PelicanVLFCHandler", True): TEXTS,
    ("PhiFCHandler", True): ("objects", *TEXTS),
    ("PhiHandler", False): TEXTS,
    ("QwenFCHandler", True): TEXTS,
    ("SalesforceLlamaHandler", True): TEXTS,
    ("SalesforceQwenHandler", True): TEXTS,
}
"""Handlers, whether the model is used in function-calling mode, and possible stored answers."""


@pytest.fixture(scope="session")
def decoded(run_peer, staged) -> dict[tuple[str, bool], tuple[list, list]]:
    """By handler: the calls that it decodes, and the calls that are decoded from the uniform form."""
    asked = []
    models = {(row["handler"], row["is_fc_model"]): row for row in official_models(staged).values()}
    for (handler, fc), names in HANDLERS.items():
        form = known_form(models[handler, fc])
        answers = [ANSWERS[name] for name in names]
        asked.append([handler, fc, answers])
        uniform = [form.convert(answer, False) for answer in answers]
        # This handler stores and decodes the uniform form.
        asked.append(["OpenAICompletionsHandler", form.mode is Mode.FC, uniform])
    rows = json.loads(run_peer("dump_official_decoding.py", text=json.dumps(asked)).splitlines()[-1])
    return dict(zip(HANDLERS, zip(rows[::2], rows[1::2], strict=True), strict=True))


@pytest.mark.parametrize(("handler", "fc"), HANDLERS)
def test_the_uniform_form_has_the_calls_of_the_handler(decoded, handler, fc):
    """The uniform form of an answer is decoded to the same calls as by the handler itself."""
    names = HANDLERS[handler, fc]
    theirs, ours = (dict(zip(names, row, strict=True)) for row in decoded[handler, fc])
    assert ours == theirs
    assert any(theirs.values())
