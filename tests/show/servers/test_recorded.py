"""Recorded runs of a server that loses calls: `blame` finds them, another parser wins them back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.jobs.captured import tokenizer_of
from bfcl_pipeline.ask.models.oracle import answer as perfect_answer
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.servers.blame import Cause, blame
from bfcl_pipeline.show.servers.formats import format_of, write_tokenizer
from bfcl_pipeline.show.servers.recorded import ServedAnswer, recorded_answers
from bfcl_pipeline.show.servers.reparse import reparse, reparse_lines
from tests.show.compare.diff.made_run import MODEL, MadeRun
from tests.support.template_server import TemplateServer

IDS = ("simple_python_0", "simple_python_1", "simple_python_2", "simple_python_3")
LOST = 2
"""The answer whose call the server drops without a trace."""


class Server(ThreadingHTTPServer):
    """Chat completions of a model that answers right, and a server that loses the call of one answer."""

    def __init__(self, texts: list[tuple[str, Any, list[int]]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.texts = texts  # by entry: the question, the right result, the tokens of what the model writes


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"]
        place = next(n for n, (asked, _, _) in enumerate(self.server.texts) if asked == question)
        _, result, tokens = self.server.texts[place]
        calls = [
            {"id": "0", "type": "function", "function": {"name": name, "arguments": arguments}}
            for call in result
            for name, arguments in call.items()
        ]
        message = {"role": "assistant", "content": None, "tool_calls": [] if place == LOST else calls}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
        if body.get("return_token_ids"):
            choice["token_ids"] = tokens
        self._send({"id": "0", "choices": [choice], "prompt_token_ids": [1] * 1_000})

    def do_GET(self) -> None:
        self._send({"version": "0.32.0"})

    def _send(self, document: Any) -> None:
        answer = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="module")
def tokenizer(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(format_of("hermes"), staged, folder)
    return folder


@pytest.fixture(scope="module")
def endpoint(staged: Path, tokenizer: Path) -> Iterator[str]:
    from tokenizers import Tokenizer

    encoder, form = Tokenizer.from_file(str(tokenizer / "tokenizer.json")), TemplateServer("hermes")
    texts = []
    for entry in read_entries(entries_path(staged, "simple_python"), IDS):
        result = perfect_answer(entry, Mode.FC)
        text = form.text(result)
        texts.append(
            (entry.turns[0][-1]["content"], result, encoder.encode(text, add_special_tokens=False).ids)
        )
    with Server(texts) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def made(staged: Path, endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> MadeRun:
    """A run of a model at a server that says that it is vLLM."""
    return MadeRun(tmp_path_factory.mktemp("made"), staged, endpoint).make(IDS)


@pytest.fixture(scope="module")
def answers(made: MadeRun, staged: Path, tokenizer: Path) -> list[ServedAnswer]:
    return list(
        recorded_answers(Run(made.results, made.cache, staged), MODEL, tokenizer_of(None, tokenizer))
    )


def test_the_text_that_the_model_wrote_is_read_from_recorded_tokens(answers: list[ServedAnswer]) -> None:
    """Also where the server returned nothing."""
    assert [answer.entry.entry_id for answer in answers] == list(IDS)
    assert all(answer.steps[0].written.text.startswith("<tool_call>") for answer in answers)
    assert [bool(answer.steps[0].result) for answer in answers] == [number != LOST for number in range(4)]


def test_show_prints_what_the_model_wrote_beside_what_the_server_read(
    made: MadeRun, staged: Path, tokenizer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the tokenizer; without it, how many tokens there are."""
    words = ["show", IDS[0], "--model", MODEL, "--run", str(made.results), "--cache", str(made.cache)]
    words += ["--data", str(staged)]
    assert main([*words, "--tokenizer", str(tokenizer)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert 'wrote <tool_call> {"name": "calculate_triangle_area", "arguments"' in printed
    assert "answer > calculate_triangle_area(base=10, height=5" in printed
    assert main(words) == 0
    assert "tokens; --tokenizer DIR names" in " ".join(capsys.readouterr().out.split())


def test_the_lost_call_alone_is_put_down_to_the_server(answers: list[ServedAnswer], staged: Path) -> None:
    """The model wrote all four."""
    found = [blame(answer, read_constants(staged), format_of("hermes")) for answer in answers]
    assert [one and one.cause for one in found] == [None, None, Cause.LOST, None]


def test_the_command_prints_the_cause_and_writes_its_table(
    made: MadeRun, staged: Path, tokenizer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the tokenizer the lost call is found; without it, nothing shows that the model wrote one."""
    words = ["blame", str(made.results), "--cache", str(made.cache), "--data", str(staged)]
    assert main([*words, "--tokenizer", str(tokenizer)]) == 0
    printed = capsys.readouterr().out
    assert "1 answer is wrong through the server alone" in printed
    assert 'simple_python_2, step 1:\n  the model wrote "<tool_call>' in printed
    assert "  the server read nothing" in printed
    table = (made.results / "blame.csv").read_text()
    assert f"{MODEL},server lost or changed a call,simple_python,1,0,25.0000" in table
    assert main(words) == 0
    both = capsys.readouterr()
    assert "through the server alone" not in both.out
    assert "its tokenizer is not here (--tokenizer DIR)" in both.err


def test_another_parser_wins_back_exactly_what_was_lost(answers: list[ServedAnswer], staged: Path) -> None:
    """And the same reading changes nothing."""
    constants = read_constants(staged)
    read = [reparse(answer, TemplateServer("hermes"), constants, Rules.OFFICIAL) for answer in answers]
    assert [(one.differs, one.before, one.after) for one in read if one] == [
        (False, True, True),
        (False, True, True),
        (True, False, True),
        (False, True, True),
    ]
    lines = list(reparse_lines(MODEL, [one for one in read if one], 0))
    assert lines[0] == f"{MODEL}: 4 answers read again, 1 otherwise"
    assert "won: 1: simple_python_2" in lines


def test_without_recorded_tokens_nothing_is_read_again(
    made: MadeRun, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answers as they are in the tables."""
    plain = list(recorded_answers(Run(made.results, made.cache, staged), MODEL))
    assert not any(step.written.tokens for answer in plain for step in answer.steps)
    assert reparse(plain[0], TemplateServer("hermes"), read_constants(staged), Rules.OFFICIAL) is None
    assert main(["reparse", str(made.results), "--server", "http://127.0.0.1:9"]) == 1
    assert "name the tokenizer" in capsys.readouterr().err
