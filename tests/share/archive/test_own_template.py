"""Archives of a model whose tokenizer writes its prompts: they bring its template, or are not derived."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.runs.run import Run
from tests.peer.family_tokenizer import write_tokenizer
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import SmallRun
from tests.support.snakemake_project import make_project
from tests.support.two_ways import two_ways

JOURNAL = "results/own/exchanges/m/exchanges.jsonl"
NOTE = "results/own/logs/generate/m.chat_template.json"
ROWS = "results/own/models.yaml"


@pytest.fixture(scope="module")
def made(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[SmallRun, Path, Path]:
    """A run with its own journal, its archive, and where the tokenizer is moved after the run."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "project").mkdir()
    project = make_project(folder / "project")
    tokenizer, run, file = folder / "tokenizer", SmallRun(project.folder, "own"), folder / "own.zip"
    for part in ("release", "entries"):
        shutil.copytree(staged / part, run.data / part)
    write_tokenizer(tokenizer)
    row = {
        "name": "m",
        "kind": "vllm",
        "backend": "endpoint",
        "family": "falcon3-fc",
        "model": str(tokenizer),
    }
    with two_ways() as server:
        models = {"models": [{**row, "endpoint": server.endpoint}]}
        (run.folder / "config/models.yaml").write_text(yaml.safe_dump(models))
        config = {"run": "own", "models": "[m]", "categories": "[simple_python]", "sample": "2"}
        project.call(**config, journal="run")
    assert run.archive(file) == 0
    shutil.move(tokenizer, folder / "outside")
    return run, file, folder / "outside"


def test_prompts_are_derived_by_the_noted_template_and_the_runs_own_journal(
    made: tuple[SmallRun, Path, Path],
) -> None:
    """Without the tokenizer. The archive has the journal of the run and none of cache/exchanges."""
    run, file, _ = made
    with zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if "/exchanges/" in name]
    assert JOURNAL in names
    assert all(name.startswith("results/own/exchanges/m") for name in names)
    assert any("/provenance/" in name for name in names)
    assert run.verify(file) == 0


def test_without_a_usable_template_nothing_is_derived(
    made: tuple[SmallRun, Path, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A missing note is an error, whatever folder a row names, as is one that does not end."""
    run, file, outside = made
    tokenizer = outside.with_name("tokenizer")
    rows = (run.results / "models.yaml").read_text().replace(str(tokenizer), str(outside)).encode()
    capfd.readouterr()
    assert run.verify(repack(file, tmp_path / "named.zip", {ROWS: rows}, left_out=[NOTE])) == 1
    assert f"logs/generate: no chat template of {outside}, which the run noted" in capfd.readouterr().err

    note = json.loads(Run(run.results).template_note("m").read_text())
    loop = json.dumps({**note, "text": "{{ 'a' * 10**11 }}"}).encode()
    assert run.verify(repack(file, tmp_path / "loop.zip", {NOTE: loop})) == 1
    assert "its chat template cannot write the prompt (MemoryError)" in "".join(capfd.readouterr())
