"""The records of an entry and of an answer as pages for a terminal.

Covers the order of their parts, and the form of each item: its mark and colour.
"""

from collections.abc import Iterable
from dataclasses import replace

from bfcl_pipeline.base.text import on_one_line
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Rules, Status
from bfcl_pipeline.show.entry.terminal_page import TerminalPage
from bfcl_pipeline.show.transcripts.judged import is_doubtful
from bfcl_pipeline.show.transcripts.parts import (
    AnswerRecord,
    AnswerTurn,
    EntryRecord,
    EntryTurn,
    Item,
    Items,
    Kind,
    MemoryRecord,
    VerdictRecord,
)

CALL_MARK = "> "
"""The mark before a call."""

_RESULT_MARK = " " * len(CALL_MARK)
_CHANGE_MARK = _RESULT_MARK + "~ "
_ANSWER_MARK = "*"  # before a text of a memory with an acceptable answer
_STYLES = {Kind.TEXT: "italic", Kind.NOTE: "dim"}
_ROLES = (Kind.SYSTEM, Kind.USER, Kind.ASSISTANT, Kind.TOOL)


def put_items(page: TerminalPage, items: Iterable[Item], label: str = "") -> None:
    """Each item beside its label. label: for the first item if it has none of its own."""
    for item in items:
        put_item(page, item, item.label or label)
        label = ""


def put_item(page: TerminalPage, item: Item, label: str = "") -> None:
    """One item beside `label`."""
    match item.kind:
        case Kind.CALL:
            page.item(label, item.text, "bold", mark=CALL_MARK, remark=item.remark)
        case Kind.RESULT:
            # A label is the number of a hit, which stands before it.
            page.item("", item.text, mark=f"{item.label} " if item.label else _RESULT_MARK)
        case Kind.CHANGE:
            page.item("", item.text, "green", mark=_CHANGE_MARK)
        case _:
            beside = item.kind.value if item.kind in _ROLES and not item.label else label
            page.item(beside, item.text, _STYLES.get(item.kind, ""), remark=item.remark)


def put_accepted(page: TerminalPage, items: Items) -> None:
    """Acceptable answers: texts, or functions with the acceptable values of their parameters."""
    label = "accepts"
    for item in items:
        if item.kind is Kind.FUNCTION:
            page.item(label, item.text, "bold", mark=CALL_MARK)
        elif item.kind is Kind.SOURCE:
            page.item("source", item.text, "dim")
        elif item.kind is Kind.ACCEPTED and item.label:
            page.item("", item.text, mark=f"    {item.label} = ")
        else:
            put_item(page, item, item.label or label)
        label = ""


def put_memory_texts(page: TerminalPage, items: Items) -> None:
    """The texts of a memory, part by part, each after its key."""
    part = ""
    for item in items:
        if item.kind is Kind.MEMORY:
            text = f"{item.label}  {on_one_line(item.text)}" if item.label else item.text
            page.item(part, text, mark=f"{_ANSWER_MARK if item.marked else ' '} ")
            part = ""
        elif item.text:
            put_item(page, item, item.label)
        else:
            part = item.label


def put_entry_record(page: TerminalPage, entry: EntryRecord) -> None:
    """An entry with its truth."""
    _put_head(page, entry, None)
    if _is_conversation(entry):
        for number, turn in enumerate(entry.turns):
            _put_turn(page, entry, number)
            put_items(page, turn.truth, "truth")
    else:
        _put_question(page, entry)
        _put_accepted(page, entry)
    if not entry.errata and not entry.prerequisite:
        page.blank()
        page.title("no erratum on record", "", "dim")
    _put_errata(page, entry)


def put_answer_record(
    page: TerminalPage, entry: EntryRecord, answer: AnswerRecord, place: str | None, rules: Rules
) -> None:
    """The answer of a model: in order what it was asked, what it did, what was right, and the verdicts.

    Args:
        place: the run it is from; None: the run has no response.
        rules: whose verdict is printed as that of the answer.
    """
    _put_head(page, entry, place and f"{answer.model} in {place}")
    before, after = answer.memories[:1], answer.memories[1:]
    verdict = next((one for one in answer.verdicts if one.rules == rules), None)
    if _is_conversation(entry):
        _put_conversation(page, entry, answer, verdict)
    elif entry.prerequisite:
        page.blank()
        put_items(page, entry.functions, "offered")
        _put_memories(page, before)
        for number in range(max(len(entry.turns), len(answer.turns))):
            _put_turn(page, entry, number)
            if number < len(answer.turns):
                put_items(page, answer.turns[number].steps)
        _put_answer_text(page, answer.answer)
    else:
        _put_question(page, entry)
        _put_memories(page, before)
        for turn in answer.turns:
            page.blank()
            put_items(page, turn.steps)
        _put_answer_text(page, answer.answer)
        if answer.turns or answer.answer:
            _put_accepted(page, entry)
    if verdict is not None:
        _put_verdicts(page, answer, verdict, doubtful=is_doubtful(entry))
    _put_memories(page, after)
    _put_errata(page, entry)


def _is_conversation(entry: EntryRecord) -> bool:
    return CATEGORIES[entry.category].check is Check.MULTI_TURN


def _put_head(page: TerminalPage, entry: EntryRecord, answered_by: str | None) -> None:
    """The id of the entry, what it is about, and the model that answered; None if no answer is shown."""
    page.title(entry.entry_id, f"answered by {answered_by}" if answered_by else "")
    page.item("about", "; ".join((entry.category, *entry.about)))


def _put_question(page: TerminalPage, entry: EntryRecord) -> None:
    """The messages and the offered functions."""
    for turn in entry.turns:
        put_items(page, turn.messages)
    if entry.functions:
        page.blank()
        put_items(page, entry.functions, "offered")


def _put_turn(page: TerminalPage, entry: EntryRecord, number: int, remark: str = "") -> None:
    page.blank()
    page.title(f"Turn {number + 1} of {len(entry.turns)}", f"<- {remark}" if remark else "", "red")
    if number < len(entry.turns):
        put_items(page, entry.turns[number].messages)
        put_items(page, entry.turns[number].appears, "appears")


def _put_answer_text(page: TerminalPage, items: Items) -> None:
    if items:
        page.blank()
        put_items(page, items)


def _put_conversation(
    page: TerminalPage, entry: EntryRecord, answer: AnswerRecord, verdict: VerdictRecord | None
) -> None:
    """What a model did, turn by turn; in a failed conversation also the calls of the truth."""
    failed = verdict is not None and verdict.valid is False
    put_items(page, answer.answer)
    for number in range(max(len(entry.turns), len(answer.turns))):
        turn = answer.turns[number] if number < len(answer.turns) else None
        _put_turn(page, entry, number, turn.remark if turn else "")
        if turn is not None:
            put_items(page, turn.steps)
        elif answer.answer:
            page.item("model", "(no answer)", "dim")
        if verdict is not None and failed and number < len(entry.turns):
            _put_comparison(page, entry.turns[number], turn, whole=verdict.turn == number)


def _put_comparison(page: TerminalPage, entry: EntryTurn, turn: AnswerTurn | None, whole: bool) -> None:
    """The calls of the truth, compared with those of the answer. whole: with results and changes."""
    if turn is not None and turn.as_truth:
        same = any(item.kind is Kind.CALL for item in entry.truth)
        page.item("truth", "(the same calls)" if same else "(no call)", "dim")
        return
    label, place = "truth", -1
    for item in entry.truth:
        if item.kind is Kind.CALL:
            place += 1
            missing = turn is None or place in turn.missing
            remark = "<- missing, or called with other arguments" if missing else ""
            page.item(label, item.text, "bold" if whole else "", mark="> ", remark=remark)
        elif whole or item.kind is Kind.NOTE:
            put_item(page, item, label)
        label = ""


def _put_memories(page: TerminalPage, memories: Iterable[MemoryRecord]) -> None:
    for memory in memories:
        page.blank()
        page.title(memory.title, memory.about, "dim")
        put_memory_texts(page, memory.texts)


def _put_accepted(page: TerminalPage, entry: EntryRecord) -> None:
    page.blank()
    put_accepted(page, entry.accepted)
    if entry.hops:
        page.blank()
        put_items(page, entry.hops)


def _put_verdicts(
    page: TerminalPage, answer: AnswerRecord, verdict: VerdictRecord, *, doubtful: bool
) -> None:
    """The verdicts under other rule sets where they differ, then the verdict."""
    others: dict[VerdictRecord, list[str]] = {}
    for other in answer.verdicts:
        if (other.valid, other.status, other.error_type) != (
            verdict.valid,
            verdict.status,
            verdict.error_type,
        ):
            others.setdefault(replace(other, rules=""), []).append(other.rules)
    for other, rule_sets in others.items():
        put_verdict(page, replace(other, rules=" and ".join(rule_sets)))
    put_verdict(page, verdict, doubtful=doubtful)


def put_verdict(page: TerminalPage, verdict: VerdictRecord, *, doubtful: bool = False) -> None:
    """One verdict: valid, invalid and why, or why there is no verdict.

    doubtful: whether the errata list a defect of the entry, which is printed beside a wrong answer.
    """
    about = f"{verdict.rules} rules"
    if verdict.answer_class:
        about += f", {verdict.answer_class}"
    page.blank()
    if verdict.status != Status.ANSWERED:
        page.title("no verdict", verdict.status, "yellow")
    elif verdict.valid:
        page.title("valid", about, "dim", style="bold green")
    else:
        page.title("invalid", f"{verdict.error_type}  ({about})", "red", style="bold red")
    if verdict.message:
        page.item("", verdict.message)
    if verdict.why:
        page.item("why", verdict.why)
    if doubtful and verdict.valid is False:
        page.item("", "The errata list this entry, see below.", "yellow")


def _put_errata(page: TerminalPage, entry: EntryRecord) -> None:
    for item in entry.errata:
        if item.kind is Kind.ERRATUM:
            page.blank()
            page.title(f"erratum: {item.label}", item.text, "yellow")
        else:
            page.item(item.label, item.text, "dim" if item.label == "evidence" else "")
