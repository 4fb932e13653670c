"""`bfcl-pipeline import-official` as a user meets it."""

from __future__ import annotations

import json

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main


def test_import_official_writes_the_table(staged, tmp_path, capsys):
    """The command turns a result folder into a table of responses, with the run's name and the mode."""
    result = tmp_path / "result" / "m" / "non_live"
    result.mkdir(parents=True)
    line = {"id": "multiple_0", "result": "[f()]", "latency": 1.5}
    (result / "BFCL_v4_multiple_result.json").write_text(json.dumps(line) + "\n")
    out = tmp_path / "deep" / "responses.parquet"
    command = ["import-official", str(tmp_path / "result"), "--out", str(out), "--data", str(staged)]
    assert main([*command, "--run", "mine", "--mode", "m=fc"]) == 0
    (row,) = read_table(out).to_pylist()
    assert (row["run"], row["mode"], row["result_json"]) == ("mine", "fc", '"[f()]"')
    assert "1 response of 1 model from 1 file" in capsys.readouterr().err


def test_a_folder_without_results_is_refused(staged, tmp_path, capsys):
    """A folder without results is one line on stderr and exit status 1."""
    assert (
        main(["import-official", str(tmp_path), "--out", str(tmp_path / "o"), "--data", str(staged)]) == 1
    )
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"bfcl-pipeline import-official: {tmp_path}: no results of the official tool")
