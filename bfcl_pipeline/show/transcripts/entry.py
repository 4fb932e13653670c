"""The record of an entry: messages, offered functions, truth or acceptable answers, evidence, errata."""

from collections.abc import Iterator, Sequence

from bfcl_pipeline.base.text import cut, plural
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Json, Rules
from bfcl_pipeline.judge.scoring.findings import shown_options
from bfcl_pipeline.judge.scoring.single_turn import plan_of
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.playback.conversation import PlayedCall, play_truth
from bfcl_pipeline.show.transcripts.executed import expected_items
from bfcl_pipeline.show.transcripts.judged import errata_items, judged_entry
from bfcl_pipeline.show.transcripts.parts import PAGE, EntryRecord, EntryTurn, Item, Items, Kind, TextLimits
from bfcl_pipeline.show.transcripts.texts import message_items, played_items, signature_items
from bfcl_pipeline.world.web.presented import present_entry

_WITHOUT_TRUTH = {
    Check.IRRELEVANCE: "(no call)",
    Check.RELEVANCE: "(any call)",
}
"""The right answer to an entry without truth, by its check."""


def is_conversation(entry: Entry) -> bool:
    """True if the entry has turns that can be played without a memory or a web."""
    return CATEGORIES[entry.category].check is Check.MULTI_TURN


def has_memory(entry: Entry) -> bool:
    """True for sessions before memory questions, and for the questions."""
    return CATEGORIES[entry.category].check is Check.MEMORY


def entry_record(
    entry: Entry, conditions: Conditions, rules: Rules = Rules.OFFICIAL, limits: TextLimits = PAGE
) -> EntryRecord:
    """The record of `entry`.

    Args:
        conditions: those of the run, which decide how web tools are presented.
        rules: the rule set whose truth is recorded: `verified` has that of mended entries.

    Raises MalformedRelease if the truth cannot be played.
    """
    offered = present_entry(entry, conditions.web)
    judged = judged_entry(entry, rules).entry
    played: Sequence[Sequence[PlayedCall]] = ()
    if is_conversation(entry):
        played = play_truth(judged, conditions.constants)
    turns = max(len(entry.turns), len(played))
    return EntryRecord(
        entry_id=entry.entry_id,
        category=entry.category,
        about=tuple(_about(offered)),
        functions=tuple(signature_items(offered.functions, limits)),
        turns=tuple(_turn(entry, number, played, limits) for number in range(turns)),
        accepted=() if is_conversation(entry) else tuple(_accepted(judged, conditions, limits)),
        hops=tuple(_hops(entry, limits)),
        prerequisite=entry.prerequisite,
        errata=tuple(errata_items(entry, limits)),
    )


def _about(entry: Entry) -> Iterator[str]:
    if entry.apis:
        yield ", ".join(entry.apis)
    yield plural(len(entry.functions), "function offered", "functions offered")
    if entry.prompt_format is not None:
        yield f"prompt format {entry.prompt_format.replace('&', ' ')}"
    if isinstance(entry.source, list):
        yield plural(len(entry.source), "hop to the answer", "hops to the answer")
    if entry.depends_on:
        yield f"sessions before it: {', '.join(entry.depends_on)}"


def _turn(
    entry: Entry, number: int, played: Sequence[Sequence[PlayedCall]], limits: TextLimits
) -> EntryTurn:
    messages = entry.turns[number] if number < len(entry.turns) else ()
    truth: Items = ()
    if number < len(played):
        truth = tuple(played_items(played[number], limits)) or (Item(Kind.NOTE, "(no call)"),)
    return EntryTurn(
        messages=tuple(message_items(messages, limits)),
        appears=tuple(signature_items(entry.held_out.get(str(number), ()), limits)),
        truth=truth,
    )


def _accepted(entry: Entry, conditions: Conditions, limits: TextLimits) -> Iterator[Item]:
    """The acceptable answers: calls, and the acceptable values of each parameter."""
    plan = plan_of(entry)
    if entry.prerequisite:
        yield Item(Kind.NOTE, "(anything: a session before the questions)")
    elif CATEGORIES[entry.category].executes:
        yield from expected_items(entry, conditions, limits)
    elif plan is None:
        yield Item(Kind.ACCEPTED, cut(shown_options(entry.truth or ()), limits.words))
        if isinstance(entry.source, str):
            yield Item(Kind.SOURCE, cut(entry.source, limits.words))
    elif entry.truth is None:
        yield Item(Kind.NOTE, _WITHOUT_TRUTH[plan.check])
    else:
        for name, parameters in (item for call in entry.truth for item in call.items()):
            yield Item(Kind.FUNCTION, name)
            for parameter, acceptable in parameters.items():
                yield Item(Kind.ACCEPTED, _options(acceptable, limits), label=parameter)


def _options(acceptable: Sequence[Json], limits: TextLimits) -> str:
    optional = ", or left out" if "" in acceptable and list(acceptable) != [""] else ""
    return cut(shown_options(acceptable), limits.value) + optional


def _hops(entry: Entry, limits: TextLimits) -> Iterator[Item]:
    """Each hop of a web question: what is asked, the answer, and the address of the page that has it."""
    chain = entry.source if isinstance(entry.source, list) else []
    for number, hop in enumerate(chain, start=1):
        if not isinstance(hop, dict):
            continue
        asked, answer, source = (hop.get(key) for key in ("subquestion", "answer", "source"))
        yield Item(Kind.HOP, cut(str(asked).strip(), limits.words), label=f"hop {number}")
        yield Item(Kind.ACCEPTED, cut(str(answer).strip(), limits.words), label="answer")
        yield Item(Kind.SOURCE, cut(str(source).strip(), limits.words), label="source")
