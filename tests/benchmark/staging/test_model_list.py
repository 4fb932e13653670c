"""The official models, read as literals."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.staging.outputs import read_models
from bfcl_pipeline.benchmark.staging.release_files import MODEL_CONFIG
from bfcl_pipeline.benchmark.staging.source import Release


def models(source: str) -> list[dict]:
    """The models of a configuration module with `source`."""
    return read_models(Release("r", {MODEL_CONFIG: source.encode()}))


def test_the_real_list_is_read(real_release):
    """The release's models have unique names, and both modes occur."""
    rows = read_models(real_release)
    assert len({row["name"] for row in rows}) == len(rows) > 100
    assert {row["is_fc_model"] for row in rows} == {True, False}
    by_name = {row["name"]: row for row in rows}
    assert by_name["DeepSeek-V3.2-Exp-FC"] == {
        "name": "DeepSeek-V3.2-Exp-FC",
        "model_name": "deepseek-chat",
        "display_name": "DeepSeek-V3.2-Exp (FC)",
        "url": "https://api-docs.deepseek.com/news/news250528",
        "org": "DeepSeek",
        "license": "MIT",
        "handler": "DeepSeekAPIHandler",
        "input_price": None,
        "output_price": None,
        "is_fc_model": True,
        "underscore_to_dot": True,
    }


def test_omitted_fields_of_a_model_have_the_official_defaults():
    """Prices, mode and naming default as in the release; handlers are names, not code."""
    source = """
m = {"a/b": ModelConfig(model_name="a", display_name="A", url="u", org="o", license="l", model_handler=x.Y)}
"""
    (row,) = models(source)
    assert (row["handler"], row["is_fc_model"], row["underscore_to_dot"]) == ("x.Y", True, False)
    assert row["input_price"] is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("m = {}", "expected a mapping of names to ModelConfig"),
        ('m = {\n"a": ModelConfig(model_name="a")}', "model_config.py:2: expected a name and ModelConfig"),
        (
            'm = {\n"a": ModelConfig(model_name=open("x"))}',
            "model_config.py:2: expected a name and ModelConfig",
        ),
    ],
)
def test_a_malformed_list_of_models_is_refused(source, message):
    """A module without models, or a model that is not made of literals, is an error with its line."""
    with pytest.raises(MalformedRelease, match=message):
        models(source)
