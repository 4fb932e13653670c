"""Tables as Parquet, CSV and JSON Lines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.tables.text_forms import (
    FORMS,
    form_of,
    read_any_form,
    rows_about,
    write_any_form,
)
from bfcl_pipeline.cli import main

HARD = 'a "quoted", text\nof two lines, \N{SNOWMAN}'
RESPONSES = [
    {
        "entry_id": "simple_python_0",
        "category": "simple_python",
        "mode": "fc",
        "result_json": json.dumps([{"calculate_triangle_area": '{"base": 10, "height": 5}'}]),
        "mine": HARD,
    },
    {
        "entry_id": "irrelevance_0",
        "category": "irrelevance",
        "mode": "prompt",
        "result_json": json.dumps("1.0"),
        "mine": None,
    },
    {
        "entry_id": "irrelevance_1",
        "category": "irrelevance",
        "mode": "prompt",
        "result_json": None,
        "mine": "c",
        "status": "infrastructure_error",
    },
]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_survives_every_form(tmp_path: Path, form: str) -> None:
    """Text with quotes, commas and line feeds, missing values, truth values and numbers come back."""
    table = pa.table({"a": [HARD, None, "1.0"], "valid": [True, False, None], "n": [1, None, 3]})
    path = tmp_path / f"t{form}"
    write_any_form(path, table)
    again = read_any_form(path).to_pylist()
    if form == ".csv":
        again = [{**row, "a": None if row["a"] is None else str(row["a"])} for row in again]
    assert again == table.to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_responses_in_any_form_get_the_same_verdicts(tmp_path: Path, staged: Path, form: str) -> None:
    """`score` reads and writes the form that the suffix names; the verdicts are those of Parquet."""
    columns = ("entry_id", "category", "mode", "result_json", "mine", "status")
    source, out = tmp_path / f"responses{form}", tmp_path / f"verdicts{form}"
    write_any_form(source, pa.table({name: [row.get(name) for row in RESPONSES] for name in columns}))
    assert main(["score", str(source), "--out", str(out), "--data", str(staged)]) == 0
    rows = read_any_form(out).to_pylist()
    assert [row["valid"] for row in rows] == [True, True, None]
    assert [row["status"] for row in rows] == ["answered", "answered", "infrastructure_error"]
    assert [row["mine"] for row in rows] == [HARD, None, "c"]
    assert out.read_bytes().startswith(b"PAR1") is (form == ".parquet")


def test_json_lines_may_have_calls_as_json(tmp_path: Path, staged: Path) -> None:
    """A result that is a list, not text, is taken as its JSON; keys may be missing."""
    lines = [{**row, "result_json": json.loads(row["result_json"])} for row in RESPONSES[:1]]
    source, out = tmp_path / "r.jsonl", tmp_path / "v.jsonl"
    source.write_text("".join(f"{json.dumps(line)}\n\n" for line in [*lines, RESPONSES[1]]))
    assert main(["score", str(source), "--out", str(out), "--data", str(staged)]) == 0
    assert [json.loads(line)["valid"] for line in out.read_text().splitlines()] == [True, True]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.jsonl", b'{"a": 1}\n{', "line 2: not JSON"),
        ("r.jsonl", b"[1]\n", "line 1: expected a JSON object, got list"),
        ("r.jsonl", b'{"a": 1}\n{"a": "x"}\n', "of several types"),
        ("r.jsonl", b"\xff\n", "line 1: not JSON"),
        ("r.csv", b"a,b\n1\n", "not readable as CSV"),
        ("r.csv", b"", "not readable as CSV"),
    ],
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    """The error names the file, and the line of JSON Lines."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError, match=message) as caught:
        read_any_form(path)
    assert str(caught.value).startswith(str(path))


def test_another_suffix_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--out v.xlsx` names the forms; no Parquet is written under another name."""
    with pytest.raises(ConfigError, match=r"ends in \.parquet, \.csv, \.jsonl"):
        form_of(Path("v.xlsx"))
    out = tmp_path / "v.xlsx"
    assert main(["score", str(tmp_path / "missing.parquet"), "--out", str(out)]) == 1
    assert "v.xlsx: expected a file name" in capsys.readouterr().err
    assert main(["score", str(tmp_path / "missing.csv"), "--out", str(tmp_path / "v.csv")]) == 1
    assert "missing.csv: cannot be read (No such file or directory)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_import_has_the_form_of_its_suffix(tmp_path: Path, staged: Path) -> None:
    """`import-official --out r.jsonl` writes JSON Lines that `score` reads."""
    result = tmp_path / "result" / "m" / "non_live"
    result.mkdir(parents=True)
    (result / "BFCL_v4_irrelevance_result.json").write_text(
        json.dumps({"id": "irrelevance_0", "result": "no", "latency": 1}) + "\n"
    )
    out = tmp_path / "r.jsonl"
    command = ["import-official", str(tmp_path / "result"), "--out", str(out), "--data", str(staged)]
    assert main(command) == 0
    verdicts = tmp_path / "v.csv"
    assert main(["score", str(out), "--out", str(verdicts), "--data", str(staged)]) == 0
    assert read_any_form(verdicts).column("valid").to_pylist() == [True]


@pytest.mark.parametrize("suffix", FORMS)
def test_only_regular_files_are_read(tmp_path, suffix):
    """A table that a pipe, or a link to a device, has the place of is refused at once."""
    pipe, link = tmp_path / f"pipe{suffix}", tmp_path / f"link{suffix}"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    for path in (pipe, link):
        for read in (rows_about, read_any_form):
            with pytest.raises(TableError, match="not a regular file"):
                read(path)
