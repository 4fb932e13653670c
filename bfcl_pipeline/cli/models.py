"""`bfcl-pipeline models`: lists every known model with what is missing to run it, and adds models."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.ask.models.requirements import Need, needs, silent_endpoint
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut, on_one_line, plural, printable, text_table
from bfcl_pipeline.base.yaml_reader import read_yaml
from bfcl_pipeline.benchmark.config import (
    KINDS,
    MY_MODELS_FILE,
    ModelRow,
    load_models,
    load_not_served,
    unknown_model,
)
from bfcl_pipeline.benchmark.config.added_row import add_row
from bfcl_pipeline.benchmark.config.check import LONGEST_VALUE
from bfcl_pipeline.benchmark.config.families import is_own
from bfcl_pipeline.benchmark.records import Json

READY = "ready"

_COLUMNS = ("model", "kind", "mode", "prompts", "org", "where", "$ in", "$ out", "missing")
_NARROW_COLUMNS = ("model", "kind", "missing")
_KEYS = (
    *("name", "kind", "mode", "display_name", "org", "description", "model", "endpoint"),
    *("family", "input_price", "output_price"),
)
"""The keys of a row in the JSON output."""
OWN = "own"
"""The way of asking by a family that the leaderboard does not have."""
_NARROW_TERMINAL = 130  # characters; a narrower one shows the narrow columns


@dataclass(frozen=True, slots=True)
class Listed:
    """One model and what it lacks."""

    row: ModelRow
    needs: tuple[Need, ...]

    @property
    def cells(self) -> dict[str, str]:
        """Its line of the table, by column."""
        row = self.row
        prices = ("-" if price is None else f"{price:g}" for price in (row.input_price, row.output_price))
        missing = " ".join(need.what for need in self.needs) or READY
        cells = (row.name, row.kind, row.mode, prompts_of(row), row.org, location(row), *prices, missing)
        return dict(zip(_COLUMNS, cells, strict=True))

    @property
    def document(self) -> dict[str, object]:
        """Its object in the JSON output."""
        row = self.row
        return {
            **{key: getattr(row, key) for key in _KEYS},
            "where": location(row),
            "prompting": (OWN if is_own(row.family) else row.prompting) if _has_weights(row) else None,
            "missing": [{"what": need.what, "remedy": need.remedy} for need in self.needs],
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = (
        f"filter by name, kind or organization, with wildcards * and ?; or add a row to {MY_MODELS_FILE}"
    )
    parser.add_argument("words", nargs="*", metavar="PATTERN | add NAME", help=about)
    parser.add_argument("--ready", action="store_true", help="only models that lack nothing")
    parser.add_argument("--json", action="store_true", help="print JSON, with how to get what is missing")
    add_models(parser)
    adding = parser.add_argument_group("add", "the new row; config/README.md explains its keys")
    about = "of its API, for example http://localhost:8000/v1"
    adding.add_argument("--endpoint", metavar="URL", help=about)
    about = f"how it answers: {', '.join(KINDS)} (default: openai_chat with --endpoint, else vllm)"
    adding.add_argument("--kind", choices=list(KINDS), metavar="KIND", help=about)
    about = "further keys, values in YAML: --set key=MY_API_KEY --set 'vllm={tool_parser: hermes}'"
    adding.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=about)


def run(options: argparse.Namespace) -> int:
    """Prints the models, those of the models files first, or adds one.

    Raises ConfigError if there are none, or the row to be added is wrong.
    """
    if options.words[:1] == ["add"] and len(options.words) == 2:
        return _add(options)
    if len(options.words) > 1 or options.set or options.endpoint or options.kind:
        raise ConfigError("expected at most one PATTERN, or `add NAME` with the options of the new row.")
    pattern = next(iter(options.words), None)
    rows = load_models(options.models)
    matching = [row for row in rows.values() if _matches(pattern, row.name, row.kind, row.org)]
    listed = [Listed(row, (*needs(row), *silent_endpoint(row))) for row in matching]
    if options.ready:
        listed = [model for model in listed if not model.needs]
    not_served = {
        name: reason
        for name, reason in load_not_served(options.models).items()
        if _matches(pattern, name) and not options.ready
    }
    if not listed and not not_served:
        raise ConfigError(
            "no such model is ready. Without --ready, the list shows what is missing."
            if options.ready
            else unknown_model(pattern or "", rows)
        )
    if options.json:
        document = {"models": [model.document for model in listed], "not_served": not_served}
        print(json.dumps(document, indent=2))
        return 0
    if listed:
        _print_table(listed)
    _print_notes(listed, not_served, pattern)
    return 0


def _add(options: argparse.Namespace) -> int:
    """Adds the row and prints what to do next."""
    name, path = options.words[1], (options.models or [MY_MODELS_FILE])[-1]
    values: dict[str, Json] = {
        "name": name,
        "kind": options.kind or ("openai_chat" if options.endpoint else "vllm"),
    }
    if options.endpoint is not None:
        values["endpoint"] = options.endpoint
        if values["kind"] == "vllm":
            values["backend"] = "endpoint"
    row = add_row(path, {**values, **_set_values(options.set)})
    missing = [need for need in needs(row) if need.what != row.key]
    print(f"{path}: added {row.name} ({row.kind}, mode {row.mode}, {location(row)}).")
    for need in missing:
        print(f"It needs {need.what}: {need.remedy}")
    key = f" (with {row.key} in the environment or in .env)" if row.key else ""
    if row.served or row.recorded:
        print(f"Run it: bfcl-pipeline run --model {shlex.quote(row.name)} --sample 100")
    else:
        print(f"Try it{key}: bfcl-pipeline ping {row.name}")
    return 0


def _set_values(texts: Sequence[str]) -> dict[str, Json]:
    """The keys and values that --set gives. Raises ConfigError for what is not KEY=VALUE."""
    values: dict[str, Json] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        try:
            values[key.strip()] = read_yaml(value)
        except ValueError as error:
            raise ConfigError(f"--set {cut(text, LONGEST_VALUE)}: the value is not YAML.") from error
        if not equals:
            raise ConfigError(f"--set {text}: expected KEY=VALUE.")
    return values


def location(row: ModelRow) -> str:
    """Where the model answers: the host of its API, vLLM, this process; or the path of its results."""
    if KINDS[row.kind].embedded:
        return "embedded"
    if row.path is not None:
        return row.path
    if row.kind == "transformers":
        return "this process"
    if row.served:
        return f"vLLM, {plural(row.vllm.gpus, 'GPU', 'GPUs')}"
    if row.endpoint is None:
        return row.model.partition("/")[0]  # litellm's name of the provider
    return urlsplit(row.endpoint).netloc


def prompts_of(row: ModelRow) -> str:
    """The family whose prompts are sent to open weights, or `server`; of other models `-`."""
    if is_own(row.family):
        return f"{row.family} ({OWN})"
    return (row.family or row.prompting) if _has_weights(row) else "-"


def _has_weights(row: ModelRow) -> bool:
    """Whether the model is open weights, which can be asked in more than one way."""
    return row.family is not None or row.kind == "vllm"


def _matches(pattern: str | None, *names: str) -> bool:
    if pattern is None:
        return True
    form = pattern.lower() if any(sign in pattern for sign in "*?[") else f"*{pattern.lower()}*"
    return any(fnmatchcase(name.lower(), form) for name in names)


def _print_table(listed: Sequence[Listed]) -> None:
    narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < _NARROW_TERMINAL
    columns = _NARROW_COLUMNS if narrow else _COLUMNS
    cells = [[on_one_line(printable(model.cells[column])) for column in columns] for model in listed]
    print(text_table(columns, cells))


def _print_notes(listed: Sequence[Listed], not_served: Mapping[str, str], pattern: str | None) -> None:
    """Prints remedies; with a pattern, also descriptions and the reasons of models that are not served."""
    if listed:
        ready = sum(not model.needs for model in listed)
        print(f"\n{plural(len(listed), 'model', 'models')}, {ready} ready.")
    remedies = _by_text({need.what: need.remedy for model in listed for need in model.needs})
    width = max((len(", ".join(words)) for words in remedies.values()), default=0)
    for remedy, words in remedies.items():
        print(f"  {', '.join(words).ljust(width)}  {remedy}")
    if pattern is None:
        if not_served:
            count = plural(len(not_served), "model", "models")
            print(f"{count} of the leaderboard cannot be used; give a PATTERN to see why.")
        return
    descriptions = {model.row.name: model.row.description for model in listed if model.row.description}
    for description, names in _by_text(descriptions).items():
        print(printable(f"{description}: {', '.join(names)}"))
    for reason, names in _by_text(not_served).items():
        print(f"Cannot be used ({reason}): {', '.join(names)}")


def _by_text(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """The names that have the same text."""
    names: dict[str, list[str]] = {}
    for name, text in texts.items():
        names.setdefault(text, []).append(name)
    return names
