"""The list of figures in docs/report.md."""

from __future__ import annotations

from bfcl_pipeline.show.report.figures.draw import FIGURES
from tests.support import ROOT
from tests.support.docs_parts import rewrite, with_table

PAGE = ROOT / "docs/report.md"


def document(page: str) -> str:
    """The page with the list as the records of the figures are."""
    rows = ((f"`{one.name}`", one.content, ", ".join(map("`{}`".format, one.tables))) for one in FIGURES)
    return with_table(page, ("file", "content", "table"), rows)


if __name__ == "__main__":
    rewrite(PAGE, document)
