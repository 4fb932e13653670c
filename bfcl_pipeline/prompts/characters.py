"""Text that can be written: no table, journal or request holds half of a character.

JSON can name the halves of a pair of UTF-16 one by one, and models do, in answers and in what tools repeat.
"""

from __future__ import annotations


def whole(text: str) -> str:
    """`text` with every half of a pair that stands alone replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
