"""Tables in pages whose other text is written by hand.

`make docs` writes them with the makers beside this file; a test of each maker fails if its page is stale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


def table(titles: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table with these titles of columns and these cells."""
    head, *lines = (f"| {' | '.join(cells)} |\n" for cells in (titles, *rows))
    return "".join([head, f"|{'---|' * len(titles)}\n", *lines])


def with_table(page: str, titles: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """The page with this table in the place of the one that has the same titles."""
    new = table(titles, rows)
    head = re.escape(new.partition("\n")[0])
    return re.sub(rf"^{head}\n(\|.*\n)*", lambda _: new, page, count=1, flags=re.MULTILINE)


def rewrite(page: Path, document: Callable[[str], str]) -> None:
    """Writes the page anew as `document` makes it of its text."""
    page.write_text(document(page.read_text(encoding="utf-8")), encoding="utf-8")
