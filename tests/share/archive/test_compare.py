"""The comparison of two directories of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import read_table, write_responses
from bfcl_pipeline.benchmark.tables.files import write_table
from bfcl_pipeline.share.archive.compare import SHOWN, FileDifference, compared_files, file_differences

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


def first(recorded: Path, derived: Path) -> FileDifference:
    return next(file_differences(recorded, derived))


def described(recorded: Path, derived: Path) -> str:
    return str(first(recorded, derived))


def test_equal_folders_have_no_difference(recorded: Path, tmp_path: Path) -> None:
    """Logs, times, requeued entries and temporary files of a killed writer are not compared."""
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
    assert not list(file_differences(recorded, derived))
    assert compared_files(derived) == [Path("report.html"), Path(TABLE), Path("tables/a.csv")]


def test_row_and_column_of_a_changed_answer_are_reported(recorded: Path, tmp_path: Path) -> None:
    """The difference has the entry and both values."""
    derived = write_run(tmp_path / "derived", result_json='"another 1"')
    assert described(recorded, derived) == (
        f"{TABLE}: row 2 (simple_python_1), column result_json: "
        "the run has '\"answer 1\"', the replay has '\"another 1\"'"
    )


def test_a_value_and_none_differ(recorded: Path, tmp_path: Path) -> None:
    """A null value differs from a value, and is shown as `nothing`."""
    derived = write_run(tmp_path / "derived", latency_seconds=0.5)
    assert "column latency_seconds: the run has 'nothing', the replay has '0.5'" in described(
        recorded, derived
    )


def test_long_values_are_shown_where_they_differ(tmp_path: Path) -> None:
    """A short part of them, from shortly before the first character that differs."""
    one = write_run(tmp_path / "a", result_json="x" * 5000 + "one" + "y" * 5000)
    two = write_run(tmp_path / "b", result_json="x" * 5000 + "two" + "y" * 5000)
    text = described(one, two)
    assert "xxxone" in text
    assert "xxxtwo" in text
    assert len(text) < 2 * SHOWN + 200


def test_additional_rows_are_reported(recorded: Path, tmp_path: Path) -> None:
    """The common rows are compared first, then the numbers of rows."""
    assert described(recorded, write_run(tmp_path / "derived", count=5)) == (
        f"{TABLE}: the run has 3 rows, the replay has 5"
    )


def test_other_columns_are_reported(recorded: Path, tmp_path: Path) -> None:
    """Columns are compared before values, and those that one side lacks are named; then their order."""
    derived = write_run(tmp_path / "derived")
    table = read_table(derived / TABLE)
    write_table(derived / TABLE, table.append_column("more", pa.array([1, 2, 3])))
    assert described(recorded, derived) == (
        f"{TABLE}: columns: only the replay has more; the columns of both have the same values"
    )
    write_table(derived / TABLE, table.select(table.column_names[::-1]))
    assert "columns: the run has" in described(recorded, derived)


def test_a_changed_value_beside_other_columns_is_reported(tmp_path: Path) -> None:
    """Columns that only one side has do not hide a difference in those of both."""
    recorded, derived = tmp_path / "recorded", tmp_path / "derived"
    for folder, columns in ((recorded, {"a": [1, 2]}), (derived, {"a": [1, 3], "b": [0, 0]})):
        (folder / "tables").mkdir(parents=True)
        pq.write_table(pa.table(columns), folder / "tables/t.parquet")
    assert described(recorded, derived) == (
        "tables/t.parquet: columns: only the replay has b; row 2, column a: the run has '2', the replay "
        "has '3'"
    )


def test_equal_rows_in_other_bytes_differ(recorded: Path, tmp_path: Path) -> None:
    """A table with equal rows that is encoded differently is reported as a difference of bytes only."""
    derived = write_run(tmp_path / "derived")
    pq.write_table(read_table(derived / TABLE), derived / TABLE, compression="none")
    assert first(recorded, derived).reencoded
    assert "the same rows in other bytes" in described(recorded, derived)


def test_a_file_that_is_not_a_table_is_reported(recorded: Path, tmp_path: Path) -> None:
    """A damaged file is a difference, not a crash."""
    derived = write_run(tmp_path / "derived")
    (recorded / TABLE).write_bytes(b"PAR1 no table")
    assert "cannot be read as a table" in described(recorded, derived)


def test_figures_are_compared_as_svg(tmp_path: Path) -> None:
    """Figures and conversations are compared; PNG files, hidden files and times are not."""
    recorded, derived = write_run(tmp_path / "recorded"), write_run(tmp_path / "derived")
    (derived / "figures").mkdir()
    (derived / "figures/overall.svg").write_text("<svg/>\n")
    (derived / "report").mkdir()
    (derived / "report/e0.js").write_text("bfcl_data()\n")
    (recorded / "figures").mkdir()
    assert Path("report/e0.js") in [one.file for one in file_differences(recorded, derived)]
    (derived / "report/e0.js").unlink()
    (recorded / "figures/overall.svg").write_text("<svg>1</svg>\n")
    (recorded / "figures/overall.png").write_text("other pixels")
    (recorded / "figures/.snakemake_timestamp").touch()
    assert [one.file for one in file_differences(recorded, derived)] == [Path("figures/overall.svg")]


def test_the_first_different_line_is_reported(recorded: Path, tmp_path: Path) -> None:
    """Also if the rest of the file is missing."""
    derived = write_run(tmp_path / "derived")
    (recorded / "tables/a.csv").write_text("model,score\nm,2\n")
    assert described(recorded, derived) == "tables/a.csv: line 2: the run has 'm,2', the replay has 'm,1'"
    (recorded / "tables/a.csv").write_text("model,score")
    assert "line 2: the run has 'nothing', the replay has 'm,1'" in described(recorded, derived)


def test_bytes_that_are_not_text_are_compared(recorded: Path, tmp_path: Path) -> None:
    """Also bytes that are not valid UTF-8."""
    derived = write_run(tmp_path / "derived")
    (recorded / "report.html").write_bytes(b"<p>one\xff</p>\n")
    assert "report.html: line 1" in described(recorded, derived)
    (recorded / "report.html").write_bytes(b"<p>one\xff</p>\n")
    (derived / "report.html").write_bytes(b"<p>one\xfe</p>\n")
    assert described(recorded, derived) == "report.html: the same lines in other bytes"


def test_missing_and_extra_files_are_reported(recorded: Path, tmp_path: Path) -> None:
    """A file that only one side has is a difference, whichever side it is."""
    derived = write_run(tmp_path / "derived")
    (derived / TABLE).unlink()
    (recorded / "report.html").unlink()
    only_recorded, only_derived = file_differences(recorded, derived)
    assert (
        str(only_recorded) == f"{TABLE}: only the run has it; it does not follow from the config of the run"
    )
    assert str(only_derived) == "report.html: the run lacks it"


def test_causes_come_before_consequences(recorded: Path, tmp_path: Path) -> None:
    """A changed answer is reported before the score that it changes."""
    derived = write_run(tmp_path / "derived", result_json='"another"')
    (derived / "tables/a.csv").write_text("model,score\nm,0\n")
    (derived / "report.html").write_text("<p>two</p>\n")
    found = [str(difference.file) for difference in file_differences(recorded, derived)]
    assert found == [TABLE, "tables/a.csv", "report.html"]
