"""Who reads the keys of a config: few modules; the others have the attributes of `RunSettings`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from bfcl_pipeline.benchmark.config.check import config_schema
from tests.support import ROOT

MOST = 3
"""Modules that may read one key."""

CONFIGS = frozenset({"config", "document", "keys", "settings", "values"})
"""The names that mappings of the keys have, as variables or attributes."""

OTHER_MAPPINGS = {
    "bfcl_pipeline/ask/jobs/options.py": "the parsed options of a command",
    "bfcl_pipeline/benchmark/config/model_rows.py": "a models file",
    "bfcl_pipeline/cli/watch.py": "the state of a run as JSON",
    "bfcl_pipeline/share/gallery/record.py": "the record of an archive in a gallery",
}
"""Modules that call another mapping so, and what it is."""

RULES = (ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk")))


def reads(tree: ast.Module) -> Iterator[str]:
    """The texts by which a module looks something up in a mapping that is called as a config is."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=mapping, slice=ast.Constant(value=str(key))):
                pass
            case ast.Call(
                func=ast.Attribute(value=mapping, attr="get" | "pop"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                pass
            case _:
                continue
        match mapping:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in CONFIGS:
                yield key


@pytest.fixture(scope="module")
def readers() -> dict[str, set[str]]:
    """The files that read each key."""
    found: dict[str, set[str]] = {key: set() for key in config_schema()["properties"]}
    for path in sorted((ROOT / "bfcl_pipeline").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        for key in reads(ast.parse(path.read_text(encoding="utf-8"))):
            if name not in OTHER_MAPPINGS:
                found.get(key, set()).add(name)
    for path in RULES:
        text = path.read_text(encoding="utf-8")
        for key in re.findall(r"""\bconfig(?:\[|\.get\()["'](\w+)["']""", text):
            found[key].add(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("key", config_schema()["properties"])
def test_few_modules_read_a_key(key: str, readers: dict[str, set[str]]) -> None:
    """A key is read where the config becomes a record; other modules ask the record."""
    assert len(readers[key]) <= MOST, sorted(readers[key])


def test_the_reader_of_a_key_is_found(readers: dict[str, set[str]]) -> None:
    """The search finds what it is to find: keys of the run, of its web, and in the rules."""
    assert "bfcl_pipeline/benchmark/config/run_settings.py" in readers["sample"]
    assert "bfcl_pipeline/benchmark/config/job.py" in readers["search_tool"]
    assert "workflow/rules/report.smk" in readers["published"]
    assert list(reads(ast.parse("run.config['seed'] + values.get('web')"))) == ["seed", "web"]
