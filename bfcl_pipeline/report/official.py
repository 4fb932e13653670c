"""The six CSV files of the leaderboard, as the official tool writes them.

Covers columns, number formats, row order and line ends; what stands where is
`benchmark.leaderboard_files`. One thing differs: a field with a comma, quote or line break is quoted,
where the official writer would break the row. None of its own models has one.
"""

from __future__ import annotations

from collections.abc import Sequence

from bfcl_pipeline.benchmark.leaderboard_files import OFFICIAL_FILES, Column, OfficialFile, Show
from bfcl_pipeline.report.standings import Standing

MISSING = "N/A"
"""What stands for a number that there is not."""


def official_files(found: Sequence[Standing]) -> dict[str, str]:
    """The text of each file by its name, for models judged under one rule set."""
    return {file.name: _text(file, found) for file in OFFICIAL_FILES}


def _text(file: OfficialFile, found: Sequence[Standing]) -> str:
    header = ["Rank", *(column.header for column in file.columns)]
    rows = [
        [str(rank), *(_cell(column, standing) for column in file.columns)]
        for rank, standing in enumerate(_sorted(file, found), start=1)
    ]
    return "\n".join(",".join(map(_quoted, row)) for row in [header, *rows])


def _sorted(file: OfficialFile, found: Sequence[Standing]) -> list[Standing]:
    """Highest first, those without the number last; equal ones in the order of model names."""
    by_name = sorted(found, key=lambda standing: standing.model.name)
    return sorted(by_name, key=lambda standing: _sort_value(file.sorted_by, standing), reverse=True)


def _sort_value(name: str, standing: Standing) -> float:
    if name in standing.scores:
        return standing.scores[name].accuracy
    number = _number(name, standing)
    return -1.0 if number is None else number


def _cell(column: Column, standing: Standing) -> str:
    match column.show:
        case Show.TEXT:
            return str(getattr(standing.model, column.value))
        case Show.NUMBER:
            number = _number(column.value, standing)
            return MISSING if number is None else str(number)
        case Show.FORMAT:
            tally = standing.formats.get(column.value)
            return _percent(tally.accuracy if tally else None)
        case Show.SCORE | Show.TOTAL:
            score = standing.scores[column.value]
            known = score.complete or column.show is Show.TOTAL
            return _percent(score.accuracy if known else None)


def _number(name: str, standing: Standing) -> float | None:
    """A number that is written as it is: the spread over formats, cost, latencies."""
    spread = standing.spread
    match name:
        case "format_max_delta":
            return spread.max_delta if spread else None
        case "format_std":
            return spread.std if spread else None
    number: float | None = getattr(standing.usage, name)
    return number


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{share * 100:.2f}%"


def _quoted(field: str) -> str:
    if not set(field) & set(',"\r\n'):
        return field
    return '"' + field.replace('"', '""') + '"'
