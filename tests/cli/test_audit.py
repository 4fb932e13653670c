"""`bfcl-pipeline audit`: suspected defects of entries, and their errata."""

import json

import pyarrow as pa
import pytest

from bfcl_pipeline.benchmark import tables
from bfcl_pipeline.cli import audit as command
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge import audit as judge_audit
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Detector, Suspicion

RESTATED = (
    "format_sensitivity_113:ret_fmt=json&tool_call_tag=False&func_doc_fmt=python&prompt_fmt=plaintext"
    "&style=classic:simple_python_96"
)
"""An entry that can be passed, restated in a format in which it cannot."""


@pytest.fixture
def audit(staged, entries, capsys, monkeypatch):
    """Runs the command on entries that are read once, and returns its exit status and what it printed."""

    def read(path, ids=None):
        return [entry for entry in entries(path.stem) if ids is None or entry.entry_id in ids]

    monkeypatch.setattr(command, "read_entries", read)

    def run(*options: str) -> tuple[int, str, str]:
        status = main(["audit", "--data", str(staged), *options])
        return (status, *capsys.readouterr())

    return run


def test_categories_can_be_chosen(audit):
    """Only the findings on the given categories are listed."""
    status, out, _ = audit("--categories", "non_python", "--detector", "unpassable")
    assert status == 0
    assert "simple_java_36" in out
    assert "live_multiple_862-181-3" not in out


def test_an_entry_has_its_findings_and_its_errata(audit):
    """It prints the findings on the entry, and from the errata its status, reason and evidence."""
    status, out, _ = audit("multi_turn_base_176")
    assert status == 0
    assert "multi_turn_base_176: calendar, confirmed." in out
    assert "evidence: bfcl-pipeline audit multi_turn_base_176" in out
    assert "simple_java_36" not in out


def test_a_finding_without_erratum_is_open_or_a_hint(audit, monkeypatch):
    """A detector says which; an error of its own names it."""

    def suspects(benchmark):
        found, *_ = benchmark.entries["simple_python"]
        yield Suspicion(found, "request", "no verb")

    for adjudicated, status in ((True, "not adjudicated"), (False, "hint")):
        row = Detector("verbless", "the request has no verb", suspects, None, adjudicated)
        monkeypatch.setattr(command, "DETECTORS", {"verbless": row})
        monkeypatch.setattr(judge_audit, "DETECTORS", {"verbless": row})
        _, out, _ = audit("simple_python_0", "--detector", "verbless")
        assert f"simple_python_0  verbless  request  {status}" in out
        assert f"verbless 1; {status} 1." in out

    def fails(benchmark):
        yield from suspects(benchmark)
        raise KeyError("verb")

    with pytest.raises(KeyError) as raised:
        list(Detector("verbless", "", fails, None).findings(Benchmark({"simple_python": [None]}, None)))
    assert raised.value.__notes__ == ["Raised by the detector verbless."]


def test_findings_are_written_as_rows(audit, tmp_path):
    """--out writes one row per finding, with the class, the place and the related entry."""
    file = tmp_path / "findings.jsonl"
    chosen = ("simple_java_36", "simple_python_0", RESTATED)
    assert audit(*chosen, "--detector", "unpassable", "--out", str(file))[0] == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["entry_id"] for row in rows] == ["simple_java_36", RESTATED]
    row = rows[0]
    assert row["detector"] == "unpassable"
    assert row["place"] == "ObjectMapEntryReplayDecoder.decode, parts"
    assert row["erratum"] == "confirmed"
    assert rows[1]["related_entry_id"] == "simple_python_96"


def test_an_entry_has_its_proposed_change_and_what_verified_rules_do(audit):
    """It prints the edits of a confirmed erratum, and whether the entry is mended or left out."""
    _, mended, _ = audit("multi_turn_base_4")
    assert "proposed: ground_truth[2][0]: replace" in mended
    assert "threads: #1367" in mended
    assert "multi_turn_base_4 under verified rules: mended" in mended
    _, left_out, _ = audit("irrelevance_228")
    assert "irrelevance_228 under verified rules: left out" in left_out


def test_without_findings_there_is_no_table(audit):
    """Not even an empty line stands in its place; verified rules audit the entries that they mend."""
    asked = ("--detector", "unpassable")
    assert audit("simple_python_0", *asked)[1].startswith("simple_python_0: no erratum on record.\n")
    for entry_id in ("simple_java_36", RESTATED):
        assert "0 findings on 0 of" in audit(entry_id, *asked, "--rules", "verified")[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["multi_turn_bas_176"], "multi_turn_base_176"),
        (["--detector", "unpasable"], "Did you mean 'unpassable'?"),
        (["multi_turn_base_4", "--category", "live"], "multi_turn_base_4 is not in --category"),
    ],
)
def test_what_is_not_known_is_an_error(audit, options, message):
    """It ends the command with status 1 and the most similar names."""
    status, _, error = audit(*options)
    assert (status, message in error) == (1, True)


@pytest.mark.parametrize("option", [("--out", "x.csv"), ("--detector", "enum"), ("--rules", "verified")])
def test_options_of_an_audit_are_refused_where_nothing_is_audited(audit, tmp_path, option):
    """--patch with an option that would have no effect ends the command, and nothing is written."""
    status, _, error = audit("--patch", str(tmp_path / "patches"), *option)
    assert status == 1
    assert f"{option[0]} does not go with --patch" in error
    assert not (tmp_path / "patches").exists()


def test_patches_of_one_entry_need_no_others(audit, tmp_path):
    """--patch with an entry writes its patches alone, against the release as it is."""
    folder = tmp_path / "patches"
    assert audit("--patch", str(folder), "multi_turn_base_176")[0] == 0
    assert [path.name for path in sorted(folder.iterdir())] == [
        "0001-multi-turn-base-176-calendar.patch",
        "README.md",
    ]
    assert audit("--patch", str(folder), "multi_turn_base_198")[0] == 1


def test_an_entry_is_audited_without_the_entries_of_other_kinds(audit, staged, monkeypatch):
    """Only entries with which a detector compares the entry are read."""
    read, read_entries = [], command.read_entries

    def note(path, ids=None):
        read.append(path.stem)
        return read_entries(path, ids)

    monkeypatch.setattr(command, "read_entries", note)
    for entry_id, count in (
        ("memory_kv_18-customer-18", 3),
        ("multi_turn_base_4", 4),
        ("exec_simple_1", 1),
    ):
        read.clear()
        assert audit(entry_id)[0] == 0
        assert len(read) == count


def test_shared_wrong_answers_are_listed(audit, tmp_path):
    """--consensus lists the entries whose most frequent answer is judged wrong, with their errata."""
    judged = {"simple_python_0": False, "simple_python_1": True, "irrelevance_228": False}
    rows = [
        {"run": name, "entry_id": entry_id, "mode": "fc", "result_json": '[{"f": "{}"}]', "valid": valid}
        for entry_id, valid in judged.items()
        for name in "ab"
    ]
    file = tmp_path / "scored.parquet"
    tables.write_table(file, pa.Table.from_pylist(rows))
    status, out, _ = audit("--consensus", str(file))
    assert status == 0
    table = [line.split() for line in out.splitlines()]
    assert table[1:3] == [
        ["simple_python_0", "2/2", "0", "no", "erratum", "on", "record", "f()"],
        ["irrelevance_228", "2/2", "0", "confirmed", "(a", "call)"],
    ]
    assert "2 entries whose most frequent answer is judged wrong, of 2 systems (official rules)" in out
    assert "simple_python_0" not in audit("irrelevance_228", "--consensus", str(file))[1]
    assert audit("--consensus", str(file), "--detector", "enum")[0] == 1
