"""What can explain a difference between two models: settings on which answers depend, the server, noise."""

from dataclasses import dataclass

from bfcl_pipeline.base.differences import MISSING, Difference, differences
from bfcl_pipeline.benchmark.config.run_settings import keys_deciding
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparison
from bfcl_pipeline.show.compare.diff.settings import making_changes

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
