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
from bfcl_pipeline.share.archive.compare import SHOWN, compared_files, file_differences

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


@pytest.fixture
def derived(tmp_path: Path) -> Path:
    return write_run(tmp_path / "derived")


def described(recorded: Path, derived: Path) -> str:
    return str(next(file_differences(recorded, derived)))


def test_equal_folders_have_no_difference(recorded: Path, derived: Path) -> None:
    """Logs, times, requeued entries and temporary files of a killed writer are not compared."""
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


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (
            {"result_json": '"another 1"'},
            "row 2 (simple_python_1), column result_json: the run has '\"answer 1\"', "
            "the replay has '\"another 1\"'",
        ),
        (
            {"latency_seconds": 0.5},
            "row 2 (simple_python_1), column latency_seconds: the run has 'nothing', the replay has '0.5'",
        ),
        ({"count": 5}, "the run has 3 rows, the replay has 5"),
    ],
)
def test_a_changed_row_is_reported(
    changed: dict[str, Any], difference: str, recorded: Path, tmp_path: Path
) -> None:
    """The difference has the entry and both values; the common rows are compared first."""
    assert described(recorded, write_run(tmp_path / "other", **changed)) == f"{TABLE}: {difference}"


def test_long_values_are_shown_where_they_differ(tmp_path: Path) -> None:
    """A short part of them, from shortly before the first character that differs."""
    one = write_run(tmp_path / "a", result_json="x" * 5000 + "one" + "y" * 5000)
    two = write_run(tmp_path / "b", result_json="x" * 5000 + "two" + "y" * 5000)
    text = described(one, two)
    assert "xxxone" in text
    assert "xxxtwo" in text
    assert len(text) < 2 * SHOWN + 200


def test_other_columns_are_reported(recorded: Path, derived: Path) -> None:
    """Those that one side lacks are named, which hides no other value; then the order of columns."""
    table = read_table(derived / TABLE)
    more = table.append_column("more", pa.array([1, 2, 3]))
    write_table(derived / TABLE, more)
    only = f"{TABLE}: columns: only the replay has more; "
    assert described(recorded, derived) == f"{only}the columns of both have the same values"
    place = more.column_names.index("model")
    write_table(derived / TABLE, more.set_column(place, more.schema.field(place), [[None, None, "x"]]))
    assert described(recorded, derived) == (
        f"{only}row 3 (simple_python_2), column model: the run has 'nothing', the replay has 'x'"
    )
    write_table(derived / TABLE, table.select(table.column_names[::-1]))
    assert "columns: the run has" in described(recorded, derived)


def test_equal_rows_in_other_bytes_differ(recorded: Path, derived: Path) -> None:
    """A table with equal rows that is encoded differently; a file that is not a table is no crash."""
    pq.write_table(read_table(derived / TABLE), derived / TABLE, compression="none")
    difference = next(file_differences(recorded, derived))
    assert difference.reencoded
    assert "the same rows in other bytes" in str(difference)
    (recorded / TABLE).write_bytes(b"PAR1 no table")
    assert "cannot be read as a table" in described(recorded, derived)


def test_figures_are_compared_as_svg(recorded: Path, derived: Path) -> None:
    """Figures and conversations are compared; PNG files, hidden files and times are not."""
    for folder, name in (
        (derived, "figures/overall.svg"),
        (derived, "report/e0.js"),
        (recorded, "figures/x"),
    ):
        (folder / name).parent.mkdir()
        (folder / name).write_text("1\n")
    (recorded / "figures/x").unlink()
    assert Path("report/e0.js") in [one.file for one in file_differences(recorded, derived)]
    (derived / "report/e0.js").unlink()
    for name in ("overall.svg", "overall.png", ".snakemake_timestamp"):
        (recorded / "figures" / name).write_text("other")
    assert [one.file for one in file_differences(recorded, derived)] == [Path("figures/overall.svg")]


@pytest.mark.parametrize(
    ("name", "one", "other", "difference"),
    [
        ("tables/a.csv", b"model,score\nm,2\n", None, "line 2: the run has 'm,2', the replay has 'm,1'"),
        ("tables/a.csv", b"model,score", None, "line 2: the run has 'nothing', the replay has 'm,1'"),
        ("report.html", b"<p>1\xff</p>\n", None, "line 1: "),
        ("report.html", b"<p>one\xff</p>\n", b"<p>one\xfe</p>\n", "the same lines in other bytes"),
    ],
)
def test_the_first_different_line_is_reported(
    name: str, one: bytes, other: bytes | None, difference: str, recorded: Path, derived: Path
) -> None:
    """Also if the rest of the file is missing, or bytes are not text."""
    (recorded / name).write_bytes(one)
    if other is not None:
        (derived / name).write_bytes(other)
    assert described(recorded, derived).startswith(f"{name}: {difference}")


def test_missing_and_extra_files_are_reported(recorded: Path, derived: Path) -> None:
    (derived / TABLE).unlink()
    (recorded / "report.html").unlink()
    assert [*map(str, file_differences(recorded, derived))] == [
        f"{TABLE}: only the run has it; it does not follow from the config of the run",
        "report.html: the run lacks it",
    ]


def test_causes_come_before_consequences(recorded: Path, tmp_path: Path) -> None:
    derived = write_run(tmp_path / "derived", result_json='"another"')
    (derived / "tables/a.csv").write_text("model,score\nm,0\n")
    (derived / "report.html").write_text("<p>two</p>\n")
    found = [str(difference.file) for difference in file_differences(recorded, derived)]
    assert found == [TABLE, "tables/a.csv", "report.html"]
