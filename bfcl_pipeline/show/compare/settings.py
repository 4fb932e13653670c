"""What runs were made with, and whether it makes two sides incomparable or an experiment.

Covers the release and the settings of the web, from the recorded config of a run and the responses of a
model. A simulated web and the real one ask different things of a model, so their web categories are not
compared. Other differences are what an experiment is about: `causes` names them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow.compute as pc

from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.runs.run import Run

SIMULATED, OFF, REAL, UNKNOWN = "simulated", "off", "real", "unknown"
"""The kinds of web: the modes record, replay and live are the real one, as are imported answers.

UNKNOWN: a row of results does not record it; it may be the real one."""

_LONGEST = 100  # characters of a stated text


@dataclass(frozen=True, slots=True)
class Settings:
    """What a side was made with; None where nothing is recorded."""

    release: str | None = None  # version and hash
    web: str | None = None  # a kind of web; None also for a model that ran no web category
    fetch_failures: float | None = None  # share of page fetches that were made to fail
    search_tool: str | None = None  # name under which the search tool was presented
    by_weight: bool = False  # the sample was divided by weight
    requests: str | None = None  # the kind of web that answered executed calls; None: none was executed

    @property
    def web_tools(self) -> bool | None:
        """Whether the model had web tools."""
        return None if self.web is None else self.web != OFF

    def __str__(self) -> str:
        """The settings of the web in words; empty if none is known."""
        if self.web is None:
            return ""
        if self.web == OFF:
            return "no web tools"
        if self.web == UNKNOWN:
            return "web not recorded"
        failing = f", {self.fetch_failures * 100:g} % of fetches fail" if self.fetch_failures else ""
        return f"{self.web} web{failing}"


def run_settings(run: Run) -> Settings:
    """What the recorded config of a run says; nothing is known of a run without one.

    Raises ConfigError if the config cannot be read.
    """
    config = run.config
    if config is None:
        return Settings()
    hashed = (config.release.sha256 or "unknown")[:12]
    release = f"{cut(config.release.version, _LONGEST)} (sha256 {hashed})"
    if run.imported or config.web is None:
        return Settings(release)
    return Settings(
        release,
        _kind(config.web.mode),
        config.web.fetch_failures,
        cut(config.web.search_tool, _LONGEST),
        run.sizes_in_means is not None,
    )


def searched_web(run: Run, model: str, recorded: str | None) -> str | None:
    """The kind of web that a model of a run searched: what its responses say, else what the run records.

    Raises TableError if its responses cannot be read.
    """
    return _web_of(run, model, GROUPS["web_search"], REAL) or recorded


def requested_web(run: Run, model: str) -> str:
    """The kind of web that answers the requests of a model's executed calls when they are scored.

    A response that names none has the simulated one. Raises TableError if its responses cannot be read.
    """
    executed = [name for name, category in CATEGORIES.items() if category.executes]
    return _web_of(run, model, executed, SIMULATED) or SIMULATED


def _web_of(run: Run, model: str, categories: Iterable[str], unnamed: str) -> str | None:
    """The kind of web in the responses to some categories; None without responses.

    unnamed: the kind of a response that names none.
    """
    found: set[str] = set()
    for path in (run.responses(model, category) for category in categories):
        if path.is_file():
            table = with_types(path, read_table(path, ["web"]), RESPONSES)
            webs = pc.unique(table.column("web")).to_pylist()
            found |= {unnamed if web is None else _kind(web) for web in webs}
    return next((kind for kind in (SIMULATED, OFF, UNKNOWN, REAL) if kind in found), None)


def webs_differ(*webs: str | None) -> bool:
    """Whether the web of one side is the simulated one, and that of the other is or may be the real one."""
    return SIMULATED in webs and not {REAL, UNKNOWN}.isdisjoint(webs)


def _kind(web: str) -> str:
    return web if web in (SIMULATED, OFF, UNKNOWN) else REAL
