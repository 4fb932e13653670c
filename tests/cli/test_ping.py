"""`bfcl-pipeline ping` against servers on loopback: answers, errors and silence."""

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bfcl_pipeline.ask.models.adapters.row_adapter import RowAdapter
from bfcl_pipeline.cli import main

CALLS = {
    "choices": [
        {
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
                    }
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 80, "completion_tokens": 20},
}
WORDS = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "It snows."}}]}
NO_SUCH_MODEL = {"error": {"message": "The model `mine` does not exist.", "code": "model_not_found"}}
COUNT = (200, {"count": 9, "max_model_len": 4096})
MODELS = {"data": [{"id": "other"}, {"id": "mine-2"}]}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization"), body))
        counts = self.path.endswith(("/tokenize", "/count"))
        self._send(*(self.server.count if counts else self.server.answer))

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Authorization"), None))
        self._send(*self.server.models)

    def log_message(self, *_):
        """Logs nothing."""

    def _send(self, status, content):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def _server(status, content, models=(404, b""), count=COUNT):
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.answer, server.models, server.asked = (status, content), models, []
        server.count = count
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def ping(tmp_path, capsys, monkeypatch):
    """Pings the model of a row; returns exit status, standard output and standard error."""
    monkeypatch.setenv("MY_KEY", "sk-secret-of-the-test")

    def pinged(server, name="mine-FC", *options, **row):
        endpoint = server if isinstance(server, str) else f"http://127.0.0.1:{server.server_port}/v1"
        row = {"name": name, "kind": "openai_chat", "endpoint": endpoint, **row}
        row = {key: value for key, value in row.items() if value is not None}
        path = tmp_path / "models.yaml"
        path.write_text(json.dumps({"models": [row]}))
        status = main(["ping", name, "--models", str(path), *options])
        printed = capsys.readouterr()
        assert "sk-secret" not in printed.out + printed.err
        return status, printed.out, printed.err

    return pinged


def test_a_call_is_printed(ping):
    """An answer is printed with its calls, tokens, seconds and price."""
    with _server(200, CALLS) as server:
        status, out, err = ping(server, input_price=1, output_price=10, key="MY_KEY", options={"seed": 7})
    assert (status, err) == (0, "")
    assert 'get_weather({"city": "Oslo"})' in out
    assert "80 sent, 20 received" in out
    assert "$0.000280" in out
    (path, key, body) = server.asked[0]
    assert (path, key) == ("/v1/chat/completions", "Bearer sk-secret-of-the-test")
    assert body["tools"][0]["function"]["name"] == "get_weather"
    assert body["seed"] == 7


def test_a_text_is_printed(ping):
    """In mode prompt the text is printed; without token counts the price is unknown."""
    with _server(200, WORDS) as server:
        status, out, _ = ping(server, "mine", input_price=1, output_price=1)
    assert status == 0
    assert '"It snows."' in out
    assert "an unknown number sent" in out
    assert "price    unknown" in out
    assert "tools" not in server.asked[0][2]


HOSTILE = "\x1b[2Jbad\u202e\x9b8m"


def _is_harmless(text):
    return "bad" in text and all(letter.isprintable() or letter == "\n" for letter in text)


def test_a_server_cannot_control_the_terminal(ping):
    """Escape sequences in calls, reasons and model names are printed as text."""
    call = {"id": "1", "type": "function", "function": {"name": HOSTILE, "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    with _server(200, {"choices": [{"finish_reason": HOSTILE, "message": message}]}) as server:
        status, out, _ = ping(server)
    assert status == 0
    assert _is_harmless(out)
    models = (200, {"data": [{"id": HOSTILE}]})
    with _server(404, {"error": {"message": HOSTILE}}, models) as server:
        status, _, err = ping(server)
    assert status == 1
    assert _is_harmless(err)


def test_an_error_of_a_server_cannot_control_the_terminal(staged, tmp_path, capsys):
    """`generate` prints the escape sequences in the reason of an entry without an answer as text."""
    models = tmp_path / "models.yaml"
    with _server(400, {"error": {"message": HOSTILE}}) as server:
        row = {
            "name": "mine-FC",
            "kind": "openai_chat",
            "endpoint": f"http://127.0.0.1:{server.server_port}",
        }
        models.write_text(json.dumps({"models": [{**row, "limits": {"attempts": 1}}]}))
        places = ["--data", str(staged), "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")]
        entry = ["--category", "simple_python", "--entry-ids", "simple_python_0", "--run", "r"]
        assert main(["generate", "--model", "mine-FC", "--models", str(models), *entry, *places]) == 0
    printed = capsys.readouterr()
    assert _is_harmless(printed.out + printed.err)


def test_a_text_in_place_of_a_call_is_explained(ping):
    """If a model of mode fc calls nothing, the output explains what that may mean."""
    with _server(200, WORDS) as server:
        status, out, _ = ping(server)
    assert status == 0
    assert "belongs in mode prompt" in out


def test_a_wrong_key_is_named(ping):
    """After 401, the message has the variable with the key, not the key."""
    with _server(401, {"error": {"message": "Incorrect API key: sk-secret-of-the-test"}}) as server:
        status, out, err = ping(server, key="MY_KEY")
    assert (status, out) == (1, "")
    assert "HTTP 401" in err
    assert "The key came from MY_KEY." in err


def test_a_missing_key_is_suspected(ping):
    """After 401 to a request without a key, the advice is to set `key` in the row."""
    with _server(401, {"error": {"message": "no key"}}) as server:
        status, _, err = ping(server)
    assert status == 1
    assert "No key was sent: set `key` in the model's row" in err


def test_an_unknown_model_is_answered_with_the_models_of_the_endpoint(ping):
    """After 404, the models that the endpoint lists are printed, the most similar first."""
    with _server(404, NO_SUCH_MODEL, (200, MODELS)) as server:
        status, _, err = ping(server, key="MY_KEY")
    assert status == 1
    assert "There is no 'mine' at" in err
    assert "it offers mine-2, other." in err
    assert server.asked[1][:2] == ("/v1/models", "Bearer sk-secret-of-the-test")


def test_a_wrong_path_is_suspected(ping):
    """An endpoint that answers 404 for completions and for its list of models is probably wrong."""
    with _server(404, b"<html>not here</html>") as server:
        status, _, err = ping(server)
    assert status == 1
    assert "does not list its models either. Most endpoints end in /v1." in err


@pytest.mark.parametrize(
    "garbage", [b"<html>hello</html>", b'{"choices": []}', b"\xff\xfe", b'{"choices": [{}]}']
)
def test_an_answer_in_another_format_is_an_error(ping, garbage):
    """Another format is an error, with a guess at the reason."""
    with _server(200, garbage) as server:
        status, out, err = ping(server)
    assert (status, out) == (1, "")
    assert "an API of kind openai_chat? Most endpoints end in /v1." in err


def test_a_server_that_is_not_running_is_an_error(ping):
    """If no connection can be made, the message suggests that no server is running."""
    with socket.create_server(("127.0.0.1", 0)) as once:
        port = once.getsockname()[1]
    status, _, err = ping(f"http://127.0.0.1:{port}/v1")
    assert status == 1
    assert f"Is a server running at http://127.0.0.1:{port}/v1?" in err


def test_a_timeout_is_an_error(ping):
    """A server that accepts the request and never answers is an error after --seconds."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        status, _, err = ping(address, "mine-FC", "--seconds", "0.05")
    assert status == 1
    assert "no answer within 0.05 s. Wait longer with --seconds." in err


def test_a_busy_server_is_reported(ping):
    """After 429 the message says that runs wait and try again."""
    with _server(429, {"error": {"message": "slow down"}}) as server:
        status, _, err = ping(server)
    assert status == 1
    assert "Runs wait and try again." in err


def test_a_missing_key_is_reported_before_a_request(ping, monkeypatch):
    """Without the key that the row names, no request is sent."""
    monkeypatch.delenv("MY_KEY")
    with _server(200, CALLS) as server:
        status, _, err = ping(server, key="MY_KEY")
    assert status == 1
    assert "MY_KEY is not set" in err
    assert server.asked == []


def test_a_model_that_a_run_serves_can_be_pinged_at_an_endpoint(ping):
    """A model of kind vllm is not served now; --endpoint names a server that is running."""
    row = {"kind": "vllm", "endpoint": None, "model": "org/model", "vllm": {"tool_parser": "hermes"}}
    status, _, err = ping("", **row)
    assert status == 1
    assert "--endpoint http://127.0.0.1:8000/v1" in err
    with _server(200, CALLS) as server:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        status, out, _ = ping("", "mine-FC", "--endpoint", address, **row)
    assert status == 0
    assert "get_weather" in out
    assert server.asked[0][2]["model"] == "org/model"


def test_a_key_is_only_sent_to_the_endpoint_of_the_row(ping):
    """--endpoint is refused for models of vendors: their keys are for their own endpoints."""
    with _server(200, CALLS) as server:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        status, _, err = ping("https://example.org/v1", "mine-FC", "--endpoint", address, key="MY_KEY")
    assert status == 1
    assert "--endpoint is for models that vLLM serves" in err
    assert server.asked == []


def test_embedded_models_are_always_ready(ping):
    """A model that is part of the pipeline needs no request."""
    status, out, _ = ping("", "mine", kind="lexical", endpoint=None)
    assert status == 0
    assert "always ready" in out


def test_the_seconds_are_those_of_the_request(ping, monkeypatch):
    """The import of the client, before the request, is not part of the time."""
    clock = [0.0]
    opened = RowAdapter.open

    def open_slowly(self, log):
        opened(self, log)
        clock[0] += 30.0

    monkeypatch.setattr(RowAdapter, "open", open_slowly)
    monkeypatch.setattr("bfcl_pipeline.cli.ping.time.perf_counter", lambda: clock[0])
    with _server(200, CALLS) as server:
        status, out, _ = ping(server, key="MY_KEY")
    assert (status, clock) == (0, [30.0])
    assert "seconds  0.00" in out


def test_the_next_step_follows_a_good_answer(ping):
    """The last line is a command that runs the model."""
    with _server(200, CALLS) as server:
        _, out, _ = ping(server)
    assert out.endswith("Next: bfcl-pipeline run --model mine-FC --sample 100\n")


@pytest.mark.parametrize("arguments", ["{}", "", '{"town": "Oslo"}', "not JSON"])
def test_a_call_without_its_argument_is_not_fine(ping, arguments):
    """A call that lacks the required argument is explained, and no next step is shown."""
    calls = json.loads(json.dumps(CALLS))
    calls["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = arguments
    with _server(200, calls) as server:
        status, out, _ = ping(server)
    assert status == 0
    assert "The call lacks the argument `city`" in out
    assert "Next:" not in out


def _completion(text):
    return {"choices": [{"text": text, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}


FAMILY = {"kind": "vllm", "backend": "endpoint"}


def test_a_prompt_is_printed_with_the_raw_answer_and_what_was_read(ping, staged):
    """All on lines of their own and bounded; a hostile answer moves no cursor."""
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    text = f"<think>\x1b[2J hm </think>{call}{'!' * 5_000}"
    with _server(200, _completion(text)) as server:
        status, out, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert (status, err) == (0, "")
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert "prompts of the leaderboard, family qwen3-fc" in lines["asked"]
    (sent,) = [body for path, _, body in server.asked if path == "/v1/completions"]
    assert sent["prompt"].startswith("<|im_start|>system\n# Tools")
    assert lines["prompt"].split(maxsplit=1)[1] == sent["prompt"].replace("\n", "\\n")
    assert r"<think>\x1b[2J hm </think><tool_call>\n{" in lines["raw"]
    assert lines["raw"].endswith("more characters)")
    assert lines["answer"].split(maxsplit=1)[1] == 'get_weather({"city": "Oslo"})'
    assert "Next: bfcl-pipeline run" in out


def test_a_server_that_does_not_state_its_context_is_noted(ping, staged):
    """What a run writes to its log is printed to standard error; the answer follows."""
    with _server(200, _completion("It snows."), count=(404, b"")) as server:
        status, out, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert status == 0
    assert "the server does not state its context length: set `vllm: {max_model_len: N}`" in err
    assert "It snows." in out


def test_an_answer_in_another_form_than_the_familys_is_doubted(ping, staged):
    """The advice is about families, not about the server's parser."""
    with _server(200, _completion("[get_weather(city='Oslo')]")) as server:
        status, out, _ = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert status == 0
    assert "may not write calls as the family qwen3-fc does" in out
    assert "tool_parser" not in out


def test_a_server_without_completions_is_told_from_a_wrong_model(ping, staged):
    """It lists the model, so the advice is the other way of asking and not a key or another name."""
    listed = (200, {"data": [{"id": "Qwen/Qwen3-8B"}]})
    with _server(404, {"detail": "Not Found"}, models=listed) as server:
        status, _, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert status == 1
    assert "has no /completions, to which prompts are sent. `prompting: server`" in err
    assert "No key was sent" not in err


def test_a_context_that_is_too_small_is_the_servers(ping, staged):
    """The advice is the server's option."""
    too_long = {
        "object": "error",
        "message": "This model's maximum context length is 30 tokens.",
        "code": 400,
    }
    with _server(400, too_long) as server:
        status, _, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert (status, "vLLM: --max-model-len" in err) == (1, True)


def test_a_prompt_needs_the_staged_release(ping, tmp_path):
    """One line with the command that stages it; nothing is sent."""
    with _server(200, WORDS) as server:
        status, _, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(tmp_path), **FAMILY)
    assert (status, server.asked) == (1, [])
    assert "bfcl-pipeline stage" in err
