"""The user's own errata: read, checked against the release, and in use while something is scored."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
import yaml

from bfcl_pipeline.api import score
from bfcl_pipeline.base.errors import ConfigError, ErrataError
from bfcl_pipeline.benchmark.errata import errata, errata_of_id, own_errata
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge.audit import check_classes
from bfcl_pipeline.judge.judging import score_table, start_workers
from bfcl_pipeline.judge.own_errata import check_errata, check_files, using_errata

BASE = ["ground_truth", 0, "calculate_triangle_area", "base"]

RECORD: Mapping[str, Any] = {
    "entries": ["simple_python_0"],
    "defect": "truth",
    "status": "confirmed",
    "what": "The base is another.",
    "why": "It is a test.",
    "evidence": "bfcl-pipeline show {entry}",
    "faithful": "fails",
    "propose": [{"at": BASE, "old": [10], "new": [11]}],
}

ANSWERS = {
    "entry_id": ["simple_python_0", "irrelevance_0"],
    "category": ["simple_python", "irrelevance"],
    "mode": ["fc", "fc"],
    "result_json": [
        json.dumps([{"calculate_triangle_area": '{"base": 11, "height": 5}'}]),
        json.dumps("No function fits."),
    ],
}


def own_file(folder: Path, *changes: Mapping[str, Any], name: str = "mine.yaml") -> Path:
    """A file with a record for each of `changes`."""
    path = folder / name
    path.write_text(yaml.safe_dump([{**RECORD, **change} for change in changes]), encoding="utf-8")
    return path


def verified(staged: Path, *files: Path) -> list[tuple[bool | None, str]]:
    """The verdicts on ANSWERS under verified rules."""
    found = score(pl.DataFrame(ANSWERS), "verified", staged, errata=files)
    return found.select("valid", "status").rows()


def test_own_records_mend_and_leave_out_while_they_are_in_use(tmp_path: Path, staged: Path) -> None:
    """Only verified verdicts change; a file that was changed is read again; afterwards all is as before."""
    file = own_file(tmp_path, {}, {"entries": ["irrelevance_0"], "propose": "exclude"})
    before = verified(staged)
    assert before == [(False, "answered"), (True, "answered")]
    assert verified(staged, file) == [(True, "answered"), (None, "left_out")]
    official = score(pl.DataFrame(ANSWERS), "official", staged, errata=[file])
    assert official["valid"].to_list() == [False, True]
    own_file(tmp_path, {})
    assert verified(staged, file) == [(True, "answered"), (True, "answered")]
    assert (verified(staged), own_errata()) == (before, ())


def test_other_processes_use_own_records(tmp_path: Path, staged: Path) -> None:
    """Two processes give the verdicts of one."""
    table = pa.table({name: values * 2 for name, values in ANSWERS.items()})
    file = own_file(tmp_path, {}, {"entries": ["irrelevance_0"], "propose": "exclude"})
    with using_errata([file], staged), start_workers(4, 2) as workers:
        found = score_table(table, staged, Rules.VERIFIED, workers)
    assert found.column("valid").to_pylist() == [True, None] * 2


def test_own_records_replace_those_of_the_release_s_errata(tmp_path: Path, staged: Path) -> None:
    """An entry that the shipped errata leave out is judged as it is if an own record rejects that."""
    shipped = next(one for one in errata() if one.entry_id == "irrelevance_86")
    assert shipped.confirmed
    change = {"entries": ["irrelevance_86"], "status": "rejected"}
    file = tmp_path / "mine.yaml"
    record = {key: value for key, value in {**RECORD, **change}.items() if key != "propose"}
    file.write_text(yaml.safe_dump([record]), encoding="utf-8")
    with using_errata([file], staged):
        assert [one.record for one in errata_of_id("irrelevance_86")] == ["mine.yaml, record 1"]
        assert len({one.entry_id for one in errata()} - {"irrelevance_86"}) > 300
    assert errata_of_id("irrelevance_86") == (shipped,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"propose": [{"at": BASE, "old": [12], "new": [11]}]}, "`old` is [12], and the release has [10]"),
        ({"propose": [{"at": ["ground_truth", 4], "add": 1}]}, "there is nothing at ['ground_truth', 4]"),
        (
            {"propose": [{"at": ["question", 0, 0, "content"], "old": "circle", "new": "disc"}]},
            "`old` is \"circle\", and the release has \"Find the area of a triangle",
        ),
        ({"propose": [{"at": BASE, "old": [10], "new": 11}]}, "is not of the release's form"),
        ({"propose": [{"at": ["ground_truth", 0], "remove": True}]}, "is not of the release's form"),
        ({"entries": ["simple_pyton_0"]}, "no scored entry 'simple_pyton_0'. Did you mean 'simple_p"),
        ({"entries": ["simple_python_4000"]}, "no scored entry 'simple_python_4000'. Did you mean"),
        ({"entries": ["memory_kv_prereq_0-customer-0"]}, "no scored entry 'memory_kv_prereq_0-customer-0'"),
        (
            {"entries": ["multi_turn_base_0"], "propose": [{"at": ["ground_truth", 0, 0], "add": "x"}]},
            "does not fit \"cd(folder='document')\"",
        ),
        ({"reason": "x"}, "keys missing: none; unknown: reason"),
        ({"defect": "odd"}, "defect 'odd' is not one of unpassable, provenance"),
        ({"defect": ["truth"]}, "defect ['truth'] is not one of"),
        ({"also": ["odd"]}, "defect 'odd' is not one of"),
    ],
)  # fmt: skip
def test_a_record_that_does_not_fit_is_an_error(
    change: Mapping[str, Any], message: str, tmp_path: Path, staged: Path
) -> None:
    """The error names the record, and has the value of the record and of the release, or a similar id."""
    other = {"entries": ["simple_python_1"], "propose": "exclude"}
    file = own_file(tmp_path, other, change)
    with pytest.raises(ErrataError, match=f"^mine.yaml, record 2: .*{re.escape(message)}"):
        verified(staged, file)
    assert own_errata() == ()


def test_the_shipped_errata_fit_the_release(staged: Path) -> None:
    """The checks of own records accept all shipped ones."""
    check_classes(errata())
    check_errata(errata(), staged)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- &a [x]\n- *a", "contains a YAML alias"),
        ("- !!python/object:os.system {}", "not readable as YAML"),
        ("- {entries: [simple_python_0], old: 2023-04-25}", "a date needs quotes"),
        ("[" * 40 + "]" * 40, "nested more than 30 levels"),
    ],
)
def test_a_file_of_anybody_is_read_with_care(text: str, message: str, tmp_path: Path, staged: Path) -> None:
    """YAML that expands, that makes objects or that JSON cannot write is refused, with the file's name."""
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=f"mine.yaml: .*{message}"):
        verified(staged, tmp_path / "mine.yaml")


def test_files_must_exist_and_have_names_of_their_own(tmp_path: Path, staged: Path) -> None:
    """Their copies lie in one folder of the run."""
    with pytest.raises(ConfigError, match=r"no.yaml: no such file"):
        verified(staged, tmp_path / "no.yaml")
    (tmp_path / "b").mkdir()
    files = [own_file(tmp_path, {}), own_file(tmp_path / "b", {"entries": ["simple_python_1"]})]
    with pytest.raises(ConfigError, match=r"two files are called mine.yaml"):
        verified(staged, *files)


def test_a_run_checks_its_files_before_it_starts(tmp_path: Path, staged: Path) -> None:
    """Before the release is staged, their form; after it, also whether they fit."""
    file = own_file(tmp_path, {"entries": ["simple_pyton_0"]})
    check_files([file], tmp_path / "data")
    with pytest.raises(ErrataError, match="Did you mean 'simple_p"):
        check_files([file], staged)


def test_the_command_names_the_entries_that_own_records_change(
    tmp_path: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`score --errata` works in any folder, and prints file and entries; a bad record is one line."""
    responses, out = tmp_path / "responses.jsonl", tmp_path / "verdicts.csv"
    pl.DataFrame(ANSWERS).write_ndjson(responses)
    command = ["score", str(responses), "--out", str(out), "--data", str(staged), "--rules", "verified"]
    file = own_file(tmp_path, {}, {"entries": ["irrelevance_0"], "propose": "exclude"})
    assert main([*command, "--errata", str(file)]) == 0
    assert (
        "Verified scores use the errata of mine.yaml on 2 entries: simple_python_0 (mended), irrelevance_0 "
        "(left out).\n"
    ) in capsys.readouterr().err
    own_file(tmp_path, {"entries": ["simple_pyton_0"]})
    assert main([*command, "--errata", str(file)]) != 0
    assert "Did you mean 'simple_python_0'?" in capsys.readouterr().err
