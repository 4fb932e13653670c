"""`bfcl-pipeline export-official` as a user meets it."""

from __future__ import annotations

import json

from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.cli import main


def test_an_export_is_imported_again(staged, tmp_path, capsys):
    """The import reads the export; the last line of the export is the command that scores it."""
    made = Response("multiple_0", "multiple", Mode.FC, json.dumps([{"f": "{}"}]), model="mine")
    write_responses(tmp_path / "run" / "responses" / "mine" / "multiple.parquet", [made])
    out, data = tmp_path / "official", ["--data", str(staged)]
    name = "gpt-4o-2024-11-20-FC"
    assert (
        main(["export-official", str(tmp_path / "run"), "--out", str(out), *data, "--as", f"mine={name}"])
        == 0
    )
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        f"Score it: bfcl evaluate --partial-eval --result-dir {out / 'result'} --score-dir"
    )
    table = tmp_path / "back.parquet"
    assert main(["import-official", str(out / "result"), "--out", str(table), *data]) == 0
    (back,) = read_responses(table)
    assert (back.model, back.entry_id, back.result_json) == (name, made.entry_id, made.result_json)


def test_an_incomplete_option_as_is_refused(staged, tmp_path, capsys):
    """`--as` needs two names with an equals sign between them."""
    assert main(["export-official", str(tmp_path), "--out", str(tmp_path), "--as", "mine"]) == 1
    assert "--as: expected NAME=OFFICIAL, got 'mine'." in capsys.readouterr().err
