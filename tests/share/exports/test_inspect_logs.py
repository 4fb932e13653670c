"""Logs of Inspect, read back by inspect_ai."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions, export_run
from tests.support.explored_run import make_explored_run
from tests.support.few_entries import stage_few

LogOf: TypeAlias = Callable[[str], Any]
SamplesOf: TypeAlias = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module", autouse=True)
def inspect_log() -> Any:
    """The logs of inspect_ai, which takes seconds to import."""
    return pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")


@pytest.fixture(scope="module")
def logs(real_run: Path, staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("logs")
    assert export_run(Run(real_run, data=staged), "inspect", ExportOptions(out), lambda line: None) == 3
    return out


@pytest.fixture
def log_of(logs: Path, inspect_log: Any) -> LogOf:
    return lambda category: inspect_log.read_eval_log(str(logs / "mine-FC" / f"{category}.eval"))


@pytest.fixture
def samples_of(log_of: LogOf) -> SamplesOf:
    """A function that reads the samples of a category, by entry."""
    return lambda category: {sample.id: sample for sample in log_of(category).samples}


def test_the_viewer_lists_every_log(logs: Path, inspect_log: Any) -> None:
    """The listing that `inspect view` shows has each log with its task."""
    tasks = {info.task for info in inspect_log.list_eval_logs(str(logs))}
    assert tasks == {"bfcl_v4_simple_python", "bfcl_v4_multi_turn_base", "bfcl_v4_web_search_base"}


def test_a_log_has_the_accuracy_of_each_rule_set(log_of: LogOf) -> None:
    """Each rule set is a scorer; entries without an answer are not in its accuracy."""
    log = log_of("simple_python")
    assert (log.status, log.eval.model, log.eval.task_version) == ("success", "mine-FC", "2026.3.23")
    assert [score.name for score in log.results.scores] == ["official", "corrected", "verified"]
    official = log.results.scores[0]
    assert official.metrics["accuracy"].value == 0.5
    assert (official.scored_samples, official.unscored_samples) == (2, 1)
    assert log.eval.metadata["rules"] == "official"


def test_a_sample_has_its_verdict_and_usage(samples_of: SamplesOf) -> None:
    """Right and wrong answers have scores with explanations; tokens are those of the response."""
    samples = samples_of("simple_python")
    right, wrong = samples["simple_python_0"], samples["simple_python_1"]
    assert right.scores["official"].value == "C"
    assert right.messages[-1].tool_calls[0].arguments == {"base": 10, "height": 5}
    assert right.model_usage["mine-FC"].total_tokens == 18
    assert wrong.scores["official"].value == "I"
    assert wrong.scores["official"].metadata["error_type"]
    assert "not a JSON object" in wrong.messages[-1].tool_calls[0].parse_error
    assert '"calculate_triangle_area"' in right.target


def test_an_entry_without_an_answer_is_an_error_and_not_wrong(samples_of: SamplesOf) -> None:
    lost = samples_of("simple_python")["simple_python_2"]
    assert lost.error.message == "infrastructure_error: no connection"
    assert lost.scores == {}
    assert [message.role for message in lost.messages] == ["user"]


def test_a_conversation_has_the_results_of_its_calls(samples_of: SamplesOf) -> None:
    """The messages of several turns alternate as the model saw them; every call has its result."""
    talk = samples_of("multi_turn_base")["multi_turn_base_0"]
    assert talk.scores["official"].value == "C"
    roles = [message.role for message in talk.messages]
    assert roles[0] == "user"
    assert roles[-1] == "assistant"
    assert roles.count("user") == 4
    calls = [call.id for message in talk.messages for call in getattr(message, "tool_calls", None) or ()]
    results = [message.tool_call_id for message in talk.messages if message.role == "tool"]
    assert calls == results
    assert len(calls) == len(set(calls)) > 4
    assert all(message.text for message in talk.messages if message.role == "tool")
    assert talk.metadata["results_of_calls"] == "all"


def test_an_answer_of_another_form_is_a_text(samples_of: SamplesOf) -> None:
    """A result that is not a list of turns is one answer of the model, also with half a UTF-16 pair."""
    odd = samples_of("multi_turn_base")["multi_turn_base_1"]
    answers = [message.text for message in odd.messages if message.role == "assistant"]
    assert [answer[:-1] for answer in answers] == ["not a list of turns "]


def test_an_agentic_sample_says_what_is_missing(samples_of: SamplesOf) -> None:
    """The results of web tools are not in the tables of a run, and the metadata says so."""
    (sample,) = samples_of("web_search_base").values()
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "assistant"]
    assert sample.metadata["results_of_calls"] == "not recorded in the tables of the run"
    assert sample.metadata["web"] == "simulated"


def test_equal_runs_have_equal_logs(logs: Path, real_run: Path, staged: Path, tmp_path: Path) -> None:
    """Down to the bytes: all members of the zip file have the first time that zip files can hold."""
    export_run(Run(real_run, data=staged), "inspect", ExportOptions(tmp_path), lambda line: None)
    for path in logs.glob("*/*.eval"):
        assert path.read_bytes() == (tmp_path / path.relative_to(logs)).read_bytes()
    with zipfile.ZipFile(logs / "mine-FC" / "simple_python.eval") as log:
        assert {member.date_time for member in log.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_executed_calls_have_their_values_beside_the_messages(
    staged: Path, tmp_path: Path, inspect_log: Any
) -> None:
    """The model did not see them: calls, values and the expected calls that they fit are metadata."""
    run = tmp_path / "run"
    asked = ["simple_python_0", "exec_parallel_multiple_3"]
    data = stage_few(tmp_path / "data", staged, asked)
    make_explored_run(run, data, asked)
    export_run(Run(run, data=data), "inspect", ExportOptions(tmp_path / "logs"), lambda line: None)
    tasks = {info.task for info in inspect_log.list_eval_logs(str(tmp_path / "logs"))}
    assert tasks == {"bfcl_v1_exec_parallel_multiple", "bfcl_v4_simple_python"}
    log = inspect_log.read_eval_log(str(tmp_path / "logs" / "oracle" / "exec_parallel_multiple.eval"))
    (sample,) = log.samples
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert sample.metadata["executed_calls"][-3:] == [
        "answer 2: calculate_displacement(initial_velocity=10, acceleration=2, time=5)",
        "value: 75.0",
        "fits: truth 2",
    ]
    assert sample.scores["official"].value == "C"
    other = inspect_log.read_eval_log(str(tmp_path / "logs" / "oracle" / "simple_python.eval"))
    assert "executed_calls" not in other.samples[0].metadata
