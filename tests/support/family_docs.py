"""The table of families in docs/families.md. Everything in it is from `config.families`."""

from __future__ import annotations

from collections.abc import Iterator

from bfcl_pipeline.benchmark.config.families import FamilyRow, load_families
from bfcl_pipeline.benchmark.records import Mode
from tests.support import ROOT
from tests.support.docs_parts import rewrite, with_table

PAGE = ROOT / "docs" / "families.md"
_TITLES = ("family", "models", "handler", "prompt", "functions", "calls are read by", "results of calls")
_TEMPLATES = "../bfcl_pipeline/dialogue/families/templates"


def document(page: str) -> str:
    """`page` with the table as it has to be."""
    return with_table(page, _TITLES, map(_cells, load_families().values()))


def _cells(family: FamilyRow) -> Iterator[str]:
    yield f"`{family.name}`"
    yield ", ".join(name.removesuffix("-FC").partition("/")[2] or name for name in family.models)
    yield f"`{family.official}`" if family.official else "none: our own family"
    written = (ROOT / "bfcl_pipeline/dialogue/families/templates" / family.template).is_file()
    yield f"[{family.template}]({_TEMPLATES}/{family.template})" if written else "the model's own"
    yield "in the benchmark's system prompt" if family.system_prompt else f"`{family.functions}`"
    yield f"`{family.reader}`{', as text' if family.mode is Mode.PROMPT else ''}"
    yield f"`{family.result_role}`"


if __name__ == "__main__":
    rewrite(PAGE, document)
