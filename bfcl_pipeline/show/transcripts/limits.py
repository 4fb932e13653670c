"""How much of each text is recorded: little for a terminal, more for a page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bfcl_pipeline.show.transcripts.parts import Item, Kind


@dataclass(frozen=True, slots=True)
class TextLimits:
    """Characters of each kind of text, and numbers of items. A cut text ends with what is missing."""

    words: int  # of a text of a user, of the release or of a model
    call: int  # of a call or a signature
    result: int  # of a result, and of one hit of a search
    page: int  # of a fetched page
    value: int  # of a value: before and after a change, of a parameter, of a memory
    memory: int  # of a memory that is one text
    changes: int  # of one call
    hits: int  # of one search
    answer: int  # of all items of an answer; what follows is left out


TERMINAL = TextLimits(
    words=3_000,
    call=600,
    result=400,
    page=1_200,
    value=200,
    memory=10_000,
    changes=6,
    hits=10,
    answer=300_000,
)
PAGE = TextLimits(
    words=20_000,
    call=20_000,
    result=20_000,
    page=20_000,
    value=2_000,
    memory=20_000,
    changes=50,
    hits=50,
    answer=1_000_000,
)


class Room:
    """How many characters of items one answer still has."""

    def __init__(self, limits: TextLimits) -> None:
        self._left = limits.answer

    @property
    def is_full(self) -> bool:
        """Whether nothing more fits."""
        return self._left < 0

    def fitting(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items that there is room for, then a note if one was left out."""
        for item in items:
            if self.is_full:
                yield Item(Kind.NOTE, "(cut: the rest of the answer is not shown)")
                return
            self._left -= len(item.text) + len(item.label) + 40  # an item without a text takes space, too
            yield item
