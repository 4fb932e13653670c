"""What asking one model again shows: the shares of equal answers, the test, the findings, as a file too.

The JSON file has each request and what is equal, for a verifier to publish.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import cut, on_one_line, plural, text_table
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.asked_again.answers import (
    BETWEEN,
    LEVELS,
    TEXTS,
    TRIALS,
    ComparedAnswer,
    ComparedRequest,
    Share,
    are_equal,
    equal_shares,
    odd_ones,
)
from bfcl_pipeline.share.asked_again.asking import AskingJob, FreshAnswer
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest
from bfcl_pipeline.share.asked_again.exchangeability import ExchangeabilityResult, compare_answers

ENOUGH = 0.9
"""The share of the drawn requests that must be answered before the outcome counts as verified."""

_EXAMPLES = 3  # answers that differ, in the output
_LONGEST = 160  # characters of each


@dataclass(frozen=True)
class AskedModel:
    """One model that was asked again. Requests and answers are in the order of the draw."""

    job: AskingJob
    answers: Sequence[Sequence[FreshAnswer]]  # by asking
    counts: ProgressCounts  # of what was sent
    requests: Sequence[ComparedRequest]
    tolerances: Mapping[str, float]
    demand_equality: bool

    @cached_property
    def shares(self) -> dict[str, dict[str, Share]]:
        """How many answers are equal, by level."""
        return equal_shares(self.requests, self.job.askings)

    @cached_property
    def test(self) -> ExchangeabilityResult:
        """Whether the archive's answers could come from the model."""
        answers = [(request.archived, *request.fresh) for request in self.requests]
        levels = {
            level: [[one and getattr(one, level) for one in answer] for answer in answers]
            for level in LEVELS
        }
        return compare_answers(levels, self.tolerances)

    @property
    def answered(self) -> int:
        """The requests with all their fresh answers."""
        return sum(None not in request.fresh for request in self.requests)

    @property
    def enough(self) -> bool:
        """Whether enough of the requests were answered."""
        return 0 < self.answered >= ENOUGH * len(self.requests)

    @property
    def odd(self) -> list[int]:
        """The places of requests with another text than all fresh answers, which are equal."""
        return odd_ones(self.requests, TEXTS)

    @property
    def varying(self) -> int:
        """How many pairs of the model's own texts differ."""
        between = self.shares[TEXTS][BETWEEN]
        return between.of - between.equal

    @property
    def outcome(self) -> Verification:
        """What it shows about the archive."""
        if self.odd if self.demand_equality else self.test.told_apart:
            return Verification.DIFFERS
        shown = not self.varying if self.demand_equality else self.test.smallest_share is not None
        return Verification.COMPLETE if self.enough and shown else Verification.INCOMPLETE


def report(asked: AskedModel, findings: Findings) -> Verification:
    """Adds the findings about one model; returns the outcome."""
    name, counts, outcome = asked.job.draw.model, asked.counts, asked.outcome
    paid = "" if counts.dollars is None else f" for ${counts.dollars:,.4f}"
    earlier = f", {counts.replayed:,} answered before" if counts.replayed else ""
    lines = [f"{name}: {plural(counts.requests_done, 'answer', 'answers')} now{paid}{earlier}"]
    rows = [[level, *map(str, shares.values())] for level, shares in asked.shares.items()]
    table = text_table(["equal", *asked.shares[TEXTS]], rows, right=())
    lines += [f"  {line}" for line in table.splitlines()]
    if outcome is Verification.DIFFERS:
        lines += [f"  {line}" for line in _examples(asked)]
    for line in lines:
        findings.say(Part.ASKED, line)
    word = {Verification.COMPLETE: "verified", Verification.DIFFERS: "DIFFERS"}.get(outcome, "not verified")
    findings.add(Part.ASKED, word, "answers", f"{name}: {_conclusion(asked)}")
    failures = [answer for answers in asked.answers for answer in answers if isinstance(answer, str)]
    if failures:
        what = f"{name}: {plural(len(failures), 'request', 'requests')} had no answer"
        findings.not_verified("answers", f"{what}, the first: {cut(on_one_line(failures[0]), 400)}")
    return outcome


def _conclusion(asked: AskedModel) -> str:
    """The outcome in one line."""
    outcome, test, share = asked.outcome, asked.test, asked.test.smallest_share
    drawn = f"{asked.answered:,} of {plural(len(asked.requests), 'drawn request', 'drawn requests')}"
    if asked.demand_equality:
        if outcome is Verification.DIFFERS:
            return f"{len(asked.odd):,} texts differ, and equality was demanded"
        if asked.varying:
            return (
                f"equality cannot be demanded: your own askings differ in {asked.varying:,} of "
                f"{asked.shares[TEXTS][BETWEEN].of:,} texts. Serve the model with VLLM_BATCH_INVARIANT=1, "
                "or test without it"
            )
        return f"the same text on {drawn}"
    figures = f"p {test.p:.2g}, error rate {test.error_rate:.0%}"
    own = f"your {asked.job.row.name}"
    if outcome is Verification.DIFFERS:
        levels = " and ".join(level for level, result in test.levels.items() if result.told_apart)
        return f"these are not answers of {own}: their {levels} differ more than its own do ({figures})"
    if not asked.enough:
        return f"only {drawn} were answered, too few for a result ({figures})"
    power = ", ".join(
        f"{level} {'not even all' if result.smallest_share is None else f'{result.smallest_share:.0%}'} "
        f"of {result.informative:,}"
        for level, result in test.levels.items()
    )
    if share is None:
        return (
            f"{drawn} are too few, or vary too much, to find even a wholly invented run with a "
            f"probability of 95 %: draw more ({power})"
        )
    return (
        f"could be answers of {own}, on {drawn} ({figures}); with a probability of 95 %, invented answers "
        f"would be found from these shares on: {power}"
    )


def _examples(asked: AskedModel) -> Iterator[str]:
    """Some requests whose archived answer is another than all fresh ones."""
    for place in asked.odd[:_EXAMPLES]:
        drawn, fresh = asked.job.draw.requests[place], asked.answers[place][0]
        yield f"{drawn.entry.entry_id}, turn {drawn.request.turn + 1}"
        yield f"  archive      {cut(on_one_line(str(drawn.exchange.result)), _LONGEST)}"
        yield f"  asked again  {cut(on_one_line(str(_result(fresh))), _LONGEST)}"
    if len(asked.odd) > _EXAMPLES:
        yield f"and {len(asked.odd) - _EXAMPLES:,} more"


def write_results(path: Path, run: ArchivedRun, seed: int, results: Sequence[AskedModel]) -> None:
    """Writes the results of all models. Endpoints and keys of the verifier are not among them."""
    document = {
        "archive": {"file": run.file.name, "sha256": run.sha256, "run": run.metadata.run},
        "seed": seed,
        "models": [_model(one) for one in results],
    }
    write_text(path, json.dumps(document, indent=2) + "\n")


def _model(asked: AskedModel) -> Json:
    row, test, draw = asked.job.row, asked.test, asked.job.draw
    shares = {
        level: {column: asdict(share) for column, share in columns.items()}
        for level, columns in asked.shares.items()
    }
    return {
        "model": draw.model,
        "outcome": asked.outcome.name.lower(),
        "asked": {"name": row.name, "kind": row.kind, "model": row.model, "weights": row.weights},
        "requests": draw.of,
        "askings": asked.job.askings,
        "equality_demanded": asked.demand_equality,
        "test": {
            "p": test.p,
            "error_rate": test.error_rate,
            "told_apart": test.told_apart,
            "smallest_share": test.smallest_share,
            "levels": {level: asdict(result) for level, result in test.levels.items()},
        },
        "shares": [
            {
                "level": level,
                "askings": [share for column, share in columns.items() if column not in (BETWEEN, TRIALS)],
                "between": columns[BETWEEN],
                "trials": columns[TRIALS],
            }
            for level, columns in shares.items()
        ],
        "exchanges": list(map(_exchange, draw.requests, asked.answers, asked.requests)),
    }


def _exchange(drawn: DrawnRequest, fresh: Sequence[FreshAnswer], request: ComparedRequest) -> Json:
    def equal(other: ComparedAnswer | None) -> Json:
        """Whether an answer equals the archive's, by level; null: undecided, or there is no answer."""
        return {level: are_equal(level, request.archived, other) for level in LEVELS}

    return {
        "key": drawn.journaled.key,
        "entry_id": drawn.entry.entry_id,
        "turn": drawn.request.turn,
        "archived": {"result": drawn.exchange.result, "valid": request.archived.verdicts},
        "askings": [
            {
                "result": _result(answer),
                "failure": answer if isinstance(answer, str) else None,
                "valid": form and form.verdicts,
                "equal": equal(form),
            }
            for answer, form in zip(fresh, request.fresh, strict=True)
        ],
        "trials": [equal(form) for form in request.trials],
    }


def _result(answer: FreshAnswer) -> Json:
    return None if isinstance(answer, str) else answer.result
