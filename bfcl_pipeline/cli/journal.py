"""`bfcl-pipeline journal`: prints the journals of exchanges as tables, answers or raw lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bfcl_pipeline.base.errors import ConfigError, JournalError, LeaseError, ProvenanceError
from bfcl_pipeline.base.leases import read_holder
from bfcl_pipeline.base.process import is_alive
from bfcl_pipeline.base.text import did_you_mean, printable, text_table, unknown_name
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import category_of, resolve_categories
from bfcl_pipeline.benchmark.records import total
from bfcl_pipeline.cli.options import add_names
from bfcl_pipeline.runs.journal import (
    JournaledExchange,
    JournalReader,
    JournalsReader,
    journals_in,
    lease_path,
)
from bfcl_pipeline.runs.making import making_of
from bfcl_pipeline.show.entry.terminal_page import TerminalPage, minute_text, put_exchange

Models: TypeAlias = dict[str, list[Path]]
"""The journals of each model, by the name of its folder."""

Exchanges: TypeAlias = list[JournaledExchange]

_HEADINGS = ("entries", "exchanges", "trials", "sent", "received", "dollars", "median s")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "model name, or path of its journals (default: all)"
    parser.add_argument("model", nargs="?", metavar="MODEL", help=about)
    parser.add_argument("--entry", metavar="ID", help="show the exchanges of this entry")
    about = "only exchanges of these categories or groups"
    add_names(parser, "--category", "categories", about, spaced=False)
    about = "print the lines of the journal unchanged, for jq"
    parser.add_argument("--raw", action="store_true", help=about)
    about = "directory of the journals (default: cache/exchanges)"
    parser.add_argument("--cache", type=Path, default=Path("cache/exchanges"), metavar="DIR", help=about)


def run(options: argparse.Namespace) -> int:
    """Prints tables, exchanges or lines. Returns 1 if a journal is damaged."""
    options.categories = resolve_categories(options.categories)
    models = _models(options)
    if not models:
        print(f"{options.cache}: no exchanges yet.")
        return 0
    printed = _print_exchanges if options.raw or options.entry is not None else _print_models
    damaged = printed(models, options)
    sys.stdout.flush()
    for line in damaged:
        print(line, file=sys.stderr)
    return 1 if damaged else 0


def _print_exchanges(models: Models, options: argparse.Namespace) -> list[str]:
    """Prints the chosen exchanges, as pages or as lines."""
    page, damaged, printed = TerminalPage(), [], 0
    entry_ids: set[str] = set()
    for model, paths in models.items():
        try:
            with JournalsReader(paths) as journals:
                for exchange in _chosen(journals, options, entry_ids):
                    if options.raw:
                        sys.stdout.write(journals.line(exchange.key).decode())
                    else:
                        if printed:
                            page.blank()
                        put_exchange(page, exchange, model)
                    printed += 1
        except JournalError as error:
            damaged.append(str(error))
    if not printed and not damaged and options.entry is not None:
        raise ConfigError(_unknown_entry(options, entry_ids))
    return damaged


def _print_models(models: Models, options: argparse.Namespace) -> list[str]:
    """Prints a row for each model; of a chosen one, also what made its exchanges."""
    notes: list[str] = []
    rows, damaged = [], []
    for model, paths in models.items():
        try:
            with JournalsReader(paths) as journals:
                if options.model is None:
                    chosen = [replace(each, raw=None) for each in _chosen(journals, options)]
                else:
                    chosen = list(_chosen(journals, options))
                    notes += map(printable, _made_by(chosen, paths[0].parent))
                notes += [f"{model}: {note}" for note in _notes(journals)]
        except JournalError as error:
            damaged.append(str(error))
            continue
        megabytes = sum(path.stat().st_size for path in paths) / 1e6
        times = [each.received_at for each in chosen] or ["-"]
        first, last = minute_text(min(times)), minute_text(max(times))
        rows.append((model, *_cells(chosen), f"{megabytes:,.1f}", first, last))
    print(text_table(("model", *_HEADINGS, "MB", "first (UTC)", "last (UTC)"), rows))
    if notes:
        print("\n".join(["", *notes]))
    return damaged


def _made_by(exchanges: Sequence[JournaledExchange], folder: Path) -> Iterator[str]:
    """What made the exchanges of one model, as far as it was recorded, and what its API said of itself."""
    try:
        making = making_of(exchanges, folder)
    except ProvenanceError as error:
        yield str(error)
        return
    for line in (*making.stated_lines(), *making.gap_lines()):
        yield f"{line[0].upper()}{line[1:]}."


def _cells(exchanges: Exchanges) -> list[str]:
    """The cells of the columns _HEADINGS; sent and received are tokens, the time is the median."""
    latencies = [each.latency_seconds for each in exchanges if each.latency_seconds is not None]
    numbers = (
        len({each.entry_id for each in exchanges}),
        len(exchanges),
        len({each.trial for each in exchanges}),
        total(each.input_tokens for each in exchanges),
        total(each.output_tokens for each in exchanges),
    )
    dollars = total(each.dollars for each in exchanges)
    return [
        *("-" if number is None else f"{number:,}" for number in numbers),
        "-" if dollars is None else f"{dollars:,.4f}",
        f"{median(latencies):,.2f}" if latencies else "-",
    ]


def _notes(journals: JournalsReader) -> Iterator[str]:
    """The writers of a model's journals, and what interrupted writers left."""
    for journal in journals.journals:
        note = _note(journal)
        if note is not None:
            yield note if len(journals.journals) == 1 else f"{journal.path.name}: {note}"


def _note(journal: JournalReader) -> str | None:

    try:
        holder = read_holder(lease_path(journal.path))
    except LeaseError as error:
        return str(error)
    if holder is None:
        if not journal.torn_bytes:
            return None
        return f"the last {journal.torn_bytes:,} bytes are an incomplete line; the next job removes them."
    alive = is_alive(holder.process)
    if alive is None:
        return f"{holder} writes it, or has died; the next job checks that."
    if alive:
        return f"{holder} writes it."
    return f"{holder} has ended without closing it; the next job takes over."


def _chosen(
    journals: JournalsReader, options: argparse.Namespace, entry_ids: set[str] | None = None
) -> Iterator[JournaledExchange]:
    """The exchanges that match --entry and --category; `entry_ids` receives all ids."""
    for exchange in journals:
        if entry_ids is not None:
            entry_ids.add(exchange.entry_id)
        if options.entry in (None, exchange.entry_id) and (
            not options.categories or _category(exchange) in options.categories
        ):
            yield exchange


def _category(exchange: JournaledExchange) -> str:

    try:
        return category_of(exchange.entry_id)
    except ConfigError:
        return "?"


def _models(options: argparse.Namespace) -> Models:
    """The journals of the chosen models. Raises ConfigError, with the known models, for an unknown one."""
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
        raise ConfigError(f"{options.cache}: no exchanges yet, with {options.model!r} or any other model.")
    raise ConfigError(f"{options.cache}: {unknown_name('model', options.model, list(models))}")


def _unknown_entry(options: argparse.Namespace, entry_ids: set[str]) -> str:
    if options.entry in entry_ids:
        return f"no exchange of {options.entry} in that category."
    return f"no exchange of an entry {options.entry!r}.{did_you_mean(options.entry, entry_ids, 3)}"
