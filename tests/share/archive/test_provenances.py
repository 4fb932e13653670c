"""The records of what made the answers of a run: archived, described, printed by `verify`, and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.runs.archived.findings import Findings, Part
from bfcl_pipeline.runs.archived.members import METADATA
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.making import OTHERS, making_of
from bfcl_pipeline.runs.provenance import BESIDE_LOG, provenance_path, read_provenance, write_provenance
from bfcl_pipeline.runs.provenance.software import (
    ENCODER_PACKAGES,
    installed_packages,
    versions,
    versions_when_made,
)
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.crate_terms import SOFTWARE
from bfcl_pipeline.share.archive.verify import add_makings
from tests.share.archive.small_run import NAME, SmallRun
from tests.support.journal_exchanges import exchange
from tests.support.provenance_records import record

MODEL = "near_chat-FC"
FOLDER = f"cache/exchanges/{MODEL}/provenance"
LOG_RECORD = f"results/{NAME}/logs/generate/oracle-FC{BESIDE_LOG}"


def reported(run: SmallRun) -> Findings:
    """The findings on what made the answers of a run."""
    findings = Findings(lambda _line: None)
    add_makings(Run(run.results, run.cache), findings)
    return findings


def texts(findings: Findings, part: Part) -> list[str]:
    """What the findings of one part say."""
    return [finding.what for finding in findings.found if finding.part is part]


def test_an_archive_has_the_records_of_its_run_and_no_others(own_run: SmallRun, tmp_path: Path) -> None:
    """Those that its exchanges name, and those beside its logs, are listed with their hashes."""
    write_provenance(own_run.journal.parent, record())
    out = tmp_path / "a.zip"
    assert own_run.archive(out) == 0
    with SealedArchive(out) as archive:
        names = [name for name in archive.members if "provenance" in name]
        listed = {part["@id"] for part in json.loads(b"".join(archive.chunks(METADATA)))["@graph"]}
    kept = {path.stem for path in (own_run.journal.parent / "provenance").glob("*.json")}
    kept -= {record().sha256}
    logs = [f"results/{NAME}/logs/generate/{name}{BESIDE_LOG}" for name in (MODEL, "oracle-FC")]
    assert {f"{FOLDER}/{name}.json" for name in kept} | set(logs) <= set(names)
    assert not any(record().sha256 in name for name in names)
    assert set(logs) <= listed


def test_each_model_has_a_line_on_what_made_its_answers(small_run: SmallRun) -> None:
    """Embedded models too; what the API returned is told apart from what the jobs recorded."""
    findings = reported(small_run)
    attested = texts(findings, Part.ATTESTED)
    (about,) = [text for text in attested if text.startswith(f"{MODEL}: ") and "asked by" in text]
    assert "exchanges: asked by bfcl-pipeline " in about
    assert any(text.startswith("oracle-FC: asked by") for text in attested)
    names = [text for text in attested if "returned the model name" in text]
    assert names[0].startswith(f"{MODEL}: the API returned the model name chat (")
    assert texts(findings, Part.NOT_COVERED) == []


def test_two_versions_of_a_server_are_told_apart(own_run: SmallRun) -> None:
    """Each record has its own number of exchanges, in the order of their first."""
    before = Run(own_run.results, own_run.cache).making(MODEL)
    old = before.uses[0].sha256
    new = write_provenance(own_run.journal.parent, record())
    lines = own_run.journal.read_text().splitlines(keepends=True)
    place = max(place for place, line in enumerate(lines) if '"run":"small"' in line)
    lines[place] = lines[place].replace(old, new)
    own_run.journal.write_text("".join(lines))
    model = Run(own_run.results, own_run.cache).making(MODEL)
    assert {use.sha256: use.exchanges for use in model.uses} == {old: before.exchanges - 1, new: 1}
    assert [use.document for use in model.uses if use.sha256 == new] == [record()]
    attested = texts(reported(own_run), Part.ATTESTED)
    assert any("1 exchange: vllm 0.31.0, torch 2.9.0" in text for text in attested)


def test_a_record_that_is_damaged_or_missing(
    own_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a damaged one no archive is written, and the file is named; a missing one is not verified."""
    (path,) = (own_run.journal.parent / "provenance").glob("*.json")
    path.write_bytes(path.read_bytes().replace(b"Linux", b"Minix"))
    assert own_run.archive(tmp_path / "a.zip") == 1
    assert not (tmp_path / "a.zip").exists()
    assert path.name in capsys.readouterr().err
    path.unlink()
    (gap,) = [text for text in texts(reported(own_run), Part.NOT_COVERED) if text.startswith(f"{MODEL}: ")]
    assert "the record of what made" in gap
    assert path.stem in gap


def test_versions_in_the_metadata_are_those_of_making_the_responses(
    own_run: SmallRun, tmp_path: Path
) -> None:
    """Where all jobs agree; the description says which they are, and with what the run was archived."""
    for path in sorted((own_run.results / "logs/generate").glob(f"*{BESIDE_LOG}")):
        made = read_provenance(path, by_digest=False)
        older = replace(made, packages={**made.packages, "pyarrow": "19.0.0"})
        if path.name.startswith("oracle"):
            older = replace(older, packages={**older.packages, "polars": "1.0"})
        path.write_bytes(older.content())
    assert own_run.archive(tmp_path / "a.zip") == 0
    with SealedArchive(tmp_path / "a.zip") as archive:
        graph = json.loads(b"".join(archive.chunks(METADATA)))["@graph"]
    software = {entity["name"]: entity for entity in graph if entity["@type"] == "SoftwareApplication"}
    now = versions()
    assert software["pyarrow"]["softwareVersion"] == "19.0.0"
    assert software["pyarrow"]["description"].endswith(
        f"; the version is that of making the responses, archived with {now['pyarrow']}"
    )
    assert software["polars"]["softwareVersion"] == now["polars"]
    assert software["polars"]["description"].endswith("; the version is that of archiving")
    assert software["python"]["description"].endswith("; the version is that of making the responses")


def test_packages_of_the_vector_memory_are_in_metadata_of_runs_that_have_it() -> None:
    """Those with which its answers were made, as the jobs recorded them; other runs do not name them."""
    with_memory, without = versions(), versions(encoder=False)
    assert with_memory.keys() - without.keys() == set(ENCODER_PACKAGES)
    assert with_memory.keys() == SOFTWARE.keys()
    assert set(ENCODER_PACKAGES) <= installed_packages().keys()
    older = replace(record(), packages={**installed_packages(), "torch": "2.0.1"})
    assert versions_when_made([older], with_memory)["torch"] == "2.0.1"
    assert versions_when_made([older], without).keys() == without.keys()


def test_what_apis_return_is_counted_within_bounds(tmp_path: Path) -> None:
    """The names differ by API; hostile answers neither grow the counts nor stop the reading."""
    raws = [
        {"id": "a", "model": "gpt", "system_fingerprint": "fp_1"},  # OpenAI, vLLM
        {"id": "b", "model": "claude", "type": "message"},  # Anthropic
        {"responseId": "c", "modelVersion": "gemini"},  # Gemini
        {"text": "in the process"},
        {"id": 1, "model": ["x"], "system_fingerprint": {"a": 1}},
        "text",
        None,
        *({"model": f"{number}" * 500} for number in range(2000)),
    ]
    model = making_of((exchange(number, raw=raw) for number, raw in enumerate(raws)), tmp_path)
    assert model.exchanges == len(raws)
    assert model.ids == 3
    assert model.fingerprints == {"fp_1": 1}
    assert [model.models[name] for name in ("gpt", "claude", "gemini")] == [1, 1, 1]
    assert len(model.models) == 1001
    assert max(map(len, model.models)) == 200
    assert sum(model.models.values()) == 2003
    assert model.models[OTHERS] > 900


def test_a_record_outside_the_directory_is_never_read(tmp_path: Path) -> None:
    """The name of a record in a line is a digest, so that it leads nowhere else."""
    sha256 = record().sha256
    outside = tmp_path / "outside"
    write_provenance(outside, record())
    model = making_of([exchange(1, provenance=sha256)], tmp_path / "inside")
    assert [use.document for use in model.uses] == [None]
    assert provenance_path(outside, sha256).is_file()


def test_a_finding_is_one_line() -> None:
    """What an API or a record says cannot look like further findings, nor command a terminal."""
    lines: list[str] = []
    findings = Findings(lines.append)
    forged = "chat\n\nDerived:\nverified      results    all\x1b[2J"
    findings.attested("model", forged)
    findings.say(Part.ASKED, forged)
    findings.verified("results", forged)
    findings.end()
    assert not any("\n" in line or "\x1b" in line for line in lines)
    assert not any(line.startswith("verified") and "chat" not in line for line in lines)
