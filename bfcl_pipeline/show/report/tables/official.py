"""The six CSV files of the leaderboard, as the official tool writes them.

Covers number formats, row order and line ends; the columns are in `definition.leaderboard_files`. One thing
differs: a field with a comma, quote or line break is quoted; the official writer would break the row. No
name of an official model has one.
"""

from collections.abc import Sequence

from bfcl_pipeline.benchmark.definition.leaderboard_files import OFFICIAL_FILES, Column, OfficialFile, Show
from bfcl_pipeline.show.report.tables.model_scores import ModelScore

MISSING = "N/A"
"""Written instead of a missing number."""


def official_files(scores: Sequence[ModelScore]) -> dict[str, str]:
    """The text of each file by its name.

    scores: of one rule set.
    """
    return {file.name: _text(file, scores) for file in OFFICIAL_FILES}


def _text(file: OfficialFile, scores: Sequence[ModelScore]) -> str:
    header = ["Rank", *(column.header for column in file.columns)]
    rows = [
        [str(rank), *(_cell(column, score) for column in file.columns)]
        for rank, score in enumerate(_sorted(file, scores), start=1)
    ]
    return "\n".join(",".join(map(_quoted, row)) for row in [header, *rows])


def _sorted(file: OfficialFile, scores: Sequence[ModelScore]) -> list[ModelScore]:
    """Highest first, models without the number last; equal ones in the order of model names."""
    by_name = sorted(scores, key=lambda score: score.model.name)
    return sorted(by_name, key=lambda score: _sort_value(file.sorted_by, score), reverse=True)


def _sort_value(name: str, score: ModelScore) -> float:
    if name in score.scores:
        return score.scores[name].accuracy
    number = _number(name, score)
    return -1.0 if number is None else number


def _cell(column: Column, score: ModelScore) -> str:
    match column.show:
        case Show.TEXT:
            return str(getattr(score.model, column.value))
        case Show.NUMBER:
            number = _number(column.value, score)
            return MISSING if number is None else str(number)
        case Show.FORMAT:
            tally = score.formats.get(column.value)
            return _percent(tally.accuracy if tally else None)
        case Show.SCORE | Show.TOTAL:
            shown = score.scores[column.value]
            known = shown.complete or column.show is Show.TOTAL
            return _percent(shown.accuracy if known else None)


def _number(name: str, score: ModelScore) -> float | None:
    """A number that is not a share: the spread over formats, cost, a latency."""
    spread = score.spread
    match name:
        case "format_max_delta":
            return spread.max_delta if spread else None
        case "format_std":
            return spread.std if spread else None
    number: float | None = getattr(score.usage, name)
    return number


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{share * 100:.2f}%"


def _quoted(field: str) -> str:
    if not set(field) & set(',"\r\n'):
        return field
    return '"' + field.replace('"', '""') + '"'
