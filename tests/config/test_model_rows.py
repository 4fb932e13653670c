"""config/models.yaml as it is read."""

from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.config import (
    EMBEDDED_KINDS,
    ModelRow,
    described,
    load_models,
    load_not_served,
    model_row,
)
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.models import MODEL_KINDS, build_model
from bfcl_pipeline.records import Mode

SHIPPED = Path(__file__).parents[2] / "config" / "models.yaml"

ROW = {
    "name": "mine",
    "kind": "lexical",
    "mode": "prompt",
    "display_name": "Mine",
    "org": "me",
    "license": "MIT",
    "url": "https://example.org",
    "description": "a test",
}


def _file(tmp_path, *rows):
    lines = ["models:"]
    for row in rows:
        lines.append("  -")
        lines += [f"    {key}: {value}" for key, value in row.items()]
    path = tmp_path / "models.yaml"
    path.write_text("\n".join(lines))
    return path


def test_the_shipped_models_start_with_the_embedded_four():
    """The repository's file offers both embedded models in both modes, and each can be built."""
    embedded = {name: row for name, row in load_models(SHIPPED).items() if row.kind in EMBEDDED_KINDS}
    assert list(embedded) == ["oracle-FC", "oracle", "lexical-FC", "lexical"]
    assert list(load_models(SHIPPED))[:4] == list(embedded)
    for name, row in embedded.items():
        model = build_model(row)
        assert (model.name, model.mode) == (name, Mode.FC if name.endswith("-FC") else Mode.PROMPT)


def test_prices_are_optional_numbers(tmp_path):
    """A price is read as dollars; without one it is unknown."""
    row = load_models(_file(tmp_path, {**ROW, "input_price": 0.25}))["mine"]
    assert (row.input_price, row.output_price) == (0.25, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"organisation": "x"}, "unknown key 'organisation'. Known: name, kind"),
        ({"mode": "chat"}, "unknown mode 'chat'"),
        ({"input_price": "cheap"}, "input_price must be a number"),
        ({"input_price": -1}, "input_price must be a number"),
        ({"org": 5}, "org must be a text"),
        ({"name": "mine-FC"}, "names that end in -FC are of mode fc"),
        ({"name": "mine~2"}, "'mine~2' ends as those of later trials do"),
    ],
)
def test_a_wrong_row_is_refused(tmp_path, change, message):
    """What a row may not say is refused with the file, the row and the right words."""
    path = _file(tmp_path, {**ROW, **change})
    with pytest.raises(ConfigError, match="model 1: ") as caught:
        load_models(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_key_is_named(tmp_path):
    """A row without a required key is refused, naming it."""
    row = {key: value for key, value in ROW.items() if key != "kind"}
    with pytest.raises(ConfigError, match="the key 'kind' is missing"):
        load_models(_file(tmp_path, row))


def test_a_name_is_given_once(tmp_path):
    """Two rows of one name are refused: one would hide the other."""
    with pytest.raises(ConfigError, match="model 2: the name 'mine' is taken"):
        load_models(_file(tmp_path, ROW, ROW))


@pytest.mark.parametrize("text", ["", "[]", "models: 5", "models: []\nother: 1", "{"])
def test_another_document_is_refused(tmp_path, text):
    """A file that is not one list of rows is refused, not half read."""
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        load_models(path)


def test_unknown_names_list_the_known(tmp_path):
    """An unknown model, kind or file is answered with what there is."""
    rows = load_models(_file(tmp_path, ROW))
    with pytest.raises(ConfigError, match=r"unknown model 'min'\. Did you mean 'mine'"):
        model_row(rows, "min")
    with pytest.raises(ConfigError, match=r"unknown kind 'lexicon'\. Did you mean 'lexical'"):
        load_models(_file(tmp_path, {**ROW, "kind": "lexicon"}))
    with pytest.raises(ConfigError, match="no such file"):
        load_models(tmp_path / "none.yaml")
    assert set(MODEL_KINDS) == EMBEDDED_KINDS


def test_a_model_without_a_row_is_described_by_its_name():
    """Results brought from elsewhere need no row."""
    unlisted = described({}, "mine-FC")
    assert unlisted == ModelRow("mine-FC", "", Mode.FC, "mine-FC", "Unknown", "Unknown", "")
    assert described({"mine-FC": unlisted}, "mine-FC") is unlisted


def test_a_trial_is_described_by_the_row_of_its_model(tmp_path):
    """Under a name of its own; without a row, in the mode that the model's name tells."""
    rows = load_models(_file(tmp_path, {**ROW, "display_name": "Mine", "input_price": 2}))
    again = described(rows, "mine~2")
    assert again == replace(rows["mine"], name="mine~2", display_name="Mine (trial 2)")
    assert described({}, "mine-FC~2").mode is Mode.FC


def test_official_models_stand_behind_the_own(tmp_path):
    """The file of official models beside a models file is read too; a row of the user's own wins."""
    path = _file(tmp_path, ROW)
    (tmp_path / "official_models.yaml").write_text(
        "families:\n  common: &common {kind: lexical, org: them}\n"
        "models:\n  - {<<: *common, name: mine}\n  - {<<: *common, name: theirs}\n"
        "not_served: {gone: its API is}\n"
    )
    assert [(name, row.org) for name, row in load_models(path).items()] == [
        ("mine", "me"),
        ("theirs", "them"),
    ]
    assert load_not_served(path) == {"gone": "its API is"}
    assert load_not_served(tmp_path / "elsewhere" / "models.yaml") == {}


def test_three_lines_are_a_model(tmp_path):
    """Name and kind, and an endpoint or a parser, are enough; a vendor's key goes to no other endpoint."""
    rows = load_models(
        _file(
            tmp_path,
            {"name": "mine-FC", "kind": "openai_chat", "endpoint": "http://localhost:8000/v1"},
            {"name": "org/model-FC", "kind": "vllm", "vllm": "{tool_parser: hermes}"},
            {"name": "gpt", "kind": "openai_chat"},
        )
    )
    mine, hub, vendor = rows.values()
    assert (mine.mode, mine.model, mine.key, mine.served) == (Mode.FC, "mine", None, False)
    assert (hub.mode, hub.model, hub.served) == (Mode.FC, "org/model", True)
    assert (vendor.endpoint, vendor.key) == ("https://api.openai.com/v1", "OPENAI_API_KEY")


def test_the_examples_of_the_shipped_file_work(tmp_path):
    """Without their comment signs, the examples of config/models.yaml are rows."""
    lines = SHIPPED.read_text().partition("models:\n")[2].splitlines()
    examples = [line.replace("  # ", "  ", 1) for line in lines if line.startswith(("  # - ", "  #   "))]
    assert len(examples) == 6
    path = tmp_path / "models.yaml"
    path.write_text("\n".join(["models:", *examples]))
    assert [row.kind for row in load_models(path).values()] == ["openai_chat", "vllm"]


def test_the_examples_of_the_readme_work(tmp_path):
    """Each row that config/README.md shows is one."""
    text = SHIPPED.with_name("README.md").read_text().partition("\n## Models\n")[2].partition("\n## ")[0]
    examples = [block.partition("```")[0] for block in text.split("```yaml\n")[1:]]
    assert len(examples) == 3
    for number, example in enumerate(examples):
        path = tmp_path / f"{number}.yaml"
        path.write_text(f"models:\n{example}")
        assert len(load_models(path)) == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"kind": "lexical", "key": "MY_KEY"}, "lexical, which asks nobody: leave out key"),
        ({"kind": "openai_chat", "vllm": "{}"}, "vllm is for models of kind vllm"),
        ({"kind": "openai_chat", "endpoint": "localhost:8000"}, "must start with http:// or https://"),
        ({"kind": "litellm"}, "needs `model` with a provider, for example bedrock/mine"),
        ({"kind": "vllm", "backend": "endpoint"}, "backend endpoint needs `endpoint`"),
        ({"kind": "vllm", "endpoint": "http://localhost"}, "set `backend: endpoint` to use it"),
        ({"kind": "vllm", "mode": "fc"}, "mode fc needs `vllm: {tool_parser: ...}`"),
        ({"kind": "vllm", "backend": "sglang"}, "unknown backend 'sglang'"),
        ({"kind": "openai_chat", "options": "[]"}, "options must be a mapping"),
    ],
)
def test_a_row_that_contradicts_its_kind_is_refused(tmp_path, row, message):
    """Keys that a kind has no use for, or that it needs and lacks, are told with what would be right."""
    with pytest.raises(ConfigError) as caught:
        load_models(_file(tmp_path, {"name": "mine", **row}))
    assert message in str(caught.value)


def test_one_server_that_runs_serves_any_mode(tmp_path):
    """With a server that already runs, nothing is said of how it is started."""
    row = {"name": "mine-FC", "kind": "vllm", "backend": "endpoint", "endpoint": "http://localhost:8000/v1"}
    assert not load_models(_file(tmp_path, row))["mine-FC"].served
