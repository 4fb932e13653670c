"""`bfcl-pipeline journal`: what the journals of exchanges hold, down to the raw answers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.errors import ConfigError, JournalError

if TYPE_CHECKING:
    from bfcl_pipeline.generation.journal import JournalReader, Kept
    from bfcl_pipeline.generation.journal.summary import Summary

_FILE = "exchanges.jsonl"
_HEADINGS = ("entries", "exchanges", "trials", "sent", "received", "dollars", "median s")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "model", nargs="?", metavar="MODEL", help="as in the models file, or a path (default: all journals)"
    )
    parser.add_argument("--entry", metavar="ID", help="show the exchanges of this entry")
    parser.add_argument("--category", metavar="NAME", help="only exchanges of this category")
    parser.add_argument("--trial", type=int, metavar="N", help="only exchanges of this trial")
    parser.add_argument(
        "--raw", action="store_true", help="print the lines of the journal as they are, for jq"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("cache/exchanges"),
        metavar="DIR",
        help="where the journals are (default: cache/exchanges)",
    )


def run(options: argparse.Namespace) -> int:
    """Prints tables, exchanges or lines. Returns 1 if a journal is damaged."""
    from bfcl_pipeline.benchmark import CATEGORIES, unknown_name

    if options.category is not None and options.category not in CATEGORIES:
        raise ConfigError(unknown_name("category", options.category, CATEGORIES))
    paths = _paths(options)
    if not paths:
        print(f"{options.cache}: no exchanges yet.")
        return 0
    try:
        damaged = _print(paths, options)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    for line in damaged:
        print(line, file=sys.stderr)
    return 1 if damaged else 0


def _print(paths: Sequence[Path], options: argparse.Namespace) -> list[str]:
    """Prints what is asked for. Returns what is damaged, one line per journal."""
    if options.raw or options.entry is not None:
        return _print_exchanges(paths, options)
    if options.model is None:
        return _print_models(paths, options)
    from bfcl_pipeline.generation.journal import JournalReader

    (path,) = paths
    with JournalReader(path) as journal:
        _print_model(path, journal, options)
    return []


def _print_exchanges(paths: Sequence[Path], options: argparse.Namespace) -> list[str]:
    """The exchanges that the options leave, as pages or as lines."""
    from bfcl_pipeline.generation.journal import JournalReader
    from bfcl_pipeline.report.exchange_view import put_exchange
    from bfcl_pipeline.report.sheet import Sheet

    sheet, damaged, found = Sheet(), [], 0
    known: set[str] = set()
    for path in paths:
        try:
            with JournalReader(path) as journal:
                for kept in _chosen(journal, options, known):
                    if options.raw:
                        sys.stdout.write(journal.line(kept.key).decode())
                    else:
                        if found:
                            sheet.blank()
                        put_exchange(sheet, kept, path.parent.name)
                    found += 1
        except JournalError as error:
            damaged.append(str(error))
    if not found and not damaged and options.entry is not None:
        raise ConfigError(_unknown_entry(options, known))
    return damaged


def _print_models(paths: Sequence[Path], options: argparse.Namespace) -> list[str]:
    """A row for each journal."""
    from bfcl_pipeline.cli.aligned import print_table
    from bfcl_pipeline.generation.journal import JournalReader
    from bfcl_pipeline.generation.journal.summary import summarized

    rows, notes, damaged = [], [], []
    for path in paths:
        try:
            with JournalReader(path) as journal:
                summary = summarized(_chosen(journal, options))
                notes += [f"{path.parent.name}: {note}" for note in _notes(path, journal)]
        except JournalError as error:
            damaged.append(str(error))
            continue
        size = f"{path.stat().st_size / 1e6:,.1f}"
        rows.append((path.parent.name, *_cells(summary), size, *_times(summary)))
    print_table(("model", *_HEADINGS, "MB", "first (UTC)", "last (UTC)"), rows)
    for place, note in enumerate(notes):
        print(f"\n{note}" if place == 0 else note)
    return damaged


def _print_model(path: Path, journal: JournalReader, options: argparse.Namespace) -> None:
    """A row for each category, or for each entry of the one that is asked for; what each run cost."""
    from bfcl_pipeline.benchmark import CATEGORIES
    from bfcl_pipeline.cli.aligned import print_table
    from bfcl_pipeline.generation.journal.summary import grouped, summarized
    from bfcl_pipeline.report.cells import plural

    chosen = list(_chosen(journal, options))
    heading = "category" if options.category is None else "entry"
    groups = grouped(chosen, lambda kept: _category(kept) if heading == "category" else kept.entry_id)
    if heading == "category":
        order = {name: place for place, name in enumerate(CATEGORIES)}
        groups = dict(sorted(groups.items(), key=lambda group: order.get(group[0], len(order))))
    rows = [(name, *_cells(summary)) for name, summary in groups.items()]
    together = summarized(chosen)
    print_table((heading, *_HEADINGS), [*rows, ("all", *_cells(together))])
    print(f"\n{path}: {path.stat().st_size / 1e6:,.1f} MB.")
    if together.first is not None:
        print("From {} to {} UTC.".format(*_times(together)))
    for run, summary in grouped(chosen, lambda kept: kept.run).items():
        cost = "cost unknown" if summary.dollars is None else f"${summary.dollars:,.4f}"
        asked = plural(summary.exchanges, "exchange", "exchanges")
        print(f"Run {run or '(without a name)'}: {asked}, {cost}.")
    for note in _notes(path, journal):
        print(f"{note[0].upper()}{note[1:]}")


def _cells(summary: Summary) -> tuple[str, ...]:
    """What stands under _HEADINGS; sent and received are tokens."""
    return (
        f"{len(summary.entries):,}",
        f"{summary.exchanges:,}",
        f"{len(summary.trials):,}",
        "-" if summary.input_tokens is None else f"{summary.input_tokens:,}",
        "-" if summary.output_tokens is None else f"{summary.output_tokens:,}",
        "-" if summary.dollars is None else f"{summary.dollars:,.4f}",
        "-" if summary.latency_seconds is None else f"{summary.latency_seconds:,.2f}",
    )


def _times(summary: Summary) -> tuple[str, str]:
    from bfcl_pipeline.report.exchange_view import moment

    return moment(summary.first or "-"), moment(summary.last or "-")


def _notes(path: Path, journal: JournalReader) -> Iterator[str]:
    """Who writes a journal, and what a writer that was stopped has left."""
    from bfcl_pipeline.generation.journal.owner import owner_path, read_owner
    from bfcl_pipeline.generation.journal.process import is_gone

    try:
        owner = read_owner(owner_path(path))
    except JournalError as error:
        yield str(error)
        return
    if owner is not None and is_gone(owner.process):
        yield f"{owner} has ended without closing it; the next job goes on."
    elif owner is not None:
        yield f"{owner} writes it."
    elif journal.torn_bytes:
        yield f"the last {journal.torn_bytes:,} bytes are no whole line; the next job cuts them off."


def _chosen(
    journal: JournalReader, options: argparse.Namespace, seen: set[str] | None = None
) -> Iterator[Kept]:
    """The exchanges that --entry, --category and --trial leave; all ids are added to `seen`."""
    for kept in journal:
        if seen is not None:
            seen.add(kept.entry_id)
        if (
            options.entry in (None, kept.entry_id)
            and options.trial in (None, kept.trial)
            and (options.category is None or options.category == _category(kept))
        ):
            yield kept


def _category(kept: Kept) -> str:
    from bfcl_pipeline.benchmark import category_of

    try:
        return category_of(kept.entry_id)
    except ConfigError:
        return "?"


def _paths(options: argparse.Namespace) -> list[Path]:
    """The journals that are asked for. Raises ConfigError, listing those there are, if there is none."""
    from bfcl_pipeline.benchmark import unknown_name
    from bfcl_pipeline.config import model_folder

    all_of_them = sorted(options.cache.glob(f"*/{_FILE}"))
    if options.model is None:
        return all_of_them
    named = Path(options.model)
    for path in (options.cache / model_folder(options.model) / _FILE, named / _FILE, named):
        if path.is_file():
            return [path]
    if not all_of_them:
        raise ConfigError(f"{options.cache}: no exchanges yet, neither with {options.model!r} nor others.")
    known = [path.parent.name for path in all_of_them]
    raise ConfigError(f"{options.cache}: {unknown_name('model', options.model, known)}")


def _unknown_entry(options: argparse.Namespace, known: set[str]) -> str:
    import difflib

    if options.entry in known:
        return f"no exchange of {options.entry} in that trial or category."
    near = difflib.get_close_matches(options.entry, sorted(known), n=3)
    hint = f" Near ones: {', '.join(near)}." if near else ""
    return f"no exchange of an entry {options.entry!r}.{hint}"
