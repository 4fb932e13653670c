"""The scores of a run as records of Every Eval Ever, one JSON file for each model.

Covers the aggregate record: its results have the names and units that the public collection gives to the
columns of the leaderboard. A score that is not comparable with these is left out and logged: its web is not
the real one, or some of its categories were not evaluated. Records of single entries are not covered.
Source: the schema 0.3.0 of the package every-eval-ever (MIT), from which only names of keys and values are
used.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS
from bfcl_pipeline.benchmark.config.choices import OPEN_KINDS
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.benchmark.definition.release import benchmark_name
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.run_scores import ModelScores, RunScores, read_run_scores, safe_name

SCHEMA_VERSION = "0.3.0"

_COLLECTION = "bfcl"
"""The folder of the benchmark in the public collection."""

_LEADERBOARD_URL = "https://gorilla.cs.berkeley.edu/leaderboard.html"

_CLOSED = ("proprietary", "closed")


_RESULTS = {
    "overall": ("overall.overall_accuracy", "Overall accuracy"),
    "non_live": ("non_live.ast_accuracy", "Non-live AST accuracy"),
    "simple_ast": ("non_live.simple_ast_accuracy", "Non-live simple AST accuracy"),
    "multiple": ("non_live.multiple_ast_accuracy", "Non-live multiple AST accuracy"),
    "parallel": ("non_live.parallel_ast_accuracy", "Non-live parallel AST accuracy"),
    "parallel_multiple": (
        "non_live.parallel_multiple_ast_accuracy",
        "Non-live parallel multiple AST accuracy",
    ),
    "live": ("live.live_accuracy", "Live accuracy"),
    "live_simple": ("live.live_simple_ast_accuracy", "Live simple AST accuracy"),
    "live_multiple": ("live.live_multiple_ast_accuracy", "Live multiple AST accuracy"),
    "live_parallel": ("live.live_parallel_ast_accuracy", "Live parallel AST accuracy"),
    "live_parallel_multiple": (
        "live.live_parallel_multiple_ast_accuracy",
        "Live parallel multiple AST accuracy",
    ),
    "multi_turn": ("multi_turn.accuracy", "Multi-turn accuracy"),
    "multi_turn_base": ("multi_turn.base_accuracy", "Multi-turn base accuracy"),
    "multi_turn_miss_func": ("multi_turn.miss_function_accuracy", "Multi-turn missing function accuracy"),
    "multi_turn_miss_param": (
        "multi_turn.miss_parameter_accuracy",
        "Multi-turn missing parameter accuracy",
    ),
    "multi_turn_long_context": ("multi_turn.long_context_accuracy", "Multi-turn long-context accuracy"),
    "web_search": ("web_search.accuracy", "Web-search accuracy"),
    "web_search_base": ("web_search.base_accuracy", "Web-search base accuracy"),
    "web_search_no_snippet": ("web_search.no_snippet_accuracy", "Web-search no-snippet accuracy"),
    "memory": ("memory.accuracy", "Memory accuracy"),
    "memory_kv": ("memory.kv_accuracy", "Memory KV accuracy"),
    "memory_vector": ("memory.vector_accuracy", "Memory vector accuracy"),
    "memory_rec_sum": (
        "memory.recursive_summarization_accuracy",
        "Memory recursive summarization accuracy",
    ),
    "live_relevance": ("relevance.relevance_detection_accuracy", "Relevance detection accuracy"),
    "irrelevance_all": ("relevance.irrelevance_detection_accuracy", "Irrelevance detection accuracy"),
}
"""The scores of a record, in the order of the leaderboard's columns: name in the public collection, after
`bfcl.`, and title, by the column of the table `leaderboard`."""


def write(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes a file for each model; returns their number. Raises as `forms.export_run`."""
    scores = read_run_scores(run, options.rules, options.models)
    return write_scores(scores, options.out, options.organization, log)


def write_scores(scores: RunScores, out: Path, organization: str, log: Log) -> int:
    """Writes a file for each model below `out`; returns their number.

    Args:
        scores: of the run.
        out: the directory of the records.
        organization: that made the run.
        log: receives a line for each file, and for what was left out.
    """
    written = 0
    for model in scores.of_v4(log):
        document = record(scores, model, organization)
        text = json.dumps(document, indent=2, ensure_ascii=False)
        developer, _, name = document["model_info"]["id"].rpartition("/")
        folder = out / "data" / _COLLECTION / safe_name(developer) / safe_name(name)
        path = folder / f"{_uuid(text)}.json"
        write_text(path, f"{text}\n")
        log(str(path))
        scored = [score for score in _RESULTS if model.row[score] is not None]
        if left_out := [score for score in scored if not _is_comparable(model, score)]:
            log(f"{model.name}: left out, not comparable with the leaderboard: {', '.join(left_out)}")
        written += 1
    return written


def record(scores: RunScores, model: ModelScores, organization: str) -> dict[str, Any]:
    """The record of one model. organization: that made the run."""
    identity = _model_id(model)
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{_COLLECTION}/{identity}/{scores.made_at}/{model.name}",
        "retrieved_timestamp": str(scores.made_at),
        "source_metadata": {
            "source_name": f"bfcl-pipeline run {scores.name}",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "bfcl-pipeline", "version": __version__},
        "model_info": {
            "name": model.row["display_name"],
            "id": identity,
            "developer": model.row["org"],
            **_engine(model),
            "additional_details": {
                "deployment_type": _deployment(model),
                "model_availability": _availability(model),
                "license": model.row["license"],
                "mode": model.row["mode"],
            },
        },
        "evaluation_results": [
            _result(scores, model, score)
            for score in _RESULTS
            if model.row[score] is not None and _is_comparable(model, score)
        ],
    }


def _is_comparable(model: ModelScores, score: str) -> bool:
    return not model.unreal_web(score) and not model.is_partial(score)


def _model_id(model: ModelScores) -> str:
    """The name on the hub or at its API, with the developer."""
    name = model.model.model or model.name
    return name if "/" in name else f"{_slug(model.row['org'])}/{name}"


def _slug(organization: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", organization.lower()).strip("-") or "unknown"


def _engine(model: ModelScores) -> Mapping[str, Any]:
    if model.model.kind in OPEN_KINDS:
        return {"inference_engine": {"name": model.model.kind}}
    if model.model.kind in EMBEDDED_KINDS:
        return {"inference_engine": {"name": "bfcl-pipeline", "version": __version__}}
    asked = model.model.kind and not model.model.recorded
    return {"inference_platform": model.model.kind if asked else "unknown"}


def _deployment(model: ModelScores) -> str:
    return "self_deployed" if model.model.kind in (*OPEN_KINDS, *EMBEDDED_KINDS) else "unknown"


def _availability(model: ModelScores) -> str:
    if str(model.row["license"]).lower() in _CLOSED:
        return "closed_weights"
    return "open_weights" if model.model.kind in OPEN_KINDS else "unknown"


def _result(scores: RunScores, model: ModelScores, score: str) -> dict[str, Any]:
    name, title = _RESULTS[score]
    identity = f"{_COLLECTION}.{name}"
    return {
        "evaluation_result_id": f"{identity}::{name.rpartition('.')[2]}",
        "evaluation_name": identity,
        "source_data": {
            "dataset_name": f"{benchmark_name(scores.release)} (bfcl-eval {scores.release})",
            "source_type": "url",
            "url": [_LEADERBOARD_URL],
        },
        "metric_config": {
            "metric_id": identity,
            "metric_name": title,
            "metric_kind": "accuracy",
            "metric_unit": "percentage",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 100.0,
        },
        "score_details": _details(scores, model, score),
        "generation_config": {
            "generation_args": _generation(model),
            "additional_details": {"mode": model.row["mode"]},
        },
    }


def _details(scores: RunScores, model: ModelScores, score: str) -> dict[str, Any]:
    is_group = score in GROUP
    limits = model.row if is_group else model.categories[score]
    low, high = (limits[f"{score}_ci_{end}" if is_group else f"ci_{end}"] for end in ("low", "high"))
    uncertainty: dict[str, Any] = {
        "confidence_interval": {
            "lower": low * 100,
            "upper": high * 100,
            "confidence_level": 0.95,
            "method": ("MOVER" if is_group else "Wilson") + " with clustered entries",
        }
    }
    if not is_group:
        uncertainty["num_samples"] = limits["answered"]
    return {
        "score": model.row[score] * 100,
        "details": {"rules": scores.rules.value},
        "uncertainty": uncertainty,
    }


def _generation(model: ModelScores) -> dict[str, Any]:
    """The options of the model's requests that a record has keys for."""
    options = model.model.options
    numbers = {name: options.get(name) for name in ("temperature", "top_p", "top_k", "max_tokens")}
    return {
        name: value
        for name, value in numbers.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _uuid(text: str) -> uuid.UUID:
    """An identifier in the form of a random one that depends on the text alone."""
    return uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4)
