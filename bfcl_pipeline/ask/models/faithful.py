"""Answers of a model that does what request and function docs say, and the verdicts on them.

These are the answers of `errata/faithful`, the truth's own unless a record says that it fails or replaces
it, and what a mended truth accepts. Of a single-turn entry without a record they are the truth's own, with
the documented defaults written and left out, where the truth accepts one of the two.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.ask.models.oracle import answer
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, category_of
from bfcl_pipeline.benchmark.errata import (
    ErratumStatus,
    Faithful,
    LeftOut,
    errata_of,
    errata_of_id,
    own_errata,
    verified_entry,
)
from bfcl_pipeline.benchmark.errata.faithful_answers import Passing, passing_answers, written_answers
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.calls import executed_text, write_native
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.audit.benchmark import Benchmark, in_answer_form
from bfcl_pipeline.judge.audit.parameters import OMITTED, accepted_parameters
from bfcl_pipeline.judge.scoring import NO_CONSTANTS, Judge, truth_calls
from bfcl_pipeline.world.tools import Constants

_AGENTIC = (Check.MEMORY, Check.WEB_SEARCH)
_OF_CALLS = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL)


def passing_in_use(data: Path) -> dict[str, Passing]:
    """`passing_answers`, judged anew for entries with records of the user's own, if `data` has them.

    Entries without an erratum are left out, among them those that a staged BFCL-Verified has mended.
    """
    found = {key: each for key, each in passing_answers().items() if errata_of_id(key)}
    own: dict[str, set[str]] = {}
    for erratum in own_errata():
        own.setdefault(category_of(erratum.entry_id), set()).add(erratum.entry_id)
    constants = read_constants(data) if own else NO_CONSTANTS
    for category, ids in own.items():
        for entry in read_entries(entries_path(data, category), ids):
            found[entry.entry_id] = passing_of(entry, constants)
    return found


def passing_of(entry: Entry, constants: Constants) -> Passing:
    """How many faithful answers of `entry` pass under each rule set."""
    check = CATEGORIES[entry.category].check
    mode = Mode.PROMPT if check is Check.MULTI_TURN else Mode.FC
    judge = Judge(entry, constants)
    answers = dict.fromkeys(json.dumps(each, ensure_ascii=False) for each in faithful_results(entry))
    verdicts = [judge.answer_verdicts(each, mode, None, tuple(Rules)) for each in answers]
    by_rules = zip(Rules, zip(*verdicts, strict=True), strict=True)
    return Passing(
        len(answers),
        {
            rules: sum(verdict.valid is True for verdict in found)
            for rules, found in by_rules
            if any(verdict.valid is not None for verdict in found)
        },
    )


def faithful_results(entry: Entry) -> list[Json]:
    """The faithful answers to `entry` as recorded results: of conversations as texts, else native calls."""
    written = [_written(entry, each) for each in written_answers().get(entry.entry_id, ())]
    own = [_own(each) for each in _truths(entry)]
    return written + own or [_own(entry)]


def _truths(entry: Entry) -> Iterator[Entry]:
    """The entry with each truth whose own answer is faithful."""
    check = CATEGORIES[entry.category].check
    errata = errata_of(entry)
    fails = any(
        one.faithful is Faithful.FAILS for one in errata if one.status is not ErratumStatus.DISPUTED
    )
    mended = verified_entry(entry)
    if mended is entry or isinstance(mended, LeftOut) or check is Check.MULTI_TURN:
        yield from () if fails else (entry,)
        yield from () if mended is entry or isinstance(mended, LeftOut) else (mended,)
    elif check in _AGENTIC:
        added = [each for each in mended.truth if each not in entry.truth]
        kept = [] if fails else [each for each in mended.truth if each in entry.truth]
        yield from (replace(entry, truth=[each]) for each in (*added, *kept[:1]))
    else:
        yield _added(entry, mended)
        yield from () if fails or not _accepts(entry, _own(entry)) else (entry,)
    if not errata and check in _OF_CALLS:
        yield from (replace(entry, truth=_with_defaults(entry, written)) for written in (True, False))


def _accepts(entry: Entry, result: Json) -> bool:
    """Whether an answer is valid with the mended truth, which may replace what the truth has."""
    return (
        Judge(entry).answer_verdicts(json.dumps(result), Mode.FC, None, (Rules.VERIFIED,))[0].valid is True
    )


def _added(entry: Entry, mended: Entry) -> Entry:
    """The mended entry with the added values alone of each parameter that has some."""
    if [list(call) for call in entry.truth] != [list(call) for call in mended.truth]:
        return mended
    calls = []
    for old, call in zip(entry.truth, mended.truth, strict=True):
        ((name, accepted),) = call.items()
        added = {
            key: [each for each in values if each not in old[name].get(key, ())]
            for key, values in accepted.items()
        }
        calls.append({name: {key: added[key] or values for key, values in accepted.items()}})
    return replace(mended, truth=calls)


def _with_defaults(entry: Entry, written: bool) -> list[Json]:
    """The truth with documented defaults only where it accepts their omission, or without them."""
    calls = []
    for call in entry.truth:
        ((name, accepted),) = call.items()
        changed = dict(accepted)
        alone = Benchmark({entry.category: [replace(entry, truth=[call])]}, NO_CONSTANTS)
        for each in accepted_parameters(alone):
            if each.is_key or each.required or each.default is None:
                continue
            if written and each.may_be_left_out:
                changed[each.name] = [_typed(each.default, each.schema.get("type"))]
            elif not written and each.accepts(each.default):
                changed[each.name] = [OMITTED]
        calls.append({name: changed})
    return calls


def _typed(default: Json, kind: str | None) -> Json:
    """A default as a value of its type: docs write some as texts, and 0 is read as 0.0."""
    text = str(default).removesuffix(".0").casefold()
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return int(text) if kind == "integer" and text.lstrip("-").isdecimal() else default


def _own(entry: Entry) -> Json:
    """The answer of the truth."""
    check = CATEGORIES[entry.category].check
    if check is Check.MULTI_TURN:
        return _conversation(entry, {})
    return [[in_answer_form(entry.truth[0])]] if check in _AGENTIC else answer(entry, Mode.FC)


def _written(entry: Entry, given: Json) -> Json:
    """An answer of the files."""
    if isinstance(given, str):
        return [[in_answer_form(given)]]
    if CATEGORIES[entry.category].check is Check.MULTI_TURN:
        return _conversation(entry, given)
    if isinstance(given, list):
        return write_native([Call(*pair) for call in given for pair in call.items()])
    known = {doc["name"].replace(".", "_"): doc["parameters"]["properties"] for doc in entry.functions}
    calls = []
    for call in answer(entry, Mode.FC):
        ((name, arguments),) = call.items()
        changed = json.loads(arguments) | {key: each for key, each in given.items() if key in known[name]}
        calls.append(
            Call(name, {key: each for key, each in changed.items() if each is not None or key not in given})
        )
    return write_native(calls)


def _conversation(entry: Entry, changes: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The steps of each turn: the calls of the truth, each in a message, with the changes."""
    turns = []
    for place, calls in enumerate(truth_calls(entry)):
        texts: list[str] = []
        for text in map(executed_text, calls):
            other = (new for start, new in changes.items() if text.startswith(start))
            texts += next(other, (text,))
        turns.append([f"[{text}]" for text in changes.get(str(place), texts)])
    return turns
