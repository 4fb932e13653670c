"""How the run was made: its recorded config, the days of its answers, and commands to go on with.

Everything shown is recorded in the run and its journals, so that a replay gives the same page. The commit
of the pipeline is not shown: an installed package does not know it; `bfcl-pipeline archive` records it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.text import cut, exchanges_text, on_one_line, printable
from bfcl_pipeline.benchmark.config import model_folder, recorded_row, trial_of
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES
from bfcl_pipeline.benchmark.definition import encoder, release
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.journal import ExchangeHead, exchange_heads, journals_in
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.format import count
from bfcl_pipeline.show.report.page.method import Method, method

_LONGEST = 1_000  # characters of a value of the config


@dataclass(frozen=True, slots=True)
class MakingSection:
    """The facts of a run and its commands, in the order in which the page has them."""

    facts: Mapping[str, str] = field(default_factory=dict)  # texts by name
    commands: Mapping[str, str] = field(default_factory=dict)  # commands by what they do
    method: Method | None = None  # how the models were asked; None: not known


NOT_RECORDED = MakingSection()
"""Of a run of which nothing is known but its tables."""


def read_making(run: Run, name: str | None, models: Iterable[str]) -> MakingSection:
    """How a run was made.

    Args:
        run: the run, which may have recorded nothing.
        name: its name; None if its tables have none.
        models: the names of its models, one for each trial.

    Raises:
        ConfigError: its config or its rows cannot be read.
        TableError: a table of responses cannot be read.
    """
    answering = () if run.imported else models  # imported answers are in no journal
    used = {model: _used(run, model, run.journals / model_folder(model)) for model in answering}
    facts = {
        **_config_facts(run),
        **_requests(name, [head for heads in used.values() for head in heads]),
        "Release": f"{release.DISTRIBUTION} {run.release_version}",
        **_hashes(run),
        "Pipeline": f"bfcl-pipeline {__version__}",
    }
    commands = {} if name is None else _commands(name, imported=run.imported)
    rows = {row.name: recorded_row(row) for row in run.rows.values()}
    web = None if run.config is None or run.config.web is None else run.config.web.mode
    return MakingSection(facts, commands, method(rows, list(used or models), _served(used), web))


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


def _hashes(run: Run) -> dict[str, str]:
    """The SHA-256 of what the run was made from, as far as it is recorded."""
    hashes = {}
    if run.config is not None and run.config.release.sha256:
        hashes["Release, SHA-256"] = run.config.release.sha256
    if not run.imported and any((run.folder / "memory").glob("*/memory_vector.parquet")):
        hashes["Encoder, SHA-256"] = f"{encoder.FILES[encoder.WEIGHTS]} ({encoder.MODEL})"
    # Not of config.yaml: it also says in which containers the steps ran, on which no result depends.
    if run.models_file.is_file():
        hashes["models.yaml, SHA-256"] = hashlib.sha256(run.models_file.read_bytes()).hexdigest()
    return hashes


def _config_facts(run: Run) -> dict[str, str]:
    """What the recorded config says, as texts; of an imported run, only what is known of its answers."""
    config = run.config
    if config is None:
        return {}
    facts = {"Categories": ", ".join(config.categories)}
    if config.imported is not None:
        facts = {"Imported from": config.imported, **facts}
    elif config.entry_ids is not None:
        facts["Entries"] = f"{count(len(config.entry_ids))} chosen by id"
    else:
        drawn = config.sample
        facts["Sample"] = (
            "all entries"
            if drawn is None
            else f"{drawn.entries} entries{drawn.division}, seed {config.seed}"
        )
    if config.imported is None:
        facts["Trials"] = str(config.trials)
    facts["Rules"] = config.rules.value
    if config.web is not None:
        facts["Web"] = config.web.mode
    if config.imported is None and config.web is not None:
        if config.web.mode in NETWORK_MODES:
            facts["Search engine"] = config.web.engine
        if config.web.fetch_failures:
            facts["Failed fetches"] = f"a share of {config.web.fetch_failures}, seed {config.seed}"
        budget = config.budget
        facts["Budget"] = "no limit" if budget is None else f"${budget} for each model"
    return {name: cut(on_one_line(printable(text)), _LONGEST) for name, text in facts.items()}


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


def _used(run: Run, model: str, journals: Path) -> list[ExchangeHead]:
    """The exchanges of one model that its responses have, by turn and latency: a shared journal grows.

    Of several with the same turn and latency, those that were received first count.
    """
    paths = journals_in(journals)
    steps = _steps(run, model) if paths else Counter()
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


def _steps(run: Run, model: str) -> Counter[tuple[str, int, float | None]]:
    """The entry, the turn and the latency of each exchange of one model, memory sessions included."""
    tables = [
        path
        for part in ("responses", "memory")
        for path in (run.folder / part / model_folder(model)).glob("*.parquet")
    ]
    return Counter(
        (row["entry_id"], step["turn"], step["latency_seconds"])
        for path in tables
        for row in read_table(path, ["entry_id", "steps"]).to_pylist()
        for step in row["steps"] or ()
    )
