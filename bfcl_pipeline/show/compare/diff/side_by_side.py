"""Two conversations over one entry, side by side until they part.

What both sides have is printed once, over the whole width. All that comes from a run is escaped.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut, line_of, printable
from bfcl_pipeline.benchmark.records import Json, Request
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.conversations import Conversation, read_conversations, what_was_asked
from bfcl_pipeline.show.compare.diff.difference import model_pairs
from bfcl_pipeline.show.compare.diff.parting import (
    Parting,
    PartingKind,
    answer_text,
    first_difference,
    request_difference,
)

WIDTH = 100
"""Columns where the output is no terminal."""

_NARROWEST = 40
_MOST = 3_000  # characters of one text
_BETWEEN = " | "
_LABEL = 10


def both_conversations(
    first: Run, second: Run, entry_id: str, models: Sequence[str], width: int | None
) -> Iterator[tuple[str, bool]]:
    """For each pair of models that ran an entry: both conversations as text, and whether they part.

    Args:
        first: the first run.
        second: the second run.
        entry_id: the entry.
        models: as of `pairs.model_pairs`.
        width: columns of the terminal; None: WIDTH.

    Raises:
        ConfigError: no pair of models ran the entry, or there is no such model.
    """
    width = max(_NARROWEST, width or WIDTH)
    found = False
    for pair in model_pairs(first, second, models):
        sides = [_read(run, name, entry_id) for run, name in zip((first, second), pair, strict=True)]
        if sides[0] is None or sides[1] is None:
            continue
        found = True
        head = _columns(f"A: {first.source} {pair[0]}", f"B: {second.source} {pair[1]}", width)
        parting = first_difference(sides[0].conversation, sides[1].conversation)
        lines = [line_of(entry_id), *head, *_steps(sides[0], sides[1], parting, width)]
        yield "\n".join(lines), parting.kind is not PartingKind.SAME
    if not found:
        raise ConfigError(
            f"--entry {entry_id}: no model of both runs has this entry. See the lists of diff."
        )


class _Side:
    """A conversation with its requests, as far as they are known."""

    def __init__(self, conversation: Conversation, requests: Sequence[Request]) -> None:
        self.conversation = conversation
        self.requests = requests

    def new_messages(self, place: int) -> list[Json]:
        """The messages of a request that the one before did not have, without those of the model."""
        if place >= len(self.requests):
            return []
        before = len(self.requests[place - 1].messages) if place else 0
        messages: list[Json] = what_was_asked(self.requests[place])["messages"]
        return [one for one in messages[before:] if one["role"] != "assistant"]


def _read(run: Run, model: str, entry_id: str) -> _Side | None:
    """The conversation of a model over an entry; None if it did not run it."""
    requests: list[Request] = []

    def seen(one: ReplayedRequest) -> None:
        if one.entry.entry_id == entry_id:
            if one.number == 1:
                requests.clear()
            requests.append(one.request)

    found = read_conversations(run, model, (entry_id,), seen)
    conversation = next(iter(found.by_entry.values()), None)
    if conversation is None:
        return None
    known = any(asked.request is not None for asked in conversation.asked)
    return _Side(conversation, requests if known else ())


def _steps(one: _Side, two: _Side, parting: Parting, width: int) -> Iterator[str]:
    """The requests and answers up to the one in which the sides part, and what differs there."""
    last = parting.number or max(len(one.conversation.asked), len(two.conversation.asked))
    pairs = list(zip_longest(one.conversation.asked, two.conversation.asked))[:last]
    for place, (ours, theirs) in enumerate(pairs):
        turn = (ours or theirs).turn + 1
        yield ""
        yield f"request {place + 1} (turn {turn})"
        parts = place + 1 == parting.number
        if parts and parting.kind in (PartingKind.REQUEST, PartingKind.RESULT):
            asked = (what_was_asked(side.requests[place]) for side in (one, two))
            where, first, second = request_difference(*asked)
            yield f"  They part here, in what was asked: {line_of(where)}"
            yield from _columns(first, second, width)
            return
        for message in one.new_messages(place):
            yield from _block(str(message["role"]), str(message.get("content")), width)
        if parts:
            texts = [
                "(the conversation has ended)" if asked is None else answer_text(side.conversation, asked)
                for side, asked in ((one, ours), (two, theirs))
            ]
            yield f"  They part here: {parting.kind}"
            yield from _columns(texts[0], texts[1], width)
            return
        if ours is not None:
            yield from _block("answer", answer_text(one.conversation, ours), width)
    yield ""
    if parting.kind is PartingKind.STATUS:
        yield f"They end differently: {parting.first} | {parting.second}"
    else:
        yield "They do not part."


def _block(label: str, text: str, width: int) -> Iterator[str]:
    """A text of both sides, over the whole width."""
    for number, line in enumerate(_wrapped(text, width - _LABEL)):
        yield f"{('  ' + printable(label) if number == 0 else '').ljust(_LABEL)}{line}".rstrip()


def _columns(first: str, second: str, width: int) -> Iterator[str]:
    """Two texts beside each other."""
    room = (width - len(_BETWEEN)) // 2
    for left, right in zip_longest(_wrapped(first, room), _wrapped(second, room), fillvalue=""):
        yield f"{left.ljust(room)}{_BETWEEN}{right}".rstrip()


def _wrapped(text: str, room: int) -> list[str]:
    return [
        part
        for line in printable(cut(text, _MOST)).split("\n")
        for part in wrap(line, room, drop_whitespace=True, replace_whitespace=False) or [""]
    ]
