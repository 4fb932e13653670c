"""Six small runs, one of each kind: embedded, API, trials, shards, official results, V1."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path

import yaml

from bfcl_pipeline.ask.models.serving.address import Address, State, write_address
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.benchmark.config import ModelRow, load_models, model_folder, recorded_models, trial_name
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.cli import main
from bfcl_pipeline.world.tools.web_search.web import Page
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import FetchKey
from bfcl_pipeline.world.web.simulated import SimulatedWeb, hops
from tests.support import ROOT
from tests.support.local_chat import LocalChat
from tests.support.web_record import record_outcome

CHAT = "near/chat-FC"
AT = "2026-01-01T00:00:00.000+00:00"
_COUNTED = re.compile(r'"chatcmpl-([0-9a-f]+)-\d+"')  # an id counts the requests in their random order
FEW = ["simple_python", "live_multiple", "multi_turn_base", "memory_kv", "web_search_base"]


@dataclass(frozen=True)
class Kind:
    """A kind of run: what is asked of which models."""

    models: tuple[str, ...]
    categories: tuple[str, ...]
    sample: int
    web: str = "simulated"
    trials: int = 1
    shards: int = 1


_EVERY = [name for name in GROUPS["all"] if name != "memory_vector"]
"""Without the category whose answers state likenesses, of which the last digits depend on the processor."""

KINDS: Mapping[str, Kind] = {
    "embedded": Kind(("oracle", "oracle-FC", "lexical", "lexical-FC"), tuple(_EVERY), 2),
    "api": Kind((CHAT, "oracle-FC"), tuple(FEW), 4, web="replay"),
    "trials": Kind((CHAT, "lexical"), ("simple_python", "parallel", "memory_kv"), 3, trials=3),
    "shards": Kind((CHAT,), ("simple_python", "multi_turn_base", "memory_kv"), 6, shards=3),
    "executable": Kind(("oracle-FC", "lexical"), tuple(GROUPS["executable"]), 3),
}
"""All but the imported run, which has the answers of `embedded`."""


def run(*words: object) -> None:
    """Runs a command of the package. Raises RuntimeError if it fails."""
    if status := main([*map(str, words)]):
        raise RuntimeError(f"bfcl-pipeline {' '.join(map(str, words))}: exit status {status}")


def make_project(data: Path) -> None:
    """The models file, links to the staged data, and a web record, in the current folder."""
    Path("data").mkdir()
    for part in ("release", "entries", "encoder"):
        Path("data", part).symlink_to((data / part).resolve())
    shutil.copytree(ROOT / "config", "config", ignore=shutil.ignore_patterns("my_models.yaml"))
    row = {"name": CHAT, "kind": "vllm", "model": "chat", "vllm": {"tool_parser": "hermes"}}
    rows = yaml.safe_load(Path("config/models.yaml").read_text(encoding="utf-8"))
    Path("config/models.yaml").write_text(yaml.safe_dump({"models": [*rows["models"], row]}), "utf-8")
    questions = read_entries(entries_path(Path("data"), "web_search_base"))
    web, cache = SimulatedWeb.of(questions), WebCache(Path("cache/web"))
    for url in sorted({hop.url for entry in questions[:40] for hop in hops(entry) if hop.url.isascii()}):
        record_outcome(cache, FetchKey(url), Page(web.pages[url]), datetime.fromisoformat(AT))


def make_run(name: str, kind: Kind, server: LocalChat) -> None:
    """Makes results/<name>."""
    address = Address(State.READY, CHAT, this_process(), 60.0, endpoint=server.endpoint)
    write_address(Path("server.json"), address)
    rows = load_models()
    _record(name, kind, [rows[model] for model in kind.models])
    for model in kind.models:
        for trial in range(1, (kind.trials if model == CHAT else 1) + 1):
            _answer(name, kind, rows[model], trial)
    folder = Path("results", name)
    for responses in sorted((folder / "responses").iterdir()):
        run("score", *sorted(responses.iterdir()), "--out", folder / f"verdicts/{responses.name}.parquet",
            "--rules", "all")  # fmt: skip
    run("aggregate", folder, "--models", folder / "models.yaml")
    run("report", folder, "--entries", "all")


def _record(name: str, kind: Kind, rows: Iterable[ModelRow]) -> None:
    config = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
    config |= {"run": name, "models": [*kind.models], "categories": [*kind.categories]}
    config |= {"sample": kind.sample, "web": kind.web, "trials": kind.trials}
    Path("results", name).mkdir(parents=True)
    Path("results", name, "config.yaml").write_text(recorded_config(config), encoding="utf-8")
    Path("results", name, "models.yaml").write_text(recorded_models(rows), encoding="utf-8")


def _answer(name: str, kind: Kind, row: ModelRow, trial: int) -> None:
    folder = Path("results", name)
    own = model_folder(trial_name(row.name, trial))
    options: list[object] = ["--run", name, "--model", row.name, "--sample", kind.sample, "--web", kind.web]
    options += ["--trial", trial]
    runs = [one for one in kind.categories if row.mode is Mode.PROMPT or not CATEGORIES[one].prompt_only]
    options += ["--category", *runs]
    shards = []
    for shard in range(1, kind.shards + 1):
        to = Path("shards", f"{own}{shard}") if kind.shards > 1 else folder
        shards.append(to)
        words = [*options, "--shard", f"{shard}/{kind.shards}"]
        places = _places(to, own if to == folder else "")
        if row.name == CHAT:
            scratch = ["--out", "scratch/responses", "--sessions-out", "scratch/memory"]
            run("generate", *words, *scratch, "--endpoint-from", "server.json")
            _make_timeless(Path("cache/exchanges").rglob("*.jsonl"))
            words.append("--replay")
        run("generate", *words, *places)
    if kind.shards > 1:
        run("gather", *shards, "--category", *runs, *_places(folder, own))


def _places(folder: Path, model: str) -> list[object]:
    return ["--out", folder / "responses" / model, "--sessions-out", folder / "memory" / model]


def _make_timeless(journals: Iterable[Path]) -> None:
    """Gives exchanges the same time, and ids and an order that do not depend on which was first.

    What made them is this interpreter and this commit: their records are removed, and none is named.
    """
    for path in journals:
        shutil.rmtree(path.parent / "provenance", ignore_errors=True)
        lines: list[tuple[str, int, dict[str, object]]] = []
        for number, line in enumerate(path.read_text(encoding="ascii").splitlines()):
            document = json.loads(_COUNTED.sub(r'"chatcmpl-\1-0"', line))
            if "key" in document:
                document |= {"received_at": AT, "latency_seconds": 0.5, "provenance": "0" * 64}
            lines.append((document.get("key", ""), number, document))
        ordered = (
            json.dumps(one, separators=(",", ":")) for *_, one in sorted(lines, key=itemgetter(0, 1))
        )
        text = "".join(f"{line}\n" for line in ordered)
        path.write_text(text, encoding="ascii")


def import_run(name: str) -> None:
    """Makes results/<name> of official results: those of the run `embedded`."""
    run("export-official", "results/embedded", "--out", "official")
    run("import-official", "official/result", "--as-run", name)


def make_all(data: Path, server: LocalChat) -> None:
    """Makes all runs and their archives in the current folder."""
    make_project(data)
    for name, kind in KINDS.items():
        make_run(name, kind, server)
    import_run("imported")
    for name in KINDS:
        run("archive", f"results/{name}")
