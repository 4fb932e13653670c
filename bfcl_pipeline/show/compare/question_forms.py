"""Joined web questions for people, in a terminal, and as files of every form."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.base.markup import TextTable
from bfcl_pipeline.base.text import plural, printable, signed_points, text_table
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables.schemas import count, share, text
from bfcl_pipeline.judge.scoring.statistics.clustered import wilson
from bfcl_pipeline.show.compare.questions import WITHOUT_SNIPPETS, ColumnDifference, WebQuestions
from bfcl_pipeline.show.compare.tables import write_form
from bfcl_pipeline.show.compare.text import percent

WEB_QUESTIONS = pa.schema(
    [
        text("side", "one model, with its run where names repeat"),
        text("category", "web_search_base or web_search_no_snippet"),
        text("web", "simulated, real or off; null if not recorded", null=True),
        share("fetch_failures", "share of fetches that were made to fail", null=True),
        text("search_tool", "name under which the search tool was presented", null=True),
        text("rules", "official, corrected or verified: the rule set"),
        count("hops", "annotated steps from a question to its answer; null: all", null=True),
        count("questions", "questions with a verdict in every column of the comparison"),
        count("correct", "of these, those that the side has right"),
        share("accuracy", "correct / questions"),
        share("ci_low", "lower limit of its 95 % interval"),
        share("ci_high", "upper limit of its 95 % interval"),
    ]
)
"""One row per side, web category and number of hops."""


def questions_text(found: WebQuestions, shown: int) -> str:
    """The table by hops, the differences of columns, and the questions behind them.

    shown: how many questions of each kind are named.
    """
    total = found.scores[-1].questions
    out = f"; {plural(found.left_out, 'other', 'others')} left out" if found.left_out else ""
    about = (
        f"Web questions by hops, per cent right with its 95 % interval, {found.rules.value} rules; "
        f"{plural(total, 'question', 'questions')} with a verdict in every column{out}."
    )
    table = _text_table(found)
    cells = text_table(table.headings, table.rows, right=range(len(table.headings)))
    lines = [line for each in found.differences for line in _difference_lines(found, each, shown)]
    for place, ids in found.without_tools.items():
        what = f"{_letter(place)} right without web tools, so from memory: {_counted(ids, shown)}"
        lines.append(what)
    return "\n".join([*_legend(found), about, "", cells, *lines])


def write_questions(path: Path, groups: Sequence[WebQuestions]) -> None:
    """Writes joined web questions in the form of the suffix, atomically; JSON has the questions, too."""
    write_form(
        path,
        WEB_QUESTIONS,
        (row for each in groups for row in _rows(each)),
        lambda: {"web_questions": list(map(_document, groups))},
        lambda: map(_text_table, groups),
    )


def _rows(found: WebQuestions) -> Iterator[dict[str, Json]]:
    """The rows of WEB_QUESTIONS."""
    for place, column in enumerate(found.columns):
        for scores in found.scores:
            accuracy = scores.right[place] / scores.questions
            limits = wilson(accuracy, scores.questions)
            yield {
                "side": column.label,
                "category": column.category,
                "web": column.settings.web,
                "fetch_failures": column.settings.fetch_failures,
                "search_tool": column.settings.search_tool,
                "rules": found.rules.value,
                "hops": scores.hops,
                "questions": scores.questions,
                "correct": scores.right[place],
                "accuracy": accuracy,
                "ci_low": limits.low,
                "ci_high": limits.high,
            }


def _text_table(found: WebQuestions) -> TextTable:
    """A line for each number of hops, with the accuracy of each column and its interval."""
    by_hops: dict[int | None, list[str]] = {}
    for row in _rows(found):
        name = "all" if row["hops"] is None else f"{row['hops']}"
        cells = by_hops.setdefault(row["hops"], [name, f"{row['questions']:,}"])
        limits = f"{percent(row['ci_low'], 0)} to {percent(row['ci_high'], 0)}"
        cells.append(f"{percent(row['accuracy'], 1)} ({limits})")
    return TextTable(
        f"Web questions by hops, per cent. {'; '.join(_legend(found))}",
        ["hops", "questions", *map(_letter, range(len(found.columns)))],
        list(by_hops.values()),
    )


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


def _letter(place: int) -> str:
    """The short name of a column."""
    return chr(ord("A") + place) if place < 26 else f"C{place + 1}"


def _legend(found: WebQuestions) -> list[str]:
    """What each column is."""
    return [f"{_letter(place)}: {printable(str(column))}" for place, column in enumerate(found.columns)]


def _difference_lines(found: WebQuestions, each: ColumnDifference, shown: int) -> list[str]:
    one, two = _letter(each.first), _letter(each.second)
    differ = ", ".join(map(str, each.settings))
    limits = f"95 % interval {signed_points(each.limits.low, 1)} to {signed_points(each.limits.high, 1)}"
    second = found.columns[each.second].category == WITHOUT_SNIPPETS
    snippets = second and any(setting.setting == "snippets" for setting in each.settings)
    ours, theirs = (" (only with snippets)", " (only without snippets)") if snippets else ("", "")
    return [
        f"{one}-{two}{f' ({differ})' if differ else ''}: {signed_points(each.difference)}, {limits}.",
        f"  Only {one} right{ours}: {_counted(each.only_first, shown)}",
        f"  Only {two} right{theirs}: {_counted(each.only_second, shown)}",
    ]


def _counted(ids: Sequence[str], shown: int) -> str:
    named = ", ".join(map(printable, ids[:shown]))
    more = f", and {len(ids) - shown:,} more (--show N, --out FILE.json)" if len(ids) > shown else ""
    return f"{plural(len(ids), 'question', 'questions')}{f': {named}{more}' if named else ''}."
