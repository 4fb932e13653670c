"""What two folders of results are told to differ in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.archive.compare import SHOWN, compared_files, differences, first_difference
from bfcl_pipeline.records import Mode, Response
from bfcl_pipeline.tables import read_table, write_responses
from bfcl_pipeline.tables.files import write_table

TABLE = "responses/m/simple_python.parquet"


def write_run(folder: Path, count: int = 3, **changed: Any) -> Path:
    """Results with a table of `count` responses, the second one as `changed`, a CSV file and a report."""
    rows = [
        Response(f"simple_python_{number}", "simple_python", Mode.FC, f'"answer {number}"')
        for number in range(count)
    ]
    rows[1] = Response(**{**{name: getattr(rows[1], name) for name in rows[1].__slots__}, **changed})
    write_responses(folder / TABLE, rows)
    (folder / "tables").mkdir()
    (folder / "tables/a.csv").write_text("model,score\nm,1\n")
    (folder / "report.html").write_text("<p>one</p>\n")
    return folder


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    return write_run(tmp_path / "recorded")


def told(recorded: Path, derived: Path) -> str:
    return str(first_difference(recorded, derived))


def test_equal_folders_have_no_difference(recorded: Path, tmp_path: Path) -> None:
    """Logs, times, and what waits to be asked again do not count, nor does what a killed writer left."""
    derived = write_run(tmp_path / "derived")
    for name in (
        "logs/generate.log",
        "benchmarks/b.tsv",
        "requeued/m",
        "tables/.a.csv.x.tmp",
        "config.yaml",
    ):
        path = derived / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("another")
    assert first_difference(recorded, derived) is None
    assert compared_files(derived) == [Path("report.html"), Path(TABLE), Path("tables/a.csv")]


def test_row_and_column_of_a_changed_answer_are_told(recorded: Path, tmp_path: Path) -> None:
    """With its entry, and both values."""
    derived = write_run(tmp_path / "derived", result_json='"another 1"')
    assert told(recorded, derived) == (
        f"{TABLE}: row 2 (simple_python_1), column result_json: "
        "the run has '\"answer 1\"', derived is '\"another 1\"'"
    )


def test_a_value_and_none_differ(recorded: Path, tmp_path: Path) -> None:
    """What is not there is called nothing."""
    derived = write_run(tmp_path / "derived", latency_seconds=0.5)
    assert "column latency_seconds: the run has 'nothing', derived is '0.5'" in told(recorded, derived)


def test_long_values_are_shown_where_they_differ(tmp_path: Path) -> None:
    """From shortly before the first character that differs, and not much of them."""
    first = write_run(tmp_path / "a", result_json="x" * 5000 + "one" + "y" * 5000)
    second = write_run(tmp_path / "b", result_json="x" * 5000 + "two" + "y" * 5000)
    text = told(first, second)
    assert "xxxone" in text
    assert "xxxtwo" in text
    assert len(text) < 2 * SHOWN + 200


def test_rows_too_many_are_told(recorded: Path, tmp_path: Path) -> None:
    """After the rows that both have."""
    assert told(recorded, write_run(tmp_path / "derived", count=5)) == (
        f"{TABLE}: the run has 3 rows, derived are 5"
    )


def test_other_columns_are_told(recorded: Path, tmp_path: Path) -> None:
    """Before any value is compared."""
    derived = write_run(tmp_path / "derived")
    table = read_table(derived / TABLE)
    write_table(derived / TABLE, table.append_column("more", pa.array([1, 2, 3])))
    assert "columns: the run has" in told(recorded, derived)


def test_equal_rows_in_other_bytes_differ(recorded: Path, tmp_path: Path) -> None:
    """A table written otherwise is not the same file, and it is said that only its bytes differ."""
    derived = write_run(tmp_path / "derived")
    pq.write_table(read_table(derived / TABLE), derived / TABLE, compression="none")
    assert "the same rows in other bytes" in told(recorded, derived)


def test_what_is_no_table_is_told(recorded: Path, tmp_path: Path) -> None:
    """A damaged file is a difference, not a crash."""
    derived = write_run(tmp_path / "derived")
    (recorded / TABLE).write_bytes(b"PAR1 no table")
    assert "cannot be read as a table" in told(recorded, derived)


def test_a_line_of_a_text_is_told(recorded: Path, tmp_path: Path) -> None:
    """Also where the rest of the file is missing."""
    derived = write_run(tmp_path / "derived")
    (recorded / "tables/a.csv").write_text("model,score\nm,2\n")
    assert told(recorded, derived) == "tables/a.csv: line 2: the run has 'm,2', derived is 'm,1'"
    (recorded / "tables/a.csv").write_text("model,score")
    assert "line 2: the run has 'nothing', derived is 'm,1'" in told(recorded, derived)


def test_a_byte_that_is_no_text_is_told(recorded: Path, tmp_path: Path) -> None:
    """Bytes that no encoding has count as well."""
    derived = write_run(tmp_path / "derived")
    (recorded / "report.html").write_bytes(b"<p>one\xff</p>\n")
    assert "report.html: line 1" in told(recorded, derived)
    (recorded / "report.html").write_bytes(b"<p>one\xff</p>\n")
    (derived / "report.html").write_bytes(b"<p>one\xfe</p>\n")
    assert told(recorded, derived) == "report.html: the same lines in other bytes"


def test_missing_and_extra_files_are_told(recorded: Path, tmp_path: Path) -> None:
    """A file that only one side has is a difference, whichever side it is."""
    derived = write_run(tmp_path / "derived")
    (derived / TABLE).unlink()
    (recorded / "report.html").unlink()
    only_recorded, only_derived = differences(recorded, derived)
    assert str(only_recorded) == f"{TABLE}: only the run has it; it does not follow from its config"
    assert str(only_derived) == "report.html: the run lacks it"


def test_what_others_follow_from_comes_first(recorded: Path, tmp_path: Path) -> None:
    """Of a changed answer and the score that it changes, the answer is told."""
    derived = write_run(tmp_path / "derived", result_json='"another"')
    (derived / "tables/a.csv").write_text("model,score\nm,0\n")
    (derived / "report.html").write_text("<p>two</p>\n")
    found = [str(difference.file) for difference in differences(recorded, derived)]
    assert found == [TABLE, "tables/a.csv", "report.html"]
