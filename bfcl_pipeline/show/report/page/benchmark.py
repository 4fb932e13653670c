"""What the benchmark is: its categories in words, with examples, its composition, and how to cite it.

CITATION.cff and README.md of the repository have the same BibTeX entries.
"""

from collections.abc import Collection, Mapping

from bfcl_pipeline.base.text import cut, on_one_line, printable
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.descriptions import (
    DESCRIPTIONS,
    GENERATIONS,
    NOT_COMPARABLE,
    composition,
    overall_weights,
)
from bfcl_pipeline.show.report.page.table import Cell, PageColumn, Table, isolate, lines_table

BENCHMARK_BIBTEX = """\
@inproceedings{patil2025bfcl,
  title     = {The {Berkeley} {Function} {Calling} {Leaderboard} ({BFCL}): From Tool Use to Agentic
               Evaluation of Large Language Models},
  author    = {Patil, Shishir G. and Mao, Huanzhi and Yan, Fanjia and Ji, Charlie Cheng-Jie and
               Suresh, Vishnu and Stoica, Ion and Gonzalez, Joseph E.},
  booktitle = {Proceedings of the 42nd International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {267},
  pages     = {48371--48392},
  publisher = {PMLR},
  year      = {2025},
  url       = {https://proceedings.mlr.press/v267/patil25a.html}
}"""
"""The paper on the benchmark."""

SOFTWARE_BIBTEX = """\
@software{bfcl_pipeline,
  title   = {bfcl\\_pipeline: an offline-reproducible evaluation pipeline for the Berkeley Function-Calling
             Leaderboard V4},
  author  = {{bfcl\\_pipeline contributors}},
  year    = {2026},
  license = {Apache-2.0}
}"""
"""This pipeline; a paper states its version, which is on every page and in every archive."""


_EXAMPLE = 300  # characters of an example


CITATIONS: Mapping[str, str] = {"The benchmark": BENCHMARK_BIBTEX, "This software": SOFTWARE_BIBTEX}
"""BibTeX entries by what is cited."""


def facts() -> dict[str, str]:
    """What the generations of the benchmark are, and of what its questions consist: texts by name."""
    return {**GENERATIONS, **_compositions(), "V3 and V4": NOT_COMPARABLE}


def _compositions() -> dict[str, str]:
    """Of what the questions of the agentic categories consist."""
    sessions = CATEGORIES["memory_kv"].prerequisites
    return {
        "Web search": f"{composition('web_search_base')} (annotated steps to the answer); asked with and "
        "without snippets",
        "Memory": f"{composition('memory_kv')} (the kind of assistant that the model plays), after "
        f"{sessions} sessions; asked with each of three memories",
    }


def category_table(examples: Mapping[str, str], shown: Collection[str]) -> Table | None:
    """The categories in words.

    Args:
        examples: the first line of a question by category, from the staged release; without any, the table
            has no examples.
        shown: the categories of the table.
    """
    weights = overall_weights()

    def about(name: str) -> Cell:
        return Cell(DESCRIPTIONS[name].about, note=_example(name, examples), style="message")

    return lines_table(
        "Categories of the benchmark",
        [(name,) for name in DESCRIPTIONS if name in shown],
        [
            PageColumn("Category", Cell.code, ""),
            PageColumn("Since", lambda name: Cell.sortable(DESCRIPTIONS[name].generation), ""),
            PageColumn("Entries", lambda name: Cell.count(CATEGORIES[name].entries, _sessions(name))),
            PageColumn("Weight", lambda name: _weight(weights[name])),
            PageColumn("Tests", about, ""),
        ],
        style="sortable errata",
    )


def _sessions(name: str) -> str:
    sessions = CATEGORIES[name].prerequisites
    return f"after {sessions} sessions" if sessions else ""


def _weight(weight: float) -> Cell:
    if not weight:
        return Cell.number("\N{EN DASH}", None, title="in no score above it")
    return Cell.number(f"{weight * 100:.2f} %", weight)


def _example(name: str, examples: Mapping[str, str]) -> str:
    if name not in examples:
        return ""
    return isolate(f"For example: {cut(on_one_line(printable(examples[name])), _EXAMPLE)}")
