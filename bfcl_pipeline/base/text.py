"""Text for users: counts, times, unknown names, truncation, escapes, plain tables, steps."""

import difflib
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

Log: TypeAlias = Callable[[str], None]
"""Receives one line of a report on what is being done."""

STEP_LINE = re.compile(r"\[(?P<done>[\d,]+)/(?P<total>[\d,]+)\] (?P<text>.+)")
"""A line of `step_line`."""

MOST_MARKS = 32
"""Characters without a letter, digit or space between them that `fold_text` keeps."""

_MARKS = re.compile(rf"([^\w\s]{{{MOST_MARKS}}})[^\w\s]+")

_LEAST_NAME = 16  # columns for the names of a table before other columns are left out


def plural(number: int, one: str, many: str) -> str:
    """A count with its noun, thousands separated."""
    return f"{number:,} {one if number == 1 else many}"


def duration(seconds: float) -> str:
    """Seconds for a person: 40 s, 4 min, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60:,} h {minutes % 60} min"


def span(days: Collection[str]) -> str:
    """The first and the last of some days: `2026-11-19 to 2026-11-20`, or the one that they are."""
    first, last = min(days), max(days)
    return first if first == last else f"{first} to {last}"


def exchanges_text(sent: int, taken: int, recorded: Collection[str], answered: Collection[str] = ()) -> str:
    """How many requests were sent, and how many were answered by a journal instead.

    recorded: the days of the answers in the journal; answered: those of the answers to what was sent.
    """
    dates = f", answered on {span(answered)}" if answered else ""
    text = f"{plural(sent, 'request', 'requests')} sent{dates}"
    if not taken:
        return text
    dates = f", recorded on {span(recorded)}" if recorded else ""
    return f"{text}; {plural(taken, 'answer', 'answers')} from the journal{dates}"


def unknown_name(kind: str, name: object, known: Iterable[str], hint: str = "") -> str:
    """An error text for an unknown name: what is meant, then all known names.

    hint: a sentence on what is meant; without one, the most similar known name is suggested.
    """
    known = list(known)
    suggested = f" {hint}" if hint else did_you_mean(name, known)
    return f"unknown {kind} {name!r}.{suggested} Known: {', '.join(known)}."


def did_you_mean(name: object, known: Iterable[str], most: int = 1) -> str:
    """After a text: the known names, `most` at most, that are similar to `name`, as a question.

    Empty if none is similar.
    """
    near = difflib.get_close_matches(str(name), sorted(known), n=most)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def printable(text: str) -> str:
    """`text` with every invisible character but line feeds escaped: ESC becomes \\x1b."""
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(letter: str) -> str:
    if letter.isprintable() or letter == "\n":
        return letter
    if unicodedata.category(letter) == "Zs":
        return " "
    return letter.encode("unicode_escape").decode("ascii")


def loaded_json(text: str | bytes | None, default: Any = None) -> Any:
    """The value of a JSON text of anybody; `default` if there is none or it cannot be read."""
    try:
        return default if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return default


def valid_unicode(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD.

    JSON can name the two halves of a UTF-16 pair one by one, and models do so, in answers and in what tools
    repeat; no table, journal or request can hold a half.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def changed_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with each of its texts and names changed, at any depth."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): changed_texts(item, change) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [changed_texts(item, change) for item in value]
    return value


def fold_text(text: str) -> str:
    """`text` in lower case, with characters that only look different (full width, ligatures) as one.

    Takes time linear in the text: of a run of marks and symbols, which Unicode's normalisation sorts in
    time quadratic in its length, the first MOST_MARKS are kept, and the others become one space.
    """
    return unicodedata.normalize("NFKC", _MARKS.sub(r"\1 ", text)).casefold()


def on_one_line(text: str) -> str:
    """`text` with its line breaks escaped."""
    return text.replace("\n", "\\n")


def cut(text: str, most: int) -> str:
    """The first `most` characters of `text`, and the number of the others."""
    if len(text) <= most:
        return text
    return f"{text[:most]} ... ({len(text) - most:,} more characters)"


def line_of(text: str, most: int = 600) -> str:
    """Any text in one printable line of `most` characters."""
    return cut(on_one_line(printable(text)), most)


def cut_middle(name: str, room: int) -> str:
    """A name in at most `room` characters, cut in the middle: its end often contains the mode."""
    if len(name) <= room:
        return name
    end = (room - 1) // 2
    return f"{name[: room - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


def text_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] | None = None
) -> str:
    """An aligned table in plain text: text is left-aligned, numbers are right-aligned.

    right: the columns aligned to the right, if they are not those that only contain numbers.
    """
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    if right is None:
        right = {column for column in range(len(headings)) if all(_is_number(row[column]) for row in rows)}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def fitted_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    name: int = 0,
    least: int = 3,
    first: Sequence[str] = (),
) -> tuple[list[str], list[str]]:
    """A table in lines of at most `width` columns, unless two names would be equal then.

    Args:
        headings: of the columns.
        rows: their cells; columns after the names are aligned to the right.
        width: of a line; None: of any.
        name: the column with the names, which are cut in the middle to fit.
        least: the first columns, which are always there; others are left out if no row has data.
        first: the headings of columns that are left out, in this order, before names are cut; none: the
            last ones are, but for the `least` first, if names had fewer than 16 columns.

    Returns:
        The lines, and the headings of the columns that do not fit.
    """
    columns = [set(column) for column in zip(*rows, strict=True)]
    kept = [place for place, cells in enumerate(columns) if place < least or cells - {"N/A", "-", ""}]
    widths = [max(map(len, column)) + 2 for column in zip(headings, *rows, strict=True)]
    names, width = columns[name], sum(widths) if width is None else width
    longest = max(map(len, names))
    enough = widths[name] - 2 if first else min(_LEAST_NAME, longest)
    room = width - sum(widths[place] for place in kept if place != name)
    by_need = [headings.index(each) for each in first if each in headings] or kept[: least - 1 : -1]
    for place in by_need:
        if room >= enough:
            break
        kept.remove(place)
        room += widths[place]
    room = max(room, 8)
    while room < longest and len({cut_middle(each, room) for each in names}) < len(names):
        room += 1
    lines = [[*line[:name], cut_middle(line[name], room), *line[name + 1 :]] for line in (headings, *rows)]
    head, *cells = ([line[place] for place in kept] for line in lines)
    table = text_table(head, cells, right=range(name + 1, len(head)))
    return table.splitlines(), [headings[place] for place in sorted({*by_need} - {*kept})]


def not_shown(left_out: Sequence[str], width: int | None, where: str = "") -> list[str]:
    """The note on columns that do not fit, if there are any. where: has them."""
    return [f"Not shown in {width} columns: {', '.join(left_out)}{where}."] if left_out else []


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.removesuffix(" %").replace(",", "").replace(".", "").isdigit()


def step_line(done: int, total: int, text: str) -> str:
    """The line for a finished step of a workflow: `[12/100] Score oracle`."""
    return f"[{done:,}/{total:,}] {text}"


def signed_points(share: float, digits: int = 2) -> str:
    """A difference of shares in percentage points, with its sign."""
    text = f"{share * 100:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def limit_points(share: float) -> str:
    """A limit in points: one digit, or as many more as say on which side of 0 it is."""
    texts = [signed_points(share, digits) for digits in range(1, 5)]
    return next((text for text in texts if text.strip("0.")), texts[0])


def probability(p: float) -> str:
    """A p-value with three digits."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"
