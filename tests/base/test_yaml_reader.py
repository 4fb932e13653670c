"""The reader of YAML of others: the values of PyYAML's safe loader or a refusal, in linear time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.base import yaml_reader
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.yaml_reader import UnreadableYaml, read_yaml, read_yaml_file
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.world.web.evidence.cassettes import read_cassette
from tests.support.growth import grows_in_proportion

ROOT = Path(__file__).parents[2]
SHIPPED = [
    path
    for folder in (
        "bfcl_pipeline",
        "config",
        "profiles",
        "workflow",
        "tests/benchmark/errata",
        "tests/benchmark/config",
        "tests/ask/jobs",
    )
    for path in sorted((ROOT / folder).rglob("*.yaml"))
]
SIXTY = "1" + ":1" * 200_000


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_shipped_files_have_the_values_of_the_safe_loader(path: Path) -> None:
    """Aliases and merge keys included; keys keep their order."""
    text = path.read_text(encoding="utf-8")
    assert repr(read_yaml(text, by_hand=True)) == repr(yaml.load(text, yaml.CSafeLoader))


PLAIN = [
    *(
        "a",
        "~",
        "null",
        "Null",
        "true",
        "True",
        "false",
        "0",
        "-0",
        "+7",
        "12",
        "1.5",
        "-2.0e+3",
        ".5",
        "1.",
    ),
    *("1e5", "12e3", "-.5", "0x", "1:2:x", "a:b", "5e12345", "v1.2.3", "2026-01", "9-9-9", "y", "n"),
    *("'yes'", "'012'", '"1:1"'),
]


@pytest.mark.parametrize("text", ["", "---", *PLAIN, f"[{', '.join(PLAIN)}]", "{a: [1, {b: c}], 'd': }"])
def test_what_is_read_is_what_the_safe_loader_reads(text: str) -> None:
    """So every text that PyYAML writes without quotes stays a text."""
    assert repr(read_yaml(text)) == repr(yaml.safe_load(text))


REFUSED = {
    **dict.fromkeys(
        ("012", "0b1", "0x1f", "1_0", "1:30", "1:30.5", "1_0.5", ".inf", "-.INF", ".nan", "1.0e+999"),
        "decimal number",
    ),
    **dict.fromkeys(("yes", "No", "off", "ON", "2026-01-01", "2026-01-01 10:00:00", "=", "<<"), "quotes"),
    "9" * 101: "decimal number",
    "{1: a}": "mapping of texts",
    "{true: a}": "mapping of texts",
    "{? [a] : b}": "mapping of texts",
    "{a: 1, b: 2, a: 3}": "the key 'a' is repeated",
    "!!int '1'": "the tag 'tag:yaml.org,2002:int' is not read",
    "!!python/object/apply:os.system ['true']": "the tag",
    "&a [x]": "a YAML alias",
    "*a": "a YAML alias",
    "{<<: {a: b}}": "quotes",
    "a: b\n---\nc: d": "line 2: a second document",
    "[" * 40 + "]" * 40: "nested more than 30 levels",
    "a: ]": "line 1: ",
}


@pytest.mark.parametrize("text", REFUSED)
def test_everything_else_is_refused(text: str) -> None:
    """In one line that names the line and shows the beginning of the value."""
    with pytest.raises(UnreadableYaml, match=r"\Aline \d+: [ -~]{5,250}\Z") as caught:
        read_yaml(text)
    assert REFUSED[text] in str(caught.value)


def test_people_may_write_aliases_merge_keys_words_and_dates() -> None:
    """Dates become texts; merged keys come first, and own values precede them, as for the safe loader."""
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: yes}\nc: {w: no, <<: [*a, *b], x: 4}\nd: [*a, *b, <<: *b]\n"
    assert repr(read_yaml(text, by_hand=True)) == repr(yaml.safe_load(text))
    assert read_yaml("2026-01-01", by_hand=True) == "2026-01-01"
    for wrong in (
        "&a [*a]",
        "*a",
        "[&a x, &a y]",
        "{<<: x}",
        "{<<: {a: b}, <<: {}}",
        "[0x1f]",
        "!!set {a}",
    ):
        with pytest.raises(UnreadableYaml):
            read_yaml(wrong, by_hand=True)


EXPANDING = {
    "aliases": ("a0: &a0 [x]", lambda n: f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]"),
    "merge keys": ("a0: &a0 {k: 1}", lambda n: f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}"),
    "depth": ("a0: &a0 [x]", lambda n: f"a{n}: &a{n} [*a{n - 1}]"),
}


@pytest.mark.parametrize(("first", "more"), EXPANDING.values(), ids=EXPANDING)
def test_what_expands_is_refused_before_it_is_large(first: str, more: Callable[[int], str]) -> None:
    """Values of aliases count wherever they appear, as does their nesting."""
    text = "\n".join([first, *map(more, range(1, 40))])
    with pytest.raises(UnreadableYaml, match=r"more than 300,000 values|nested more than 30 levels"):
        read_yaml(text, by_hand=True)


GROWING: dict[str, Callable[[int], str]] = {
    "base 60": lambda n: "a: 1" + ":1" * n,
    "base 60 with a fraction": lambda n: "a: 1" + ":1" * n + ".5",
    "digits": lambda n: "a: " + "9" * n,
    "hexadecimal": lambda n: "a: 0x" + "f" * n,
    "fraction": lambda n: "a: 0." + "9" * n,
    "underscores": lambda n: "a: 1" + "_" * n + "x",
    "blanks of a date": lambda n: "a: 2026-01-01" + " " * n + "x",
    "a long key": lambda n: "? " + "k" * n + "\n: v",
    "a long key in digits": lambda n: "? " + "1" * n + "\n: v",
    "many keys": lambda n: "\n".join(f"k{number}: 1" for number in range(n // 40)),
    "brackets": lambda n: "[" * n,
    "questions": lambda n: "? " * n,
    "dashes": lambda n: "- " * n,
}


@pytest.mark.parametrize("made", GROWING.values(), ids=GROWING)
def test_time_is_linear(made: Callable[[int], str]) -> None:
    """Whatever a text has, ten times as much takes little more than ten times as long."""

    def read(size: int) -> None:
        with contextlib.suppress(UnreadableYaml):
            read_yaml(made(size), by_hand=True)

    assert grows_in_proportion(read, 200_000)


def test_archives_models_files_and_cassettes_refuse_a_long_number(tmp_path: Path) -> None:
    """400 kB in base 60, which took PyYAML seconds, cost no more Python than a short document."""
    config, models = tmp_path / "config.yaml", tmp_path / "models.yaml"
    config.write_text(f"seed: {SIXTY}\n")
    models.write_text(f"models:\n  - {{name: a, kind: oracle, options: {{x: {SIXTY}}}}}\n")
    with pytest.raises(ConfigError, match=r"config\.yaml: not readable as YAML \(line 1: "):
        read_yaml_file(config)
    with pytest.raises(ConfigError, match=r"models\.yaml: not readable as YAML \(line 2: "):
        load_models(models)
    with pytest.raises(ValueError, match="not a cassette: line 2: "):
        read_cassette(f"interactions: []\nversion: {SIXTY}\n".encode())


def test_files_are_regular_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device is not read, nor a file above the limit; a missing file is the caller's matter."""
    with pytest.raises(ConfigError, match="not a regular file"):
        read_yaml_file(Path("/dev/zero"))
    monkeypatch.setattr(yaml_reader, "MAX_CONFIG_BYTES", 10)
    (tmp_path / "a.yaml").write_text("a: 12345678")
    with pytest.raises(ConfigError, match="more than 10 bytes"):
        read_yaml_file(tmp_path / "a.yaml")
    with pytest.raises(FileNotFoundError):
        read_yaml_file(tmp_path / "b.yaml")
