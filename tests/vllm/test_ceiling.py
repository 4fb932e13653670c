"""vLLM's own parsers and templates: in a process, in its renderer, in a full server with a tiny model."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from bfcl_pipeline.ask.jobs.captured import Written, tokenizer_of
from bfcl_pipeline.ask.models.serving.server import Server
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.servers.ceiling import Ceiling, Measured
from bfcl_pipeline.show.servers.formats import load_formats, write_tokenizer
from bfcl_pipeline.show.servers.losses import Loss
from bfcl_pipeline.show.servers.reading import ServerRoutes, parser_process
from bfcl_pipeline.show.servers.recorded import recorded_answers
from bfcl_pipeline.show.servers.reparse import reparse
from tests.show.compare.diff.made_run import ENTRIES, MadeRun
from tests.support.tiny_rows import ARGS, CONTEXT

OPTIONS = ("--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--served-model-name", "tiny")
RENDERER = "vllm.entrypoints.launchers.render.entry"
FULL = "vllm.entrypoints.openai.api_server"
OF_FULL = ("--enable-scale-out", "--dtype", "float32", "--max-model-len", str(CONTEXT), *ARGS)
PIECES = (0, 3)
TOOL = {"type": "function", "function": {"name": "f", "description": "F.", "parameters": {}}}

OWN_VOCABULARY = {"openai"}
"""Parsers that need the vocabulary of their model."""

BROKEN_AT_ONCE = {"phi4_mini_json": {Loss.NO_CALL}}
"""What vLLM 0.32.0 loses of calls that are read at once; see docs/servers.md."""


@pytest.fixture(scope="module")
def measured(staged: Path) -> Measured:
    """Some entries of three kinds."""
    return Measured(staged, ("simple_python", "parallel", "irrelevance"), Rules.OFFICIAL, 6)


@contextmanager
def server(
    python: str, module: str, options: tuple[str, ...], variables: Mapping[str, str], folder: Path
) -> Iterator[str]:
    """The address of a server; it has ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [python, "-m", module, *options, "--host", "127.0.0.1", "--port", str(port)]
    with Server(command, variables, "127.0.0.1", port, folder / "server.log") as process:
        while not process.is_ready():
            assert process.exit_status is None, process.tail()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"


def same(first: Ceiling, second: Ceiling) -> bool:
    return (list(first.reaches), set(first.examples)) == (list(second.reaches), set(second.examples))


@pytest.fixture(scope="module")
def full_server(
    vllm_python: str, models_file: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A full server of the tiny model."""
    options = ("--model", str(models_file.parent / "tiny"), *OPTIONS, *OF_FULL)
    with server(vllm_python, FULL, options, variables, tmp_path_factory.mktemp("full")) as url:
        yield url


def test_what_a_server_read_is_read_again_alike_by_its_own_parser(
    vllm_python: str, models_file: Path, full_server: str, staged: Path, tmp_path: Path
) -> None:
    """Random words, cut off, and calls: the tokens are recorded unasked, and 0 answers differ."""
    model, differ = models_file.parent / "tiny", []
    rows = load_models(models_file)
    for name, entries in (("tiny-FC", ENTRIES), ("tiny-told-FC", ENTRIES[:2])):  # one calls without an end
        row = {"kind": "vllm", "backend": "endpoint", "model": "tiny", "options": dict(rows[name].options)}
        more = {"vllm": {"tool_parser": "hermes"}, "prompting": "server"}
        run = MadeRun(tmp_path / name, staged, full_server, row={**row, **more}).make(entries)
        answers = recorded_answers(
            Run(run.results, run.cache, staged), run.model, tokenizer_of(None, model)
        )
        with parser_process("hermes", model, python=vllm_python) as process:
            read = [reparse(one, process, read_constants(staged), Rules.OFFICIAL) for one in answers]
        assert len(read) == len(entries)
        differ += [one is None or one.differs for one in read]
    assert not any(differ)


def test_process_renderer_and_full_server_agree(
    vllm_python: str,
    models_file: Path,
    variables: dict[str, str],
    full_server: str,
    tmp_path: Path,
    measured: Measured,
) -> None:
    """Each answer is written and read alike, at once and in pieces."""
    model = str(models_file.parent / "tiny")
    options = ("--model", model, *OPTIONS)
    with parser_process("hermes", Path(model), python=vllm_python) as process:
        expected = measured.measure(process, PIECES, bool)
        message = {"role": "assistant", "content": "Oslo is cold."}
        written = process.write([{"role": "user", "content": "?"}, message], [])
        prompt = process.prompt([{"role": "user", "content": "?"}], [TOOL])
    assert expected.reaches[0].reached == 6
    with server(vllm_python, RENDERER, options, variables, tmp_path) as renderer:
        for url in (renderer, full_server):
            routes = ServerRoutes(url)
            assert routes.write([{"role": "user", "content": "?"}, message], []) == written
            assert routes.prompt([{"role": "user", "content": "?"}], [TOOL]) == prompt
            assert same(measured.measure(routes, PIECES, bool), expected)


def test_every_form_is_that_of_the_parser(
    vllm_python: str, tmp_path: Path, staged: Path, measured: Measured
) -> None:
    """What our templates write, vLLM's parsers read, but for the defects that docs/servers.md names."""
    write_tokenizer(load_formats()["hermes"], staged, tmp_path / "hermes")
    with parser_process("hermes", tmp_path / "hermes", python=vllm_python) as process:
        for parser, form in load_formats().items():
            if parser in OWN_VOCABULARY:
                continue
            write_tokenizer(form, staged, tmp_path / parser)
            process.set_up(parser, tmp_path / parser)
            ceiling = measured.measure(process, (0,), bool)
            losses = {loss for reach in ceiling.reaches for loss in reach.lost}
            assert losses <= BROKEN_AT_ONCE.get(parser, set()), parser


def test_a_mark_in_an_argument_hides_a_call_from_hermes(
    vllm_python: str, tmp_path: Path, staged: Path
) -> None:
    """As docs/servers.md describes it."""
    form = load_formats()["hermes"]
    write_tokenizer(form, staged, tmp_path)
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "</tool_call>"}}\n</tool_call>'
    with parser_process("hermes", tmp_path, python=vllm_python) as process:
        reading = process.read(Written((), text), [], 0)
    assert reading.calls == ()
    assert reading.error is None


def test_the_command_measures_a_parser_without_weights(
    vllm_python: str, tmp_path: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With our template and a tokenizer that it makes; the numbers are written as JSON, too."""
    command = ["ceiling", "--parser", "xlam", "--python", vllm_python, "--data", str(staged)]
    command += ["--sample", "3", "--category", "parallel", "--pieces", "0", "1"]
    out = tmp_path / "ceiling.json"
    assert main([*command, "--json", str(out)]) == 0
    assert "arguments are not JSON (by 1): the model writes" in capsys.readouterr().out
    reached = {row["piece"]: row["reached"] for row in json.loads(out.read_text())["reaches"]}
    assert reached == {0: 3, 1: 0}
