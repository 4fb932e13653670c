"""`bfcl-pipeline audit`: lists the entries that no answer can pass, as a table."""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.audit.unpassable import Obstacle, obstacles
from bfcl_pipeline.benchmark import CATEGORIES, resolve_categories
from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.files import write_text
from bfcl_pipeline.records import Entry, Mode, Rules
from bfcl_pipeline.text import text_table

_DEFAULT = ("single_turn", "format_sensitivity")


@dataclass(frozen=True, slots=True)
class _Line:
    """One entry that no answer can pass."""

    category: str
    entry_id: str
    where: str  # the modes; for format_sensitivity the number of formats
    obstacle: Obstacle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_data(parser)
    parser.add_argument(
        "--categories", nargs="+", default=list(_DEFAULT), metavar="NAME", help="categories or groups"
    )
    add_rules(parser, "rule set under which answers are checked")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the list as a Markdown page")


def run(options: argparse.Namespace) -> int:
    """Prints the list; with --markdown also writes it to a file."""
    from bfcl_pipeline.tables import entries_path, read_entries

    lines: list[_Line] = []
    audited = 0
    categories = [name for name in resolve_categories(options.categories) if CATEGORIES[name].single_turn]
    if not categories:
        raise ConfigError(
            f"{', '.join(options.categories)}: no single-turn category, and only these are audited. "
            f"Known: {', '.join(name for name, each in CATEGORIES.items() if each.single_turn)}."
        )
    for category in categories:
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
        by_mode = {mode: obstacles(entry, mode, rules) for mode in Mode}
        modes = [mode for mode, reasons in by_mode.items() if reasons]
        if modes:
            where = "both modes" if len(modes) == len(Mode) else f"{modes[0]} mode"
            yield _Line(category, entry.entry_id, where, by_mode[modes[0]][0])


def _audit_formats(category: str, entries: Iterable[Entry], rules: Rules) -> Iterable[_Line]:
    """One line per entry, for all formats in which it cannot be passed."""
    formats: dict[str, int] = {}
    reasons_of: dict[str, list[Obstacle]] = {}
    for entry in entries:
        base = entry.base_entry_id or entry.entry_id
        formats[base] = formats.get(base, 0) + 1
        reasons = obstacles(entry, Mode.PROMPT, rules)
        if reasons:
            reasons_of.setdefault(base, []).append(reasons[0])
    for base, reasons in reasons_of.items():
        yield _Line(category, base, f"{len(reasons)} of {formats[base]} formats", reasons[0])


def _print(lines: list[_Line]) -> None:
    rows = [
        (
            f"format_sensitivity of {line.entry_id}"
            if CATEGORIES[line.category].prompt_only
            else line.entry_id,
            line.where,
            line.obstacle.call,
            line.obstacle.parameter,
            line.obstacle.reason,
        )
        for line in lines
    ]
    print(text_table(("entry", "where", "call", "parameter", "why no answer can pass"), rows))


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
        "single-turn entries and restatements of the pinned release. For each of them, every value that "
        "could pass was checked, and none passes. The oracle passes all other entries.\n\n"
        "| category | entry | where | call | parameter | why |\n|---|---|---|---|---|---|\n" + rows
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
