"""How the run was made: its recorded config, the days of its answers, and commands to go on with.

Everything shown is recorded in the run and its journals, so that a replay gives the same page. The commit
of the pipeline is not shown: an installed package does not know it; `bfcl-pipeline archive` records it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bfcl_pipeline import __version__
from bfcl_pipeline.benchmark import encoder, release
from bfcl_pipeline.config import model_folder, trial_of
from bfcl_pipeline.config.job import NETWORK_MODES, RECORDED_MODES, SEARCH_ENGINES
from bfcl_pipeline.config.journal_choice import recorded_journals
from bfcl_pipeline.config.kinds import RECORDED_KINDS
from bfcl_pipeline.config.plain_yaml import recorded_keys
from bfcl_pipeline.generation.journal import ExchangeHead, exchange_heads, journals_in
from bfcl_pipeline.report.format import count
from bfcl_pipeline.report.page.method import Method, Values, method, recorded_rows
from bfcl_pipeline.tables import read_table
from bfcl_pipeline.text import cut, exchanges_text, on_one_line, printable

_LONGEST = 1_000  # characters of a value of the config


@dataclass(frozen=True, slots=True)
class Making:
    """The facts of a run and its commands, in the order in which the page has them."""

    facts: Mapping[str, str] = field(default_factory=dict)  # texts by name
    commands: Mapping[str, str] = field(default_factory=dict)  # commands by what they do
    method: Method | None = None  # how the models were asked; None: not known


NOT_RECORDED = Making()
"""Of a run of which nothing is known but its tables."""


def read_making(run_dir: Path, run: str | None, models: Iterable[str], cache: Path) -> Making:
    """How a run was made.

    Args:
        run_dir: its directory; config.yaml in it may be missing.
        run: its name; None if its tables have none.
        models: the names of its models, one for each trial.
        cache: the directory with the shared journals, exchanges/<model>; may be missing.

    Raises:
        ConfigError: config.yaml is not a mapping of plain values.
        TableError: a table of responses cannot be read.
    """
    config = recorded_keys(run_dir)
    imported = "imported" in config  # its answers are in no journal
    answering = () if imported else models
    journals = recorded_journals(run_dir, cache)
    used = {name: _used(run_dir, name, journals / model_folder(name)) for name in answering}
    rows = recorded_rows(run_dir / "models.yaml")
    facts = {
        **_config_facts(config, rows),
        **_requests(run, [head for heads in used.values() for head in heads]),
        "Release": f"{release.DISTRIBUTION} {release.VERSION}",
        **_hashes(run_dir, config),
        "Pipeline": f"bfcl-pipeline {__version__}",
    }
    commands = {} if run is None else _commands(run, imported=imported)
    return Making(
        facts, commands, method(rows, list(used or models), _served(used), str(config.get("web")))
    )


def _requests(run: str | None, used: Sequence[ExchangeHead]) -> dict[str, str]:
    """How many requests the run sent, and how many answers it has of other runs, with the days of both."""
    if not used:
        return {}
    sent = [head.day for head in used if head.run == run]
    taken = [head.day for head in used if head.run != run]
    return {"Requests (days in UTC)": exchanges_text(len(sent), len(taken), taken, sent)}


def _served(used: Mapping[str, Iterable[ExchangeHead]]) -> dict[str, list[str]]:
    """The names of the models in the answers, by the name of the row that was asked."""
    names: dict[str, set[str]] = {}
    for model, heads in used.items():
        names.setdefault(trial_of(model).model, set()).update(head.served for head in heads if head.served)
    return {model: sorted(found) for model, found in names.items() if found}


def _hashes(run_dir: Path, config: Mapping[str, Any]) -> dict[str, str]:
    """The SHA-256 of what the run was made from, as far as it is recorded."""
    hashes = {}
    recorded = config.get("release")
    if isinstance(recorded, dict) and isinstance(recorded.get("sha256"), str):
        hashes["Release, SHA-256"] = recorded["sha256"]
    if "imported" not in config and any((run_dir / "memory").glob("*/memory_vector.parquet")):
        hashes["Encoder, SHA-256"] = f"{encoder.FILES[encoder.WEIGHTS]} ({encoder.MODEL})"
    # Not of config.yaml: it also says in which containers the steps ran, on which no result depends.
    models = run_dir / "models.yaml"
    if models.is_file():
        hashes["models.yaml, SHA-256"] = hashlib.sha256(models.read_bytes()).hexdigest()
    return hashes


def _config_facts(config: Mapping[str, Any], rows: Mapping[str, Values]) -> dict[str, str]:
    """What the recorded config says, as texts; a key that it lacks is left out. rows: the recorded ones."""
    facts = {}
    if "imported" in config:
        facts["Imported from"] = str(config["imported"])
    if "categories" in config:
        facts["Categories"] = _listed(config["categories"])
    if isinstance(config.get("entry_ids"), list):
        facts["Entries"] = f"{count(len(config['entry_ids']))} chosen by id"
    elif "sample" in config:
        facts["Sample"] = _sample(config["sample"], config.get("seed"))
    for key, title in (("trials", "Trials"), ("rules", "Rules"), ("web", "Web")):
        if config.get(key) is not None:
            facts[title] = str(config[key])
    if engines := _engines(config, rows):
        facts["Search engine"] = engines
    if config.get("fetch_failures"):
        facts["Failed fetches"] = f"a share of {config['fetch_failures']}, seed {config.get('seed')}"
    if "budget" in config:
        budget = config["budget"]
        facts["Budget"] = "no limit" if budget is None else f"${budget} for each model"
    return {name: cut(on_one_line(printable(text)), _LONGEST) for name, text in facts.items()}


def _engines(config: Mapping[str, Any], rows: Mapping[str, Values]) -> str:
    """The search engines of a run on the real web; several with their models. Empty for another web."""
    mode, of_config = str(config.get("web")), str(config.get("search_engine"))
    models: dict[str, list[str]] = {}
    for name, row in rows.items():
        if row.get("kind") not in RECORDED_KINDS:
            models.setdefault(str(row.get("search_engine") or of_config), []).append(name)
    engines = sorted(models) or [of_config]
    if mode not in NETWORK_MODES and not (
        mode in RECORDED_MODES and set(SEARCH_ENGINES[1:]).intersection(engines)
    ):
        return ""
    if len(engines) == 1:
        return engines[0]
    return "; ".join(f"{engine} ({', '.join(models[engine])})" for engine in engines)


def _sample(value: object, seed: object) -> str:
    """The key `sample` of a recorded config in words; of another form, as it is."""
    if value is None:
        return "all entries"
    if isinstance(value, dict):
        return f"{value.get('entries')} entries by {value.get('by')}, seed {seed}"
    return f"{value} entries, seed {seed}"


def _listed(names: object) -> str:
    return ", ".join(map(str, names)) if isinstance(names, list) else str(names)


def _commands(run: str, *, imported: bool) -> dict[str, str]:
    shown = {
        "Show one entry": f"bfcl-pipeline show ENTRY_ID --model MODEL --run {run}",
        "Print the table": f"bfcl-pipeline table {run}",
    }
    if imported:
        return shown
    return {
        **shown,
        "Derive the run again and compare every byte": f"bfcl-pipeline replay {run}",
        "Package it for others": f"bfcl-pipeline archive {run}",
        "Check the package": f"bfcl-pipeline verify results/{run}.crate.zip",
    }


def _used(run_dir: Path, model: str, journals: Path) -> list[ExchangeHead]:
    """The exchanges of one model that its responses have, by turn and latency: a shared journal grows.

    Of several with the same turn and latency, those that were received first count.
    """
    paths = journals_in(journals)
    steps = _steps(run_dir, model_folder(model)) if paths else Counter()
    possible = [
        head
        for head in exchange_heads(paths)
        if head.trial == trial_of(model).number and steps[_step(head)]
    ]
    found = []
    for head in sorted(possible, key=lambda head: head.received_at):
        if steps[_step(head)]:
            steps[_step(head)] -= 1
            found.append(head)
    return found


def _step(head: ExchangeHead) -> tuple[str, int, float | None]:
    return head.entry_id, head.turn, head.latency_seconds


def _steps(run_dir: Path, folder: str) -> Counter[tuple[str, int, float | None]]:
    """The entry, the turn and the latency of each exchange of one model, memory sessions included."""
    tables = [
        path for part in ("responses", "memory") for path in (run_dir / part / folder).glob("*.parquet")
    ]
    return Counter(
        (row["entry_id"], step["turn"], step["latency_seconds"])
        for path in tables
        for row in read_table(path, ["entry_id", "steps"]).to_pylist()
        for step in row["steps"] or ()
    )
