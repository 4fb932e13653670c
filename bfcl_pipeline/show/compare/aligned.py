"""Two sides over the same entries, or why they are not compared: the one alignment of paired verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, Integers
from bfcl_pipeline.judge.scoring.statistics.paired import Booleans
from bfcl_pipeline.show.compare.settings import webs_differ
from bfcl_pipeline.show.compare.sides import ABSENT, NO_EXCHANGE, UNJUDGED, Side

_SHOWN = 3  # entries that an error names


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two sides, by number of entry."""

    marks: tuple[Floats, Floats]  # of both
    other_webs: tuple[Booleans, Booleans]  # web questions and executed calls, if the webs were different
    one_sided: Booleans  # of the others, those that only one side ran
    asked: Booleans  # of the others, those that both sides ran
    lacks: tuple[Booleans, Booleans]  # of these, those that each side has no verdict on
    same_exchange: Booleans  # the answers of both sides are one exchange

    @property
    def judged(self) -> Booleans:
        """The entries that both were asked for and have a verdict on."""
        return self.asked & ~np.logical_or(*self.lacks)

    def filled(self, if_first_lacks: float, if_second_lacks: float) -> tuple[Floats, Floats]:
        """The marks of both sides with some for the entries that they have no verdict on."""
        (one, two), (first_lacks, second_lacks) = self.marks, self.lacks
        return np.where(first_lacks, if_first_lacks, one), np.where(second_lacks, if_second_lacks, two)


class Aligner:
    """Aligns sides of one numbering; what depends only on the entries is computed once."""

    def __init__(self, entries: Sequence[tuple[str, str]], category: Integers) -> None:
        """entries: category and id of each number. category: the place of each in CATEGORIES."""
        self._entries, self._category = entries, category
        known = CATEGORIES.values()
        self._web = np.array([each.check is Check.WEB_SEARCH for each in known])[category]
        self._executed = np.array([each.executes for each in known])[category]

    def align(self, first: Side, second: Side, common: bool) -> Aligned:
        """Two sides over the same entries.

        common: what both have, of sides that differ in release, web, categories or entries.

        Raises TableError with what differs.
        """
        count = len(self._entries)
        one, two = (side.spread_over(count) for side in (first, second))
        exchanges, others = (side.exchanges_over(count) for side in (first, second))
        other_webs = (
            self._web & webs_differ(first.settings.web, second.settings.web),
            self._executed & webs_differ(first.settings.requests, second.settings.requests),
        )
        comparable: Booleans = ~np.logical_or(*other_webs)
        ran_one, ran_two = one != ABSENT, two != ABSENT
        asked = ran_one & ran_two & comparable
        aligned = Aligned(
            (one, two),
            other_webs,
            (ran_one ^ ran_two) & comparable,
            asked,
            (asked & (one == UNJUDGED), asked & (two == UNJUDGED)),
            (exchanges == others) & (exchanges != NO_EXCHANGE),
        )
        if not common:
            self._refuse_different(first, second, aligned)
        return aligned

    def _refuse_different(self, first: Side, second: Side, aligned: Aligned) -> None:
        """Raises TableError with what differs. Unscored categories may be missing on one side."""
        names, hint = f"{first.label} and {second.label}", "Use --common to compare what both have."
        versions = releases(first, second)
        if versions is not None:
            raise TableError(
                f"{names} are of different releases: {', '.join(versions)}. Their entries may "
                f"differ. {hint}"
            )
        ran_one, ran_two = (marks != ABSENT for marks in aligned.marks)
        of_one, of_two = (set(self._category[ran].tolist()) for ran in (ran_one, ran_two))
        known = list(CATEGORIES.values())
        missing = [
            f"only {side.label} has {', '.join(alone)}"
            for side, of in ((first, of_one - of_two), (second, of_two - of_one))
            if (alone := [known[place].name for place in sorted(of) if known[place].scored])
        ]
        if missing:
            raise TableError(f"{names} differ in categories: {'; '.join(missing)}. {hint}")
        if (aligned.other_webs[0] & ran_one & ran_two).any():
            raise TableError(
                f"{names} searched different webs: {first.settings}, {second.settings}. Scores from a "
                "simulated web say nothing about the real one. Use --common to compare all but web search."
            )
        in_both = np.isin(self._category, sorted(of_one & of_two))
        for poorer, lacks in ((second, ran_one & ~ran_two), (first, ran_two & ~ran_one)):
            ids = [self._entries[place][1] for place in np.flatnonzero(lacks & in_both).tolist()]
            if ids:
                more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
                lacking = f"{plural(len(ids), 'entry', 'entries')} of the other"
                raise TableError(
                    f"{names} differ in entries: {poorer.label} lacks {lacking} "
                    f"({', '.join(ids[:_SHOWN])}{more}). {hint}"
                )


def releases(first: Side, second: Side) -> tuple[str, str] | None:
    """The releases of two sides, if both are known and differ."""
    one, two = first.settings.release, second.settings.release
    return (one, two) if one and two and one != two else None
