"""`bfcl-pipeline categories`: lists what the benchmark tests, or describes single categories."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence

from bfcl_pipeline.base.text import on_one_line, plural, printable, text_table
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, V4_CATEGORIES, resolve_categories
from bfcl_pipeline.benchmark.definition.descriptions import (
    DESCRIPTIONS,
    GENERATIONS,
    NOT_COMPARABLE,
    RETIRED,
    composition,
    overall_weights,
)
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.benchmark.tables.entries import read_examples
from bfcl_pipeline.cli.options import add_data

_COLUMNS = ("category", "since", "entries", "weight", "tests", "example")
_NARROW_TERMINAL = 150  # columns; on a narrower terminal the table has no examples

_EXAMPLE = 60  # characters of an example in the table
_LINE = 100  # columns of the description of one category


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "describe these categories (names or groups) one by one"
    parser.add_argument("names", nargs="*", metavar="NAME", help=about)
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the categories. Raises ConfigError for an unknown name."""
    names = resolve_categories(options.names or CATEGORIES)
    examples = read_examples(options.data, names)
    if options.names:
        print("\n\n".join(_described(name, examples.get(name)) for name in names))
    else:
        narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < _NARROW_TERMINAL
        columns = _COLUMNS[:-1] if narrow or not examples else _COLUMNS
        print(_table(columns, V4_CATEGORIES, examples))
        print("\n" + "\n".join(_wrapped(RETIRED)))
        print(_table(columns, GROUPS["executable"], examples))
        print("\n" + "\n".join(_notes()))
    return 0


def _table(columns: Sequence[str], names: Sequence[str], examples: Mapping[str, str]) -> str:
    rows = []
    for name in names:
        described, entries = DESCRIPTIONS[name], f"{CATEGORIES[name].entries:,}"
        shown = textwrap.shorten(_safe(examples.get(name, "")), _EXAMPLE, placeholder=" ...")
        row = [name, described.generation, entries, _weight(name), described.tests, shown]
        rows.append(row[: len(columns)])
    return text_table(columns, rows, right={2, 3})


def _weight(name: str) -> str:
    weight = overall_weights()[name]
    return f"{weight * 100:.2f} %" if weight else "-"


def _safe(text: str) -> str:
    return on_one_line(printable(text))


def _notes() -> list[str]:
    """Lines below the table: the versions, the overall score, the groups."""
    lines = [
        *(f"{version}: {added}." for version, added in GENERATIONS.items()),
        f"Overall: {', '.join(_terms())}. Categories without a weight have a score of their own, which "
        "counts in no other.",
        NOT_COMPARABLE,
        f"Groups: {', '.join(f'{name} ({len(members)})' for name, members in GROUPS.items())}.",
        "bfcl-pipeline categories NAME describes one.",
    ]
    return [part for line in lines for part in _wrapped(line)]


def _terms() -> list[str]:
    return [f"{term.weight} % {GROUP[term.name].title.lower()}" for term in GROUP["overall"].members]


def _described(name: str, example: str | None) -> str:
    """One category, in lines."""
    category, described = CATEGORIES[name], DESCRIPTIONS[name]
    consists = composition(name)
    sessions = plural(category.prerequisites, "session", "sessions")
    facts = {
        "Tests": f"{described.tests}. {described.about}",
        "Since": f"{described.generation}: {GENERATIONS[described.generation]}",
        "Entries": f"{category.entries:,}{f': {consists}' if consists else ''}"
        + (f"; after {sessions} that are not scored" if category.prerequisites else ""),
        "Weight": f"{_weight(name)} of the overall score" if overall_weights()[name] else "in no score",
        "Retired": RETIRED if category.group == "executable" else "",
        "Groups": ", ".join(group for group, members in GROUPS.items() if name in members),
        "Example": _safe(example) if example else "",
        "Show it": f"bfcl-pipeline show {_quoted(described.example)}",
    }
    wide = max(map(len, facts)) + 4
    lines = [
        f"{f'  {title}':{wide}}{part}" if at == 0 else f"{'':{wide}}{part}"
        for title, text in facts.items()
        if text
        for at, part in enumerate([text] if title == "Show it" else _wrapped(text, _LINE - wide))
    ]
    return "\n".join([name, *lines])


def _quoted(entry_id: str) -> str:
    return f"'{entry_id}'" if "&" in entry_id else entry_id


def _wrapped(text: str, width: int = _LINE) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
