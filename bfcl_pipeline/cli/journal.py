"""`bfcl-pipeline journal`: what the journals of exchanges hold, down to the raw answers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bfcl_pipeline.errors import ConfigError, JournalError, OwnerError

if TYPE_CHECKING:
    from bfcl_pipeline.generation.journal import JournalReader, JournalsReader, Kept
    from bfcl_pipeline.generation.journal.summary import Summary

Models: TypeAlias = dict[str, list[Path]]
"""The journals of each model, by the name of its folder."""

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
    models = _models(options)
    if not models:
        print(f"{options.cache}: no exchanges yet.")
        return 0
    try:
        damaged = _print(models, options)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    for line in damaged:
        print(line, file=sys.stderr)
    return 1 if damaged else 0


def _print(models: Models, options: argparse.Namespace) -> list[str]:
    """Prints what is asked for. Returns what is damaged, one line per journal."""
    if options.raw or options.entry is not None:
        return _print_exchanges(models, options)
    if options.model is None:
        return _print_models(models, options)
    from bfcl_pipeline.generation.journal import JournalsReader

    (paths,) = models.values()
    with JournalsReader(paths) as journals:
        _print_model(journals, options)
    return []


def _print_exchanges(models: Models, options: argparse.Namespace) -> list[str]:
    """The exchanges that the options leave, as pages or as lines."""
    from bfcl_pipeline.generation.journal import JournalsReader
    from bfcl_pipeline.report.exchange_view import put_exchange
    from bfcl_pipeline.report.sheet import Sheet

    sheet, damaged, found = Sheet(), [], 0
    known: set[str] = set()
    for model, paths in models.items():
        try:
            with JournalsReader(paths) as journals:
                for kept in _chosen(journals, options, known):
                    if options.raw:
                        sys.stdout.write(journals.line(kept.key).decode())
                    else:
                        if found:
                            sheet.blank()
                        put_exchange(sheet, kept, model)
                    found += 1
        except JournalError as error:
            damaged.append(str(error))
    if not found and not damaged and options.entry is not None:
        raise ConfigError(_unknown_entry(options, known))
    return damaged


def _print_models(models: Models, options: argparse.Namespace) -> list[str]:
    """A row for each model."""
    from bfcl_pipeline.cli.aligned import print_table
    from bfcl_pipeline.generation.journal import JournalsReader
    from bfcl_pipeline.generation.journal.summary import summarized

    rows, notes, damaged = [], [], []
    for model, paths in models.items():
        try:
            with JournalsReader(paths) as journals:
                summary = summarized(_chosen(journals, options))
                notes += [f"{model}: {note}" for note in _notes(journals)]
        except JournalError as error:
            damaged.append(str(error))
            continue
        rows.append((model, *_cells(summary), _megabytes(paths), *_times(summary)))
    print_table(("model", *_HEADINGS, "MB", "first (UTC)", "last (UTC)"), rows)
    for place, note in enumerate(notes):
        print(f"\n{note}" if place == 0 else note)
    return damaged


def _print_model(journals: JournalsReader, options: argparse.Namespace) -> None:
    """A row for each category, or for each entry of the one that is asked for; what each run cost."""
    from bfcl_pipeline.benchmark import CATEGORIES
    from bfcl_pipeline.cli.aligned import print_table
    from bfcl_pipeline.generation.journal.summary import grouped, summarized
    from bfcl_pipeline.report.cells import plural

    chosen = list(_chosen(journals, options))
    heading = "category" if options.category is None else "entry"
    groups = grouped(chosen, lambda kept: _category(kept) if heading == "category" else kept.entry_id)
    if heading == "category":
        order = {name: place for place, name in enumerate(CATEGORIES)}
        groups = dict(sorted(groups.items(), key=lambda group: order.get(group[0], len(order))))
    rows = [(name, *_cells(summary)) for name, summary in groups.items()]
    together = summarized(chosen)
    print_table((heading, *_HEADINGS), [*rows, ("all", *_cells(together))])
    print()
    for journal in journals.journals:
        print(f"{journal.path}: {_megabytes([journal.path])} MB.")
    if together.first is not None:
        print("From {} to {} UTC.".format(*_times(together)))
    for run, summary in grouped(chosen, lambda kept: kept.run).items():
        cost = "cost unknown" if summary.dollars is None else f"${summary.dollars:,.4f}"
        asked = plural(summary.exchanges, "exchange", "exchanges")
        print(f"Run {run or '(without a name)'}: {asked}, {cost}.")
    for note in _notes(journals):
        print(note if note.startswith("exchanges") else f"{note[0].upper()}{note[1:]}")


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


def _megabytes(paths: Sequence[Path]) -> str:
    return f"{sum(path.stat().st_size for path in paths) / 1e6:,.1f}"


def _notes(journals: JournalsReader) -> Iterator[str]:
    """Who writes the journals of a model, and what writers that were stopped have left."""
    for journal in journals.journals:
        for note in _notes_of(journal):
            yield note if len(journals.journals) == 1 else f"{journal.path.name}: {note}"


def _notes_of(journal: JournalReader) -> Iterator[str]:
    from bfcl_pipeline.generation.journal import owner_path
    from bfcl_pipeline.ownership import is_alive, read_owner

    try:
        owner = read_owner(owner_path(journal.path))
    except OwnerError as error:
        yield str(error)
        return
    alive = None if owner is None else is_alive(owner.process)
    if owner is None:
        if journal.torn_bytes:
            yield f"the last {journal.torn_bytes:,} bytes are no whole line; the next job cuts them off."
    elif alive is None:
        yield f"{owner} writes it, or has died; the next job finds out."
    elif alive:
        yield f"{owner} writes it."
    else:
        yield f"{owner} has ended without closing it; the next job goes on."


def _chosen(
    journals: JournalsReader, options: argparse.Namespace, seen: set[str] | None = None
) -> Iterator[Kept]:
    """The exchanges that --entry, --category and --trial leave; all ids are added to `seen`."""
    for kept in journals:
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


def _models(options: argparse.Namespace) -> Models:
    """The models that are asked for. Raises ConfigError, listing those there are, if there is none."""
    from bfcl_pipeline.benchmark import unknown_name
    from bfcl_pipeline.config import model_folder
    from bfcl_pipeline.generation.journal import journals_in

    folders = sorted({path.parent for path in options.cache.glob("*/exchanges*.jsonl")})
    models = {folder.name: paths for folder in folders if (paths := journals_in(folder))}
    if options.model is None:
        return models
    named = Path(options.model)
    if named.is_file():
        return {named.parent.name: [named]}
    for folder in (options.cache / model_folder(options.model), named):
        if paths := journals_in(folder):
            return {folder.name: paths}
    if not models:
        raise ConfigError(f"{options.cache}: no exchanges yet, neither with {options.model!r} nor others.")
    raise ConfigError(f"{options.cache}: {unknown_name('model', options.model, list(models))}")


def _unknown_entry(options: argparse.Namespace, known: set[str]) -> str:
    import difflib

    if options.entry in known:
        return f"no exchange of {options.entry} in that trial or category."
    near = difflib.get_close_matches(options.entry, sorted(known), n=3)
    hint = f" Near ones: {', '.join(near)}." if near else ""
    return f"no exchange of an entry {options.entry!r}.{hint}"
