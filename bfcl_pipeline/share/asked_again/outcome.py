"""What asking one model again shows: the shares of equal answers, the test, the findings, as a file too.

The JSON file has each request and what is equal, for a verifier to publish.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import cut, on_one_line, plural
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.asked_again.answers import LEVELS, ComparedAnswer
from bfcl_pipeline.share.asked_again.asking import Fresh, FreshAnswer
from bfcl_pipeline.share.asked_again.comparison import (
    ComparedRequest,
    LevelShares,
    equal_answers,
    level_shares,
    odd_ones,
    table_lines,
)
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest, RequestDraw
from bfcl_pipeline.share.asked_again.exchangeability import ExchangeabilityResult, compare_answers
from bfcl_pipeline.share.asked_again.own_model import OwnModel


def write_results(path: Path, run: ArchivedRun, seed: int, results: Sequence[AskedModel]) -> None:
    """Writes the results of all models. Endpoints and keys of the verifier are not among them."""
    document = {
        "archive": {"file": run.file.name, "sha256": run.sha256, "run": run.metadata.run},
        "seed": seed,
        "models": [_model(one) for one in results],
    }
    write_text(path, json.dumps(document, indent=2) + "\n")


def _model(asked: AskedModel) -> Json:
    row, test = asked.model.row, asked.test
    return {
        "model": asked.draw.model,
        "outcome": asked.outcome.name.lower(),
        "asked": {"name": row.name, "kind": row.kind, "model": row.model, "weights": row.weights},
        "requests": asked.draw.of,
        "askings": asked.askings,
        "equality_demanded": asked.demand_equality,
        "test": {
            "p": test.p,
            "error_rate": test.error_rate,
            "told_apart": test.told_apart,
            "smallest_share": test.smallest_share,
            "levels": {level: asdict(result) for level, result in test.levels.items()},
        },
        "shares": [asdict(share) for share in asked.shares],
        "exchanges": [
            _exchange(*one)
            for one in zip(asked.draw.requests, asked.fresh.answers, asked.requests, strict=True)
        ],
    }


def _exchange(drawn: DrawnRequest, fresh: Sequence[FreshAnswer], request: ComparedRequest) -> Json:
    return {
        "key": drawn.journaled.key,
        "entry_id": drawn.entry.entry_id,
        "turn": drawn.request.turn,
        "archived": {"result": drawn.exchange.result, "valid": request.archived.verdicts},
        "askings": [
            {
                "result": None if answer.exchange is None else answer.exchange.result,
                "failure": answer.failure or None,
                "valid": None if form is None else form.verdicts,
                "equal": _equal(request.archived, form),
            }
            for answer, form in zip(fresh, request.fresh, strict=True)
        ],
        "trials": [_equal(request.archived, form) for form in request.trials],
    }


def _equal(archived: ComparedAnswer, other: ComparedAnswer | None) -> Json:
    """Whether an answer equals the archive's, by level; null: undecided, or there is no answer."""
    return {level: None if other is None else equal_answers(level, archived, other) for level in LEVELS}


ENOUGH = 0.9
"""The share of the drawn requests that must be answered before the outcome counts as verified."""

_EXAMPLES = 3  # answers that differ, in the output
_LONGEST = 160  # characters of each
_SUBJECT = "answers"


@dataclass(frozen=True)
class AskedModel:
    """One model that was asked again."""

    draw: RequestDraw
    model: OwnModel
    fresh: Fresh
    requests: tuple[ComparedRequest, ...]  # in the order of the draw
    askings: int
    tolerances: Mapping[str, float]
    demand_equality: bool

    @cached_property
    def shares(self) -> list[LevelShares]:
        """How many answers are equal, by level."""
        return level_shares(self.requests, self.askings)

    @cached_property
    def test(self) -> ExchangeabilityResult:
        """Whether the archive's answers could come from the model."""
        return compare_answers(
            {
                level: [
                    [answer and answer.level(level) for answer in (request.archived, *request.fresh)]
                    for request in self.requests
                ]
                for level in LEVELS
            },
            self.tolerances,
        )

    @property
    def answered(self) -> int:
        """The requests with all their fresh answers."""
        return sum(None not in request.fresh for request in self.requests)

    @property
    def enough(self) -> bool:
        """Whether enough of the requests were answered."""
        return 0 < self.answered >= ENOUGH * len(self.requests)

    @property
    def failures(self) -> list[str]:
        """Why requests were not answered."""
        return [answer.failure for answers in self.fresh.answers for answer in answers if answer.failure]

    @cached_property
    def odd(self) -> list[int]:
        """The places of requests with another text than all fresh answers, which are equal."""
        return list(odd_ones(self.requests, "texts"))

    @property
    def varies(self) -> bool:
        """Whether the verifier's model answers a request in different ways."""
        between = self.shares[0].between
        return between.equal < between.of

    @property
    def outcome(self) -> Verification:
        """What it shows about the archive."""
        if self.odd if self.demand_equality else self.test.told_apart:
            return Verification.DIFFERS
        shown = not self.varies if self.demand_equality else self.test.smallest_share is not None
        return Verification.COMPLETE if self.enough and shown else Verification.INCOMPLETE


def report(asked: AskedModel, findings: Findings) -> Verification:
    """Adds the findings about one model; returns the outcome."""
    name, fresh = asked.draw.model, asked.fresh
    paid = "" if fresh.dollars is None else f" for ${fresh.dollars:,.4f}"
    earlier = f", {fresh.earlier:,} answered before" if fresh.earlier else ""
    findings.say(Part.ASKED, f"{name}: {plural(fresh.sent, 'answer', 'answers')} now{paid}{earlier}")
    for line in table_lines(asked.shares):
        findings.say(Part.ASKED, f"  {line}")
    outcome = asked.outcome
    if outcome is Verification.DIFFERS:
        for line in _examples(asked):
            findings.say(Part.ASKED, f"  {line}")
    word = {Verification.COMPLETE: "verified", Verification.DIFFERS: "DIFFERS"}.get(outcome, "not verified")
    findings.add(Part.ASKED, word, _SUBJECT, f"{name}: {_conclusion(asked, outcome)}")
    if asked.failures:
        what = f"{name}: {plural(len(asked.failures), 'request', 'requests')} had no answer"
        findings.not_verified(_SUBJECT, f"{what}, the first: {cut(on_one_line(asked.failures[0]), 400)}")
    return outcome


def _conclusion(asked: AskedModel, outcome: Verification) -> str:
    """The outcome in one line."""
    drawn = f"{asked.answered:,} of {plural(len(asked.requests), 'drawn request', 'drawn requests')}"
    if asked.demand_equality:
        return _equality(asked, outcome, drawn)
    test = asked.test
    figures = f"p {test.p:.2g}, error rate {test.error_rate:.0%}"
    own = f"your {asked.model.row.name}"
    if outcome is Verification.DIFFERS:
        levels = " and ".join(level for level, result in test.levels.items() if result.told_apart)
        return f"these are not answers of {own}: their {levels} differ more than its own do ({figures})"
    share = test.smallest_share
    if not asked.enough:
        return f"only {drawn} were answered, too few for a result ({figures})"
    if share is None:
        return (
            f"{drawn} are too few, or vary too much, to find even a wholly invented run with a "
            f"probability of 95 %: draw more ({_power(test)})"
        )
    return (
        f"could be answers of {own}, on {drawn} ({figures}); with a probability of 95 %, invented answers "
        f"would be found from these shares on: {_power(test)}"
    )


def _power(test: ExchangeabilityResult) -> str:
    """The share that is found at each level, of the requests in which an invented answer shows there."""
    return ", ".join(
        f"{level} {'not even all' if result.smallest_share is None else f'{result.smallest_share:.0%}'} "
        f"of {result.informative:,}"
        for level, result in test.levels.items()
    )


def _equality(asked: AskedModel, outcome: Verification, drawn: str) -> str:
    """The outcome in one line, if equal texts were demanded."""
    if outcome is Verification.DIFFERS:
        return f"{len(asked.odd):,} texts differ, and equality was demanded"
    if outcome is Verification.INCOMPLETE and asked.varies:
        between = asked.shares[0].between
        return (
            f"equality cannot be demanded: your own askings differ in {between.of - between.equal:,} of "
            f"{between.of:,} texts. Serve the model with VLLM_BATCH_INVARIANT=1, or test without it"
        )
    return f"the same text on {drawn}"


def _examples(asked: AskedModel) -> Iterator[str]:
    """Some requests whose archived answer is another than all fresh ones."""
    for place in asked.odd[:_EXAMPLES]:
        drawn, answer = asked.draw.requests[place], asked.fresh.answers[place][0]
        fresh = None if answer.exchange is None else answer.exchange.result
        yield f"{drawn.entry.entry_id}, turn {drawn.request.turn + 1}"
        yield f"  archive      {cut(on_one_line(str(drawn.exchange.result)), _LONGEST)}"
        yield f"  asked again  {cut(on_one_line(str(fresh)), _LONGEST)}"
    if len(asked.odd) > _EXAMPLES:
        yield f"and {len(asked.odd) - _EXAMPLES:,} more"
