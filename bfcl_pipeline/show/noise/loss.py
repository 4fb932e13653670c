"""Whether a sentinel shows a loss: a sign-flip test over clusters.

If both runs are equal, every cluster favours either with the same probability, however flaky its entries
are, so that the signs of its differences can be exchanged: the test needs no assumption on flips.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy  # loads `scipy.special`, which is slow, where it is first used

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, Integers, number_keys, total
from bfcl_pipeline.judge.scoring.statistics.normal import Z_95
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.show.compare.compare import Comparer, ScoreDifference
from bfcl_pipeline.show.compare.gate import Gate, GatedScore, refuse_same
from bfcl_pipeline.show.compare.sides import RIGHT, WRONG, Side
from bfcl_pipeline.show.noise.records import UNRECORDED, Records, published_records

FALSE_ALARMS = 0.05
"""How often equal runs are called worse, at most; of all scores of a gate together."""

_DRAWS, _SEED = 9_999, 0  # of the signs of clusters
_CLOSE = 1e-9


def power_of(moments: Sequence[float], loss: float, level: float = FALSE_ALARMS) -> float:
    """The probability that a loss, a share, is shown by a p-value of at most `level`.

    The test is that of the difference over the root of the sum of squares, whose mean and variance are
    approximated to the second order: a loss adds to both, so that their ratio varies less than 1.

    moments: expected sums over clusters of the square, cube and fourth power of what each adds to the
    difference; the cube is that of losses alone, as flips cancel.
    """
    square, cube, fourth = moments
    if not square:
        return 1.0
    root = math.sqrt(square)
    mean = loss / root * (1 + 0.375 * fourth / square**2) - cube / (2 * root**3)
    variance = 1 - loss * cube / square**2 + loss**2 * fourth / (4 * square**3)
    return float(scipy.special.ndtr((mean + scipy.special.ndtri(level)) / math.sqrt(max(variance, _CLOSE))))


def moments_with(sums: Floats, worth: Floats, right: Floats, loss: float) -> list[float]:
    """The moments for `power_of` of two runs, if one also lost any of its right answers.

    sums: the weighted difference of each cluster. worth, right: the weight and the verdict of each entry.
    """
    lost = loss / (total(worth * right) or math.inf)
    adds = [lost * total(worth**power * right) for power in (2, 3, 4)]
    return [total(sums**2) + adds[0], adds[1], total(sums**4) + adds[2]]


def cluster_sums(cluster: Integers, values: Floats) -> Floats:
    """The sum of the values of each cluster."""
    return np.asarray(np.bincount(cluster, weights=values), np.float64)


def probability(sums: Floats) -> float:
    """The one-sided p-value of a loss. sums: the weighted difference, new minus old, of each cluster."""
    sums = sums[np.abs(sums) > _CLOSE]
    signs = np.random.default_rng(_SEED).integers(0, 2, (_DRAWS, len(sums)), np.int8) * 2 - 1
    lower = (signs * sums).sum(axis=1) <= sums.sum() + _CLOSE
    return float((1 + lower.sum()) / (1 + _DRAWS))


def sentinel_gate(
    comparer: Comparer, pairs: Sequence[tuple[Side, Side]], scores: Sequence[str], loss: float
) -> Gate:
    """The decision on each run with its baseline, and each score: worse, or no loss is shown.

    Args:
        comparer: which aligns the sides; entries without a verdict count as it says.
        pairs: runs, each with its baseline.
        scores: of the leaderboard, categories or SINGLE_TURN.
        loss: whose power is stated, as a share.

    Raises TableError: the sides differ in entries, unless the comparer takes what both have; a stratum of a
    score has no verdicts in common; or all answers are the same exchanges.
    """
    entries, worst = comparer.entries, comparer.worst
    level, decided = FALSE_ALARMS / (len(pairs) * len(scores)), []
    for new, old in pairs:
        aligned = comparer.aligned(new, old)
        marks = np.array(aligned.filled(WRONG, RIGHT) if worst else aligned.marks)
        same, lacks = aligned.same_exchange, np.logical_or(*aligned.lacks)
        for score in scores:
            of_score = category_weights(score, {})
            in_score = np.array([category in of_score for category, _ in entries])
            inside = aligned.asked & in_score
            used = np.flatnonzero(inside & (worst | ~lacks))
            if len(used) and same[used].all():
                refuse_same(f"{new.label} and {old.label}", score, len(used))
            chosen = [entries[place] for place in used.tolist()]
            worth, (first, second) = entry_weights(score, chosen, published_records()), marks[:, used]
            sums = cluster_sums(number_keys([cluster_of(*one) for one in chosen]), (first - second) * worth)
            p, half, difference = probability(sums), Z_95 * math.sqrt(total(sums**2)), total(sums)
            stated = f"worse: p {p:.4f}, at most {100 * level:.2g} % of equal runs are called so"
            if p > level:
                power = 100 * power_of(moments_with(sums, worth, second, loss), loss, level)
                stated = f"no loss is shown (p {p:.3f}); one of {100 * loss:g} points would be "
                stated += f"with {power:.0f} % power"
            found = ScoreDifference(
                score=score,
                complete=True,
                entries=len(used),
                clusters=len(sums),
                first=total(worth * first),
                second=total(worth * second),
                difference=difference,
                low=max(-1.0, difference - half),
                high=min(1.0, difference + half),
                only_first=int((first > second).sum()),
                only_second=int((first < second).sum()),
            )
            decided.append(
                GatedScore(
                    model=new.label,
                    against=old.label,
                    score=found,
                    unjudged=int((lacks & inside).sum()),
                    same_exchange=int(same[used].sum()),
                    worst=worst,
                    decision=Decision.FAIL if p <= level else Decision.PASS,
                    left_out=int((aligned.one_sided & in_score).sum()),
                    stated=stated,
                )
            )
    return Gate(loss, False, decided)


def entry_weights(score: str, chosen: Sequence[tuple[str, str]], records: Records) -> Floats:
    """The weight of each entry in a score: that of its stratum over the chosen entries of the stratum.

    chosen: category and id of each. Raises TableError if a stratum has no entry.
    """
    shares = category_weights(score, {})
    known = {name: records.get(name) or {"": UNRECORDED} for name in shares}
    classes = {name: Counter(one.difficulty for one in of.values()) for name, of in known.items()}
    keys = [(name, known[name].get(entry_id, UNRECORDED).difficulty) for name, entry_id in chosen]
    counts = Counter(keys)
    if lacking := [name for name, of in classes.items() if any(not counts[name, one] for one in of)]:
        raise TableError(
            f"there are no verdicts in common on a part of {', '.join(lacking)}. Run the sentinel of "
            f"{score} in both (bfcl-pipeline plan --gate), or name another score (--category)."
        )
    return np.array(
        [
            shares[name] * classes[name][one] / classes[name].total() / counts[name, one]
            for name, one in keys
        ]
    )
