"""config/README.md documents every key of the config."""

from __future__ import annotations

import re

import pytest
import yaml

from bfcl_pipeline.benchmark.config.check import config_schema
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY
from bfcl_pipeline.benchmark.definition import release
from tests.support.config_docs import CONFIG, PAGE, completed, default_of, document
from tests.support.doc_pages import PAGES


def test_the_pages_are_as_the_schema() -> None:
    """config/README.md and config.yaml are what `python -m tests.support.config_docs` writes."""
    assert document(PAGE.read_text(encoding="utf-8")) == PAGE.read_text(encoding="utf-8")
    assert completed(CONFIG.read_text(encoding="utf-8")) == CONFIG.read_text(encoding="utf-8")


def test_a_new_key_has_a_row_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its description, default, words and place; a config gets its line at the end."""
    about = {"type": ["string", "null"], "description": "New.", "default": None, "enum": ["a", "b"]}
    about |= {"x-recomputes": "nothing", "x-see": "#new"}
    monkeypatch.setitem(config_schema()["properties"], "new", about)
    row = "| `new` | `null` | New: `a`, `b` ([more](#new)) | nothing |\n"
    assert row in document(PAGE.read_text(encoding="utf-8"))
    text = CONFIG.read_text(encoding="utf-8")
    assert completed(text) == f"{text}\n# New.\nnew: null\n"


def test_the_shipped_config_states_the_defaults() -> None:
    """config/config.yaml shows every key with its default: to leave one out changes nothing."""
    keys = {key: about for key, about in config_schema()["properties"].items() if key != FORM_KEY}
    shipped = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    assert shipped == {key: default_of(about) for key, about in keys.items()}
    assert shipped["release"] == {"version": release.VERSION, "sha256": release.SHA256, "source": None}


def test_every_documented_command_with_another_config_names_its_run() -> None:
    """A reader who types the commands of the pages one after the other replaces no results."""
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    configs = [line for line in lines if re.match(r"(bfcl-pipeline|make|snakemake) .*--config ", line)]
    assert len(configs) > 5
    assert [line for line in configs if not re.search("run=|--run ", line)] == []
