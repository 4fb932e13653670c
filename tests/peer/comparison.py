"""Both sides of a seam: what was compared, counted by group, and where they differ.

Covers the closed lists of argued differences, the table that a test prints, and the place at which two
texts begin to differ. Each seam says what it compares, and what it tells a person of a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

SHOWN = 20
"""How many differences are told in full."""

COLUMNS = ("compared", "argued", "differ")

Difference = TypeVar("Difference")


@dataclass(frozen=True, slots=True)
class Argued:
    """A kind of differences that may be, and why."""

    reason: str  # for a person
    applies: Callable[..., bool]  # of what the seam gives of a difference
    most: int | None = None  # how many there are at most, with everything compared


@dataclass
class Comparison(Generic[Difference]):
    """The sides of one seam side by side, counted."""

    title: str
    argued: Mapping[str, Argued] = field(default_factory=dict)  # by name
    counts: dict[str, Counter[str]] = field(default_factory=dict)  # `COLUMNS` by group
    kinds: Counter[str] = field(default_factory=Counter)  # of official answers
    excepted: Counter[str] = field(default_factory=Counter)  # differences by argued kind
    differing: list[Difference] = field(default_factory=list)  # that are not argued

    def add(self, group: str, kind: str, difference: Difference | None = None, *given: Any) -> None:
        """Counts one answer.

        difference: None, where the sides agree. given: arguments of `Argued.applies`, if they differ.
        """
        counts = self.counts.setdefault(group, Counter())
        counts["compared"] += 1
        self.kinds[kind] += 1
        if difference is None:
            return
        name = next((name for name, each in self.argued.items() if each.applies(*given)), None)
        if name is None:
            counts["differ"] += 1
            self.differing.append(difference)
        else:
            counts["argued"] += 1
            self.excepted[name] += 1

    @property
    def compared(self) -> int:
        """How many answers were compared."""
        return self.kinds.total()

    def summary(self) -> str:
        """The counts by group, the argued differences, and the kinds of official answers."""
        rows = [*sorted(self.counts.items()), ("total", sum(self.counts.values(), Counter()))]
        lines = ["", self.title, f"{'':<32}" + "".join(f"{column:>10}" for column in COLUMNS)]
        lines += [f"{name:<32}" + "".join(f"{counts[c]:>10,}" for c in COLUMNS) for name, counts in rows]
        for name, count in self.excepted.most_common():
            lines.append(f"argued, {name}: {count:,} ({self.argued[name].reason})")
        lines += [f"{count:>10,}  {kind}" for kind, count in self.kinds.most_common()]
        return "\n".join(lines)

    def check(
        self, shown: Callable[[list[Difference]], Iterable[str]] = lambda some: map(str, some)
    ) -> None:
        """Fails at differences that are not argued, and if there are more of a kind than ever were.

        shown: what a person is told of the first differences.
        """
        assert not self.differing, "\n\n".join(shown(self.differing[:SHOWN]))
        for name, count in self.excepted.items():
            most = self.argued[name].most
            assert most is None or count <= most, f"{name}: {count:,}"


def apart(ours: str, official: str, around: int = 300) -> str:
    """Both texts where they begin to differ, for a person."""
    pairs = enumerate(zip(ours, official, strict=False))
    at = next((place for place, (a, b) in pairs if a != b), min(len(ours), len(official)))
    window = slice(max(0, at - around), at + around)
    return f"at character {at}\n  ours:     {ours[window]}\n  official: {official[window]}"
