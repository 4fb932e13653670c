"""`bfcl-pipeline models`: the known models, and what is missing to run them."""

import json
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.support.terminal import on_terminal

ROOT = Path(__file__).parents[2]
SHIPPED = ["--models", str(ROOT / "config" / "models.yaml")]

OWN = """
models:
  - {name: mine-FC, kind: openai_chat, endpoint: "http://mine.example:8000/v1", description: a test}
  - {name: paid, kind: openai_chat, input_price: 0.5, output_price: 2, org: me}
  - {name: lexical, kind: lexical}
  - {name: huge, kind: vllm, model: org/huge, vllm: {gpus: 9999}}
"""
OFFICIAL = """
models:
  - {name: theirs, kind: lexical, org: them}
not_served: {gone: its API is gone}
"""


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Options for a small models file, with official models beside it; no key is set."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "models.yaml").write_text(OWN)
    (tmp_path / "official_models.yaml").write_text(OFFICIAL)
    return ["--models", str(tmp_path / "models.yaml")]


def _lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_models_are_listed_with_what_is_missing(known, capsys):
    """One line per model, the user's own first, in aligned columns without colours."""
    assert main(["models", *known]) == 0
    lines = _lines(capsys)
    table = [" ".join(line.split()) for line in lines[: lines.index("")]]
    assert table[:4] + table[5:6] == [
        "model kind mode prompts org where $ in $ out missing",
        "mine-FC openai_chat fc - Unknown mine.example:8000 - - ready",
        "paid openai_chat prompt - me api.openai.com 0.5 2 OPENAI_API_KEY",
        "lexical lexical prompt - Unknown embedded - - ready",
        "theirs lexical prompt - them embedded - - ready",
    ]
    assert lines[1].index("ready") == lines[2].index("OPENAI") == lines[3].index("ready")
    assert "\x1b" not in "".join(lines)
    assert "5 models, 3 ready." in lines
    remedy = "OPENAI_API_KEY export OPENAI_API_KEY=... (or in the file .env)"
    assert remedy in [" ".join(line.split()) for line in lines]
    assert "1 model of the leaderboard cannot be used; give a PATTERN to see why." in lines


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("MINE", ["mine-FC"]),
        ("p*d", ["paid"]),
        ("them", ["theirs"]),
        ("lexical", ["lexical", "theirs"]),
        ("vllm", ["huge"]),
    ],
)
def test_a_pattern_filters(known, capsys, pattern, names):
    """A pattern is searched in names, kinds and organizations, in any case; * is a wildcard."""
    assert main(["models", pattern, *known]) == 0
    lines = _lines(capsys)
    assert [line.split()[0] for line in lines[1 : lines.index("")]] == names


def test_a_key_that_is_set_is_not_missing(known, capsys, monkeypatch):
    """With --ready, only models that lack nothing are listed."""
    monkeypatch.setenv("OPENAI_API_KEY", "something")
    assert main(["models", "--ready", *known]) == 0
    lines = _lines(capsys)
    names = " ".join(line.split()[0] for line in lines[1 : lines.index("")])
    assert names == "mine-FC paid lexical theirs"


@pytest.mark.parametrize(
    ("pattern", "last"),
    [
        ("gone", "Cannot be used (its API is gone): gone"),  # the reason of the file of official models
        ("mine", "a test: mine-FC"),  # the descriptions of the matching models
        ("huge", "9999 GPUs"),  # that this machine lacks
    ],
)
def test_below_the_table_is_what_there_is_to_say_of_a_model(known, capsys, pattern, last):
    assert main(["models", pattern, *known]) == 0
    assert last in _lines(capsys)[-1]


def test_no_match_is_an_error(known, capsys):
    """The message for a pattern without a match has the nearest name."""
    assert main(["models", "mone-FC", *known]) == 1
    assert "Did you mean 'mine-FC'?" in capsys.readouterr().err
    assert main(["models", "huge", "--ready", *known]) == 1
    assert "no such model is ready" in capsys.readouterr().err


def test_json_has_a_remedy_for_each_missing_thing(known, capsys):
    """--json prints the same for programs, with how to get what is missing."""
    assert main(["models", "paid", "--json", *known]) == 0
    document = json.loads(capsys.readouterr().out)
    (paid,) = document["models"]
    assert (paid["name"], paid["endpoint"], paid["input_price"]) == (
        "paid",
        "https://api.openai.com/v1",
        0.5,
    )
    assert paid["missing"] == [
        {"what": "OPENAI_API_KEY", "remedy": "export OPENAI_API_KEY=... (or in the file .env)"}
    ]
    assert document["not_served"] == {}


@pytest.mark.parametrize("columns", [80, 160])
def test_the_table_fits_the_terminal(columns):
    """No line of the table is longer than the terminal is wide; names are complete."""
    status, shown = on_terminal(["models", "gemma", *SHIPPED], columns)
    table = shown.partition("\n\n")[0].splitlines()
    assert status == 0
    assert all(len(line) <= columns for line in table)
    assert any(line.startswith("google/gemma-3-27b-it ") for line in table)
    assert ("where" in table[0]) is (columns == 160)


def test_a_model_is_added_and_listed(tmp_path, monkeypatch, capsys):
    """`models add` writes the user's file in the working folder, and prints the command that tries it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MY_KEY", raising=False)
    address = "http://localhost:8000/v1"
    added = ["models", "add", "mine-FC", "--endpoint", address]
    added += ["--set", "key=MY_KEY", "--set", "options={n: 1}"]
    assert main(added) == 0
    assert _lines(capsys) == [
        "config/my_models.yaml: added mine-FC (openai_chat, mode fc, localhost:8000).",
        "Try it (with MY_KEY in the environment or in .env): bfcl-pipeline ping mine-FC",
    ]
    assert main(["models", "mine", "--models", "config/my_models.yaml"]) == 0
    assert "MY_KEY" in _lines(capsys)[1]
    assert main(added) == 1
    assert "has a row named 'mine-FC' already" in capsys.readouterr().err


def test_words_that_are_neither_a_pattern_nor_an_addition_are_refused(known, capsys):
    """The options of a new row are refused without `add`."""
    assert main(["models", "mine", "--endpoint", "http://localhost/v1", *known]) == 1
    assert "`add NAME`" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../x", "$(touch x)", "a\nb", "\x1b[31mred", "{run}", "x" * 200])
def test_a_name_that_no_run_accepts_is_not_added(tmp_path, monkeypatch, capsys, name):
    """The row is refused before the file is written, with the rule for names."""
    monkeypatch.chdir(tmp_path)
    assert main(["models", "add", name, "--endpoint", "http://127.0.0.1:1/v1"]) == 1
    assert "letters, digits, spaces inside" in capsys.readouterr().err
    assert not list(tmp_path.glob("config/*.yaml"))


def test_a_value_nested_too_deeply_is_an_error(tmp_path, monkeypatch, capsys):
    """It is reported in one line, of which the value is only the beginning."""
    monkeypatch.chdir(tmp_path)
    deep = f"options={'[' * 5000}"
    assert main(["models", "add", "m", "--endpoint", "http://127.0.0.1:1/v1", "--set", deep]) == 1
    error = capsys.readouterr().err
    assert "the value is not YAML" in error
    assert len(error) < 400


def test_a_row_cannot_control_the_terminal(tmp_path, capsys):
    """Control characters of names and descriptions in a models file are printed escaped."""
    row = {"name": "a\x1b[31m", "kind": "lexical", "description": "\x1b]0;title\x07"}
    (tmp_path / "models.yaml").write_text(json.dumps({"models": [row]}))
    assert main(["models", "a*", "--models", str(tmp_path / "models.yaml")]) == 0
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "\\x1b[31m" in output


def test_the_prompts_of_open_weights_are_listed(tmp_path, capsys):
    """The family whose prompts are sent, or the server's own; in JSON with the way of asking."""
    path = tmp_path / "models.yaml"
    rows = [
        {"name": "Qwen/Qwen3-8B-FC", "kind": "vllm"},
        {"name": "mine", "kind": "vllm"},
        {"name": "other", "kind": "openai_chat", "endpoint": "http://127.0.0.1:9/v1"},
        {"name": "small", "kind": "transformers", "family": "qwen3"},
    ]
    path.write_text(json.dumps({"models": rows}))
    assert main(["models", "--models", str(path)]) == 0
    lines = _lines(capsys)[1:5]
    assert [line.split()[3] for line in lines] == ["qwen3-fc", "server", "-", "qwen3"]
    assert " this process " in lines[3]
    assert main(["models", "--json", "--models", str(path)]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    ways = [(model["prompting"], model["family"]) for model in models]
    assert ways == [("leaderboard", "qwen3-fc"), ("server", None), (None, None), ("leaderboard", "qwen3")]
