"""The scores of a run as result files of lm-evaluation-harness, one for each model.

A task is a category, a group is a score that averages categories; both have the metric `acc`. Covers what
readers of these files use: results, groups, versions, numbers of samples. The executable categories of V1
are left out. What describes the harness itself
(its version, its environment, the tokenizer) is absent. The limits of an interval are in the metadata of
`configs`, as the harness has standard errors only; those of groups are N/A.
Source: the result schema and the tracker of lm-evaluation-harness 0.4.13.
"""

import json
from collections.abc import Iterator
from typing import Any

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition import V4_CATEGORIES, release
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, LEADERBOARD
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.run_scores import ModelScores, RunScores, read_run_scores, standard_error

_BENCHMARK = "bfcl_v4"
"""The name of the task that is the overall score, and the prefix of all others."""

_METRIC = "acc"

_NO_ERROR = "N/A"
"""What the harness writes instead of a standard error that it does not know."""


def write(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes a file for each model; returns their number. Raises as `forms.export_run`."""
    scores = read_run_scores(run, options.rules, options.models)
    written = 0
    time = scores.made_at_text.partition("+")[0].replace(":", "-")
    for model in scores.of_v4(log):
        path = options.out / model.folder / f"results_{time}.json"
        text = json.dumps(results(scores, model), indent=2, ensure_ascii=False)
        write_text(path, f"{text}\n")
        log(str(path))
        written += 1
    return written


def results(scores: RunScores, model: ModelScores) -> dict[str, Any]:
    """The document of one model."""
    groups = [group for group in reversed(LEADERBOARD) if model.row[group.name] is not None]
    names = [group.name for group in groups]
    tasks = [name for name in V4_CATEGORIES if model.row[name] is not None]
    of_groups = {_task(name): _group_metrics(model, name) for name in names}
    return {
        "results": {**of_groups, **{_task(name): _task_metrics(model, name) for name in tasks}},
        "groups": of_groups,
        "group_subtasks": {
            **{
                _task(group.name): [_task(m.name) for m in group.members if m.name in (*names, *tasks)]
                for group in groups
            },
            **{_task(name): [] for name in tasks},
        },
        "configs": {_task(name): _config(scores, model, name) for name in (*names, *tasks)},
        "versions": {_task(name): scores.release for name in (*names, *tasks)},
        "n-shot": {_task(name): 0 for name in tasks},
        "higher_is_better": {_task(name): {_METRIC: True} for name in (*names, *tasks)},
        "n-samples": {_task(name): _samples(model, name) for name in tasks},
        "config": {"model": model.model.kind or "unknown", "model_args": {"model": model.model.model}},
        "date": float(scores.made_at),
        "bfcl_pipeline_version": __version__,
        "model_source": model.model.kind or "unknown",
        "model_name": model.name,
        "model_name_sanitized": model.folder,
    }


def _task(name: str) -> str:
    """The name of a score or category in the harness."""
    return _BENCHMARK if name == "overall" else f"{_BENCHMARK}_{name}"


def _alias(model: ModelScores, name: str) -> str:
    """What a table of the harness shows: scores that are not comparable say so."""
    title = GROUP[name].title if name in GROUP else name
    return f"{title} ({'; '.join(remarks)})" if (remarks := list(_remarks(model, name))) else title


def _remarks(model: ModelScores, name: str) -> Iterator[str]:
    for web in model.unreal_web(name):
        yield f"web: {web}"
    if model.is_partial(name):
        yield "partial"


def _group_metrics(model: ModelScores, name: str) -> dict[str, Any]:
    return {
        "alias": _alias(model, name),
        f"{_METRIC},none": model.row[name],
        f"{_METRIC}_stderr,none": _NO_ERROR,
    }


def _task_metrics(model: ModelScores, name: str) -> dict[str, Any]:
    row = model.categories[name]
    accuracy, answered = row["accuracy"], row["answered"]
    error = standard_error(accuracy, answered, row.get("design_effect"))
    return {
        "alias": _alias(model, name),
        f"{_METRIC},none": accuracy,
        f"{_METRIC}_stderr,none": _NO_ERROR if error is None else error,
        "sample_len": answered,
    }


def _samples(model: ModelScores, name: str) -> dict[str, int]:
    row = model.categories[name]
    return {"original": row["release_entries"], "effective": row["answered"]}


def _config(scores: RunScores, model: ModelScores, name: str) -> dict[str, Any]:
    limits = model.row if name in GROUP else model.categories[name]
    prefix = f"{name}_" if name in GROUP else ""
    return {
        "task": _task(name),
        "dataset_path": release.DISTRIBUTION,
        "num_fewshot": 0,
        "metric_list": [{"metric": _METRIC, "aggregation": "mean", "higher_is_better": True}],
        "metadata": {
            "version": scores.release,
            "rules": scores.rules.value,
            "mode": model.row["mode"],
            "interval": "95 %",
            "ci_low": limits[f"{prefix}ci_low"],
            "ci_high": limits[f"{prefix}ci_high"],
            "unreal_web": model.unreal_web(name),
            "partial": model.is_partial(name),
        },
    }
