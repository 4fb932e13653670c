"""config/README.md documents every key of the config."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from tests.support.doc_pages import PAGES

ROOT = Path(__file__).parents[3]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8"))
README = (ROOT / "config/README.md").read_text(encoding="utf-8")
PINNED_ELSEWHERE = "release.sha256"
"""Its default is 64 hex digits: the table says `the pinned wheel's`."""


def _keys(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each key of a user, dotted where it is inside another, with its default."""
    for name, value in properties.items():
        if name == FORM_KEY:
            continue
        if value["type"] == "object":
            yield from _keys(value["properties"], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value["default"]


def _table() -> dict[str, str]:
    """The default that the README gives for each key."""
    section = README.split("## The keys of config.yaml")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([\w.]+)` \| ([^|]+) \|", section, re.MULTILINE)
    assert len(rows) == len(dict(rows)), "a key has two rows"
    return dict(rows)


def test_every_config_key_is_documented_with_its_default() -> None:
    """The table of config/README.md has exactly the keys and defaults of the schema."""
    defaults = dict(_keys(SCHEMA["properties"]))
    table = _table()
    assert table.keys() == defaults.keys()
    for key, default in defaults.items():
        if key != PINNED_ELSEWHERE:
            assert yaml.safe_load(table[key].strip("` ")) == default, key


def test_the_form_is_that_of_the_schema() -> None:
    """A config that a run recorded is accepted as that of another run, if it has this form."""
    assert SCHEMA["properties"][FORM_KEY]["enum"] == [RUN_FORM]


def test_the_shipped_config_states_the_defaults() -> None:
    """config/config.yaml names every key of the schema, with its default value."""
    shipped = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    stated = {
        name: value
        for key, given in shipped.items()
        for name, value in (
            {f"{key}.{inner}": one for inner, one in given.items()}
            if isinstance(given, dict)
            else {key: given}
        ).items()
    }
    assert stated == dict(_keys(SCHEMA["properties"]))


def test_every_documented_command_with_another_config_names_its_run() -> None:
    """A reader who types the commands of the pages one after the other replaces no results."""
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    configs = [line for line in lines if re.match(r"(bfcl-pipeline|make|snakemake) .*--config ", line)]
    assert len(configs) > 5
    assert [line for line in configs if not re.search("run=|--run ", line)] == []
