"""`bfcl-pipeline audit`: the entries that no answer can pass, as a table for people and machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES, resolve_categories
from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.records import Entry, Mode, Rules
from bfcl_pipeline.scoring.audit import Obstacle, obstacles

_DEFAULT = ("single_turn", "format_sensitivity")


@dataclass(frozen=True, slots=True)
class _Line:
    """One entry that cannot be passed, and where."""

    category: str
    entry_id: str
    where: str  # the modes, or for format_sensitivity in how many formats
    obstacle: Obstacle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_data(parser)
    parser.add_argument(
        "--categories", nargs="+", default=list(_DEFAULT), metavar="NAME", help="categories or groups"
    )
    add_rules(parser, "under which no answer can pass")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the list as a Markdown page")


def run(options: argparse.Namespace) -> int:
    """Prints the list; with --markdown also writes it."""
    from bfcl_pipeline.tables import entries_path, read_entries, write_text

    lines: list[_Line] = []
    audited = 0
    for category in resolve_categories(options.categories):
        if not CATEGORIES[category].single_turn:
            continue
        entries = read_entries(entries_path(options.data, category))
        audited += len(entries)
        lines.extend(_audit(category, entries, options.rules))
    _print(lines)
    print(
        f"{len(lines)} of {audited:,} audited entries and restatements cannot be passed by any answer "
        f"({options.rules} rules)."
    )
    if options.markdown:
        write_text(options.markdown, _markdown(lines, audited, options.rules))
        print(f"Written to {options.markdown}.", file=sys.stderr)
    return 0


def _audit(category: str, entries: Iterable[Entry], rules: Rules) -> Iterable[_Line]:
    if CATEGORIES[category].prompt_only:
        return _audit_formats(category, entries, rules)
    return _audit_modes(category, entries, rules)


def _audit_modes(category: str, entries: Iterable[Entry], rules: Rules) -> Iterable[_Line]:
    for entry in entries:
        found = {mode: obstacles(entry, mode, rules) for mode in Mode}
        modes = [mode for mode, reasons in found.items() if reasons]
        if modes:
            where = "both modes" if len(modes) == len(Mode) else f"{modes[0]} mode"
            yield _Line(category, entry.entry_id, where, found[modes[0]][0])


def _audit_formats(category: str, entries: Iterable[Entry], rules: Rules) -> Iterable[_Line]:
    """One line for all formats in which an entry cannot be passed."""
    formats: dict[str, int] = {}
    found: dict[str, list[Obstacle]] = {}
    for entry in entries:
        base = entry.base_entry_id or entry.entry_id
        formats[base] = formats.get(base, 0) + 1
        reasons = obstacles(entry, Mode.PROMPT, rules)
        if reasons:
            found.setdefault(base, []).append(reasons[0])
    for base, reasons in found.items():
        yield _Line(category, base, f"{len(reasons)} of {formats[base]} formats", reasons[0])


def _print(lines: list[_Line]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("entry", "where"):
        table.add_column(heading, no_wrap=True)
    for heading in ("call", "parameter", "why no answer can pass"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        entry = line.entry_id
        if line.category == "format_sensitivity":
            entry = f"format_sensitivity of {entry}"
        obstacle = line.obstacle
        table.add_row(entry, line.where, obstacle.call, obstacle.parameter, obstacle.reason)
    width = None if sys.stdout.isatty() else 200
    Console(width=width, highlight=False, markup=False, emoji=False).print(table)


def _markdown(lines: list[_Line], audited: int, rules: Rules) -> str:
    rows = "".join(
        f"| {line.category} | `{line.entry_id}` | {line.where} | `{line.obstacle.call}` "
        f"| `{line.obstacle.parameter}` | {_cell(line.obstacle.reason)} |\n"
        for line in lines
    )
    return (
        "# Entries that no answer can pass\n\n"
        f"Found by `bfcl-pipeline audit --markdown docs/audit.md` under the {rules} rules, among "
        f"{audited:,} "
        "single-turn entries and restatements of the pinned release. For each, every value that could "
        "pass was put to the checker, and none did. Everything else the oracle passes.\n\n"
        "| category | entry | where | call | parameter | why |\n|---|---|---|---|---|---|\n" + rows
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
