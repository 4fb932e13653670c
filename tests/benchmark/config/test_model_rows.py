"""config/models.yaml as it is read, and the schema of its rows."""

import json
import re
from dataclasses import MISSING, fields, replace
from math import inf
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.ask.models import build_model
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import (
    EMBEDDED_KINDS,
    KINDS,
    ModelRow,
    RequestLimits,
    described_row,
    load_models,
    load_not_served,
    model_row,
)
from bfcl_pipeline.benchmark.config.check import misfits
from bfcl_pipeline.benchmark.config.model_rows import Serving, models_schema
from bfcl_pipeline.benchmark.records import Mode

SHIPPED = Path(__file__).parents[3] / "config" / "models.yaml"
ROW_SCHEMA = models_schema()["properties"]["models"]["items"]
KEYS = ROW_SCHEMA["properties"]

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
VLLM, RESULTS = {"kind": "vllm"}, {"kind": "results", "path": "/far/away"}


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and -inf < value < inf


_NUMBERS = {
    "integer": lambda _, value: _is_number(value) and isinstance(value, int),
    "number": lambda _, value: _is_number(value),
}


def _pattern(_, wanted, value, __):
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", wanted), value):
        yield jsonschema.ValidationError("pattern")


_STRICT = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": _pattern},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(_NUMBERS),
)


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
    """A price is a number of dollars; without one it is unknown."""
    row = load_models(_file(tmp_path, {**ROW, "input_price": 0.25}))["mine"]
    assert (row.input_price, row.output_price) == (0.25, None)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**ROW, "organisation": "x"}, "unknown key 'organisation'. Did you mean"),
        ({**ROW, "mode": "promt"}, "mode: expected fc or prompt, got \"promt\". Did you mean 'prompt'?"),
        (
            {**ROW, "input_price": "cheap"},
            'input_price: expected a number or null, got "cheap". US dollars',
        ),
        ({**ROW, "input_price": -1}, "input_price: expected at least 0, got -1. US dollars"),
        ({**ROW, "org": 5}, "org: expected a text, got 5. Organization"),
        (
            {**ROW, "org": "' '"},
            'org: expected a text that is neither blank nor has control characters, got " ". Organization',
        ),
        ({**ROW, "name": "mine-FC"}, "names that end in -FC have mode fc"),
        ({**ROW, "name": "mine~2"}, "'mine~2' is the name of a later trial"),
        ({**ROW, "resources": "[]"}, "resources: expected a mapping, got []"),
        (
            {**ROW, "resources": "{mem_mb: 1.5}"},
            "resources.mem_mb: expected a whole number or a text, got 1.5",
        ),
        ({**ROW, "resources": "{gpu: 1}"}, "resources.gpu follows from `vllm: {gpus: ...}`"),
        ({**ROW, "resources": "{mem-mb: 1}"}, "'mem-mb' is not a resource"),
        ({}, "the key 'kind' is missing"),
        ({"kind": "lexical", "key": "MY_KEY"}, "'mine' is of kind lexical: remove key"),
        ({"kind": "openai_chat", "vllm": "{}"}, "vllm is only for kind vllm"),
        ({"kind": "openai_chat", "endpoint": "localhost:80"}, "expected a URL with http:// or https://"),
        ({"kind": "litellm"}, "needs `model` with a provider, for example bedrock/mine"),
        ({"kind": "vllm", "backend": "endpoint"}, "backend endpoint needs `endpoint`"),
        ({"kind": "vllm", "endpoint": "http://localhost"}, "set `backend: endpoint` to use it"),
        (
            {"kind": "vllm", "mode": "fc"},
            "mode fc needs `family`, whose prompts are sent (docs/families.md",
        ),
        ({"kind": "vllm", "mode": "fc"}, "or `vllm: {tool_parser: ...}`"),
        ({"kind": "vllm", "prompting": "server", "family": "qwen3"}, "remove one of the two"),
        ({"kind": "transformers", "prompting": "server", "family": "qwen3"}, "remove prompting"),
        ({"kind": "vllm", "backend": "sglang"}, "backend: expected vllm or endpoint"),
        ({"kind": "openai_chat", "options": "[]"}, "options: expected a mapping"),
        ({**VLLM, "limits": ["in_flight"]}, "limits: expected a mapping"),
        ({**VLLM, "limits": {"in_fligth": 1}}, "limits: unknown key 'in_fligth'. Did you mean 'in_flight'"),
        ({**VLLM, "limits": {"in_flight": 1.5}}, "limits.in_flight: expected a whole number, got 1.5"),
        ({**VLLM, "limits": {"in_flight": 2.0}}, "limits.in_flight: expected a whole number, got 2.0"),
        ({**VLLM, "limits": {"attempts": True}}, "limits.attempts: expected a whole number, got true"),
        ({**VLLM, "limits": {"seconds": 0}}, "limits.seconds: expected a number above 0, got 0"),
        (
            {**VLLM, "limits": {"tokens_per_minute": "many"}},
            "limits.tokens_per_minute: expected a number or null",
        ),
        ({**VLLM, "vllm": {"gpus": 0}}, "vllm.gpus: expected a number above 0"),
        ({**VLLM, "vllm": {"tool_parser": " "}}, "vllm.tool_parser: expected a text that is not blank"),
        ({**VLLM, "vllm": {"dtype": 16}}, "vllm.dtype: expected a text or null, got 16"),
        ({**VLLM, "vllm": {"args": "--seed 7"}}, "vllm.args: expected a list"),
        ({**VLLM, "vllm": {"args": [["--seed"]]}}, "vllm.args.0: expected a text or a number"),
        ({"kind": "results"}, "kind results needs `path`"),
        ({**RESULTS, "endpoint": "http://x/v1"}, "of kind results: remove endpoint"),
        ({**RESULTS, "options": "{}"}, "remove options"),
        ({**RESULTS, "web": "another"}, "web: expected"),
        ({**RESULTS, "path": "'{run}'"}, "path: expected a path without braces"),
        ({**RESULTS, "path": r'"a\nb"'}, "path: expected a path without braces"),
        ({"kind": "lexical", "path": "x"}, "path is only for kind results"),
        ({"kind": "openai_chat", "web": "live"}, "web is only for kind results"),
    ],
)
def test_a_wrong_row_is_refused(tmp_path, row, message):
    """The message names the file, the row, the key, the value and what would be right."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in row.items()}
    path = _file(tmp_path, {"name": "mine", **texts})
    with pytest.raises(ConfigError, match="model 1: ") as caught:
        load_models(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_name_is_unique(tmp_path):
    """Two rows with the same name are refused: one would hide the other."""
    with pytest.raises(ConfigError, match="model 2: an earlier row has the name 'mine'"):
        load_models(_file(tmp_path, ROW, ROW))


@pytest.mark.parametrize("text", ["", "[]", "models: 5", "models: []\nother: 1", "{"])
def test_another_document_is_refused(tmp_path, text):
    """A file that is not a list of rows is refused."""
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        load_models(path)


def test_unknown_names_list_the_known(tmp_path):
    """The error for an unknown model, kind or file suggests a known one."""
    rows = load_models(_file(tmp_path, ROW))
    with pytest.raises(ConfigError, match=r"unknown model 'min'\. Did you mean 'mine'"):
        model_row(rows, "min")
    with pytest.raises(ConfigError, match=r"unknown model 'E'\. Did you mean 'mine'"):
        model_row(rows, "E")
    with pytest.raises(ConfigError, match=r'kind: expected .* got "lexicon"\. Did you mean \'lexical\''):
        load_models(_file(tmp_path, {**ROW, "kind": "lexicon"}))
    with pytest.raises(ConfigError, match="no such file"):
        load_models(tmp_path / "none.yaml")


def test_a_model_without_a_row_is_described_by_its_name():
    """Imported results need no row."""
    unlisted = described_row({}, "mine-FC")
    assert unlisted == ModelRow("mine-FC", "", Mode.FC, "mine-FC", "Unknown", "Unknown", "")
    assert described_row({"mine-FC": unlisted}, "mine-FC") is unlisted


def test_a_trial_is_described_by_the_row_of_its_model(tmp_path):
    """The trial has its own name; without a row, its mode follows from the model's name."""
    rows = load_models(_file(tmp_path, {**ROW, "display_name": "Mine", "input_price": 2}))
    again = described_row(rows, "mine~2")
    assert again == replace(rows["mine"], name="mine~2", display_name="Mine (trial 2)")
    assert described_row({}, "mine-FC~2").mode is Mode.FC


def test_official_models_follow_the_users_own(tmp_path):
    """The file of official models beside it is read too; a user's row replaces an official one."""
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
    """Name, kind and an endpoint or a parser are enough; a vendor's key is not sent to another endpoint."""
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
    """Each example in config/README.md is a valid row."""
    text = SHIPPED.with_name("README.md").read_text().partition("\n## Models\n")[2].partition("\n## ")[0]
    examples = [block.partition("```")[0] for block in text.split("```yaml\n")[1:]]
    assert len(examples) == 3
    for number, example in enumerate(examples):
        path = tmp_path / f"{number}.yaml"
        path.write_text(f"models:\n{example}")
        assert len(load_models(path)) == 1


def test_a_running_server_needs_no_tool_parser(tmp_path):
    """With `backend: endpoint`, a row of mode fc is valid without a tool parser."""
    row = {"name": "mine-FC", "kind": "vllm", "backend": "endpoint", "endpoint": "http://localhost:8000/v1"}
    assert not load_models(_file(tmp_path, row))["mine-FC"].served


@pytest.mark.parametrize(
    ("values", "mode"),
    [
        ({"family": "qwen3-fc"}, Mode.FC),
        ({"family": "qwen3"}, Mode.PROMPT),
        ({"family": "qwen3-fc", "mode": "prompt"}, Mode.PROMPT),
    ],
)
def test_a_family_that_a_row_names_decides_its_mode(tmp_path, values, mode):
    """Unless the row has a mode: a table labels answers in calls as such, whatever the model's name."""
    row = {"name": "mine", "kind": "vllm", **values}
    assert load_models(_file(tmp_path, row))["mine"].mode is mode


def test_nested_keys_have_defaults(tmp_path):
    """`limits` and `vllm` contain only what differs from the defaults; numbers in `args` become texts."""
    row = {"name": "mine", "kind": "vllm", "limits": "{in_flight: 4}", "vllm": "{args: [--seed, 7]}"}
    mine = load_models(_file(tmp_path, row))["mine"]
    assert mine.limits == RequestLimits(in_flight=4)
    assert mine.vllm == Serving(args=("--seed", "7"))


def test_a_reason_of_a_model_that_is_not_served_is_a_text(tmp_path):
    """Another value in the file of official models is refused with its place."""
    path = _file(tmp_path, ROW)
    (tmp_path / "official_models.yaml").write_text("models: []\nnot_served: {gone: 5}\n")
    with pytest.raises(ConfigError, match=r"official_models.yaml: not_served.gone: expected a text, got 5"):
        load_not_served(path)


def _properties(kind):
    """The defaults of a record in terms of JSON; MISSING where it has none."""
    defaults = {}
    for column in fields(kind):
        default = column.default if column.default_factory is MISSING else column.default_factory()
        defaults[column.name] = {(): []}.get(default, default) if default.__hash__ else default
    return defaults


def test_the_schema_describes_the_record():
    """Every key has a type and a description; keys and defaults are those of ModelRow and its parts."""
    for kind, properties in (
        (RequestLimits, KEYS["limits"]["properties"]),
        (Serving, KEYS["vllm"]["properties"]),
    ):
        assert {key: about["default"] for key, about in properties.items()} == _properties(kind)
        assert all({"type", "description"} <= about.keys() for about in properties.values())
    assert all({"type", "description"} <= about.keys() for about in KEYS.values())
    assert list(KEYS) == [column.name for column in fields(ModelRow)]
    assert KEYS["kind"]["enum"] == list(KINDS)
    assert KEYS["mode"]["enum"] == list(Mode)
    record = {**_properties(ModelRow), "limits": {}, "vllm": {}}
    for key, about in KEYS.items():
        if "default" in about:
            assert about["default"] == record[key], key


def test_the_readme_has_every_key_with_its_default():
    """The tables of config/README.md list the schema's keys; a literal default there is the schema's."""
    text = SHIPPED.with_name("README.md").read_text().partition("\n## Models\n")[2]
    tables = {
        "| key | default |": KEYS,
        "| key of `limits` |": KEYS["limits"]["properties"],
        "| key of `vllm` |": KEYS["vllm"]["properties"],
    }
    for head, properties in tables.items():
        table = text.partition(f"\n{head}")[2].partition("\n\n")[0].splitlines()[2:]
        listed = []
        for line in table:
            keys, default = (cell.strip() for cell in line.split("|")[1:3])
            names = re.findall(r"`(\w+)`", keys)
            listed += names
            literals = re.fullmatch(r"`(\w+|{}|\[\])`|\d+", default)
            if literals and "default" in properties[names[0]]:
                assert yaml.safe_load(default.strip("`")) == properties[names[0]]["default"], names
            else:
                assert all(properties[name].get("default") in (None, "Unknown") for name in names), names
        assert sorted(listed) == sorted(properties)


_LEAVES = (
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.0, 1.5, "", " ", "fc", "vllm"])
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["gpus", "a"]), inner),
)


@settings(deadline=None)  # the first example imports jsonschema
@given(
    st.fixed_dictionaries(
        {},
        optional={key: st.sampled_from(["lexical", "http://a", 1]) | _VALUES for key in [*KEYS, "other"]},
    )
)
def test_the_check_accepts_what_jsonschema_accepts(row):
    """Our reading of the schema is that of jsonschema, but for its numbers and the `$` of its patterns."""
    for value, schema in ((row, ROW_SCHEMA), *((row[key], KEYS[key]) for key in row if key in KEYS)):
        assert (not list(misfits(value, schema))) is _STRICT(schema).is_valid(value)
