"""The record of what makes the answers of a job: what is in it, where it is, and what is asked for it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest

from bfcl_pipeline.ask.jobs.provenance import is_private, job_record, model_files, record_making
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.ask.models.serving.address import Address, State, server_of, write_address
from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.benchmark.config import Job, JobPaths, Selection, load_models
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, journals_in
from bfcl_pipeline.runs.provenance import (
    BESIDE_LOG,
    MOST_BYTES,
    ServerRecord,
    read_provenance,
    write_provenance,
)
from bfcl_pipeline.runs.provenance.document import from_content
from tests.support.api_server import answer, serve
from tests.support.local_chat import local_chat
from tests.support.provenance_records import record

ELSEWHERE = replace(this_process(), host="elsewhere")

ROWS = load_models(Path(__file__).parent / "models.yaml")


def job(staged: Path, folder: Path, model: str = "org/chat-FC", **row: object) -> Job:
    """Three entries of a category. row: values of the model's row."""
    return Job(
        row=replace(ROWS[model], **row),  # type: ignore[arg-type]
        run="mine",
        categories=("simple_java",),
        selection=Selection(sample={"simple_java": 3}),
        paths=JobPaths(data=staged, journals=folder, weights_cache=folder / "weights"),
    )


def exchanges(folder: Path) -> list[JournaledExchange]:
    """All exchanges of the model."""
    with JournalsReader(journals_in(folder / "org_chat-FC")) as journals:
        return list(journals)


def test_each_exchange_names_the_record_of_what_made_it(staged: Path, tmp_path: Path) -> None:
    """Answers that are found later keep their record; those of another software have another one."""
    with local_chat() as server:
        first = job(staged, tmp_path, endpoint=server.endpoint)
        run_job(first)
        (path,) = (tmp_path / "org_chat-FC").glob("provenance/*.json")
        assert {one.provenance for one in exchanges(tmp_path)} == {path.stem}
        made = read_provenance(path)
        assert made.pipeline.version == __version__
        assert {"python", "pyarrow", "aiohttp"} <= set(made.packages)
        older = replace(made, packages={**made.packages, "aiohttp": "3.0"})
        changed = write_provenance(path.parent.parent, older)
        lines = (tmp_path / "org_chat-FC/exchanges.jsonl").read_text()
        (tmp_path / "org_chat-FC/exchanges.jsonl").write_text(lines.replace(path.stem, changed))
        run_job(replace(first, selection=Selection(sample={"simple_java": 5})))
    names = [one.provenance for one in exchanges(tmp_path)]
    assert names == [changed] * 3 + [path.stem] * 2


def test_lines_without_the_record_are_refused(staged: Path, tmp_path: Path) -> None:
    """Every line names what made its answer; the message has the line and what to do with it."""
    with local_chat() as server:
        first = job(staged, tmp_path, endpoint=server.endpoint)
        run_job(first)
        file = tmp_path / "org_chat-FC/exchanges.jsonl"
        (path,) = file.parent.glob("provenance/*.json")
        file.write_text(file.read_text().replace(f'"provenance":"{path.stem}",', ""))
        with pytest.raises(
            JournalError, match=r"line 1: .*fields are not those of an exchange.*delete that line"
        ):
            run_job(first)


def test_the_record_of_a_job_is_also_written_beside_its_log(staged: Path, tmp_path: Path) -> None:
    """An embedded model has no journal; a replay makes no answers, and writes nothing."""
    out = tmp_path / f"logs/oracle{BESIDE_LOG}"
    embedded = job(staged, tmp_path, "oracle")
    run_job(replace(embedded, replay=None), record=partial(record_making, out=out))
    made = read_provenance(out, by_digest=False)
    assert made.server is None
    assert made.model.weights is None
    assert not journals_in(tmp_path / "oracle")
    out.unlink()
    with local_chat() as server:
        remote = job(staged, tmp_path, endpoint=server.endpoint)
        run_job(remote, record=partial(record_making, out=out))
        assert [read_provenance(out, by_digest=False).sha256] == [
            path.stem for path in sorted((tmp_path / "org_chat-FC").glob("provenance/*.json"))
        ]
        out.unlink()
        run_job(replace(remote, replay=True), record=partial(record_making, out=out))
    assert not out.exists()


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"/version": b'{"version": "0.31.0"}'}, ServerRecord("vllm", "0.31.0")),
        ({"/props": b'{"build_info": "b1234-abc", "x": [1]}'}, ServerRecord("llama.cpp", "b1234-abc")),
        ({"/version": b'{"version": 3}'}, None),
        ({"/version": b"[" * 100_000}, None),
        ({"/version": b'"' + b"x" * 2**21 + b'"'}, None),
        ({"/version": b'{"version": "' + b"x" * 9000 + b'"}'}, ServerRecord("vllm", "x" * 500)),
        ({}, None),
    ],
)
def test_a_server_of_ones_own_is_asked_for_its_version(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: dict[str, bytes], told: object
) -> None:
    """Without a key, in at most two requests; whatever it answers, the job goes on."""
    monkeypatch.setenv("BFCL_TEST_KEY", "sk-test-0123456789")
    with serve(at={path: answer(content) for path, content in answers.items()}) as server:
        made = job_record(job(staged, tmp_path, endpoint=server.endpoint, key="BFCL_TEST_KEY"), print)
    assert made.server == told
    seen = [(one.target, one.headers.get("authorization")) for one in server.requests]
    assert seen in ([("/version", None)], [("/version", None), ("/props", None)])


@pytest.mark.parametrize(
    ("endpoint", "private"),
    [
        ("http://localhost:8000/v1", True),
        ("http://10.1.2.3:8000/v1", True),
        ("http://node7:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("", False),
    ],
)
def test_vendors_are_sent_nothing_but_the_benchmark(endpoint: str, private: bool) -> None:
    """Only servers in one's own network are asked for their version."""
    assert is_private(endpoint) is private


def test_a_server_that_cannot_be_reached_has_no_version(staged: Path, tmp_path: Path) -> None:
    """The failure is that of the requests, not of the record."""
    assert job_record(job(staged, tmp_path, endpoint="http://127.0.0.1:1/v1"), print).server is None


def test_a_server_of_the_run_is_described_in_its_address_file(staged: Path, tmp_path: Path) -> None:
    """It may be on another machine than the job."""
    path = tmp_path / "local.json"
    address = Address(State.READY, "local", ELSEWHERE, 1.0, endpoint="http://elsewhere:1/v1")
    write_address(path, address)
    assert server_of(path) is None
    server = record().server
    assert server is not None
    write_address(path, replace(address, server=asdict(server)))
    assert server_of(path) == server
    served = job(staged, tmp_path, "local")
    served = replace(served, paths=replace(served.paths, endpoint=path))
    assert job_record(served, print).server == server
    write_address(path, replace(address, server={"kind": 1}))
    assert server_of(path) is None
    assert server_of(tmp_path / "none") is None


def test_keys_are_redacted_and_long_commands_are_cut(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record never has the value of a variable that names a key, and is never larger than it may be."""
    monkeypatch.setenv("SOME_API_KEY", "a-very-secret-value-7")
    path = tmp_path / "local.json"
    words = ["vllm", "--odd=a-very-secret-value-7", *["x" * 500] * 190]
    server = ServerRecord("vllm", "1", {}, tuple(words))
    address = Address(State.READY, "local", ELSEWHERE, 1.0, endpoint="http://m:1/v1", server=asdict(server))
    write_address(path, address)
    served = job(staged, tmp_path, "local")
    served = replace(served, paths=replace(served.paths, endpoint=path))
    made = job_record(served, print)
    assert len(made.content()) <= MOST_BYTES
    assert made.server == ServerRecord("vllm", "1")
    assert from_content(made.content()) == made
    write_address(path, replace(address, server=asdict(replace(server, command=tuple(words[:2])))))
    made = job_record(served, print)
    assert made.server == ServerRecord("vllm", "1", {}, ("vllm", "--odd=SCRUBBED"))
    assert b"a-very-secret" not in made.content()


def test_weights_and_template_in_a_directory_have_digests(tmp_path: Path) -> None:
    """Each file by name, and the chat template whether it is a file of its own or in the config."""
    model = tmp_path / "tiny"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    row = replace(ROWS["local"], model=str(model), family=None, prompting="server")
    found = model_files(row, tmp_path / "cache", print)
    sums = subprocess.run(
        ["sha256sum", *sorted(found.files)], cwd=model, capture_output=True, text=True, check=True
    )
    assert sums.stdout == "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(found.files.items()))
    assert set(found.files) == {"model.safetensors", "tokenizer_config.json"}
    assert str(found.weights).startswith("sha256:")
    template = found.template
    (model / "tokenizer_config.json").unlink()
    (model / "chat_template.jinja").write_text("{{ messages }}")
    assert model_files(row, tmp_path / "cache", print).template == template is not None


def test_a_record_that_cannot_be_written_stops_the_job(staged: Path, tmp_path: Path) -> None:
    """As a journal does that cannot be written."""
    (tmp_path / "org_chat-FC").mkdir()
    (tmp_path / "org_chat-FC/provenance").write_text("a file")
    with pytest.raises(JournalError, match="cannot write the record"):
        record_making(job(staged, tmp_path), print)
