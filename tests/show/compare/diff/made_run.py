"""Runs for tests of `diff`: conversations with the local server, their tables and their record.

Made with the commands of a run, without Snakemake.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.benchmark.config import load_models, model_folder, recorded_models
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.cli import main
from tests.support.local_chat import LocalChat

MODEL = "chat-FC"
CONVERSATION = "multi_turn_base_0"
ENTRIES = ("simple_python_0", "simple_python_1", CONVERSATION)


@dataclass(frozen=True, slots=True)
class MadeRun:
    """A run in a folder of its own: results/r, cache and a models file."""

    folder: Path
    staged: Path
    endpoint: str
    model: str = MODEL
    row: dict[str, Any] = field(default_factory=dict)  # further keys of its row
    config: dict[str, Any] = field(default_factory=dict)  # of the run

    @property
    def results(self) -> Path:
        """The directory of the run."""
        return self.folder / "results/r"

    @property
    def cache(self) -> Path:
        """The directory with journals and web cache."""
        return self.folder / "cache"

    @property
    def journal(self) -> Path:
        """The exchanges of the model."""
        return self.cache / "exchanges" / model_folder(self.model) / "exchanges.jsonl"

    def make(self, entry_ids: Sequence[str] = ENTRIES, *options: str) -> MadeRun:
        """Asks the model what its journal lacks, scores the answers, and records the config.

        options: further ones of `generate`.
        """
        self.results.mkdir(parents=True, exist_ok=True)
        models = self.folder / "models.yaml"
        kind = {"kind": "openai_chat", "model": "chat", "endpoint": self.endpoint}
        models.write_text(yaml.safe_dump({"models": [{"name": self.model, **kind, **self.row}]}))
        rows = load_models([models])
        (self.results / "models.yaml").write_text(recorded_models([rows[self.model]]))
        categories = list(dict.fromkeys(entry_id.rpartition("_")[0] for entry_id in entry_ids))
        shipped = yaml.safe_load((project_folder() / "config/config.yaml").read_text())
        config = {**shipped, "run": "r", "models": [self.model], "categories": categories, **self.config}
        config["release"] = {"version": release.VERSION, "sha256": release.SHA256, "source": None}
        config["entry_ids"] = list(entry_ids)
        (self.results / "config.yaml").write_text(recorded_config(config))
        self._generate(models, categories, entry_ids, options)
        return self

    def _generate(
        self, models: Path, categories: Sequence[str], entry_ids: Sequence[str], options: Sequence[str]
    ) -> None:
        responses = self.results / "responses" / model_folder(self.model)
        places = ["--data", str(self.staged), "--cache"]
        web = [f"--web={self.config.get('web', 'simulated')}", f"--web-record={self.cache / 'web'}"]
        if "search_tool" in self.config:
            web.append(f"--search-tool={self.config['search_tool']}")
        command = ["generate", "--model", self.model, "--models", str(models), "--run", "r", *web]
        command += ["--category", *categories, "--entry-ids", *entry_ids, *options, *places]
        assert main([*command, str(self.cache / "exchanges"), "--out", str(responses)]) == 0
        verdicts = self.results / "verdicts" / f"{model_folder(self.model)}.parquet"
        tables = [str(responses / f"{category}.parquet") for category in categories]
        score = ["score", *tables, "--out", str(verdicts), "--rules", "all", *places, str(self.cache)]
        verdicts.parent.mkdir(exist_ok=True)
        assert main(score) == 0

    def copy(self, folder: Path, **changed: Any) -> MadeRun:
        """The same run elsewhere, of which only the cache exists yet."""
        shutil.copytree(self.cache, folder / "cache")
        fields = {"model": self.model, "row": self.row, "config": self.config, **changed}
        return MadeRun(folder, self.staged, self.endpoint, **fields)

    def answer_otherwise(self, entry_id: str, number: int, change: Callable[[Any], None]) -> None:
        """Changes the message of an answer in the journal, and removes the later ones of the entry."""
        kept = []
        seen = 0
        for line in self.journal.read_text().splitlines():
            exchange = json.loads(line)
            if exchange["entry_id"] == entry_id:
                seen += 1
                if seen == number:
                    change(exchange["raw"]["choices"][0]["message"])
                if seen > number:
                    continue
            kept.append(json.dumps(exchange, separators=(",", ":")))
        assert seen >= number, f"{entry_id} has {seen} answers"
        self.journal.write_text("\n".join(kept) + "\n")


def first_run(folder: Path, staged: Path, server: LocalChat, **fields: Any) -> MadeRun:
    """A run of `server` in the new directory `folder`, not made yet."""
    return MadeRun(folder, staged, server.endpoint, **fields)
