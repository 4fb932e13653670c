"""Recorded configs of runs from elsewhere: bounded, plain, and refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.config.plain_yaml import recorded_keys
from bfcl_pipeline.config.shown_entries import recorded_choice
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.playback import read_conditions
from bfcl_pipeline.report.page.making import read_making
from bfcl_pipeline.report.page.method import recorded_rows

READERS: dict[str, Callable[[Path], object]] = {
    "keys": recorded_keys,
    "entries of the page": recorded_choice,
    "facts of the page": lambda run: read_making(run, None, [], run / "cache"),
    "conditions of conversations": lambda run: read_conditions(run, run / "data"),
    "rows of models": lambda run: recorded_rows(run / "models.yaml"),
}

HOSTILE = {
    "nested": f"models: {'[' * 50_000}",
    "expands": "imported: &a [x, x]\nreport: [*a, *a]\nmodels: []\n",
    "endless": "imported: &a [*a]\nmodels: []\n",
    "a number without end": f"seed: {'9' * 6_000}\nmodels: []\n",
    "a date": "web: 2026-01-01\nmodels: []\n",
    "not UTF-8": b"web: \xff\n",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_a_hostile_file_is_refused(
    read: Callable[[Path], object], content: str | bytes, tmp_path: Path
) -> None:
    """A file that is deep, expands, or has other values than texts and numbers is an error naming it."""
    for name in ("config.yaml", "models.yaml"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError, match=r"(config|models)\.yaml: "):
        read(tmp_path)


def test_a_run_without_a_config_has_no_keys(tmp_path: Path) -> None:
    """A missing and an empty file have no keys; a list is an error."""
    assert recorded_keys(tmp_path) == {}
    (tmp_path / "config.yaml").write_text("")
    assert recorded_keys(tmp_path) == {}
    (tmp_path / "config.yaml").write_text("- a\n")
    with pytest.raises(ConfigError, match="expected a mapping of keys"):
        recorded_keys(tmp_path)


@pytest.mark.parametrize(
    "line", ["web: {a: b}", "fetch_failures: '0.5'", "search_tool: [x]", "seed: none of these"]
)
def test_a_value_of_another_type_is_refused(line: str, tmp_path: Path) -> None:
    """The conditions of conversations are checked before anything is played."""
    (tmp_path / "config.yaml").write_text(f"{line}\n")
    with pytest.raises(ConfigError, match=rf"config\.yaml: {line.partition(':')[0]}: unexpected value"):
        read_conditions(tmp_path, tmp_path)


def test_the_kind_of_a_model_is_a_text(tmp_path: Path) -> None:
    """A row whose kind is a list is refused in one line."""
    (tmp_path / "models.yaml").write_text("models: [{name: m, kind: [a]}]\n")
    with pytest.raises(ConfigError, match=r"models\.yaml: not readable as recorded models"):
        recorded_rows(tmp_path / "models.yaml")


def test_facts_of_the_page_are_short_visible_texts(tmp_path: Path) -> None:
    """Control characters of the config are spelled out, and long values are cut."""
    (tmp_path / "config.yaml").write_text(f'imported: "\\e[2J\\u202e{"x" * 100_000}"\n')
    shown = read_making(tmp_path, None, [], tmp_path / "cache").facts["Imported from"]
    assert shown.startswith("\\x1b[2J\\u202exxx")
    assert len(shown) < 2_000
