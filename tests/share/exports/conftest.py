"""Runs with tables for the tests of exports: one of hostile names, one of real entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base import project
from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Rules, Status
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge.scoring.multi_turn import truth_calls
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.run_scores import EPOCH_VARIABLE
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks

HOSTILE = "../x|y & 100 % of #1 $a_b^c~{d}\\input{e}--<i>`f`</i> *g* [h](i) '\u202e"
MADE_AT = 1_700_000_000

MODELS_FILE = """
models:
  - {name: mine-FC, kind: vllm, model: us/Mine-1B, org: Us, license: MIT, vllm: {tool_parser: hermes},
     options: {temperature: 0.5}}
"""


@pytest.fixture(scope="module", autouse=True)
def _fixed_time() -> Iterator[None]:
    """The time of results is given, as in a reproducible build."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(EPOCH_VARIABLE, str(MADE_AT))
        yield


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model with a hostile name, and of one that searched a simulated web; read-only."""
    models = [
        MadeUpModel(HOSTILE, {"simple_python": marks(3, 1, 1), "live_relevance": marks(1)}),
        MadeUpModel(
            "seeker",
            {"simple_python": marks(1, 1), "web_search_base": marks(1), "web_search_no_snippet": marks(1)},
            webs={"web_search_base": "simulated", "web_search_no_snippet": "simulated"},
        ),
    ]
    return made_up_tables(tmp_path_factory.mktemp("hostile"), models)


@pytest.fixture(scope="session")
def real_run(
    tmp_path_factory: pytest.TempPathFactory, staged: Path, entries: Callable[[str], list[Entry]]
) -> Path:
    """A run of real entries, scored under all rules: right, wrong and missing answers; read-only."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "models.yaml").write_text(MODELS_FILE, encoding="utf-8")
    run = folder / "run"
    turns = [
        [[{call.name: json.dumps(call.arguments)} for call in turn], "Done."]
        for turn in truth_calls(entries("multi_turn_base")[0])
    ]
    answers: dict[str, list[Any]] = {
        "simple_python": [
            [{"calculate_triangle_area": '{"base": 10, "height": 5}'}],
            [{"math.factorial": "no JSON \ud800"}],
            None,
        ],
        "multi_turn_base": [turns, "not a list of turns \ud800"],
        "web_search_base": [[[[{"search_engine_query": '{"keywords": "tea"}'}], "{'answer': 'tea'}"]]],
    }
    for category, results in answers.items():
        path = run / "responses" / "mine-FC" / f"{category}.parquet"
        write_responses(path, list(map(_response, entries(category), results)))
    paths = map(str, sorted((run / "responses" / "mine-FC").iterdir()))
    out = run / "verdicts" / "mine-FC.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "ENV_FILE", Path("no.env"))
        assert main(["score", *paths, "--out", str(out), "--data", str(staged), "--rules", "all"]) == 0
    aggregate_run(Run(run, data=staged), folder / "models.yaml", Rules.OFFICIAL)
    (run / "models.yaml").write_text(MODELS_FILE, encoding="utf-8")
    return run


def _response(entry: Entry, result: object) -> Response:
    lost = result is None
    return Response(
        entry.entry_id,
        entry.category,
        Mode.FC,
        None if lost else json.dumps(result),
        status=Status.INFRASTRUCTURE_ERROR if lost else Status.ANSWERED,
        status_detail="no connection" if lost else None,
        model="mine-FC",
        run="real",
        input_tokens=None if lost else 11,
        output_tokens=None if lost else 7,
        web="simulated" if entry.category == "web_search_base" else None,
    )
