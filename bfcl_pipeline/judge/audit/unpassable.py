"""Finds entries that no answer can pass, with the reason, by enumeration.

Single-turn: for every call of the truth and every parameter that must be given, all values that could pass
(`candidates`) are checked. An entry is listed if no value passes for a parameter, or if the function doc
and the truth contradict each other. In prompt mode a value must also stay acceptable after it is written
and decoded in the entry's format; in function-calling mode every JSON value can be written.
Single-turn categories of one call must have one expected call. Not covered: executed calls, which no
check compares with their docs (`provenance`).
Multi-turn: the truth is checked as an answer, and must call only functions that are offered at its turn.
Memory and web search: one of the accepted answers must pass as the `answer` field of the final message.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, PromptFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode, write_calls
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion, in_answer_form, passes
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker
from bfcl_pipeline.judge.scoring.candidates import candidate_values
from bfcl_pipeline.judge.scoring.expected import ExpectedCall, Parameter
from bfcl_pipeline.judge.scoring.findings import shown_options
from bfcl_pipeline.judge.scoring.functions import check_argument
from bfcl_pipeline.judge.scoring.single_turn import plan_of

Obstacle: TypeAlias = tuple[str, str]
"""Why no answer can pass an entry: function and parameter without an acceptable value, and the reason."""


def unpassable_entries(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per entry; a restatement is listed if its base entry is not."""
    rules, listed = benchmark.checked_by, set[str]()
    bases = {
        entry.base_entry_id
        for each in benchmark.entries.values()
        for entry in each
        if benchmark.wants(entry)
    }
    for name, entries in benchmark.entries.items():
        category = CATEGORIES[name]
        for entry in entries:
            if entry.prerequisite or entry.base_entry_id in listed:
                continue
            if not benchmark.wants(entry) and entry.entry_id not in bases:
                continue
            if category.check is Check.MULTI_TURN:
                found = _played(benchmark, entry)
            elif category.check in (Check.MEMORY, Check.WEB_SEARCH):
                found = _answered(entry, rules)
            else:
                found = _single_turn(entry, rules)
            if found is not None:
                listed.add(entry.entry_id)
                yield Suspicion(entry, *found, entry.base_entry_id)


def _single_turn(entry: Entry, rules: Rules) -> tuple[str, str] | None:
    """Where and why no answer can pass, in one mode or both, or not with all calls of the truth."""
    if CATEGORIES[entry.category].check in (Check.SIMPLE, Check.MULTIPLE) and len(entry.truth) > 1:
        return "truth", f"it has {len(entry.truth)} calls, and an answer must have one"
    modes = [Mode.PROMPT] if CATEGORIES[entry.category].prompt_only else [*Mode]
    try:
        by_mode = {mode: found for mode in modes if (found := obstacles(entry, mode, rules))}
    except MalformedRelease as error:
        return "truth", str(error)
    if not by_mode:
        return None
    mode, (where, reason) = next((mode, found[0]) for mode, found in by_mode.items())
    return where if len(by_mode) > 1 else f"{where} ({mode} mode)", reason


def _played(benchmark: Benchmark, entry: Entry) -> tuple[str, str] | None:
    """Where the truth calls a function that is not offered, or does not pass its own check."""
    offered = {doc["name"] for doc in entry.functions}
    try:
        turns = benchmark.played(entry)
    except MalformedRelease as error:
        return "truth", str(error)
    for number, turn in enumerate(turns):
        offered |= {doc["name"] for doc in entry.held_out.get(str(number), ())}
        absent = next((call.name for call in turn.calls if call.name not in offered), None)
        if absent is not None:
            return f"turn {number + 1}", f"the truth calls {absent}, which is not offered there"
    finding = benchmark.finding_on(entry, [turn.calls for turn in turns])
    return None if finding is None else ("truth", f"it does not pass its own check: {finding.message}")


def _answered(entry: Entry, rules: Rules) -> tuple[str, str] | None:
    """That no accepted answer passes in the form that the prompt asks for."""
    checker = AgenticChecker(entry)
    if any(passes(checker, in_answer_form(answer), rules) for answer in entry.truth or ()):
        return None
    return "truth", f"no accepted answer passes: {shown_options(entry.truth or [])}"


def obstacles(entry: Entry, mode: Mode, rules: Rules = Rules.OFFICIAL) -> list[Obstacle]:
    """The reasons why no answer to `entry` in `mode` can pass; empty if one can."""
    plan = plan_of(entry)
    if plan is None:
        return []
    prompt_format = plan.prompt_format if mode is Mode.PROMPT else None
    return [
        obstacle
        for expected in plan.expected
        for obstacle in _call_obstacles(expected, prompt_format, rules)
    ]


def _call_obstacles(
    expected: ExpectedCall, prompt_format: PromptFormat | None, rules: Rules
) -> Iterator[Obstacle]:
    names = dict.fromkeys((*expected.required, *expected.demanded))
    known = {name: expected.parameters[name] for name in names if name in expected.parameters}
    passing = {name: _passing(parameter, rules) for name, parameter in known.items()}
    others = Call(expected.name, dict.fromkeys(known, "text"))  # text can be written in every format
    for name in names:
        where = f"{expected.name}, {name}"
        if name not in known:
            sides = ("the function doc", "the truth")
            needs, lacks = sides if name in expected.required else sides[::-1]
            yield where, f"{needs} requires it, but {lacks} does not have it"
            continue
        parameter = known[name]
        accepted = shown_options(parameter.acceptable)
        items = f" of {parameter.item_type_name}" if parameter.item_type_name else ""
        kind = parameter.type_name + items
        if not parameter.acceptable:
            yield where, "the truth accepts no value at all"
        elif not passing[name]:
            yield where, f"the truth accepts only {accepted}, which fails the type check for {kind}"
        elif prompt_format is not None and not any(
            _survives(others, parameter, value, prompt_format, rules) for value in passing[name]
        ):
            text_format = prompt_format.return_format
            yield where, f"{accepted} as {kind} cannot be written as {text_format} and decoded again"


def _passing(parameter: Parameter, rules: Rules) -> list[Any]:
    """The values that the checker accepts."""
    candidates = candidate_values(
        parameter.acceptable, parameter.type_name, parameter.item_type_name, parameter.language
    )
    return [value for value in candidates if check_argument(parameter, value, rules) is None]


def _survives(
    others: Call, parameter: Parameter, value: Any, prompt_format: PromptFormat, rules: Rules
) -> bool:
    """True if `value` is still acceptable after its call is written as text and decoded."""
    call = Call(others.name, {**others.arguments, parameter.name: value})
    calls = decode(
        write_calls([call], prompt_format.return_format, prompt_format.tool_call_tag),
        mode=Mode.PROMPT,
        return_format=prompt_format.return_format,
        tool_call_tag=prompt_format.tool_call_tag,
        rules=rules,
    )
    if isinstance(calls, DecodeFailure) or len(calls) != 1 or parameter.name not in calls[0].arguments:
        return False
    return check_argument(parameter, calls[0].arguments[parameter.name], rules) is None
