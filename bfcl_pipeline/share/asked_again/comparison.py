"""Could the answers of an archive come from the model that was asked again?

Each drawn request has three answers: the archive's, and two of the verifier's model. If all come from one
model, the archive's agrees with the first asking as often as the second asking does, and is wrong as often.
So archive and second asking are compared like two models on the same entries: by the paired interval, and
the exact test, of `judge.scoring.statistics.paired`. docs/ask_again.md has the reasons.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.statistics import paired
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.share.asked_again.answers import ComparedAnswer, same_calls

Answers: TypeAlias = tuple[ComparedAnswer, ComparedAnswer, ComparedAnswer]
"""The answers to one request: the archive's, those of the first and the second asking."""

SAME_TEXTS, SAME_CALLS = "same texts", "same calls"

TEXT_MARGIN, CALL_MARGIN, WRONG_MARGIN = 0.3, 0.05, 0.02
"""How much smaller the archive's share may be for other reasons than the model: other hardware, other
batches, an update of the endpoint. These change texts easily; calls, and whether an answer is wrong,
seldom. Of the same texts and calls it is a part of the own share, which an invented answer never has."""

ERROR_RATE = 0.01  # the most that an honest archive is told apart if only chance makes answers differ


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """The archive's answers and the verifier's own by one property: same texts, same calls, wrong."""

    level: str
    requests: int
    archive: float  # share of the archive's answers with the property
    own: float  # of the verifier's: of the second asking if they are compared with the first, else of that
    limits: Limits  # the 95 % interval of archive minus own
    p: float  # exact test of no difference, adjusted for the number of levels
    margin: float  # the largest loss that other reasons than the model explain

    @property
    def decision(self) -> Decision:
        """FAIL: not by chance, and by more than the margin, the archive's share is smaller."""
        found = paired.decide(self.limits.low, self.limits.high, self.margin)
        return Decision.UNDECIDED if found is Decision.FAIL and self.p > ERROR_RATE else found


def compare_answers(answers: Sequence[Answers]) -> list[LevelComparison]:
    """Compares the answers to each drawn request, by each level; a level without requests is undecided."""
    pairs = _pairs(answers)
    adjusted = paired.holm([paired.mcnemar(*_only(level)) for level in pairs.values()])
    return [_compared(name, level, p) for (name, level), p in zip(pairs.items(), adjusted, strict=True)]


def _pairs(answers: Sequence[Answers]) -> Mapping[str, list[tuple[bool, bool]]]:
    """By level, whether the archive's answer to a request has the property, and whether the own one has."""
    return {
        SAME_TEXTS: [(old.text == first.text, second.text == first.text) for old, first, second in answers],
        SAME_CALLS: [
            (same_calls(old, first), same_calls(second, first))
            for old, first, second in answers
            if old.calls or first.calls or second.calls
        ],
        **{
            f"wrong, {rules}": [
                (not old.valid[rules], not first.valid[rules])
                for old, first, _ in answers
                if old.valid[rules] is not None and first.valid[rules] is not None
            ]
            for rules in Rules
        },
    }


def _only(pairs: Sequence[tuple[bool, bool]]) -> tuple[int, int]:
    """In how many pairs only the first is true, and in how many only the second."""
    return pairs.count((True, False)), pairs.count((False, True))


def _compared(name: str, pairs: Sequence[tuple[bool, bool]], p: float) -> LevelComparison:
    count = len(pairs)
    archive, own = (sum(side) / count for side in zip(*pairs, strict=True)) if pairs else (0.0, 0.0)
    margin = {SAME_TEXTS: TEXT_MARGIN * own, SAME_CALLS: CALL_MARGIN * own}.get(name, WRONG_MARGIN)
    limits = paired.difference_limits(*_only(pairs), count, count)
    return LevelComparison(name, count, archive, own, limits, p, margin)
