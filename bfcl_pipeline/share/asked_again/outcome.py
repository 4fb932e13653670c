"""What asking one model again shows: the outcome, the findings, the statement.

The statement is a JSON file with each drawn request, all answers to it and the comparison. Whoever has the
archive can draw the same requests by its seed, compare the answers in it, or ask again.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import line_of, plural, text_table
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.asked_again.asking import AskingJob, FreshAnswer
from bfcl_pipeline.share.asked_again.comparison import SAME_CALLS, SAME_TEXTS, LevelComparison

ENOUGH = 0.9  # share of the drawn requests that must be answered before the outcome counts as verified

_HEADINGS = ("%", "requests", "archive", "yours", "difference", "95 % interval", "margin", "p", "decision")


@dataclass(frozen=True, slots=True)
class AskedModel:
    """One model that was asked again."""

    job: AskingJob
    answers: Sequence[Sequence[FreshAnswer]]  # to each request in the order of the draw, by asking
    answered: int  # requests with all their fresh answers
    compared: Sequence[LevelComparison]  # of these

    @property
    def failed(self) -> list[LevelComparison]:
        """The levels that tell the archive's answers apart from the model's."""
        return [one for one in self.compared if one.decision is Decision.FAIL]

    @property
    def passed(self) -> list[LevelComparison]:
        """The levels at which other answers would have been found; another model need not be right."""
        return [
            one
            for one in self.compared
            if one.decision is Decision.PASS and one.level in (SAME_TEXTS, SAME_CALLS)
        ]

    @property
    def outcome(self) -> Verification:
        """What it shows about the archive."""
        if self.failed:
            return Verification.DIFFERS
        enough = self.answered >= ENOUGH * len(self.answers)
        return Verification.COMPLETE if enough and self.passed else Verification.INCOMPLETE


def report(asked: AskedModel, findings: Findings) -> Verification:
    """Adds the findings about one model; returns the outcome."""
    name, outcome = asked.job.draw.model, asked.outcome
    table = text_table(_HEADINGS, [_cells(level) for level in asked.compared], right=range(1, 8))
    for line in table.splitlines():
        findings.say(Part.ASKED, f"  {line}")
    word = {Verification.COMPLETE: "verified", Verification.DIFFERS: "DIFFERS"}.get(outcome, "not verified")
    findings.add(Part.ASKED, word, "answers", f"{name}: {_conclusion(asked)}")
    failures = [answer for fresh in asked.answers for answer in fresh if isinstance(answer, str)]
    if failures:
        what = f"{name}: {plural(len(failures), 'request', 'requests')} had no answer"
        findings.not_verified("answers", f"{what}, the first: {line_of(failures[0], 400)}")
    return outcome


def _cells(level: LevelComparison) -> list[str]:
    """Shares in per cent, differences in points."""
    shares = (level.archive, level.own, level.archive - level.own)
    return [
        level.level,
        f"{level.requests:,}",
        *(f"{100 * share:.1f}" if level.requests else "-" for share in shares),
        f"{100 * level.limits.low:.1f} to {100 * level.limits.high:.1f}",
        f"{100 * level.margin:.1f}",
        f"{level.p:.2g}",
        level.decision,
    ]


def _conclusion(asked: AskedModel) -> str:
    """The outcome in one line."""
    own = f"your {asked.job.job.row.name}"
    drawn = f"{asked.answered:,} of {plural(len(asked.answers), 'drawn request', 'drawn requests')}"
    if asked.failed:
        levels = ", ".join(one.level for one in asked.failed)
        return f"these are not answers of {own}: below its own by more than the margin: {levels}"
    if asked.outcome is Verification.INCOMPLETE:
        return f"{drawn} were answered: too few, or too varied, to find other answers: draw more"
    limits = ", ".join(f"{one.level} {max(0.0, -100 * one.limits.low):.1f}" for one in asked.passed)
    return f"could be answers of {own}, on {drawn}; points below its own, at most: {limits}"


def write_statement(path: Path, run: ArchivedRun, seed: int, asked: Sequence[AskedModel]) -> None:
    """Writes the results of all models. Endpoints and keys of the verifier are not among them."""
    document = {
        "archive": {"file": run.file.name, "sha256": run.sha256, "run": run.metadata.run},
        "seed": seed,
        "models": list(map(_model, asked)),
    }
    write_text(path, json.dumps(document, indent=2) + "\n")


def _model(asked: AskedModel) -> Json:
    row, draw = asked.job.job.row, asked.job.draw
    return {
        "model": draw.model,
        "outcome": asked.outcome.name.lower(),
        "asked": {"name": row.name, "kind": row.kind, "model": row.model, "weights": row.weights},
        "requests": draw.of,
        "comparison": [{**asdict(level), "decision": level.decision} for level in asked.compared],
        "exchanges": [
            {
                "key": one.key,
                "entry_id": one.entry.entry_id,
                "turn": one.request.turn,
                "archived": one.exchange.result,
                "askings": [
                    {"failure": x} if isinstance(x, str) else {"result": x.result} for x in answers
                ],
            }
            for one, answers in zip(draw.requests, asked.answers, strict=True)
        ],
    }
