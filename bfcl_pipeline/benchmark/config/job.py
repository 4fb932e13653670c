"""What one `bfcl-pipeline generate` does, as a record: the workflow, the command line and Python build it.

Covers the choices, that of the web included, and their defaults. `jobs.options` reads and writes them as
options of the command, `jobs.run` carries a job out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config.check import check_config, config_schema
from bfcl_pipeline.benchmark.config.choices import EMBEDDED_KINDS, trial_name
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.records import Mode

WEB_MODES = ("simulated", "record", "replay", "live", "off")
"""simulated: a small deterministic web, no network, not comparable with the leaderboard; record: the real
web, recorded in the web cache; replay: the web cache only; live: the real web, not recorded; off: no web
tools. Executed calls use web APIs in the first three modes."""

NETWORK_MODES = ("record", "live")
"""Modes in which searches and fetches use the network, which takes time."""

RECORDED_MODES = ("record", "replay")
"""Modes in which what the real web answered is in the web cache."""

SEARCH_TOOL = "search_engine_query"
"""What the release calls the search tool; its post on web search calls it duckduckgo_search."""

DUCKDUCKGO, SERPAPI = SEARCH_ENGINES = ("duckduckgo", "serpapi")
"""Both have the results of DuckDuckGo, which the leaderboard has, and one record. duckduckgo: its page;
serpapi: a paid service for it, as the official tool searches."""

SERPAPI_KEY = "SERPAPI_API_KEY"
"""The environment variable with the key of SerpApi."""

NO_PROXY, PROXY_OF_ENVIRONMENT = "none", "environment"
"""What `web_proxy` may be besides the address of a proxy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebChoice:
    """What the web-search categories search, and what executed calls ask."""

    mode: str = WEB_MODES[0]  # one of WEB_MODES
    cache: Path = Path("cache/web")  # outcomes of searches and fetches: recorded there, replayed from there
    fetch_failures: float = 0.0  # share of fetches that are made to fail, 0 to 1
    search_tool: str = SEARCH_TOOL  # the name under which the search tool is presented
    engine: str = DUCKDUCKGO  # one of SEARCH_ENGINES
    proxy: str = PROXY_OF_ENVIRONMENT  # of all its requests: or NO_PROXY, or an address; see web.proxies
    pause: float = 2.0  # seconds between two requests to the same host

    def __post_init__(self) -> None:
        """Raises ConfigError if the schema of configs refuses the engine, the proxy or the pause."""
        keys = {"search_engine": self.engine, "web_proxy": self.proxy, "web_pause": self.pause}
        check_config(keys, config_schema())

    @classmethod
    def of_config(cls, values: Mapping[str, Any]) -> WebChoice:
        """What a complete config says. Raises ConfigError."""
        return cls(
            mode=values["web"],
            fetch_failures=values["fetch_failures"],
            search_tool=values["search_tool"],
            engine=values["search_engine"],
            proxy=values["web_proxy"],
            pause=values["web_pause"],
        )

    @property
    def deciding(self) -> WebChoice:
        """What answers depend on: proxy and pause at their defaults."""
        default = WebChoice()
        return replace(self, proxy=default.proxy, pause=default.pause)


_SHARD = re.compile(r"(\d{1,6})/(\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the parts into which the entries of a model are divided, one for each of its servers."""

    number: int = 1  # from 1
    of: int = 1  # number of shards

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise ValueError(f"expected a shard from 1 to {self.of}, got {self.number}")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard written as I/N. Raises ValueError if it is not one."""
        match = _SHARD.fullmatch(text)
        if match is None:
            raise ValueError(f"expected I/N, got {text!r}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which entries of its categories a job runs. Sessions that a chosen question needs are added."""

    sample: Mapping[str, int] = field(default_factory=dict)  # by category, entries drawn; others: all
    seed: int = 0  # of the sample, and of fetches that are made to fail
    entry_ids: tuple[str, ...] = ()  # only these; empty: all
    shard: Shard = Shard()  # only this part of the entries

    def size_of(self, category: str) -> int:
        """How many entries of `category`, without sessions, all shards together run."""
        if self.entry_ids:
            return sum(category_of(entry_id) == category for entry_id in self.entry_ids)
        size = CATEGORIES[category].entries
        return min(self.sample.get(category, size), size)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPaths:
    """Files and directories that a job reads and writes."""

    data: Path = Path("data")  # the staged benchmark
    journals: Path = Path("cache/exchanges")  # one directory for each model and trial
    encoder_cache: Path = Path("cache/encoder")  # embeddings that were computed before
    weights_cache: Path = Path("cache/weights")  # hashes of the files of models
    observed: Path | None = None  # of a replay, a run; its failures are copied where nothing was recorded
    endpoint: Path | None = None  # status file of `bfcl-pipeline serve`; None: not served by the run


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One model and the entries for which it generates responses."""

    row: ModelRow  # the model
    categories: tuple[str, ...]  # of the benchmark; their entries run in this order
    run: str  # name of the run, written into each response
    trial: int = 1  # repetition of the benchmark, from 1
    selection: Selection = field(default_factory=Selection)  # which entries
    web: WebChoice = field(default_factory=WebChoice)  # what the web-search categories search
    replay: bool = False  # nothing is sent or fetched: journals and the web cache answer
    budget: float | None = None  # US dollars that all shards of the model may cost in this run; None: any
    wait_for_lease: bool = False  # wait while another job writes the journal, instead of failing
    paths: JobPaths = field(default_factory=JobPaths)  # where files are

    def __post_init__(self) -> None:
        """Raises ConfigError if a category is unknown, or the model cannot run the job."""
        if self.trial < 1:
            raise ConfigError(f"trial must be 1 or more; got {self.trial}.")
        if self.trial > 1 and self.embedded:
            raise ConfigError(
                f"trial {self.trial}: {self.row.name} is embedded and answers the same each time."
            )
        for category in self.categories:
            if category not in CATEGORIES:
                raise ConfigError(unknown_name("category", category, CATEGORIES))
            if CATEGORIES[category].prompt_only and self.row.mode is not Mode.PROMPT:
                raise ConfigError(
                    f"{category} varies the system prompt, and {self.row.name} has mode {self.row.mode}. "
                    "Run it with a model of mode prompt."
                )
        if self.trial > 1 and self.recorded:
            raise ConfigError(f"trial {self.trial}: the answers of {self.row.name} are read from results.")
        for category, count in self.selection.sample.items():
            if category not in self.categories:
                raise ConfigError(f"sample: {category!r} is not one of the job's categories.")
            if count < 0:
                raise ConfigError(f"sample: expected 0 entries or more of {category}; got {count}.")

    @property
    def embedded(self) -> bool:
        """Whether the model answers in this process."""
        return self.row.kind in EMBEDDED_KINDS

    @property
    def recorded(self) -> bool:
        """Whether the model's answers are read from results."""
        return self.row.recorded

    @property
    def remote(self) -> bool:
        """Whether the model is asked through an API: it has a journal, costs and trials."""
        return not self.embedded and not self.recorded

    @property
    def name(self) -> str:
        """The model's name in tables, with the number of the trial."""
        return trial_name(self.row.name, self.trial)

    @property
    def folder(self) -> str:
        """`name` as a file name."""
        return model_folder(self.name)

    @property
    def file_name(self) -> str:
        """`folder` with the shard, if there are several: the name of its log and its server."""
        shard = self.selection.shard
        return self.folder if shard.of == 1 else f"{self.folder}@{shard.number}of{shard.of}"
