"""Joined web questions as files: Parquet, CSV, JSON Lines, JSON, Markdown, LaTeX, by the suffix."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.markup import TextTable, latex, markdown
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables.schemas import field as described_column
from bfcl_pipeline.benchmark.tables.text_forms import write_any_form
from bfcl_pipeline.show.compare.question_text import accuracy_limits, hop_cells, hop_headings, legend
from bfcl_pipeline.show.compare.questions import HopScores, WebQuestions
from bfcl_pipeline.show.compare.tables import JSON, LATEX, MARKDOWN, write_json

WEB_QUESTIONS = pa.schema(
    [
        described_column("side", pa.string(), "one model, with its run where names repeat"),
        described_column("category", pa.string(), "web_search_base or web_search_no_snippet"),
        described_column("web", pa.string(), "simulated, real or off; null if not recorded", True),
        described_column("fetch_failures", pa.float64(), "share of fetches that were made to fail", True),
        described_column(
            "search_tool", pa.string(), "name under which the search tool was presented", True
        ),
        described_column("rules", pa.string(), "official, corrected or verified: the rule set"),
        described_column(
            "hops", pa.int64(), "annotated steps from a question to its answer; null: all", True
        ),
        described_column(
            "questions", pa.int64(), "questions with a verdict in every column of the comparison"
        ),
        described_column("correct", pa.int64(), "of these, those that the side has right"),
        described_column("accuracy", pa.float64(), "correct / questions"),
        described_column("ci_low", pa.float64(), "lower limit of its 95 % interval"),
        described_column("ci_high", pa.float64(), "upper limit of its 95 % interval"),
    ]
)
"""One row per side, web category and number of hops."""


def write_questions(path: Path, groups: Sequence[WebQuestions]) -> None:
    """Writes joined web questions in the form of the suffix, atomically; JSON has the questions, too."""
    form = path.suffix.lower()
    if form == JSON:
        write_json(path, {"web_questions": [_document(each) for each in groups]})
    elif form in (MARKDOWN, LATEX):
        written = markdown if form == MARKDOWN else latex
        tables = (
            TextTable(
                f"Web questions by hops, per cent. {'; '.join(legend(each))}",
                hop_headings(each),
                list(map(hop_cells, each.scores)),
            )
            for each in groups
        )
        write_text(path, "\n".join(map(written, tables)))
    else:
        rows = [row for each in groups for row in _rows(each)]
        write_any_form(path, pa.Table.from_pylist(rows, schema=WEB_QUESTIONS))


def _rows(found: WebQuestions) -> Iterator[dict[str, Json]]:
    for place, column in enumerate(found.columns):
        for scores in found.scores:
            yield {
                "side": column.label,
                "category": column.category,
                "web": column.settings.web,
                "fetch_failures": column.settings.fetch_failures,
                "search_tool": column.settings.search_tool,
                "rules": found.rules.value,
                **_accuracy(scores, place),
            }


def _accuracy(scores: HopScores, place: int) -> dict[str, Json]:
    right, limits = scores.right[place], accuracy_limits(scores.right[place], scores.questions)
    return {
        "hops": scores.hops,
        "questions": scores.questions,
        "correct": right,
        "accuracy": right / scores.questions,
        "ci_low": limits.low,
        "ci_high": limits.high,
    }


def _document(found: WebQuestions) -> Json:
    names = [f"{column.label}, {column.category}" for column in found.columns]
    return {
        "questions_left_out": found.left_out,
        "by_hops": list(_rows(found)),
        "right_without_tools": {names[place]: list(ids) for place, ids in found.without_tools.items()},
        "differences": [
            {
                "first": names[each.first],
                "second": names[each.second],
                "settings": [asdict(setting) for setting in each.settings],
                "difference": each.difference,
                "ci_low": each.limits.low,
                "ci_high": each.limits.high,
                "only_first": list(each.only_first),
                "only_second": list(each.only_second),
            }
            for each in found.differences
        ],
    }
