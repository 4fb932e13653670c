"""The method card of a run: settings of the models, hashes, and what is not proved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.models.adapters import prompt_length
from bfcl_pipeline.ask.models.adapters.row_adapter import TEMPERATURE
from bfcl_pipeline.benchmark.definition import encoder
from bfcl_pipeline.benchmark.records import Mode, Response, Step
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page import method as method_page
from bfcl_pipeline.show.report.page.making import read_making
from bfcl_pipeline.show.report.page.method import RELEASE_TEMPERATURE, Method, method, temperature
from tests.support.journal_exchanges import exchange, written
from tests.support.run_form import recorded

API = {
    "name": "org/m-FC",
    "kind": "openai_chat",
    "mode": "fc",
    "model": "m",
    "endpoint": "https://someone:secret@api.example:8443/v1",
    "options": {"temperature": 0.7, "max_tokens": 4096},
    "input_price": 0.5,
}
VLLM = {
    "name": "served",
    "kind": "vllm",
    "mode": "prompt",
    "model": "org/served",
    "vllm": {"tool_parser": "hermes", "chat_template": "mine.jinja", "args": ["--seed", "1"]},
}
LIMIT = "at most 4,096 new tokens, fewer where the context leaves less room"
ORACLE = {"name": "oracle", "kind": "oracle", "mode": "prompt"}
RESULTS = {"name": "theirs", "kind": "results", "mode": "fc", "path": "results"}


def card(*rows: dict[str, Any], web: str | None = None, **served: list[str]) -> Method:
    """The method card of a run of these models."""
    return method({row["name"]: row for row in rows}, [row["name"] for row in rows], served, web)


def cells(row: dict[str, Any], **served: list[str]) -> list[str]:
    """The texts of a model's row in the table of settings, notes in brackets."""
    table = card(row, **served).settings
    assert table is not None
    return [f"{cell.text}{cell.note and f' [{cell.note}]'}" for cell in table.rows[0]]


def test_the_settings_of_a_model_are_those_of_its_row() -> None:
    """Mode, name at the API, host without credentials or port, options and prices."""
    assert cells(API) == [
        "<bdi>org/m-FC</bdi>",
        "fc",
        "openai_chat",
        "<bdi>m</bdi> [<bdi>at api.example</bdi>]",
        "0.7",
        "max_tokens=4096",
        "\N{EN DASH}",
        "0.5 / \N{EN DASH}",
    ]


def test_the_flags_of_a_server_are_shown() -> None:
    """Parser, template and further options of vLLM."""
    shown = cells(VLLM, served=["org/served"])
    notes = "answers name org/served; server&#39;s chat template"
    assert shown[3] == f"<bdi>org/served</bdi> [<bdi>{notes}</bdi>]"
    assert shown[6] == 'tool_parser=hermes, chat_template=mine.jinja, args=["--seed", "1"]'


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        (
            {"prompting": "leaderboard", "family": "qwen3"},
            f"prompts of the leaderboard, family qwen3; {LIMIT}",
        ),
        (
            {"family": "qwen3", "options": {"max_tokens": 9}},
            "prompts of the leaderboard, family qwen3",
        ),
        ({"prompting": "server", "mode": "fc"}, "server&#39;s chat template and tool parser"),
        ({"mode": "fc"}, "server&#39;s chat template and tool parser"),
        (
            {"family": "llama", "revision": "v1", "weights": f"sha256:{'a' * 64}", "prompts": "sha256:b"},
            f"prompts of the leaderboard, family llama; {LIMIT}; revision v1; "
            f"weights sha256:{'a' * 17}; prompts sha256:b",
        ),
        ({"family": "\x1b<i>"}, f"prompts of the leaderboard, family \\x1b&lt;i&gt;; {LIMIT}"),
    ],
)
def test_the_card_says_how_open_weights_were_asked(changes: dict[str, Any], shown: str) -> None:
    """By prompts of its family, or by the server."""
    assert cells({**VLLM, **changes})[3] == f"<bdi>org/served</bdi> [<bdi>{shown}</bdi>]"


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (API, "0.7"),
        ({**API, "options": {}}, "0.001"),
        ({**API, "options": {"temperature": None}}, "not sent"),
        ({**API, "kind": "gemini", "options": {"generationConfig": {"temperature": 1}}}, "1"),
        ({**API, "kind": "litellm", "options": {}}, "\N{EN DASH}"),
        (ORACLE, "\N{EN DASH}"),
        ({**API, "kind": "transformers", "options": {}}, "0"),
    ],
)
def test_the_temperature_is_that_of_the_requests(row: dict[str, Any], shown: str) -> None:
    """Options replace the temperature of the release or remove it."""
    assert temperature(row) == shown
    assert RELEASE_TEMPERATURE == TEMPERATURE
    assert method_page.MOST_NEW_TOKENS == prompt_length.MOST_NEW_TOKENS


def test_what_is_not_proved_depends_on_the_models_and_the_web() -> None:
    """Weights of models that were asked, servers, results of others, and a web that was built."""
    asked = " ".join(card(API, web="live").not_covered)
    assert "Which weights answered" in asked
    assert "mode live cannot be derived again" in asked
    assert "vLLM" not in asked
    assert "the version of vLLM" in " ".join(card(VLLM).not_covered)
    assert "content of a chat template" in " ".join(card(VLLM).not_covered)
    prompted = " ".join(card({**VLLM, "family": "llama", "weights": "sha256:a"}).not_covered)
    assert "the version of vLLM and the GPUs" in prompted
    assert "are those of the digest" in prompted
    assert "Which weights answered" not in prompted
    unknown = " ".join(card({**VLLM, "family": "llama", "weights": "unknown"}).not_covered)
    assert "Which weights answered" in unknown
    assert "are those of the digest" not in unknown
    assert "no requests are recorded" in " ".join(card(RESULTS).not_covered)
    embedded = card(ORACLE, web="simulated")
    assert "weights" not in " ".join(embedded.not_covered)
    assert "built from the annotations" in " ".join(embedded.not_covered)
    assert "Embedded models are run again" in " ".join(embedded.covered)


def test_hostile_settings_are_shown_as_text() -> None:
    """Control characters are visible, and long options are cut."""
    row = {**API, "model": "\u202e<b>", "options": {"stop": "\x1b" + "x" * 5000}}
    shown = cells(row)
    assert "\\u202e&lt;b&gt;" in shown[3]
    assert shown[5].startswith("stop=\\x1bxxx")
    assert len(shown[5]) < 500


def test_a_run_without_recorded_rows_has_no_settings() -> None:
    """A directory with nothing but tables is shown without."""
    assert card().settings is None


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one model, with the journal of its answers."""
    folder = tmp_path / "run"
    ids = [f"simple_python_{number}" for number in range(4)]
    steps = (Step(0, 100, 10, 0.25),)
    answers = [Response(one, "simple_python", Mode.FC, "[]", steps=steps) for one in ids]
    write_responses(folder / "responses/org_m-FC/simple_python.parquet", answers)
    (folder / "config.yaml").write_text(
        recorded(yaml.safe_dump({"release": {"sha256": "ab" * 32}, "web": "live"}))
    )
    (folder / "models.yaml").write_text(yaml.safe_dump({"models": [API]}))
    written(
        tmp_path / "cache/exchanges/org_m-FC/exchanges.jsonl",
        exchange(0, raw={"id": "x", "created": 17, "model": "m-2026", "choices": []}),
        exchange(1, raw={"choices": [{"model": "within"}], "model": "after what was written"}),
        exchange(2, raw={"id": 'a quoted " text', "model": "after a text with escapes"}),
        exchange(9, raw={"id": "x", "model": "of an entry of another run"}),
    )
    return folder


def test_the_model_that_answers_name_is_shown(run: Path) -> None:
    """Only a name before anything that a model can write counts, and only in answers of this run."""
    made = read_making(Run(run, run.parent / "cache"), "r", ["org/m-FC"]).method
    assert made is not None
    assert made.settings is not None
    assert made.settings.rows[0][3].note == "<bdi>at api.example; answers name m-2026</bdi>"


def test_hashes_are_facts(run: Path) -> None:
    """The release of the config, the recorded files, and the encoder if the vector memory was used."""
    facts = read_making(Run(run, run.parent / "cache"), "r", ["org/m-FC"]).facts
    assert facts["Release, SHA-256"] == "ab" * 32
    assert len(facts["models.yaml, SHA-256"]) == 64
    assert not any("Encoder" in name for name in facts)
    (run / "memory/org_m-FC").mkdir(parents=True)
    answers = [Response("memory_vector_prereq_0-customer-0", "memory_vector", Mode.FC, "[]")]
    write_responses(run / "memory/org_m-FC/memory_vector.parquet", answers)
    facts = read_making(Run(run, run.parent / "cache"), "r", ["org/m-FC"]).facts
    assert facts["Encoder, SHA-256"].startswith(encoder.FILES[encoder.WEIGHTS])
