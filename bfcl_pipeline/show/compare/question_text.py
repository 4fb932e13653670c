"""Joined web questions as text for a terminal."""

from collections.abc import Sequence

from bfcl_pipeline.base.text import plural, printable, text_table
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits, wilson
from bfcl_pipeline.show.compare.questions import WITHOUT_SNIPPETS, ColumnDifference, HopScores, WebQuestions
from bfcl_pipeline.show.compare.text import percent, signed_points


def letter(place: int) -> str:
    """The short name of a column."""
    return chr(ord("A") + place) if place < 26 else f"C{place + 1}"


def hop_headings(found: WebQuestions) -> list[str]:
    """The headings of the table by hops."""
    return ["hops", "questions", *map(letter, range(len(found.columns)))]


def hop_cells(scores: HopScores) -> list[str]:
    """The cells of one number of hops."""
    name = "all" if scores.hops is None else f"{scores.hops}"
    return [name, f"{scores.questions:,}", *(_accuracy(right, scores.questions) for right in scores.right)]


def accuracy_limits(right: int, questions: int) -> Limits:
    """The 95 % interval of an accuracy over independent questions."""
    return wilson(right / questions, questions)


def legend(found: WebQuestions) -> list[str]:
    """What each column is."""
    return [f"{letter(place)}: {printable(str(column))}" for place, column in enumerate(found.columns)]


def questions_text(found: WebQuestions, shown: int) -> str:
    """The table by hops, the differences of columns, and the questions behind them.

    shown: how many questions of each kind are named.
    """
    total = found.scores[-1].questions
    out = f"; {plural(found.left_out, 'other', 'others')} left out" if found.left_out else ""
    head = [
        *legend(found),
        f"Web questions by hops, per cent right with its 95 % interval, {found.rules.value} rules; "
        f"{plural(total, 'question', 'questions')} with a verdict in every column{out}.",
        "",
    ]
    headings = hop_headings(found)
    table = text_table(headings, [hop_cells(row) for row in found.scores], right=range(len(headings)))
    lines = [line for each in found.differences for line in _difference_lines(found, each, shown)]
    for place, ids in found.without_tools.items():
        what = f"{letter(place)} right without web tools, so from memory: {_counted(ids, shown)}"
        lines.append(what)
    return "\n".join([*head, table, *lines])


def _difference_lines(found: WebQuestions, each: ColumnDifference, shown: int) -> list[str]:
    one, two = letter(each.first), letter(each.second)
    differ = ", ".join(map(str, each.settings))
    limits = f"95 % interval {signed_points(each.limits.low, 1)} to {signed_points(each.limits.high, 1)}"
    second = found.columns[each.second].category == WITHOUT_SNIPPETS
    snippets = any(setting.setting == "snippets" for setting in each.settings)
    without = (" (only with snippets)", " (only without snippets)") if snippets and second else ("", "")
    return [
        f"{one}-{two}{f' ({differ})' if differ else ''}: {signed_points(each.difference)}, {limits}.",
        f"  Only {one} right{without[0]}: {_counted(each.only_first, shown)}",
        f"  Only {two} right{without[1]}: {_counted(each.only_second, shown)}",
    ]


def _counted(ids: Sequence[str], shown: int) -> str:
    named = ", ".join(map(printable, ids[:shown]))
    more = f", and {len(ids) - shown:,} more (--show N, --out FILE.json)" if len(ids) > shown else ""
    return f"{plural(len(ids), 'question', 'questions')}{f': {named}{more}' if named else ''}."


def _accuracy(right: int, questions: int) -> str:
    limits = accuracy_limits(right, questions)
    return f"{percent(right / questions, 1)} ({percent(limits.low, 0)} to {percent(limits.high, 0)})"
