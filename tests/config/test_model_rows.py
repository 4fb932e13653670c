"""config/models.yaml as it is read."""

from pathlib import Path

import pytest

from bfcl_pipeline.config import EMBEDDED_KINDS, ModelRow, described, load_models, model_row
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


def test_the_shipped_models_are_the_embedded_four():
    """The repository's file offers both embedded models in both modes, and each can be built."""
    rows = load_models(SHIPPED)
    assert list(rows) == ["oracle-FC", "oracle", "lexical-FC", "lexical"]
    for name, row in rows.items():
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
