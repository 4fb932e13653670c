"""A config against its schema: a valid config passes, an invalid one is an error that states valid
values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.check import check_config
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())


def test_every_key_is_typed_described_and_has_a_default() -> None:
    """At every level the schema refuses unknown keys and explains the known ones."""

    def visit(schema: dict[str, Any]) -> None:
        assert schema["additionalProperties"] is False
        for key, about in schema["properties"].items():
            wanted = {"type", "description"} if key == FORM_KEY else {"type", "description", "default"}
            assert wanted <= about.keys(), key
            if about["type"] == "object":
                visit(about)

    visit(SCHEMA)


@pytest.mark.parametrize(
    ("config", "parts"),
    [
        ({"modles": []}, ["unknown key 'modles'", "Did you mean 'models'?", "categories"]),
        ({"release": {"sha": ""}}, ["release: unknown key 'sha'", "sha256", "version"]),
        (
            {"sample": "many"},
            ["sample: expected a whole number or a mapping or null", '"many"', "null for all"],
        ),
        ({"sample": 0}, ["sample: expected at least 1", "got 0"]),
        ({"sample": {"entries": 0, "by": "size"}}, ["sample.entries: expected at least 1", "got 0"]),
        ({"sample": {"entries": 5}}, ["sample: the key 'by' is missing. Required: entries, by."]),
        (
            {"sample": {"entries": 5, "by": "wieght"}},
            ["sample.by: expected size or weight", "Did you mean 'weight'?"],
        ),
        ({"sample": {"entires": 5, "by": "size"}}, ["sample: unknown key 'entires'", "'entries'"]),
        ({"models": "oracle"}, ["models: expected a list", 'got "oracle"']),
        ({"models": []}, ["models: expected a list of at least 1"]),
        ({"models": [1]}, ["models.0: expected a text, got 1"]),
        ({"rules": "offical"}, ["rules: expected official or corrected or verified", 'got "offical"']),
        ({"run": "../up"}, ["run: expected letters, digits and . _ - after a letter", '"../up"']),
        ({"seed": None}, ["seed: expected a whole number", "got null"]),
        ({"sample": "x", "smaple": 3}, ["unknown key 'smaple'", "'sample'"]),
    ],
)
def test_a_wrong_config_is_an_error_of_one_line(config: dict[str, Any], parts: list[str]) -> None:
    """The error names the key, what was expected and what came."""
    with pytest.raises(ConfigError) as caught:
        check_config(config, SCHEMA)
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)
