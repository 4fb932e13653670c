"""The V4 table of a run as text for a terminal, in 100 columns unless names need more.

Reads `tables/leaderboard.csv` with the standard library alone, so that the command starts fast.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import GROUP
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.format import PARTIAL, interval, is_partial, percent
from bfcl_pipeline.report.web_label import note, score_mark
from bfcl_pipeline.text import plural, text_table

WIDTH = 100
"""Columns of the widest line, unless models with long names would look the same then."""

_SCORES = {
    "non_live": "Non-live",
    "live": "Live",
    "multi_turn": "Multi",
    "web_search": "Web",
    "memory": "Mem",
    "live_relevance": "Relev",
    "irrelevance_all": "Irrel",
}
"""The scores after the overall and its interval, and their headings."""

_HEADINGS = ("#", "Model", "Overall", "95 % int.", *_SCORES.values())

_NUMBERS = (*GROUP, *(f"{name}_ci_{end}" for name in GROUP for end in ("low", "high")), *CATEGORIES)

_Row = Mapping[str, float | None]


def terminal_table(run_dir: Path, rules: Rules) -> str:
    """The table of a run under one rule set, with notes beneath.

    Raises TableError if `tables/leaderboard.csv` is missing or cannot be read.
    """
    path = run_dir / "tables" / "leaderboard.csv"
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            texts = [row for row in csv.DictReader(lines) if row.get("rules") == rules.value]
        rows = [{name: float(text[name]) if text[name] else None for name in _NUMBERS} for text in texts]
        cells = [_cells(text, row) for text, row in zip(texts, rows, strict=True)]
        notes = _notes(texts, rows, rules)
    except FileNotFoundError as error:
        raise TableError(
            f"{path}: no such table. Make it first (bfcl-pipeline aggregate {run_dir})."
        ) from error
    except (KeyError, ValueError, csv.Error) as error:
        raise TableError(f"{path}: not a leaderboard table ({error!r}). Make it again.") from error
    if not rows:
        raise TableError(f"{path}: no model has verdicts under {rules.value} rules.")
    table = text_table(_HEADINGS, _fitted(cells), right=set(range(len(_HEADINGS))) - {1}).splitlines()
    return "\n".join([table[0], "-" * max(map(len, table)), *table[1:], *notes])


def print_styled(text: str) -> None:
    """Prints a table of `terminal_table` to a terminal, in colours: scores bold, limits and notes dim."""
    from rich.console import Console
    from rich.text import Text

    head, *lines = text.splitlines()
    overall, limits = (head.index(title) + len(title) for title in _HEADINGS[2:4])
    console = Console(highlight=False)
    console.print(Text(head, "bold"), soft_wrap=True)
    for line in lines:
        if not line.split()[0].isdigit():
            console.print(Text(line, "dim"), soft_wrap=True)
            continue
        row = Text(line)
        row.stylize("bold", overall - len("100.00*+"), overall)
        row.stylize("dim", overall, limits)
        console.print(row, soft_wrap=True)


def _cells(text: Mapping[str, str], row: _Row) -> list[str]:
    return [
        text["rank"],
        # What could steer a terminal is not shown.
        "".join(letter if letter.isprintable() else "?" for letter in text["display_name"]),
        _score(row, "overall", text["web"]),
        interval(row["overall_ci_low"], row["overall_ci_high"]),
        *(_score(row, name, text["web"]) for name in _SCORES),
    ]


def _score(row: _Row, name: str, web: str) -> str:
    return percent(row[name]) + (PARTIAL if is_partial(row, name) else "") + score_mark(row, name, web)


def _notes(texts: Sequence[Mapping[str, str]], rows: Sequence[_Row], rules: Rules) -> list[str]:
    notes = [f"Per cent, {rules.value} rules."]
    if any(is_partial(row, name) for row in rows for name in GROUP):
        notes.append("* categories not evaluated count 0, as on the leaderboard.")
    unanswered = sum(int(text["not_answered"]) for text in texts)
    if unanswered:
        notes.append(f"In no score: {plural(unanswered, 'entry', 'entries')} without a verdict.")
    meaning = note(text["web"] for text in texts)
    return [*notes, f"{meaning}."] if meaning else notes


def _fitted(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows with model names cut so that a line fits in WIDTH, unless two would become equal."""
    lines = [_HEADINGS, *rows]
    others = [column for column in range(len(_HEADINGS)) if column != 1]
    room = max(WIDTH - sum(max(len(line[column]) for line in lines) + 2 for column in others), 8)
    names = {row[1] for row in rows}
    longest = max(map(len, names))
    while room < longest and len({_cut(name, room) for name in names}) < len(names):
        room += 1
    return [[row[0], _cut(row[1], room), *row[2:]] for row in rows]


def _cut(name: str, room: int) -> str:
    """Cut in the middle: the end of a name often contains the mode."""
    if len(name) <= room:
        return name
    end = (room - 1) // 2
    return f"{name[: room - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"
