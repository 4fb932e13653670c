"""`bfcl-pipeline models`: every model that is known, and what is missing to run it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.config import ModelRow
    from bfcl_pipeline.models.requirements import Need

READY = "ready"

_COLUMNS = ("model", "kind", "mode", "org", "where", "$ in", "$ out", "missing")
_NARROW = ("model", "kind", "missing")  # what fits where a line is short
_SHORT_LINE = 130  # columns of a terminal under which it is


@dataclass(frozen=True, slots=True)
class Listed:
    """One model and what it lacks."""

    row: ModelRow
    needs: tuple[Need, ...]

    @property
    def cells(self) -> dict[str, str]:
        """What is shown of it, by column."""
        row = self.row
        missing = " ".join(need.what for need in self.needs) or READY
        shown = (row.name, row.kind, row.mode, row.org, where(row), *_prices(row), missing)
        return dict(zip(_COLUMNS, shown, strict=True))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "pattern",
        nargs="?",
        metavar="PATTERN",
        help="only those with this in name, kind or maker; * and ? stand for anything",
    )
    parser.add_argument("--ready", action="store_true", help="only those that lack nothing")
    parser.add_argument("--json", action="store_true", help="print JSON, with how to get what is missing")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path("config/models.yaml"),
        help="the models file (default: config/models.yaml)",
    )


def run(options: argparse.Namespace) -> int:
    """Prints the models, those of the user's own file first. Raises ConfigError if none is meant."""
    from bfcl_pipeline.config import load_models, load_not_served
    from bfcl_pipeline.models.requirements import needs

    rows = load_models(options.models)
    meant = [row for row in rows.values() if _matches(options.pattern, row.name, row.kind, row.org)]
    listed = [Listed(row, needs(row)) for row in meant]
    if options.ready:
        listed = [one for one in listed if not one.needs]
    not_served = {
        name: reason
        for name, reason in load_not_served(options.models).items()
        if _matches(options.pattern, name) and not options.ready
    }
    if not listed and not not_served:
        raise ConfigError(_nothing(options.pattern, options.ready, rows))
    if options.json:
        print(json.dumps({"models": [_as_json(one) for one in listed], "not_served": not_served}, indent=2))
    else:
        _print(listed)
        _print_notes(listed, not_served, options.pattern)
    return 0


def where(row: ModelRow) -> str:
    """Who answers for a model: a host, vLLM on so many GPUs, or this process."""
    from bfcl_pipeline.config import KINDS

    if KINDS[row.kind].embedded:
        return "embedded"
    if row.served:
        return f"vLLM, {row.vllm.gpus} GPU{'s' * (row.vllm.gpus > 1)}"
    if row.endpoint is None:
        return row.model.partition("/")[0]  # the provider, as litellm calls it
    return urlsplit(row.endpoint).netloc


def _matches(pattern: str | None, *names: str) -> bool:
    if pattern is None:
        return True
    form = pattern.lower() if any(sign in pattern for sign in "*?[") else f"*{pattern.lower()}*"
    return any(fnmatchcase(name.lower(), form) for name in names)


def _nothing(pattern: str | None, ready: bool, known: Iterable[str]) -> str:
    from bfcl_pipeline.config import unknown_model

    if ready:
        return "no such model is ready. Without --ready, the list tells what is missing."
    return unknown_model(pattern or "", known)


def _prices(row: ModelRow) -> tuple[str, str]:
    """Dollars for a million tokens sent and received."""
    prices = (row.input_price, row.output_price)
    return ("-" if prices[0] is None else f"{prices[0]:g}", "-" if prices[1] is None else f"{prices[1]:g}")


def _as_json(one: Listed) -> dict[str, object]:
    row = one.row
    return {
        "name": row.name,
        "kind": row.kind,
        "mode": row.mode,
        "display_name": row.display_name,
        "org": row.org,
        "description": row.description,
        "model": row.model,
        "endpoint": row.endpoint,
        "where": where(row),
        "input_price": row.input_price,
        "output_price": row.output_price,
        "missing": [{"what": need.what, "remedy": need.remedy} for need in one.needs],
    }


def _print(listed: Sequence[Listed]) -> None:
    if not listed:
        return
    if sys.stdout.isatty():
        _print_rich(listed)
        return
    lines = [dict(zip(_COLUMNS, _COLUMNS, strict=True)), *(one.cells for one in listed)]
    widths = {column: max(len(line[column]) for line in lines) for column in _COLUMNS}
    for line in lines:
        print("  ".join(line[column].ljust(widths[column]) for column in _COLUMNS).rstrip())


def _print_rich(listed: Sequence[Listed]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    columns = _NARROW if console.width < _SHORT_LINE else _COLUMNS
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    for column in columns:
        table.add_column(
            Text(column),
            justify="right" if column.startswith("$") else "left",
            style="dim" if column in ("kind", "mode", "org") else "",
            overflow="fold",
            no_wrap=column not in ("model", "missing", "org"),
        )
    for one in listed:
        cells = one.cells
        style = "green" if not one.needs else "yellow"
        table.add_row(
            *(Text(cells[column], style=style if column == "missing" else "") for column in columns)
        )
    console.print(table)


def _print_notes(listed: Sequence[Listed], not_served: Mapping[str, str], pattern: str | None) -> None:
    """What the words under `missing` mean, what is worth knowing of few models, and who is not served."""
    if listed:
        ready = sum(not one.needs for one in listed)
        print(f"\n{len(listed)} model{'s' * (len(listed) != 1)}, {ready} ready.")
    remedies = _by_text({need.what: need.remedy for one in listed for need in one.needs})
    width = max((len(", ".join(words)) for words in remedies.values()), default=0)
    for remedy, words in remedies.items():
        print(f"  {', '.join(words).ljust(width)}  {remedy}")
    if pattern is None:
        if not_served:
            count = f"{len(not_served)} model{'s' * (len(not_served) != 1)}"
            print(f"{count} of the leaderboard cannot be asked; give a PATTERN to see why.")
        return
    told = {one.row.name: one.row.description for one in listed if one.row.description}
    for about, names in _by_text(told).items():
        print(f"{about}: {', '.join(names)}")
    for reason, names in _by_text(not_served).items():
        print(f"Cannot be asked ({reason}): {', '.join(names)}")


def _by_text(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """The names that each text is said of."""
    names: dict[str, list[str]] = {}
    for name, text in texts.items():
        names.setdefault(text, []).append(name)
    return names
