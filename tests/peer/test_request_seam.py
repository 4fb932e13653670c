"""The request seam: requests equal those of the official package, character for character.

Covers every entry of every category: prompt mode in all 26 formats, the tools of all wire formats, and
the messages of the first turn per wire format. Both sides are compared by digest; the first difference is
shown in full.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pytest

from bfcl_pipeline.benchmark import CATEGORIES, FORMATS, V4_CATEGORIES
from bfcl_pipeline.prompts import (
    Texts,
    WireFormat,
    fc_request,
    messages_for,
    offered_functions,
    prompt_request,
    tool_schemas,
)
from bfcl_pipeline.records import Entry, Json, Message
from bfcl_pipeline.tables import entries_path, read_entries
from bfcl_pipeline.tables.texts import read_texts
from tests.peer.peer import PYTHON, peer_environment, require_peer

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

    cases: Callable[[Staged], Cases]
    compared: int  # how many cases the release has
    sort_keys: bool = True  # the order of keys is ignored here (but not in a schema, where a model sees it)


class Reference:
    """The official package, run in its own environment."""

    def __init__(self, folder: Path) -> None:
        self._environment = peer_environment(folder)
        self.digests: dict[str, dict[str, str]] = {name: {} for name in PARTS}
        table = folder / "digests.jsonl"
        self._run("digests", str(table))
        with table.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                self.digests[row["part"]][row["key"]] = row["sha256"]

    def show(self, part: str, key: str) -> str:
        return self._run("show", part, key)

    def _run(self, *arguments: str) -> str:
        command = [str(PYTHON), "-m", "tests.peer.request_reference", *arguments]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, encoding="utf-8", timeout=900, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def prompt_messages(staged: Staged) -> Cases:
    for category, entries in staged.entries.items():
        if CATEGORIES[category].single_turn and CATEGORIES[category].scored:
            for entry in entries:
                for fmt in FORMATS:
                    request = prompt_request(replace(entry, prompt_format=fmt.key), staged.texts)
                    yield f"{category} {entry.entry_id} {fmt.key}", request.messages


def format_sensitivity_messages(staged: Staged) -> Cases:
    for entry in staged.entries["format_sensitivity"]:
        yield entry.entry_id, prompt_request(entry, staged.texts).messages


def every_tool_schema(staged: Staged) -> Cases:
    for category, entries in staged.entries.items():
        for entry in entries:
            for wire in WireFormat:
                tools = tool_schemas(offered_functions(entry), wire)
                yield f"{category} {entry.entry_id} {wire}", tools


def wire_messages(staged: Staged) -> Cases:
    for category, entries in staged.entries.items():
        for entry in entries:
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


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    require_peer()
    return Reference(tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("name", PARTS)
def test_requests_equal_the_official_ones(
    name: str, reference: Reference, inputs: Staged, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every case of a part is the same on both sides, and no side has a case that the other lacks."""
    part = PARTS[name]
    official = reference.digests[name]
    unseen = set(official)
    disagreements: list[tuple[str, str]] = []
    compared = 0
    for key, value in part.cases(inputs):
        text = json.dumps(value, sort_keys=part.sort_keys)
        unseen.discard(key)
        compared += 1
        if official.get(key) != hashlib.sha256(text.encode()).hexdigest():
            disagreements.append((key, text))
    with capsys.disabled():
        print(f"\nrequest seam: {name} {compared:,} compared, {len(disagreements)} disagree")
    assert not unseen, f"{len(unseen)} official cases have no counterpart, for one {min(unseen)}"
    if disagreements:
        key, text = disagreements[0]
        assert key in official, f"{len(disagreements)} disagree; the official side has no {key}"
        theirs = json.dumps(json.loads(reference.show(name, key)), sort_keys=part.sort_keys)
        pytest.fail(f"{len(disagreements)} disagree, for one {key}:\n{_first_difference(text, theirs)}")
    assert compared == len(official) == part.compared


def _first_difference(ours: str, theirs: str) -> str:
    at = next(
        (place for place, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    window = slice(max(0, at - 150), at + 150)
    return f"at character {at}\n  ours:     {ours[window]}\n  official: {theirs[window]}"
