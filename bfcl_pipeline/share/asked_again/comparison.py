"""Could the answers of an archive come from the model that was asked again?

Each drawn request has three answers: the archive's, and two of the verifier's model. If all come from one
model, the archive's agrees with the first asking as often as the second asking does, and is wrong as often.
So archive and second asking are compared like two models on the same entries: by the paired interval, and
the exact test, of `judge.scoring.statistics.paired`. docs/ask_again.md has the reasons. Compared are the
text of an answer, its decoded calls in order, and its verdicts on entries of one request: in a conversation
the other requests would be others after another answer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bfcl_pipeline.ask.generation import Asking
from bfcl_pipeline.base.differences import differences, items_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Exchange, Rules
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.single_turn import answer_calls
from bfcl_pipeline.judge.scoring.statistics import paired
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits
from bfcl_pipeline.judge.scoring.statistics.paired import Decision


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One answer in a form in which it is compared."""

    text: str
    calls: tuple[Call, ...]  # none if none can be decoded
    valid: Mapping[Rules, bool | None]  # None: not judged


def same_calls(one: ComparedAnswer, other: ComparedAnswer) -> bool:
    """Whether two answers have equal calls; 1, 1.0 and True are three values."""
    return next(differences(one.calls, other.calls, parts=_parts), None) is None


def _parts(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, Call):
        return {".name": value.name, ".arguments": value.arguments}
    if isinstance(value, Mapping):  # {1: 2} is not {"1": 2}
        return {f"[{key!r}]": item for key, item in value.items()}
    return items_of(value)


def compared_form(entry: Entry, exchange: Exchange, asking: Asking) -> ComparedAnswer:
    """The form of an answer, as the adapter reads it, to a request of `entry` of a model asked so."""
    words = exchange.reply.get("content") if exchange.reply is not None else None
    written = [exchange.result, words if isinstance(words, str) else None]
    category = CATEGORIES[entry.category]
    if category.single_turn:
        calls = answer_calls(entry, exchange.result, asking.mode)
    else:
        calls = decode_step(exchange.result, asking.mode)
    valid: dict[Rules, bool | None] = dict.fromkeys(Rules)
    if category.single_turn and not category.executes:
        result = json.dumps(exchange.result)
        verdicts = Judge(entry).answer_verdicts(result, asking.mode, asking.name_style, tuple(Rules))
        valid = {rules: verdict.valid for rules, verdict in zip(Rules, verdicts, strict=True)}
    return ComparedAnswer(
        json.dumps(written, sort_keys=True), () if isinstance(calls, DecodeFailure) else calls, valid
    )


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
