"""What the detectors look at, what they put to checkers, and what they return."""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.errata import verified_entry
from bfcl_pipeline.benchmark.records import Call, Entry, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import write_native
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker
from bfcl_pipeline.judge.scoring.findings import Finding
from bfcl_pipeline.judge.scoring.multi_turn import MultiTurnChecker, TruthTurn
from bfcl_pipeline.world.tools import Constants

_COMPARED = (
    (
        *(Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL),
        *(Check.RELEVANCE, Check.IRRELEVANCE, Check.FORMAT_SENSITIVITY),
    ),
    (Check.MULTI_TURN,),
    (Check.MEMORY,),
    (Check.WEB_SEARCH,),
)
"""The checks of categories whose entries detectors compare with each other."""


def are_compared(name: str, other: str) -> bool:
    """Whether detectors need the entries of the category `name` for findings on entries of `other`.

    Restatements are compared with others, and no other with them.
    """
    category = CATEGORIES[name]
    both = {category.check, CATEGORIES[other].check}
    return not category.prompt_only and any(both <= set(checks) for checks in _COMPARED)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One suspected defect of one entry: a finding of a detector, not a verdict."""

    entry: Entry
    where: str  # the place in the entry: a parameter of a call, a turn, the modes
    detail: str  # what was found there, human-readable
    related: str | None = None  # id of the entry that it is compared with, if there is one
    detector: str = ""  # one of DETECTORS; `Detector.findings` sets it

    @property
    def entry_id(self) -> str:
        """The id of the entry."""
        return self.entry.entry_id


@dataclass(frozen=True, slots=True)
class Detector:
    """What finds suspected defects of one class."""

    name: str  # of the detector and of the class
    meaning: str  # the defect in one sentence, for people
    find: Callable[["Benchmark"], Iterable[Suspicion]]
    known: str | None  # an entry of the release with a finding; None: it finds what the errata still lack
    adjudicated: bool = True  # False: its findings are hints, of which the errata need not have any

    def findings(self, benchmark: "Benchmark") -> Iterator[Suspicion]:
        """What it finds, with its name, which is a note of an error that it raises as well."""
        try:
            for each in self.find(benchmark):
                yield replace(each, detector=self.name)
        except Exception as error:
            error.add_note(f"Raised by the detector {self.name}.")
            raise


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The entries of some or all categories, under one rule set."""

    entries: Mapping[str, Sequence[Entry]]  # by category, each in the release's order
    constants: Constants  # of the release, for the simulated worlds
    rules: Rules = Rules.OFFICIAL
    wanted: Container[str] | None = None  # ids of the entries whose findings are wanted; None: of all
    _checkers: dict[str, MultiTurnChecker] = field(default_factory=dict, compare=False, repr=False)

    @property
    def checked_by(self) -> Rules:
        """The rules of the checkers: those of `verified` are the corrected ones."""
        return Rules.CORRECTED if self.rules is Rules.VERIFIED else self.rules

    def under(self, rules: Rules, wanted: Container[str] | None = None) -> Self:
        """The same entries under `rules`; under `verified` they are mended, and some are left out."""
        if rules is not Rules.VERIFIED:
            return type(self)(self.entries, self.constants, rules, wanted)
        treated = {name: map(verified_entry, entries) for name, entries in self.entries.items()}
        kept = {name: [e for e in found if isinstance(e, Entry)] for name, found in treated.items()}
        return type(self)(kept, self.constants, rules, wanted)

    def wants(self, entry: Entry) -> bool:
        """Whether findings on the entry are wanted; detectors need not look at the others."""
        return self.wanted is None or entry.entry_id in self.wanted

    def checked_with(self, *checks: Check) -> Iterator[Entry]:
        """The scored entries whose findings are wanted, of the categories with one of these checkers."""
        return filter(self.wants, self.compared(*checks))

    def compared(self, *checks: Check) -> Iterator[Entry]:
        """The scored entries, wanted or not, of the categories with one of these checkers."""
        for name, entries in self.entries.items():
            if CATEGORIES[name].check in checks:
                yield from (entry for entry in entries if not entry.prerequisite)

    def played(self, entry: Entry) -> tuple[TruthTurn, ...]:
        """The truth of a multi-turn entry after its calls were run. Raises MalformedRelease."""
        return self._checker(entry).truth

    def finding_on(self, entry: Entry, turns: Iterable[Sequence[Call]]) -> Finding | None:
        """The finding on an answer to a multi-turn entry that makes the calls of `turns` one by one."""
        answer = [[write_native([call]) for call in calls] for calls in turns]
        (outcome,) = self._checker(entry).check(answer, Mode.FC, NameStyle.UNDERSCORED, (self.checked_by,))
        return outcome.finding

    def _checker(self, entry: Entry) -> MultiTurnChecker:
        """The checker of a multi-turn entry, which runs its truth once for all detectors."""
        return self._checkers.setdefault(entry.entry_id, MultiTurnChecker(entry, self.constants))


def in_answer_form(answer: str) -> str:
    """The final message with `answer`, in the form that the prompt asks for."""
    return json.dumps({"answer": answer, "context": ""}, ensure_ascii=False)


def passes(checker: AgenticChecker, message: str, rules: Rules) -> bool:
    """Whether a conversation whose final message is `message` is valid."""
    (outcome,) = checker.check([[message]], Mode.PROMPT, NameStyle.UNDERSCORED, (rules,))
    return outcome.finding is None
