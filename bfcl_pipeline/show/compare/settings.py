"""What runs were made with: whether it makes two sides incomparable, and what it can explain.

Covers the release and the settings of the web, from the recorded config of a run and the responses of a
model. A simulated web and the real one ask different things of a model, so their web categories are not
compared. Other differences are what an experiment is about: `causes` names them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow.compute as pc

from bfcl_pipeline.base.differences import MISSING, Difference, differences
from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.config.run_settings import keys_deciding
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparison
from bfcl_pipeline.show.compare.diff.settings import making_changes

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


NOISE = "by nothing but noise"
"""The explanation of a difference between two runs of the same settings by the same server."""

_PROMPT = ("mode", "prompting", "family", "vllm.chat_template")
_SERVER = ("endpoint", "vllm")
_FAILING = "seed of failing fetches"


@dataclass(frozen=True, slots=True)
class Causes:
    """What two models were made with differently, and what can explain that they differ."""

    changed: list[Difference] | None  # settings on which answers depend; None: not recorded of both
    explained: str


def causes(first: Run, second: Run, pair: tuple[str, str], compared: Comparison | None) -> Causes:
    """The causes of a difference between a pair of models. compared: None: they are not compared."""
    one, two = (_settings(run, name) for run, name in zip((first, second), pair, strict=True))
    changed = None
    if one is not None and two is not None:
        of_web = (*keys_deciding("web"), _FAILING)
        # Entries of the web that one side did not run are not compared.
        changed = [
            each
            for each in differences(one, two)
            if each.path not in of_web or MISSING not in (each.first, each.second)
        ]
    return Causes(changed, _explained(first, second, pair, compared, changed))


def _settings(run: Run, model: str) -> dict[str, Json] | None:
    if not run.generated or not run.models_file.is_file() or model not in run.models:
        return None
    recorded, folder = run.recorded, run.models[model]
    values, release = recorded.settings.values, recorded.settings.release
    categories = recorded.categories_of(folder)
    asked = any(name in GROUPS["web_search"] or CATEGORIES[name].executes for name in categories)
    web = {key: values[key] for key in keys_deciding("web") if asked}
    failing = {_FAILING: values["seed"]} if web.get("fetch_failures") else {}
    of_run = {key: values[key] for key in (*keys_deciding("entries"), *keys_deciding("all"))}
    of_row = recorded.job_of(folder).row.deciding
    return {"release": f"{release.version} {release.sha256}", **of_run, **web, **failing, **of_row}


def _explained(
    first: Run,
    second: Run,
    pair: tuple[str, str],
    compared: Comparison | None,
    changed: list[Difference] | None,
) -> str:
    scores = compared.scores if compared else ()
    entries = sum(score.entries for score in scores if score.score in CATEGORIES)
    if compared and entries and sum(compared.same_exchange.values()) == entries:
        return "by nothing but other verdicts: both sides are the same exchanges"
    if changed is None:
        return "not known: a side did not record its settings"
    found = [one.path for one in changed if one.path not in keys_deciding("entries")]
    prompt = [path for path in found if path in _PROMPT]
    server = [path for path in found if path not in prompt and path.partition(".")[0] in _SERVER]
    if others := [path for path in found if path not in (*prompt, *server)]:
        return f"by {', '.join([*others, *prompt, *server])}; or noise"
    sides = ((first, pair[0]), (second, pair[1]))
    jobs = [(run, run.recorded.job_of(run.models[name])) for run, name in sides]
    made: list[Difference] | None = []
    if any(job.remote or job.recorded for _, job in jobs):
        known = all(job.remote and run.journals.is_dir() for run, job in jobs)
        made = making_changes(first, second, pair) if known else None
    may = [] if made is not None else ["the server (not recorded)"]
    own = [one for one in made or () if one.path.startswith("pipeline.")]
    served = server or len(own) < len(made or ())
    causes = [*(["the prompt"] if prompt else ()), *(["the server"] if served else may)]
    causes += ["this package's version"] if own else []
    return f"by nothing but {' or '.join([*causes, 'noise'])}"
