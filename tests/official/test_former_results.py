"""Results of earlier versions of the official tool, for the retired categories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.official.former_results import former_category, former_id, without_keys
from bfcl_pipeline.official.import_results import import_official
from bfcl_pipeline.tables import read_table

V1 = "gorilla_openfunctions_v1_test_"
KEY = "0123456789abcdef0123"


@pytest.mark.parametrize(
    ("name", "category"),
    [
        (f"{V1}executable_simple_result.json", "exec_simple"),
        (f"{V1}executable_multiple_function_result.json", "exec_multiple"),
        (f"{V1}executable_parallel_function.json", "exec_parallel"),
        (f"{V1}executable_parallel_multiple_function_result.json", "exec_parallel_multiple"),
        (f"{V1}rest_result.json", "rest"),
        (f"{V1}chatable_result.json", "chatable"),
        ("BFCL_v3_exec_simple_result.json", "exec_simple"),
        ("BFCL_v2_sql_result.json", "sql"),
        ("BFCL_v4_exec_simple_result.json", None),
        (f"{V1}simple_result.json", None),
        (f"{V1}multiple_function_result.json", None),
        ("BFCL_v3_live_simple_result.json", None),
        ("executable_simple_score.json", None),
    ],
)
def test_files_are_recognized_by_their_names(name: str, category: str | None) -> None:
    """Files of the retired categories are read; entries of all others have changed since."""
    assert former_category(name) == category


@pytest.mark.parametrize(
    ("row", "entry_id"),
    [
        ({"id": "executable_simple_7"}, "exec_simple_7"),
        ({"id": "exec_simple_7"}, "exec_simple_7"),
        ({"id": 7}, "exec_simple_7"),
        ({"idx": 7}, "exec_simple_7"),
        ({"id": "other"}, "other"),
        ({}, None),
    ],
)
def test_lines_have_ids_of_the_release(row: dict, entry_id: str | None) -> None:
    """Numbers and ids of V1 become ids of the release; others stay, for an error that names them."""
    assert former_id(row, "exec_simple") == entry_id


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"X-RapidAPI-Key": "%s"}', '{"X-RapidAPI-Key": "YOUR-RAPID-API-KEY"}'),
        ("headers={'x-rapidapi-key': '%s'}", "headers={'x-rapidapi-key': 'YOUR-RAPID-API-KEY'}"),
        ('{"api_key":"%s","q":"a"}', '{"api_key":"YOUR-GEOCODE-API-KEY","q":"a"}'),
        (
            '"http://www.omdbapi.com/?t=a&apikey=%s"',
            '"http://www.omdbapi.com/?t=a&apikey=YOUR-OMDB-API-KEY"',
        ),
        (
            "url='https://v6.exchangerate-api.com/v6/%s/latest/EUR'",
            "url='https://v6.exchangerate-api.com/v6/YOUR-EXCHANGERATE-API-KEY/latest/EUR'",
        ),
        ("api_key = '%s'\nrequests.get(url)", "api_key = 'YOUR-API-KEY'\nrequests.get(url)"),
        ("params={'lat': 1, 'key': 'a'}", "params={'lat': 1, 'key': 'a'}"),
    ],
)
def test_keys_become_placeholders(text: str, wanted: str) -> None:
    """Answers of rest have placeholders in place of keys; other categories have no requests."""
    given = text.replace("%s", KEY)
    assert without_keys(given, "rest") == wanted
    assert without_keys([{"requests_get": given}], "rest") == [{"requests_get": wanted}]
    assert without_keys(given, "exec_simple") == given


def test_a_folder_of_2024_is_imported(staged: Path, tmp_path: Path) -> None:
    """Answers of V1 become responses to the entries of the release, and no key is in the table."""
    folder = tmp_path / "result" / "old-model-FC"
    folder.mkdir(parents=True)
    numbers = {"input_token_count": 3, "output_token_count": 4, "latency": 0.5}
    simple = [{"calculate_density": '{"mass": 50, "volume": 10}'}]
    request = {"url": "http://www.omdbapi.com/", "params": {"t": "Barbie", "apikey": KEY}}
    rest = [{"requests_get": json.dumps(request)}]
    files = {
        "executable_simple_result.json": {"id": "executable_simple_4", "result": simple, **numbers},
        "rest_result.json": {"idx": 58, "result": rest, **numbers},
        "simple_result.json": {"idx": 0, "result": "of other entries", **numbers},
    }
    for name, row in files.items():
        (folder / f"{V1}{name}").write_text(json.dumps(row) + "\n", encoding="utf-8")
    out = tmp_path / "out.parquet"
    import_official(tmp_path / "result", out, data=staged, log=lambda _: None)
    rows = {row["entry_id"]: row for row in read_table(out).to_pylist()}
    assert list(rows) == ["exec_simple_4", "rest_58"]
    assert json.loads(rows["exec_simple_4"]["result_json"]) == simple
    assert "YOUR-OMDB-API-KEY" in rows["rest_58"]["result_json"]
    assert KEY not in str(rows)


def test_other_results_of_earlier_versions_are_refused(staged: Path, tmp_path: Path) -> None:
    """The error says what is read of earlier versions."""
    folder = tmp_path / "result" / "old-model"
    folder.mkdir(parents=True)
    (folder / f"{V1}simple_result.json").write_text("{}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="Of earlier versions only the retired categories are read"):
        import_official(tmp_path / "result", tmp_path / "out.parquet", data=staged, log=lambda _: None)
