"""Answers of a model that does what request and function docs say, and the verdicts on them.

These are the answers of `errata/faithful`, the truth's own unless a record says that it fails or replaces
it, and what a mended truth accepts. Of a single-turn entry without a record they are the truth's own, with
the documented defaults written and left out, where the truth accepts one of the two.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.ask.models.oracle import answer
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.errata import ErratumStatus, Faithful, LeftOut, errata_of, verified_entry
from bfcl_pipeline.benchmark.errata.faithful_answers import Passing, written_answers
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, Rules
from bfcl_pipeline.dialogue.calls import executed_text, write_native
from bfcl_pipeline.judge.audit.accepted import OMITTED, accepted_parameters
from bfcl_pipeline.judge.audit.benchmark import Benchmark, in_answer_form
from bfcl_pipeline.judge.scoring import NO_CONSTANTS, Judge, truth_calls
from bfcl_pipeline.world.tools import Constants

_AGENTIC = (Check.MEMORY, Check.WEB_SEARCH)
_OF_CALLS = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL)


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
    fails = any(one.faithful is Faithful.FAILS for one in errata if one.status is not ErratumStatus.DISPUTED)
    mended = verified_entry(entry)
    if mended is entry or isinstance(mended, LeftOut) or check is Check.MULTI_TURN:
        yield from () if fails else (entry,)
        yield from () if mended is entry or isinstance(mended, LeftOut) else (mended,)
    elif check in _AGENTIC:
        added = [each for each in mended.truth if each not in entry.truth]
        kept = [] if fails else [each for each in mended.truth if each in entry.truth]
        yield from (replace(entry, truth=[each]) for each in (*added, *kept[:1]))
    else:
        yield from _parts(entry, mended, fails)
    if not errata and check in _OF_CALLS:
        yield from (replace(entry, truth=_with_defaults(entry, written)) for written in (True, False))


def _parts(entry: Entry, mended: Entry, fails: bool) -> Iterator[Entry]:
    """A mended entry with the values alone that are new, where some are, and with those that were kept."""
    if [list(call) for call in entry.truth] != [list(call) for call in mended.truth]:
        yield mended
        return
    new, kept = (
        [
            {
                name: {
                    parameter: [each for each in values if (each in _of(old, name, parameter)) is was]
                    for parameter, values in accepted.items()
                }
                for name, accepted in call.items()
            }
            for old, call in zip(entry.truth, mended.truth, strict=True)
        ]
        for was in (False, True)
    )
    if any(values for call in new for accepted in call.values() for values in accepted.values()):
        yield replace(mended, truth=_filled(new, mended.truth))
    if not fails and all(values for call in kept for accepted in call.values() for values in accepted.values()):
        yield replace(mended, truth=kept)


def _of(call: Mapping[str, Mapping[str, Sequence[Json]]], name: str, parameter: str) -> Sequence[Json]:
    return call[name].get(parameter, ())


def _filled(part: list[dict[str, dict[str, Json]]], whole: list[dict[str, dict[str, Json]]]) -> Json:
    """A part of each list of accepted values, or the whole list where the part is empty."""
    return [
        {name: {key: values or call[name][key] for key, values in found.items()} for name, found in each.items()}
        for each, call in zip(part, whole, strict=True)
    ]


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
                changed[each.name] = [each.default]
            elif not written and each.accepts(each.default):
                changed[each.name] = [OMITTED]
        calls.append({name: changed})
    return calls


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
        calls.append(Call(name, {key: each for key, each in changed.items() if each is not None or key not in given}))
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
