"""The names of files and entries in results of earlier versions of the official tool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.ask.results.import_results import import_official
from bfcl_pipeline.ask.results.layout import entry_id_of, result_name, without_keys
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.tables import read_table

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
        ("BFCL_v3_simple_result.json", "simple_python"),
        ("BFCL_v4_java_result.json", "simple_java"),
        ("BFCL_v3_javascript_result.json", "simple_javascript"),
        ("BFCL_v3_live_simple_result.json", "live_simple"),
    ],
)
def test_files_are_recognized_by_their_names(name: str, category: str) -> None:
    """V3 has the entries of V4 under other names, which may have the version of V4."""
    assert result_name(name).category == category


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (f"{V1}simple_result.json", "of V1 and V2 only the retired categories"),
        ("BFCL_v2_live_simple_result.json", "of V1 and V2 only the retired categories"),
        ("BFCL_v3_multi_turn_composite_result.json", "V4 has no such category any more"),
        ("BFCL_v4_Mindat_v1_irrelevance_result.json", "unknown category 'Mindat_v1_irrelevance'"),
        ("executable_simple_score.json", "not a file of results"),
    ],
)
def test_other_files_are_named_with_the_reason(name: str, reason: str) -> None:
    """Entries of V1 and V2 have changed since; other categories are not of the release."""
    with pytest.raises(ConfigError, match=reason):
        result_name(name)


@pytest.mark.parametrize(
    ("row", "category", "entry_id"),
    [
        ({"id": "executable_simple_7"}, "exec_simple", "exec_simple_7"),
        ({"id": "exec_simple_7"}, "exec_simple", "exec_simple_7"),
        ({"id": 7}, "exec_simple", "exec_simple_7"),
        ({"idx": 7}, "exec_simple", "exec_simple_7"),
        ({"id": "other"}, "exec_simple", "other"),
        ({}, "exec_simple", None),
        ({"id": 7}, "multiple", 7),
        ({"id": "simple_7"}, "simple_python", "simple_python_7"),
        ({"id": "simple_7"}, "multiple", "simple_7"),
        ({"id": "memory_0-customer-0"}, "memory_kv", "memory_kv_0-customer-0"),
        ({"id": "memory_prereq_0-customer-0"}, "memory_kv", "memory_kv_prereq_0-customer-0"),
        ({"id": "web_search_0"}, "web_search_base", "web_search_base_0"),
    ],
)
def test_lines_have_ids_of_the_release(row: dict, category: str, entry_id: str | None) -> None:
    """Numbers, former names and ids without a backend become ids of the release; others stay."""
    assert entry_id_of(row, category) == entry_id


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


def test_a_folder_with_nothing_that_is_read_is_refused(staged: Path, tmp_path: Path) -> None:
    """The error has the reason for its files."""
    folder = tmp_path / "result" / "old-model"
    folder.mkdir(parents=True)
    (folder / f"{V1}simple_result.json").write_text("{}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="of V1 and V2 only the retired categories are read"):
        import_official(tmp_path / "result", tmp_path / "out.parquet", data=staged, log=lambda _: None)
