"""The request seam: requests equal those of the official package, character for character.

Covers every entry of every category: prompt mode in all 26 formats, the tools of all wire formats, and
the messages of the first turn per wire format. Both sides are compared by digest; the first difference is
shown in full.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Message
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.prompts import (
    Texts,
    WireFormat,
    fc_request,
    messages_for,
    offered_functions,
    prompt_request,
    tool_schemas,
)
from bfcl_pipeline.dialogue.release_texts import read_texts
from tests.peer.comparison import apart
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Row, Seam

REFERENCE = "request_reference"

Cases: TypeAlias = Iterator[tuple[str, Json]]
"""Cases: keys as in the reference, and the content of the request."""


@dataclass(frozen=True)
class Staged:
    """What our side is computed from."""

    entries: Mapping[str, Sequence[Entry]]  # by category
    texts: Texts


@dataclass(frozen=True)
class Part:
    """One part of the seam."""

    cases: Callable[[Staged, str], Cases]  # of a category
    compared: int  # how many cases the release has
    sort_keys: bool = True  # the order of keys is ignored here (but not in a schema, where a model sees it)


def prompt_messages(staged: Staged, category: str) -> Cases:
    if CATEGORIES[category].single_turn and CATEGORIES[category].scored:
        for entry in staged.entries[category]:
            for fmt in FORMATS:
                request = prompt_request(replace(entry, prompt_format=fmt.key), staged.texts)
                yield f"{category} {entry.entry_id} {fmt.key}", request.messages


def format_sensitivity_messages(staged: Staged, category: str) -> Cases:
    if category == "format_sensitivity":
        for entry in staged.entries[category]:
            yield entry.entry_id, prompt_request(entry, staged.texts).messages


def every_tool_schema(staged: Staged, category: str) -> Cases:
    for entry in staged.entries[category]:
        for wire in WireFormat:
            tools = tool_schemas(offered_functions(entry), wire)
            yield f"{category} {entry.entry_id} {wire}", tools


def wire_messages(staged: Staged, category: str) -> Cases:
    for entry in staged.entries[category]:
        prompted = prompt_request(entry, staged.texts).messages
        called = fc_request(entry).messages
        for wire in WireFormat:
            key = f"{category} {entry.entry_id} {wire}"
            yield f"{key} prompt", _as_sent(wire, prompted)
            if not CATEGORIES[category].prompt_only:
                yield f"{key} fc", _as_sent(wire, called)


def _as_sent(wire: WireFormat, messages: Sequence[Message]) -> Json:
    shaped = messages_for(wire, messages)
    return {"system": shaped.system, "messages": shaped.messages}


PARTS: dict[str, Part] = {
    "prompt messages": Part(prompt_messages, compared=3_641 * 26),
    "format_sensitivity messages": Part(format_sensitivity_messages, compared=5_200),
    "tool schemas": Part(every_tool_schema, compared=10_417 * 4, sort_keys=False),
    "wire messages": Part(wire_messages, compared=(10_417 + 5_217) * 4),
}


@pytest.fixture(scope="module")
def inputs(staged: Path) -> Staged:
    entries = {category: read_entries(entries_path(staged, category)) for category in V4_CATEGORIES}
    return Staged(entries, read_texts(staged))


@pytest.mark.parametrize("name", PARTS)
def test_requests_equal_the_official_ones(
    name: str, inputs: Staged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every case of a part is the same on both sides, and no side has a case that the other lacks."""
    require_peer()
    part = PARTS[name]
    questions: list[Row] = [{"part": name, "category": one, "show": None} for one in V4_CATEGORIES]
    ours = [_answer(part, inputs, one) for one in V4_CATEGORIES]
    seam = Seam(f"requests_{name.replace(' ', '_')}", REFERENCE, block=1)
    official = seam.answers(questions, ours, tmp_path / "peer")
    compared = sum(len(own["cases"]) for own in ours)
    differing = [pair for pair in zip(V4_CATEGORIES, ours, official, strict=True) if pair[1] != pair[2]]
    with capsys.disabled():
        print(f"\nrequest seam: {name} {compared:,} compared, {len(differing)} categories disagree")
    if differing:
        pytest.fail(_shown(name, inputs, *differing[0], tmp_path / "shown"))
    assert compared == part.compared


def _answer(part: Part, inputs: Staged, category: str) -> Row:
    """Our side, in the form of the official one."""
    cases = {
        key: hashlib.sha256(json.dumps(value, sort_keys=part.sort_keys).encode()).hexdigest()
        for key, value in part.cases(inputs, category)
    }
    return {"cases": cases, "categories": sorted(V4_CATEGORIES)}


def _shown(name: str, inputs: Staged, category: str, ours: Row, theirs: Row, folder: Path) -> str:
    """The first difference between the sides in a category, for a person."""
    if ours["categories"] != theirs["categories"]:
        return f"the official categories are {theirs['categories']}"
    lone = set(ours["cases"]) ^ set(theirs["cases"])
    if lone:
        return f"{category}: one side lacks {len(lone)} cases, for one {min(lone)}"
    wrong = [key for key, text in ours["cases"].items() if text != theirs["cases"][key]]
    part, key = PARTS[name], wrong[0]
    question = {"part": name, "category": category, "show": key}
    (shown,) = ask_peer(REFERENCE, [question], folder, 1)
    value = next(value for one, value in part.cases(inputs, category) if one == key)
    sides = (value, json.loads(shown["cases"][key]))
    texts = (json.dumps(side, sort_keys=part.sort_keys) for side in sides)
    return f"{category}: {len(wrong)} disagree, for one {key}:\n{apart(*texts)}"
