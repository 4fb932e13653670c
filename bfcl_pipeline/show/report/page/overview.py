"""The top of the page and its section on the benchmark.

Covers what was evaluated and notices on how to read the numbers; the categories in words, with examples,
their composition, and how to cite them: CITATION.cff and README.md have the same BibTeX entries.
"""

from collections.abc import Collection, Mapping

from bfcl_pipeline.base.text import cut, on_one_line, plural, printable
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, release
from bfcl_pipeline.benchmark.definition.descriptions import (
    DESCRIPTIONS,
    GENERATIONS,
    NOT_COMPARABLE,
    composition,
    overall_weights,
)
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.runs.web_label import join_webs, mark, note, split_webs
from bfcl_pipeline.show.report.format import count, percent
from bfcl_pipeline.show.report.notes import own_errata_notes, short_reason, unread_notes
from bfcl_pipeline.show.report.omission_notes import omission_notes
from bfcl_pipeline.show.report.page.run_tables import RunTables
from bfcl_pipeline.show.report.page.table import Cell, PageColumn, Table, isolate, lines_table
from bfcl_pipeline.show.report.v4_table import published_notes

SCORED = tuple(name for name, category in CATEGORIES.items() if category.scored)
"""The categories that are part of the leaderboard."""

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


def facts(tables: RunTables) -> dict[str, str]:
    """What was evaluated: texts by name."""
    evaluated = _evaluated(tables)
    entries = dict.fromkeys(CATEGORIES, 0)  # of the largest sample, if models have different ones
    for row in tables["categories"]:
        entries[row["category"]] = max(entries[row["category"]], row["entries"])
    scored = sum(entries[name] for name in evaluated)
    whole = sum(CATEGORIES[name].entries for name in SCORED)
    formats = entries["format_sensitivity"]
    retired = sum(entries[name] for name in GROUPS["executable"])
    webs = join_webs(web for row in tables["leaderboard"] for web in split_webs(row["web"]))
    return {
        "Benchmark": f"{tables.benchmark}, {release.DISTRIBUTION} {tables.release}",
        "Upstream commit": release.UPSTREAM_COMMIT,
        "Models": count(len(tables["leaderboard"])),
        "Scored categories": f"{len(evaluated)} of {len(SCORED)}",
        "Scored entries": f"{count(scored)} of {count(whole)}",
        **({"Format sensitivity": f"{count(formats)} entries"} if formats else {}),
        **({"Executable (V1)": f"{count(retired)} entries, in no score of V4"} if retired else {}),
        **({"Web searched": webs + mark(webs)} if webs else {}),
        "Rules": tables.rules.value,
    }


def notices(tables: RunTables) -> list[str]:
    """Notices that apply to the numbers: what was not evaluated, not answered, or is not comparable."""
    lines = [f"{tables.sample}."] if tables.sample else []
    lines += [f"{row['model']}: no answers: {short_reason(row['reason'])}" for row in tables["unanswered"]]
    lines += unread_notes(tables["unread_calls"])
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}
    lines += [*_web_notice(tables), *_missing_notice(tables), *omission_notes(tables["omitted"], names)]
    embedded = [row["display_name"] for row in tables["leaderboard"] if row["kind"] in EMBEDDED_KINDS]
    if embedded:
        lines.append(
            f"{', '.join(embedded)}: embedded models of the pipeline. The oracle answers from the ground "
            "truth (upper bound); the lexical model has no learned weights (lower bound)."
        )
    if tables.rules is not Rules.OFFICIAL:
        lines.append(
            f"Scored under {tables.rules} rules: these numbers are not comparable with the leaderboard."
        )
    if tables.rules is Rules.VERIFIED:
        lines += own_errata_notes(tables["own_errata"])
    return lines + published_notes(tables["published"])


def _evaluated(tables: RunTables) -> list[str]:
    scored = {row["category"] for row in tables["categories"] if row["answered"]}
    return [name for name in SCORED if name in scored]


def _web_notice(tables: RunTables) -> list[str]:
    meaning = note(row["web"] for row in tables["leaderboard"])
    if not meaning:
        return []
    return [
        f"{meaning}. This applies to every score that contains web search. In the official files "
        "(tables/official) web search counts as not evaluated."
    ]


def _missing_notice(tables: RunTables) -> list[str]:
    evaluated = _evaluated(tables)
    missing = len(SCORED) - len(evaluated)
    if not missing or not evaluated:
        return []
    perfect = {name: Count(CATEGORIES[name].entries, CATEGORIES[name].entries) for name in evaluated}
    reachable = leaderboard_scores(perfect)["overall"].accuracy
    return [
        f"{plural(missing, 'category was', 'categories were')} not evaluated. As on the leaderboard, they "
        f"count 0 in the Overall, so this run can reach at most {percent(reachable)} %. "
        "A score marked * contains categories that count 0 in this way."
    ]


def benchmark_facts() -> dict[str, str]:
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
