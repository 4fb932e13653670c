"""`bfcl-pipeline import-official --as-run`: result folders of the official tool become a complete run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.share.archive.compare import compared_files, file_differences

ROOT = Path(__file__).resolve().parents[2]
CATEGORIES = ("simple_python", "live_relevance", "multi_turn_base", "memory_kv", "web_search_base")


def digest_of_chart(spec: dict[str, Any], text_scale: float = 1.0) -> str:
    """Stands for a drawn chart: equal charts are equal, others differ."""
    content = json.dumps([spec, text_scale], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><text>{digest}</text></svg>'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, staged: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with the staged release and the shipped models; charts are not drawn."""
    monkeypatch.setattr("bfcl_pipeline.show.report.figures.renderer.svg", digest_of_chart)
    (tmp_path / "data").symlink_to(staged)
    (tmp_path / "config").symlink_to(ROOT / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(folder: Path, model: str, category: str, lines: list[dict]) -> None:
    """Writes one result file."""
    path = folder / model / "non_live" / f"BFCL_v4_{category}_result.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def generated(run: str) -> Path:
    """A run of the lexical model, in both modes, on a sample of some categories."""
    folder = Path("results") / run
    for model in ("lexical-FC", "lexical"):
        own = folder / "responses" / model
        command = ["generate", "--model", model, "--run", run, "--category", *CATEGORIES, "--sample", "2"]
        command += ["--out", str(own), "--sessions-out", str(folder / "memory" / model)]
        assert main(command) == 0
        tables = [str(own / f"{category}.parquet") for category in CATEGORIES]
        out = str(folder / "verdicts" / f"{model}.parquet")
        assert main(["score", *tables, "--out", out, "--rules", "all"]) == 0
    assert main(["aggregate", run]) == 0
    return folder


def test_an_exported_run_comes_back_byte_for_byte(capsys: pytest.CaptureFixture[str]) -> None:
    """Responses, memory sessions, verdicts and tables equal those of the run; page and figures follow."""
    original = generated("mine")
    assert main(["export-official", "mine", "--out", "export"]) == 0
    original = original.rename("original")
    capsys.readouterr()
    assert main(["import-official", "export/result", "--as-run", "mine", "--web", "simulated"]) == 0
    out, err = capsys.readouterr()
    for part in ("responses", "memory", "verdicts", "tables"):
        assert (original / part).is_dir()
    imported = Path("results/mine")
    for drawn in ("report.html", "figures/overall.svg"):
        assert (imported / drawn).is_file()
        assert not (original / drawn).exists()
    drawn_alone = {"report.html", "figures"}
    found = [one for one in file_differences(original, imported) if one.file.parts[0] not in drawn_alone]
    assert found == []
    derived = [path for path in compared_files(imported) if path.parts[0] not in drawn_alone]
    assert len(derived) == len(compared_files(original)) > 10
    assert "Lexical (FC)" in out
    assert "Report: results/mine/report.html" in out
    assert "20 responses of 2 models from 10 files" in err
    assert "Not read" not in err


def test_partial_results_are_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Some entries of some categories, with failures among them: the rest is scored."""
    right = [{"calculate_triangle_area": '{"base": 10, "height": 5, "unit": "units"}'}]
    failed = {"id": "simple_python_1", "result": "Error during inference: 429", "traceback": "..."}
    results(
        Path("result"),
        "gpt-4o-2024-11-20-FC",
        "simple_python",
        [{"id": "simple_python_0", "result": right, "latency": 0.5}, failed],
    )
    line = {"id": "irrelevance_0", "result": "no", "latency": 1}
    results(Path("result"), "unheard-of", "irrelevance", [line])
    assert main(["import-official", "result", "--as-run", "part"]) == 0
    assert "without an answer that can be scored: 1" in capsys.readouterr().err
    verdicts = read_table(Path("results/part/verdicts/gpt-4o-2024-11-20-FC.parquet")).to_pylist()
    assert [(row["rules"], row["valid"], row["status"]) for row in verdicts] == [
        ("official", True, "answered"),
        ("official", None, "infrastructure_error"),
        ("corrected", True, "answered"),
        ("corrected", None, "infrastructure_error"),
        ("verified", True, "answered"),
        ("verified", None, "infrastructure_error"),
    ]
    config = yaml.safe_load(Path("results/part/config.yaml").read_text())
    assert (config["models"], config["categories"]) == (
        ["gpt-4o-2024-11-20-FC", "unheard-of"],
        ["simple_python", "irrelevance"],
    )
    assert main(["table", "part"]) == 0
    assert main(["show", "simple_python_0", "--run", "part", "--model", "gpt-4o-2024-11-20-FC"]) == 0
    assert "calculate_triangle_area" in capsys.readouterr().out


def test_an_imported_run_keeps_the_errata_that_it_is_judged_by(capsys: pytest.CaptureFixture[str]) -> None:
    """Table, page and conversations are by the copies in its folder, also where the files are gone."""
    answer = [{"calculate_triangle_area": '{"base": 11, "height": 5}'}]
    results(Path("result"), "unheard-of-FC", "simple_python", [{"id": "simple_python_0", "result": answer}])
    Path("mine.yaml").write_text(
        "- {entries: [simple_python_0], defect: truth, status: confirmed, what: Other., why: A test.,\n"
        "   evidence: 'true', faithful: fails, propose: [{old: [10], new: [11],\n"
        "   at: [ground_truth, 0, calculate_triangle_area, base]}]}\n"
    )
    assert main(["import-official", "result", "--as-run", "own", "--errata", "mine.yaml"]) == 0
    named = "Verified scores use the errata of mine.yaml on 1 entry: simple_python_0 (mended)."
    assert named in capsys.readouterr().out
    Path("mine.yaml").unlink()
    verdicts = read_table(Path("results/own/verdicts/unheard-of-FC.parquet")).to_pylist()
    assert {row["rules"]: row["valid"] for row in verdicts} == {
        "official": False,
        "corrected": False,
        "verified": True,
    }
    assert named in Path("results/own/report.html").read_text()
    command = ["show", "simple_python_0", "--run", "own", "--model", "unheard-of-FC", "--rules", "verified"]
    assert main(command) == 0
    assert "Other." in capsys.readouterr().out
    assert main(["import-official", "result", "--out", "x.csv", "--errata", "mine.yaml"]) != 0
    assert "--errata need --as-run NAME" in capsys.readouterr().err


def test_a_model_of_the_models_file_keeps_its_name_and_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of a model that has a row, or of a later trial, gets the name and mode of that row."""
    models = tmp_path / "mine.yaml"
    row = "{name: org/m, mode: fc, kind: openai_chat, endpoint: 'http://model.example/v1', input_price: 1}"
    models.write_text(f"models:\n- {row}\n")
    line = {"id": "irrelevance_0", "result": [{"f": "{}"}], "latency": 1}
    results(Path("result"), "org_m", "irrelevance", [line])
    results(Path("result"), "org_m~2", "irrelevance", [line])
    assert main(["import-official", "result", "--as-run", "r", "--models", str(models)]) == 0
    for folder, name in (("org_m", "org/m"), ("org_m~2", "org/m~2")):
        official, *_ = read_table(Path(f"results/r/verdicts/{folder}.parquet")).to_pylist()
        assert (official["model"], official["mode"], official["valid"]) == (name, "fc", False)
    assert "by its name" not in capsys.readouterr().err


def test_a_run_is_replaced_only_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    """An existing run stays byte for byte; with --overwrite, too, if the import fails."""
    line = {"id": "irrelevance_0", "result": "no", "latency": 1}
    results(Path("result"), "m", "irrelevance", [line])
    kept = Path("results/r/mine")
    kept.parent.mkdir(parents=True)
    kept.write_text("kept")
    command = ["import-official", "result", "--as-run", "r"]
    assert main(command) == 1
    assert "this run exists" in capsys.readouterr().err
    results(Path("broken"), "m", "irrelevance", [{"id": "irrelevance_0"}])
    assert main(["import-official", "broken", "--as-run", "r", "--overwrite"]) == 1
    assert kept.read_text() == "kept"
    assert main([*command, "--overwrite"]) == 0
    assert not kept.exists()
    assert sorted(path.name for path in Path("results").iterdir()) == ["r"]


def test_what_needs_journals_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """An imported run is not replayed or archived, and the message states why."""
    results(Path("result"), "m", "irrelevance", [{"id": "irrelevance_0", "result": "no", "latency": 1}])
    assert main(["import-official", "result", "--as-run", "r"]) == 0
    capsys.readouterr()
    for command in ("replay", "archive"):
        assert main([command, "r"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "was imported" in line
        assert "no journal" in line


@pytest.mark.parametrize("name", ["../r", "", ".r", "a b"])
def test_a_name_that_is_a_path_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written outside results/."""
    results(Path("result"), "m", "irrelevance", [{"id": "irrelevance_0", "result": "no", "latency": 1}])
    assert main(["import-official", "result", "--as-run", name]) == 1
    assert "cannot be the name of a run" in capsys.readouterr().err
    assert not Path("results").exists()
