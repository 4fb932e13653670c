"""config/official_models.yaml: the models of the leaderboard as rows."""

import json
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.benchmark.config import KINDS, load_models, load_not_served
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import Mode, Request
from bfcl_pipeline.dialogue.prompts import tool_schemas
from bfcl_pipeline.dialogue.release_texts import read_texts
from tests.support.work import measured

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "config" / "models.yaml"
CALLS_EACH = 5_000  # of functions, to read one row: most are those of the YAML parser

OFFICIAL = SHIPPED.with_name("official_models.yaml")

FAMILIES = {row.name: row.official for row in load_families().values() if row.official is not None}
"""The families of the leaderboard with its handlers."""

VLLM = yaml.safe_load(Path(__file__).with_name("vllm_parsers.yaml").read_text())
"""Names of parsers in one version of vLLM."""

WEATHER = {
    "name": "get_weather",
    "description": "The weather of a city.",
    "parameters": {"type": "dict", "properties": {"city": {"type": "string", "description": "its name"}}},
}

ROWS = {name: row for name, row in load_models(SHIPPED).items() if not KINDS[row.kind].embedded}


@pytest.fixture(scope="module")
def official(staged):
    """The release's facts about each model, by name."""
    return {model["name"]: model for model in json.loads((staged / "release" / "models.json").read_text())}


def test_every_official_model_has_a_row_or_a_reason(official):
    """Each model in the release's list has either a row or a reason why not; there are no others."""
    not_served = load_not_served(SHIPPED)
    assert not ROWS.keys() & not_served.keys()
    assert ROWS.keys() | not_served.keys() == official.keys()
    assert all(reason.strip() for reason in not_served.values())


def test_rows_have_the_facts_of_the_release(official):
    """Mode, display name, organization, license, link and prices of every row are the release's."""
    for name, row in ROWS.items():
        facts = official[name]
        assert (row.mode is Mode.FC) is facts["is_fc_model"], name
        for key in ("display_name", "org", "license", "url", "input_price", "output_price"):
            assert getattr(row, key) == facts[key], (name, key)


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_what_its_kind_needs(name):
    """Every row has an endpoint or a server, and no vendor's key is sent to another vendor."""
    row = ROWS[name]
    if row.kind == "vllm":
        assert "/" in row.model, "an id of the model hub"
        assert row.served
        assert row.vllm.reasoning_parser is None or row.vllm.reasoning_parser in VLLM["reasoning_parsers"]
        if row.mode is Mode.FC and (row.family is None or row.vllm.tool_parser is not None):
            assert row.vllm.tool_parser in VLLM["tool_parsers"]
        assert row.vllm.chat_template is None or (ROOT / row.vllm.chat_template).is_file()
        return
    assert row.endpoint is not None or row.kind == "litellm"
    asks_without_key = row.endpoint is not None and row.endpoint.startswith("http://localhost:")
    assert row.key is not None or asks_without_key or row.model.startswith("bedrock/")
    owners = {kind.key: kind.endpoint for kind in KINDS.values() if kind.key is not None}
    assert row.endpoint == owners.get(row.key, row.endpoint)


@pytest.mark.parametrize("name", ROWS)
def test_a_request_can_be_made_from_a_row(name, monkeypatch, entries, staged):
    """An adapter is built from every row; its body has the options of the row."""
    row = ROWS[name]
    if row.key is not None:
        monkeypatch.setenv(row.key, "a-key-for-tests")
    wire = build_adapter(row, "http://127.0.0.1:9/v1" if row.served else None)
    assert wire.name == name
    if row.family is None:
        assert wire.asking.mode == row.mode
        tools = tool_schemas([WEATHER], wire.wire) if row.mode is Mode.FC else ()
        request = Request(row.mode, ({"role": "user", "content": "Rain?"},), tools)
    elif load_families()[row.family].template == "model":
        return  # its chat template comes with the weights
    else:
        texts, entry = read_texts(staged), entries("simple_python")[0]
        request = wire.asking.written(wire.asking.first(entry, texts), texts)
    body = wire.body(request)
    assert "a-key-for-tests" not in json.dumps([body, wire.identity])
    if row.family is None:
        assert ("get_weather" in json.dumps(body)) is (row.mode is Mode.FC)
    else:
        assert "calculate_triangle_area" in body["prompt"]
    for option, value in row.options.items():
        assert (option not in body) if value is None else body[option] == value


def test_open_weights_are_asked_as_the_leaderboard_asks_them(official):
    """Each model of a handler of open weights has the prompts of one of the handler's families."""
    asked = set()
    for name, row in ROWS.items():
        if official[name]["handler"] in FAMILIES.values():
            assert (row.prompting, FAMILIES[row.family]) == ("leaderboard", official[name]["handler"]), name
            asked.add(row.family)
    assert asked == FAMILIES.keys()
    for row in load_families().values():
        assert row.official is None or {official[name]["handler"] for name in row.models} == {row.official}


def test_all_other_weights_are_asked_by_their_server(official):
    """Rows that serve weights in place of a vendor's API say so: their official requests are chats."""
    rows = yaml.safe_load(OFFICIAL.read_text(encoding="utf-8"))["models"]
    said = {row["name"] for row in rows if row.get("prompting") == "server"}
    others = {name for name, row in ROWS.items() if official[name]["handler"] not in FAMILIES.values()}
    assert said == {name for name in others if ROWS[name].kind == "vllm"}
    assert {ROWS[name].prompting for name in said} == {"server"}


def test_reading_them_is_little_work():
    """All rows are read in so few calls that a start of the workflow does not notice it."""
    with measured() as work:
        rows = load_models(SHIPPED)
    assert work.calls / len(rows) < CALLS_EACH
