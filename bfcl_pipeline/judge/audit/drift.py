"""Finds differences between entries that restate the same task.

Multi-turn: the four variants of a scenario may differ in when a function or a value is given, in turns
without calls and in the fillers of long context. Beyond that they should start in the same state, say the
same values and demand the same calls. Memory, web search and format sensitivity: the same question in
another category should have the same messages, docs and truth. A finding names the first entry as
related. Siblings share task and truth: each of them needs the errata of the others.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from bfcl_pipeline.base.differences import MISSING
from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.errata import ErratumStatus, errata_of
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of, plain_text, scalars
from bfcl_pipeline.judge.scoring.findings import first_differences, shorten
from bfcl_pipeline.judge.scoring.multi_turn import truth_calls
from bfcl_pipeline.world.tools import APIS, effects

_LONGEST = 120  # characters of a value in a finding

_VALUE = re.compile(r"(?<!\S)[^\s\d]*+\d\S*")
"""A word with a digit: a number, an id, a date."""

_RESTATED = ("turns", "functions", "truth")

_Difference: TypeAlias = tuple[str, str]  # where, and what differs


def drifted_variants(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per difference between an entry and the first that states the same task."""
    first = dict[str, Entry]()
    for entries in benchmark.entries.values():
        for entry in entries:
            base = first.setdefault(task_of(entry), entry)
            if base is not entry and benchmark.wants(entry):
                for where, detail in _differences(base, entry):
                    yield Suspicion(entry, where, detail, base.entry_id)


def task_of(entry: Entry) -> str:
    """The same text for entries that state the same task."""
    check = CATEGORIES[entry.category].check
    if check is Check.FORMAT_SENSITIVITY:
        return entry.base_entry_id or entry.entry_id
    if check in (Check.MULTI_TURN, Check.MEMORY, Check.WEB_SEARCH):
        return f"{check}{entry.entry_id.removeprefix(entry.category)}"
    return entry.entry_id


def _differences(base: Entry, entry: Entry) -> Iterator[_Difference]:
    if CATEGORIES[entry.category].check is Check.MULTI_TURN:
        yield from _state(base, entry)
        yield from _docs(base, entry)
        here, there = said(entry), said(base)
        if here != there:
            yield "messages", f"the messages say {_listed(here - there)}, there {_listed(there - here)}"
        yield from _calls(base, entry)
        return
    for name in _RESTATED:
        if name == "functions" and entry.base_entry_id is None:
            continue  # each memory has functions of its own
        if getattr(base, name) != getattr(entry, name):
            yield name, f"it differs from that of {base.entry_id}"


def _state(base: Entry, entry: Entry) -> Iterator[_Difference]:
    found = first_differences(entry.initial_state, base.initial_state)
    if found:
        places = (f"{each.path} is {_short(each.first)}, there {_short(each.second)}" for each in found)
        yield "initial state", "; ".join(places)


def _docs(base: Entry, entry: Entry) -> Iterator[_Difference]:
    """The functions with another doc, however late they are offered."""
    here, there = (
        {doc["name"]: doc for docs in (each.functions, *each.held_out.values()) for doc in docs}
        for each in (entry, base)
    )
    names = [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
    if names:
        yield "functions", f"the docs of {', '.join(names)} differ"


def said(entry: Entry) -> set[str]:
    """The words with a digit in the messages of an entry."""
    text = plain_text(" ".join(map(content_of, entry.turns)))
    return {value.strip(".,;:?!()'") for value in _VALUE.findall(text)}


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values)) or "nothing instead"


def _calls(base: Entry, entry: Entry) -> Iterator[_Difference]:
    """The calls of the truth that are changed, added or missing, without those that fillers explain."""
    there, here = ([call for turn in truth_calls(each) for call in turn] for each in (base, entry))
    texts = [[_key(call) for call in calls] for calls in (there, here)]
    for tag, start, end, start_here, end_here in SequenceMatcher(
        None, texts[0], texts[1], autojunk=False
    ).get_opcodes():
        if tag != "equal":
            yield from _changes(base, entry, there[start:end], here[start_here:end_here])


def _changes(
    base: Entry, entry: Entry, there: Sequence[Call], here: Sequence[Call]
) -> Iterator[_Difference]:
    if [call.name for call in there] != [call.name for call in here]:
        on_files = effects(APIS["GorillaFileSystem"])
        all_on_files = all(call.name in on_files for call in (*there, *here))
        if CATEGORIES[entry.category].long_context and all_on_files:
            return
        made, wanted = (", ".join(map(_text, calls)) or "no call" for calls in (here, there))
        yield "truth", f"{made}; there {wanted}"
        return
    for one, other in zip(there, here, strict=True):
        for name in dict.fromkeys((*one.arguments, *other.arguments)):
            old, new = (call.arguments.get(name, MISSING) for call in (one, other))
            if old != new and not _explained(base, entry, old, new):
                detail = f"{name} is {_short(new)}, there {_short(old)}"
                yield f"truth, {one.name}", detail


def _explained(base: Entry, entry: Entry, old: Json, new: Json) -> bool:
    """Whether the fillers of long context may change the value: no message says the old one."""
    if not CATEGORIES[entry.category].long_context or MISSING in (old, new):
        return False
    said = plain_text(" ".join(map(content_of, base.turns)))
    return not any(plain_text(str(value)) in said for value in scalars(old))


def _key(call: Call) -> str:
    return f"{call.name} {sorted(call.arguments.items(), key=str)}"


def _text(call: Call) -> str:
    return cut(executed_text(call), _LONGEST)


def _short(value: Json) -> str:
    return cut("missing" if value is MISSING else shorten(value), _LONGEST)


_SHARING = (Check.MULTI_TURN, Check.MEMORY, Check.WEB_SEARCH)


def unrecorded_siblings(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each entry without an erratum whose siblings have a confirmed or disputed one that it may share.

    Siblings are the variants of a multi-turn scenario that say the same values and demand the same calls,
    and memory and web entries with the same question and truth. An erratum of one multi-turn variant other
    than the base is not expected of the others: most are of what the variant changes (a function that is
    held out, a value that is missing, long context).
    """
    siblings = defaultdict[str, list[Entry]](list)
    for entry in benchmark.compared(*_SHARING):
        siblings[task_of(entry)].append(entry)
    for entry in benchmark.checked_with(*_SHARING):
        if not errata_of(entry):
            yield from _of_siblings(entry, siblings[task_of(entry)])


def _of_siblings(entry: Entry, siblings: list[Entry]) -> Iterator[Suspicion]:
    alike = [other for other in siblings if _demanded(other) == _demanded(entry)]
    recorded = [
        (other, erratum)
        for other in alike
        for erratum in errata_of(other)
        if erratum.status is not ErratumStatus.REJECTED
    ]
    for other, erratum in recorded:
        others = {each.entry_id for each, same in recorded if same.what == erratum.what}
        is_variant = CATEGORIES[other.category].check is Check.MULTI_TURN and other is not siblings[0]
        if len(others) > 1 or not is_variant:
            yield Suspicion(entry, erratum.defect, f"it has no erratum: {erratum.what}", other.entry_id)
            return


def _demanded(entry: Entry) -> object:
    """What siblings must share: values and the calls of all turns, or the question and its answers."""
    if CATEGORIES[entry.category].check is Check.MULTI_TURN:
        return said(entry), [call for calls in entry.truth or () for call in calls]
    return content_of(entry.turns[-1]), entry.truth
