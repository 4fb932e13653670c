"""Records of Every Eval Ever."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import validate

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports import every_eval_ever
from bfcl_pipeline.share.exports.forms import ExportOptions
from tests.share.exports.conftest import HOSTILE, MADE_AT
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks

RECORD = yaml.safe_load("""
required: [schema_version, evaluation_id, retrieved_timestamp, source_metadata, model_info, eval_library,
  evaluation_results]
additionalProperties: false
properties:
  schema_version: &text {type: string}
  evaluation_id: *text
  retrieved_timestamp: *text
  source_metadata:
    required: [source_type, source_organization_name, evaluator_relationship]
    properties:
      source_type: {enum: [documentation, evaluation_run]}
      evaluator_relationship: {enum: [first_party, third_party, collaborative, other]}
  eval_library: {required: [name, version]}
  model_info:
    required: [name, id, additional_details]
    properties:
      additional_details:
        additionalProperties: *text
        required: [deployment_type, model_availability]
        properties:
          deployment_type: {enum: [self_deployed, externally_managed, unknown]}
          model_availability: {enum: [open_weights, closed_weights, unknown]}
  evaluation_results:
    type: array
    items:
      required: [evaluation_name, source_data, metric_config, score_details]
      properties:
        evaluation_name: *text
        source_data: {required: [dataset_name, source_type, url]}
        metric_config: {required: [lower_is_better, min_score, max_score]}
        score_details:
          required: [score]
          properties:
            score: &number {type: number}
            details: &texts {additionalProperties: *text}
            uncertainty:
              properties:
                confidence_interval:
                  {required: [lower, upper], properties: {lower: *number, upper: *number}}
                num_samples: {type: integer}
        generation_config:
          properties:
            additional_details: *texts
            generation_args:
              properties: {temperature: *number, top_p: *number, top_k: *number, max_tokens: *number}
              additionalProperties: false
""")
"""What version 0.3.0 of the schema demands of the keys that are written; stated here, not copied."""


def _records(run: Path, out: Path, models: tuple[str, ...] = ()) -> tuple[list[dict[str, Any]], list[str]]:
    """The records of a run, each checked, and the lines that were logged."""
    lines: list[str] = []
    every_eval_ever.write(Run(run), ExportOptions(out, models=models, organization="Lab"), lines.append)
    documents = []
    for path in sorted(out.glob("data/bfcl/*/*/*.json")):
        assert uuid.UUID(path.stem).version == 4
        documents.append(json.loads(path.read_text(encoding="utf-8")))
        validate(documents[-1], RECORD)
    return documents, lines


def test_a_record_has_the_scores_of_a_model(real_run: Path, tmp_path: Path) -> None:
    """Scores and limits are percentages; the model has the name, options and engine of its row."""
    ((document,), _) = _records(real_run, tmp_path)
    assert document["model_info"]["id"] == "us/Mine-1B"
    assert document["model_info"]["inference_engine"] == {"name": "vllm"}
    assert document["source_metadata"]["source_organization_name"] == "Lab"
    assert document["retrieved_timestamp"] == str(MADE_AT)
    results = {result["evaluation_name"]: result for result in document["evaluation_results"]}
    base = results["bfcl.multi_turn.base_accuracy"]
    assert base["score_details"]["score"] == 50.0
    assert base["score_details"]["uncertainty"]["num_samples"] == 2
    limits = base["score_details"]["uncertainty"]["confidence_interval"]
    assert 0 < limits["lower"] < 50 < limits["upper"] < 100
    assert base["generation_config"]["generation_args"] == {"temperature": 0.5}


def test_what_is_not_comparable_is_left_out(hostile_run: Path, tmp_path: Path) -> None:
    """Scores from a simulated web and of partly evaluated groups are in the log and not in the record."""
    ((document,), lines) = _records(hostile_run, tmp_path, ("seeker",))
    assert document["evaluation_results"] == []
    left_out = next(line for line in lines if line.startswith("seeker: left out"))
    for name in ("overall", "non_live", "simple_ast", "web_search_base", "web_search_no_snippet"):
        assert name in left_out
    ((document,), lines) = _records(hostile_run, tmp_path / "other", (HOSTILE,))
    (result,) = document["evaluation_results"]
    assert result["evaluation_name"] == "bfcl.relevance.relevance_detection_accuracy"


@pytest.fixture
def complete_run(tmp_path: Path) -> Path:
    """A run of one model in both modes, with every category."""
    everything = {name: marks(1, 1) for name in V4_CATEGORIES if name != "format_sensitivity"}
    models = [MadeUpModel("m-FC", everything), MadeUpModel("m", everything, Mode.PROMPT)]
    return made_up_tables(tmp_path / "complete", models)


def test_a_complete_run_has_every_score(complete_run: Path, tmp_path: Path) -> None:
    """Nothing is left out of a complete run, and the records of two modes have different ids."""
    documents, lines = _records(complete_run, tmp_path / "out")
    assert len(lines) == len(documents) == 2
    assert len({document["evaluation_id"] for document in documents}) == 2
    for document in documents:
        names = [result["evaluation_name"] for result in document["evaluation_results"]]
        assert len(names) == len(set(names)) == 25
        assert names[0] == "bfcl.overall.overall_accuracy"
        assert document["evaluation_results"][0]["score_details"]["score"] == 50.0
