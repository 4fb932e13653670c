"""Two conversations over one entry, side by side until they part.

What both sides have is printed once, over the whole width. All that comes from a run is escaped.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut, line_of, printable
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.conversations import Conversation, read_conversations, what_was_asked
from bfcl_pipeline.show.compare.diff.difference import model_pairs
from bfcl_pipeline.show.compare.diff.parting import (
    Parting,
    PartingKind,
    answer_text,
    first_difference,
    value_difference,
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
        models: as of `difference.model_pairs`.
        width: columns of the terminal; None: WIDTH.

    Raises:
        ConfigError: no pair of models ran the entry, or there is no such model.
    """
    width = max(_NARROWEST, width or WIDTH)
    found = False
    for pair in model_pairs(first, second, models):
        one, two = (_read(run, name, entry_id) for run, name in zip((first, second), pair, strict=True))
        if one is None or two is None:
            continue
        found = True
        head = _columns(f"A: {first.source} {pair[0]}", f"B: {second.source} {pair[1]}", width)
        parting = first_difference(one, two)
        lines = [line_of(entry_id), *head, *_steps(one, two, parting, width)]
        yield "\n".join(lines), parting.kind is not PartingKind.SAME
    if not found:
        raise ConfigError(
            f"--entry {entry_id}: no model of both runs has this entry. See the lists of diff."
        )


def _read(run: Run, model: str, entry_id: str) -> Conversation | None:
    """The conversation of a model over an entry, with its requests; None if it did not run it."""
    found = read_conversations(run, model, (entry_id,), lambda _entry_id, _number: True)
    return next(iter(found.by_entry.values()), None)


def _steps(one: Conversation, two: Conversation, parting: Parting, width: int) -> Iterator[str]:
    """The requests and answers up to the one in which the sides part, and what differs there."""
    pairs = list(zip_longest(one.asked, two.asked))[: parting.number]
    for place, (ours, theirs) in enumerate(pairs):
        yield ""
        yield f"request {place + 1} (turn {(ours or theirs).turn + 1})"
        parts = place + 1 == parting.number
        if parts and parting.in_request:
            requests = [asked.request for asked in (ours, theirs) if asked.request is not None]
            where, first, second = value_difference(*map(what_was_asked, requests))
            yield f"  They part here, in what was asked: {line_of(where)}"
            yield from _columns(first, second, width)
            return
        for message in _new_messages(one, place):
            yield from _block(str(message["role"]), str(message.get("content")), width)
        if parts:
            yield f"  They part here: {parting.kind}"
            yield from _columns(answer_text(one.response, ours), answer_text(two.response, theirs), width)
            return
        yield from _block("answer", answer_text(one.response, ours), width)
    yield ""
    if parting.kind is PartingKind.STATUS:
        yield f"They end differently: {parting.first} | {parting.second}"
    else:
        yield "They do not part."


def _new_messages(side: Conversation, place: int) -> list[Json]:
    """The messages of a request that the one before did not have, without those of the model."""
    requests = [asked.request for asked in side.asked[max(0, place - 1) : place + 1]]
    if not requests or requests[-1] is None or place >= len(side.asked):
        return []
    before = len(requests[0].messages) if len(requests) > 1 and requests[0] is not None else 0
    messages: list[Json] = what_was_asked(requests[-1])["messages"]
    return [one for one in messages[before:] if one["role"] != "assistant"]


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
