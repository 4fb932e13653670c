"""Whether a page is larger than a page of results: measured before a tree is built of it.

Building a tree, and selecting marks in it, takes more than linear time in what is counted here.
"""

from collections.abc import Callable, Mapping
from typing import Any

MOST_ELEMENTS = 20_000
"""Of one page, which has some thousands."""

MOST_ATTRIBUTES = 1_000
"""Of one element: building the tree takes quadratic time in their number."""

LONGEST_CLASS = 2_000
"""Characters of the classes of one element, which marks compare for each element below it."""


class _Size:
    """Receives the elements of a page, of which no tree is built, and notes whether they are too many."""

    def __init__(self) -> None:
        self.elements = 0
        self.is_too_large = False

    def start(self, _tag: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        self.is_too_large |= (
            self.elements > MOST_ELEMENTS
            or len(attributes) > MOST_ATTRIBUTES
            or len(attributes.get("class", "")) > LONGEST_CLASS
        )

    def close(self) -> bool:
        return self.is_too_large


def is_too_large(page: str, parser: Callable[..., Any]) -> bool:
    """Whether a page has too many elements, attributes or classes. parser: the class of lxml's parser."""
    measuring = parser(target=_Size())
    measuring.feed(page)
    return bool(measuring.close())
