"""Under which conditions the conversations of a recorded run took place, and the world of one of them.

Covers the web that was searched, injected failures, the name of the search tool, embeddings, and the web
APIs of executed calls. Only recorded outcomes are used: no search, no page and no model of the encoder is
loaded. The models of a run fetch the same pages, and converting a large one takes a tenth of a second: each
is converted once, and its text kept up to a bound.
"""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from bfcl_pipeline.benchmark.config.choices import trial_of
from bfcl_pipeline.benchmark.config.job import RECORDED_MODES, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.runs.run import CACHE, Run
from bfcl_pipeline.world.encoding import StoredEncoder
from bfcl_pipeline.world.executables import ApiRequest, Apis, SimulatedApis
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Web
from bfcl_pipeline.world.web.apis import ApisByMode
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import ApiKey
from bfcl_pipeline.world.web.presented import present_entry, searches, with_web
from bfcl_pipeline.world.web.recording import ReplayingWeb
from bfcl_pipeline.world.web.simulated import SimulatedWeb

MOST_BYTES = 100_000_000
"""Of compressed texts that are kept."""


@dataclass(slots=True)
class PageTexts:
    """Converts pages, and remembers their texts."""

    most: int = MOST_BYTES
    _texts: dict[tuple[bytes, str], bytes] = field(default_factory=dict)
    _size: int = 0

    def text(self, html: str, mode: str) -> str:
        """As `page_text` returns it. Raises ValueError and BoundExceeded as it does."""
        # Its parser is slow to import, and few runs have pages.
        from bfcl_pipeline.world.tools.web_search.page_text import page_text

        if mode == "raw":
            return page_text(html, mode)
        key = (hashlib.sha256(html.encode("utf-8", "surrogatepass")).digest(), mode)
        kept = self._texts.get(key)
        if kept is not None:
            return zlib.decompress(kept).decode("utf-8", "surrogatepass")
        text = page_text(html, mode)
        if self._size < self.most:
            self._texts[key] = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
            self._size += len(self._texts[key])
        return text


NO_WEB = "The web of this answer is not recorded."
"""Why results of web calls are missing."""

OF_RELEASE = "a recording of the release"
"""Where an answer of a web API comes from."""


@dataclass(frozen=True, slots=True)
class PlayedWorld:
    """The world in which one recorded conversation is played."""

    world: World
    missing: str | None = None  # why results of web calls are not recorded, for a person; None if they are


@dataclass(frozen=True)
class Conditions:
    """The release, web, failures, embeddings and names with which the conversations of a run were held."""

    data: Path  # the staged release
    constants: Constants
    cache: Path = CACHE  # has web/ and encoder/
    web: WebChoice = field(default_factory=WebChoice)  # of the config; a response names its own mode
    seed: int = 0  # of injected failures
    owners: Mapping[str, str] = field(default_factory=dict)  # by model: its name in error texts of APIs

    def owner(self, model: str | None) -> str:
        """The name of `model` in error texts of simulated APIs."""
        return self.owners.get(trial_of(model).model, "model") if model else "model"

    def world(
        self, entry: Entry, model: str | None, web: str | None = None, before: Json = None
    ) -> PlayedWorld:
        """A new world for a conversation over `entry`.

        Args:
            model: its name in the run, which decides the names of API instances.
            web: the column `web` of the response: the web mode, None or `unknown` if it is not recorded.
            before: the memory at the start, a snapshot; None: an empty memory.
        """
        owner = self.owner(model)
        config = WorldConfig(self.constants)
        category = CATEGORIES[entry.category]
        initial = None if before is None else dict.fromkeys(entry.apis, before)
        if category.needs_encoder:
            config = replace(config, encoder=self._embeddings)
        if not searches(entry):
            return PlayedWorld(World.for_entry(entry, config, owner, initial))
        if web == "off":
            return PlayedWorld(World.for_entry(present_entry(entry, WebChoice(mode="off")), config, owner))
        searched = self._web(web)
        if searched is None:
            return PlayedWorld(World.for_entry(entry, config, owner), missing=NO_WEB)
        config = with_web(config, entry, searched, self.web, self.seed)
        config = replace(config, page_text=self._pages.text)
        return PlayedWorld(World.for_entry(entry, config, owner))

    def apis(self, web: str | None) -> Apis:
        """The web APIs that calls are executed with, by the column `web` of a response; none is asked."""
        if web not in self._apis:
            self._apis[web] = ApisByMode(self.data, self.cache / "web")(web)
        return self._apis[web]

    def api_source(self, web: str | None, request: ApiRequest) -> str:
        """Where the answer to a request comes from, in words; empty if it is not known.

        Raises WebError if its record is damaged.
        """
        apis = self.apis(web)
        if isinstance(apis, SimulatedApis):
            return OF_RELEASE if apis.is_of_release(request) else "the simulated network"
        if web not in RECORDED_MODES:
            return ""
        cache = WebCache(self.cache / "web")
        recorded = cache.read(cache.path(ApiKey(request)))
        return "" if recorded is None else f"the record of {recorded.recorded_at:%Y-%m-%d}"

    @cached_property
    def _apis(self) -> dict[str | None, Apis]:
        return {}

    @cached_property
    def _embeddings(self) -> StoredEncoder:
        return StoredEncoder(self.cache / "encoder")

    def _web(self, mode: str | None) -> Web | None:
        if mode == "simulated":
            return self._simulated
        return ReplayingWeb(WebCache(self.cache / "web")) if mode in RECORDED_MODES else None

    @cached_property
    def _pages(self) -> PageTexts:
        return PageTexts()

    @cached_property
    def _simulated(self) -> Web:
        return SimulatedWeb.of(read_entries(entries_path(self.data, "web_search_base")))


def default_conditions(data: Path, cache: Path = CACHE) -> Conditions:
    """Those of the default config. Raises TableError if the release `data` is not staged."""
    return Conditions(data, read_constants(data), cache)


def read_conditions(run: Run) -> Conditions:
    """The conditions of a run; those of the default config if it recorded none.

    Raises:
        ConfigError: the recorded config or its models cannot be read.
        TableError: the release is not staged.
    """
    web = None if run.config is None else run.config.web
    seed = 0 if run.config is None else run.config.seed
    owners = {name: row.owner for name, row in run.rows.items()}
    return Conditions(run.data, read_constants(run.data), run.cache, web or WebChoice(), seed, owners)
