"""The list of figures in docs/report.md.

`python -m tests.support.figure_docs` writes it into the page; a test fails if it is not up to date.
"""

from __future__ import annotations

import re

from bfcl_pipeline.show.report.figures.draw import FIGURES
from tests.support import ROOT

PAGE = ROOT / "docs/report.md"
_LIST = re.compile(r"(?<=\| file \| content \| table \|\n\|---\|---\|---\|\n)(\|.*\n)*")


def document(page: str) -> str:
    """The page with the list as the records of the figures are."""
    rows = (
        f"| `{one.name}` | {one.content} | {', '.join(f'`{table}`' for table in one.tables)} |\n"
        for one in FIGURES
    )
    return _LIST.sub(lambda _: "".join(rows), page, count=1)


if __name__ == "__main__":
    PAGE.write_text(document(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
