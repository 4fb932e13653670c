"""Configs with something wrong: one clear line each, before anything is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import load_models, load_run, plain_values
from bfcl_pipeline.benchmark.config.check import check_config

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
ROWS = load_models(ROOT / "config/models.yaml")

LONGEST_LINE = 1200
"""Characters of an error: it may list all categories, but not repeat a huge value."""

NAN, INFINITE = float("nan"), float("inf")
RUNS = ["", " ", ".hidden", "../x", "a/b", "$(touch x)", "a b", "-rf", "a\n", "é", "x" * 101, None, 5, True]
RUNS += [["a"], {"a": 1}, "..", "a;b", "a{b}", "a\0b"]
WRONG: dict[str, list[Any]] = {
    "run": RUNS,
    "sample": [
        *(0, -1, 1e9, 1.5, "many", True, [], INFINITE, NAN, {}, {"entries": 5}, {"by": "weight"}),
        *({"entries": entries, "by": "weight"} for entries in (0, "x", "-1", "1" * 30, None, True, 1.5)),
        *({"entries": 5, "by": by} for by in ("", "wieght", None, 1, ["weight"])),
        {"entries": 5, "by": "weight", "seed": 3},
    ],
    "categories": [[], ["nope"], [""], [None], ["simple_python "], {"a": 1}, ["../../etc"], None, ",", 5],
    "models": [[], ["nope"], [5], [None], [""], None, ["lexical-FC~2"], "nope,oracle", {"a": 1}, ["\n"]],
    "entry_ids": [
        ["nope_1"],
        [],
        [5],
        ["simple_python_0; touch x"],
        {"a": 1},
        ["x" * 200_000],
        ["simple_python_0\n"],
    ],
    "budget": [0, -1, "1", NAN, INFINITE, True, [1]],
    "seed": [-1, 10**400, int("1" * 4000) ** 2, 1.0, "0", 1.5, True, None],
    "trials": [0, -1, 10**6, 1.5, "2"],
    "fetch_failures": [NAN, -0.1, 1.1, "0.5", True],
    "web": [False, "OFF", "x", None, 5],
    "search_tool": ["a b", "$(id)", "1a", "search_engine_query\n", "é", ""],
    "release": [
        {"version": "1; touch x"},
        {"version": "-r x"},
        {"sha256": "x"},
        {"nope": 1},
        None,
        "x",
        {"version": 2026.3},
        {"version": None},
    ],
    "containers": [{"nope": 1}, None, {"pipeline": 5}],
    "overwrite": ["maybe", 1, None],
    "replay": ["yes-text", 1],
    "rules": ["offical", None, ["official"]],
}


def load(changes: dict[str, Any]) -> None:
    """Checks a config as the workflow does."""
    config = plain_values({**CONFIG, **changes}, SCHEMA)
    check_config(config, SCHEMA)
    load_run(config, ROWS)


@pytest.mark.parametrize(
    ("key", "place"), [(key, n) for key, values in WRONG.items() for n in range(len(values))]
)
def test_a_wrong_value_is_an_error_of_one_line(key: str, place: int) -> None:
    """The line names the key; a huge value is not repeated."""
    with pytest.raises(ConfigError) as caught:
        load({key: WRONG[key][place]})
    text = str(caught.value)
    assert key in text
    assert "\n" not in text
    assert len(text) < LONGEST_LINE


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ({"models": "oracle,lexical-FC"}, {"models": ["oracle", "lexical-FC"]}),
        ({"models": "oracle"}, {"models": ["oracle"]}),
        ({"categories": "live, multiple"}, {"categories": ["live", "multiple"]}),
        ({"entry_ids": "multiple_1,multiple_2"}, {"entry_ids": ["multiple_1", "multiple_2"]}),
        ({"sample": "null", "budget": "null"}, {"sample": None, "budget": None}),
        (
            {"sample": {"entries": "50", "by": "weight"}},  # as Snakemake reads {entries: 50, by: weight}
            {"sample": {"entries": 50, "by": "weight"}},
        ),
        ({"overwrite": "true", "replay": "False"}, {"overwrite": True, "replay": False}),
        ({"run": "null", "web": "off"}, {"run": "null", "web": "off"}),
        ({"nope": "a,b"}, {"nope": "a,b"}),
    ],
)
def test_values_typed_on_a_command_line_have_the_types_of_the_schema(
    typed: dict[str, Any], meant: dict[str, Any]
) -> None:
    """Names separated by commas are a list; null, true and false are what they say."""
    assert plain_values(typed, SCHEMA) == meant


def test_plain_names_reach_the_run() -> None:
    """`models=a,b` and `categories=a,b` work as lists do."""
    load({"models": "oracle,lexical-FC", "categories": "live,multiple", "sample": 10**18})


def row(text: str) -> str:
    return f"models:\n- {{name: m, kind: openai_chat, endpoint: 'http://127.0.0.1:1/v1', {text}}}\n"


@pytest.mark.parametrize(
    "text",
    [
        *map(
            row,
            [
                "options: [1]",
                "options: {seed: .nan}",
                "display_name: ' '",
                f"display_name: {'x' * 201}",
                r'display_name: "a\e[31m"',
                r'org: "\u202eevil"',
                r'license: "two\nlines"',
                f"description: {'x' * 1001}",
                f"url: https://example.org/{'x' * 1001}",
                "options: {logit_bias: {50256: -100}}",
                "options: {since: 1_000}",
                f"options: {{deep: {'[' * 5000}{']' * 5000}}}",
                "limits: {in_flight: -1}",
                "limits: {seconds: .inf}",
                "limits: {seconds: .nan}",
            ],
        ),
        *map(
            row,
            ["limits: {in_flight: true}", "input_price: .inf", "input_price: '1'", "mode: x", "key: ''"],
        ),
        *(
            f"models:\n- {{name: m, kind: openai_chat, endpoint: '{url}'}}"
            for url in ("http://", "http:// x", "ftp://x")
        ),
        "models:\n- {name: m, kind: vllm, vllm: {shards: 100000}}",
        "models:\n- {name: m, kind: lexical}\n- {name: m, kind: oracle}\n",
        *(
            "rows: []",
            "models:",
            "models: [null]",
            "models: [[1]]",
            "models: [",
            "",
            "models:\n- {name: 5, kind: oracle}",
        ),
    ],
)
def test_a_wrong_models_file_is_an_error_of_one_line(tmp_path: Path, text: str) -> None:
    """The line names the file and the row."""
    (tmp_path / "models.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_models(tmp_path / "models.yaml")
    assert str(caught.value).startswith(f"{tmp_path}/models.yaml: ")
    assert "\n" not in str(caught.value)


def test_a_key_in_place_of_its_variable_is_refused_without_being_printed(tmp_path: Path) -> None:
    """`key` is the name of an environment variable; a value that can be no such name may be a key."""
    (tmp_path / "models.yaml").write_text(row("key: sk-made-for-this-test-0123456789"))
    with pytest.raises(ConfigError, match="model 1: key: expected letters") as caught:
        load_models(tmp_path / "models.yaml")
    assert "sk-made" not in str(caught.value)


def named(name: str) -> None:
    """Loads a run of a model with that name."""
    load_run({**CONFIG, "models": [name]}, {name: replace(ROWS["oracle"], name=name)})


@pytest.mark.parametrize(
    "name",
    [
        *(
            "$(touch x)",
            "`touch x`",
            "; touch x",
            "a'b",
            'a"b',
            "a\nb",
            "a\tb",
            "..",
            ".",
            "../../x",
            "-rf",
            "--help",
        ),
        *(
            "{run}",
            "a}",
            "*",
            "a*b?[c]",
            "m@1of2",
            "a;b",
            "a|b",
            "a>b",
            "a&b",
            "a%b",
            "a\\b",
            "\u202eevil",
            "a\u200b",
        ),
        *("x" * 151, "<script>", "~", "#a", "!a", "a\x7f", " lead", "trail ", "\0a", "a\n"),
    ],
)
def test_a_model_name_that_cannot_name_files_is_refused(name: str) -> None:
    """Names reach file names, rules and commands: nothing in them has another meaning there."""
    with pytest.raises(ConfigError, match="rename its row"):
        named(name)


@pytest.mark.parametrize(
    "name", ["plain", "a b", "a:b", "ü-é-中", "org/a", "a=b", "CON", "null", "m (FC)", "x" * 149]
)
def test_usual_model_names_are_allowed(name: str) -> None:
    """Letters of any script, digits, spaces inside and some signs."""
    named(name)


def test_the_leaderboards_names_are_allowed() -> None:
    """Each of its models can be run."""
    for name in ROWS:
        named(name)
