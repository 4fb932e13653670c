"""The names of models in figures: visible characters that the font has, short, and no name twice."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from bfcl_pipeline.base.text import cut_middle, on_one_line, printable
from bfcl_pipeline.show.report.figures.style import MOST_SERIES
from bfcl_pipeline.show.report.page.run_tables import RunTables

LONGEST = 34
"""The most characters of a name."""

_HEAD = 8  # characters of a name before those in which it differs from others

_PUNCTUATION = "\u2013\u2014\u2018\u2019\u201c\u201d\u2020\u2022\u2026\u20ac\u2122"
_RANGES = ((" ", "~"), ("\xa1", "\u017f"), ("\u0391", "\u03c9"), ("\u0400", "\u045f"))


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run in the order of their ranks, with their names in figures."""

    names: dict[str, str]  # by model

    @classmethod
    def of(cls, tables: RunTables) -> "Models":
        """The models of the leaderboard."""
        shown = distinct(row["display_name"] for row in tables["leaderboard"])
        models = (row["model"] for row in tables["leaderboard"])
        return cls(dict(zip(models, shown, strict=True)))

    def best(self, among: Iterable[str], most: int = MOST_SERIES) -> list[str]:
        """The highest ranked of the models `among`, at most `most`."""
        chosen = set(among)
        return [model for model in self.names if model in chosen][:most]

    def named(self, models: Iterable[str]) -> list[str]:
        """The names of models."""
        return [self.names[model] for model in models]


def limit_note(shown: int, known: int, which: str = "highest ranked") -> str:
    """The sentence on models that a figure leaves out; empty if it shows all. which: those it shows."""
    return f" The {shown} {which} of {known} models are shown." if shown < known else ""


def distinct(names: Iterable[str]) -> Sequence[str]:
    """Names as figures show them, each once; names that would be cut alike keep where they differ."""
    whole = [drawable_text(name, 4 * LONGEST) for name in names]
    groups: dict[str, set[str]] = {}
    for name in whole:
        groups.setdefault(cut_middle(name, LONGEST), set()).add(name)
    return number_names(_cut_among(name, groups[cut_middle(name, LONGEST)]) for name in whole)


def _cut_among(name: str, alike: set[str]) -> str:
    """A name cut to LONGEST, if it can be so that it differs from the names that are cut `alike`."""
    if len(alike) == 1:
        return cut_middle(name, LONGEST)
    same = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*alike, strict=False)))
    start = max(_HEAD, min(same - 2, len(name) - (LONGEST - _HEAD - 1)))
    return cut_middle(f"{name[:_HEAD]}\N{HORIZONTAL ELLIPSIS}{name[start:]}", LONGEST)


def number_names(names: Iterable[str]) -> Sequence[str]:
    """Names in their order; one that occurs again has its number."""
    seen: Counter[str] = Counter()
    shown = []
    for name in names:
        seen[name] += 1
        shown.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return shown


def drawable_text(text: str, most: int = LONGEST) -> str:
    """A text as figures show it.

    Characters that the font of the figures lacks are escaped: a font of the machine would draw them
    otherwise, and the figure would differ from machine to machine.
    """
    plain = on_one_line(printable(cut_middle(text, 4 * most)))
    covered = " ".join("".join(map(_covered, plain)).split())
    return cut_middle(covered, most)


def _covered(letter: str) -> str:
    if letter in _PUNCTUATION or any(first <= letter <= last for first, last in _RANGES):
        return letter
    return letter.encode("unicode_escape").decode("ascii")
