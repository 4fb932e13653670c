"""`bfcl-pipeline ping` against servers on loopback: right and wrong answers, errors and silence."""

import json
import socket

import pytest

from bfcl_pipeline.ask.models.adapters.row_adapter import RowAdapter
from bfcl_pipeline.ask.ping.blame import same_model
from bfcl_pipeline.cli import main
from tests.support.api_formats import FORMATS
from tests.support.api_server import NOT_FOUND, answer
from tests.support.pinged_server import chat, good, server_of, wanted


def in_text(body):
    """Calls as text that the server did not read."""
    calls = [{"name": name, "arguments": given} for name, given in wanted(body)]
    return chat(body, [], "".join(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls) or "9")


def without_tools(body):
    """A server that ignores `tools`."""
    sent = len(json.dumps(body["messages"]))
    return {**_words(body), "usage": {"prompt_tokens": sent, "completion_tokens": 4}}


def _words(body):
    return chat(body, [], "It snows.")


def refusing(what):
    """A server that refuses requests in whose tools something stands."""
    return lambda body: (
        answer({"error": {"message": "not supported"}}, "400 Bad Request")
        if what in json.dumps(body.get("tools"))
        else good(body)
    )


NO_SUCH_MODEL = {"error": {"message": "The model `mine` does not exist.", "code": "model_not_found"}}
MODELS = answer({"data": [{"id": "other"}, {"id": "mine-2"}]})


def _completion(text):
    return FORMATS["vllm"].whole(text)


@pytest.fixture
def ping(tmp_path, capsys, monkeypatch):
    """Pings the model of a row; returns exit status, standard output and standard error."""
    monkeypatch.setenv("MY_KEY", "sk-secret-of-the-test")

    def pinged(server, name="mine-FC", *options, **row):
        endpoint = server if isinstance(server, str) else server.endpoint
        row = {"name": name, "kind": "openai_chat", "endpoint": endpoint, **row}
        row = {key: value for key, value in row.items() if value is not None}
        path = tmp_path / "models.yaml"
        path.write_text(json.dumps({"models": [row]}))
        status = main(["ping", name, "--models", str(path), *options])
        printed = capsys.readouterr()
        assert "sk-secret" not in printed.out + printed.err
        return status, printed.out, printed.err

    return pinged


def test_a_good_model_passes_every_try(ping):
    """The table has each try; tokens, seconds and price follow, and the next command; options are sent."""
    with server_of(good) as server:
        status, out, err = ping(server, input_price=1, output_price=10, key="MY_KEY", options={"seed": 7})
    assert (status, err) == (0, "")
    rows = {line[:11].strip(): line.split()[-1] for line in out.splitlines()[3:9]}
    names = ["one call", "two calls", "nested call", "no call", "second turn", "model name"]
    assert rows == dict.fromkeys(names, "yes")
    assert 'get_weather({"city": "Oslo"})' in out
    assert "7 answers, tokens: " in out
    assert "140 received" in out
    assert "$0.0" in out
    assert out.endswith("Next: bfcl-pipeline run -m mine-FC --sample 100\n")
    assert max(map(len, out.splitlines())) <= 80
    first = server.requests[0]
    assert first.target == "/v1/chat/completions"
    assert first.headers["authorization"] == "Bearer sk-secret-of-the-test"
    assert first.json["tools"][0]["function"]["name"] == "get_weather"
    assert {one.json["seed"] for one in server.requests} == {7}
    sent = [message["role"] for message in server.requests[-1].json["messages"]]
    assert sent == ["user", "assistant", "tool", "assistant", "user"]


def _one_only(body):
    return chat(body, wanted(body)[:1], None if wanted(body) else "It is 9.")


def _lost(body):
    return chat(body, [], "It is 9.", finish_reason="tool_calls" if wanted(body) else "stop")


def _silent(body):
    return chat(body, [], None, message={"tool_calls": None}) if wanted(body) else good(body)


def _thinking(body):
    found = in_text(body)
    message = found["choices"][0]["message"]
    return {**found, "choices": [{"message": {"reasoning_content": message["content"]}}]}


def _cut(body):
    return chat(body, [], "It is", finish_reason="length") if wanted(body) else good(body)


def _again(body):
    return chat(body, [("get_weather", {"city": "Oslo"})]) if body["messages"][1:] else good(body)


def _forgets(body):
    return {**_again(body), "usage": {"prompt_tokens": 500 // len(body["messages"])}}


def _renamed(body):
    return {**good(body), "model": "other"}


def _uncounted(body):
    return {**without_tools(body), "usage": None}


def _constant(body):
    return {**without_tools(body), "usage": {"prompt_tokens": 0}}


def _calling(body):
    square = "square" in body["messages"][-1]["content"]
    return chat(body, [("get_weather", {"city": "9"})]) if square else good(body)


CALLED = {"one call", "two calls", "nested call", "second turn"}
FOUND = {
    "gives one call where two are asked for": (_one_only, {}, "model", {"two calls"}, "Expected 2 calls"),
    "is told to give one call": (
        _one_only,
        {"options": {"parallel_tool_calls": False}},
        "row",
        {"two calls"},
        "parallel_tool_calls",
    ),
    "calls where nothing fits": (_calling, {}, "model", {"no call"}, "no call"),
    "is forced to call": (
        _calling,
        {"options": {"tool_choice": "required"}},
        "row",
        {"no call"},
        "tool_choice",
    ),
    "answers in words": (_words, {}, "model", CALLED, "belongs in mode prompt"),
    "ignores tools": (without_tools, {}, "server", CALLED, "It ignores `tools`: it counts "),
    "counts the same tokens for all": (_constant, {}, "model", CALLED, "The server may ignore `tools`"),
    "counts no tokens": (_uncounted, {}, "model", CALLED, "The server may ignore `tools`"),
    "does not read calls": (in_text, {}, "server", CALLED, "with the model's tool parser"),
    "loses calls": (_lost, {}, "server", CALLED, "says that it made calls, and lists none"),
    "loses the answer": (_silent, {}, "server", CALLED, "20 tokens were counted, and neither text nor"),
    "leaves calls in the reasoning": (_thinking, {}, "server", CALLED, "its reasoning parser"),
    "ends at the limit": (_cut, {}, "row", CALLED, "limit of new tokens"),
    "calls again": (_again, {}, "model", {"second turn"}, "It calls again although it was sent"),
    "drops messages": (_forgets, {}, "server", {"second turn"}, "it drops messages"),
    "answers as another": (
        _renamed,
        {},
        "row",
        {"model name"},
        "Set `model` in the row to one of: mine-2,",
    ),
    "refuses tools": (
        refusing("name"),
        {},
        "server",
        CALLED | {"no call"},
        "the same question without functions",
    ),
    "refuses nested tools": (
        refusing("address"),
        {},
        "server",
        {"nested call"},
        "It answers other questions",
    ),
    "refuses the options": (refusing(""), {}, "row", CALLED | {"no call"}, "`options` in the model's row"),
}
STATUS = {"row": 1, "server": 3, "model": 4}


@pytest.mark.parametrize("case", FOUND)
def test_what_fails_is_put_down_to_row_server_or_model(ping, case):
    """The exit status and the JSON name what is to be looked at first; the text has the reason."""
    behaviour, row, blame, failed, words = FOUND[case]
    with server_of(behaviour, models=MODELS) as server:
        status, out, err = ping(server, "mine-FC", "--json", **row)
        text = ping(server, **row)[1]
    document = json.loads(out)
    assert (status, document["blame"], err) == (STATUS[blame], blame, "")
    assert {one["try"] for one in document["tries"] if one["blame"] is not None} == failed
    assert words in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("kind", "messages"), [("anthropic", "messages"), ("gemini", "contents"), ("openai_responses", "input")]
)
def test_every_api_format_is_tried(ping, kind, messages):
    """Calls, texts and results of calls are read and written in the form of the API."""
    form = FORMATS[kind]

    def answered(body):
        last = json.dumps(body[messages][-1])
        is_result = any(
            word in last for word in ("tool_result", "functionResponse", "function_call_output")
        )
        calls = [] if is_result else wanted({"messages": [{"role": "user", "content": last}]})
        items = [form.call(name, given, f"{place}") for place, (name, given) in enumerate(calls)]
        return form.whole(*items or [form.text("It is 9.")], sent=len(json.dumps(body)))

    with server_of(answered) as server:
        status, out, _ = ping(server, "m-FC", kind=kind, key="MY_KEY", model="m")
    assert status == 0, out
    assert '"It is 9."' in out


@pytest.mark.parametrize(
    ("asked", "stated", "same"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku-20241022", True),
        ("Qwen/Qwen3-8B", "qwen3-8b", True),
        ("gemini-2.0-flash", "models/gemini-2.0-flash-001", True),
        ("mine", "mine-2", False),
        ("gpt-4o", "gpt-4o-mini", False),
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-4B", False),
    ],
)
def test_a_version_is_not_another_model(asked, stated, same):
    """Servers add a date, a version or a folder to the name that they were asked for."""
    assert same_model(asked, stated) is same


def test_a_model_of_mode_prompt_is_asked_as_a_run_asks(ping, staged):
    """With the benchmark's system prompt and without tools; text is read as Python, results go back."""

    def prompted(body):
        calls = [
            f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
            for name, given in wanted({"messages": [body["messages"][-1]]})
        ]
        is_result = body["messages"][-1]["content"].startswith("[{'role': 'tool'")
        text = f"[{', '.join(calls)}]" if calls and not is_result else "It is 9."
        return {key: value for key, value in chat(body, [], text).items() if key != "usage"}

    with server_of(prompted) as server:
        status, out, _ = ping(server, "mine", "--data", str(staged), input_price=1, output_price=1)
    assert status == 0, out
    assert "tokens: unknown sent" in out
    assert "unknown price" in out
    assert "tools" not in server.requests[0].json
    assert server.requests[0].json["messages"][0]["role"] == "system"


HOSTILE = "\x1b[2Jbad\u202e\x9b8m"


def _is_harmless(text):
    return "bad" in text and all(letter.isprintable() or letter == "\n" for letter in text)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_server_cannot_control_the_terminal(ping, options):
    """Escape sequences in calls, errors and model names are printed as text."""
    with server_of(lambda body: chat(body, [(HOSTILE, {})])) as server:
        status, out, _ = ping(server, "mine-FC", *options)
    assert status == 4
    assert _is_harmless(out)
    hostile = answer({"error": {"message": HOSTILE}}, "404 Not Found")
    with server_of(hostile, answer({"data": [{"id": HOSTILE}]})) as server:
        status, out, _ = ping(server, "mine-FC", *options)
    assert status == 1
    assert _is_harmless(out)


def test_an_error_of_a_server_cannot_control_the_terminal(staged, tmp_path, capsys):
    """`generate` prints the escape sequences in the reason of an entry without an answer as text."""
    models = tmp_path / "models.yaml"
    with server_of(answer({"error": {"message": HOSTILE}}, "400 Bad Request")) as server:
        row = {"name": "mine-FC", "kind": "openai_chat", "endpoint": server.endpoint}
        models.write_text(json.dumps({"models": [{**row, "limits": {"attempts": 1}}]}))
        places = ["--data", str(staged), "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")]
        entry = ["--category", "simple_python", "--entry-ids", "simple_python_0", "--run", "r"]
        assert main(["generate", "--model", "mine-FC", "--models", str(models), *entry, *places]) == 0
    printed = capsys.readouterr()
    assert _is_harmless(printed.out + printed.err)


GARBAGE = [b"<html>hello</html>", b'{"choices": []}', b"\xff\xfe", b'{"choices": [{}]}']
REFUSED = [
    ("401 No", "Incorrect API key: sk-secret-of-the-test", "MY_KEY", 1, "The key came from"),
    ("401 No", "no key", None, 1, "No key was sent: set `key` in the model's row"),
    ("404 No", b"<html>", None, 1, "does not list its models either. Most endpoints end in /v1."),
    ("429 No", "slow down", None, 3, "Runs wait and try again."),
    ("500 No", "broken", None, 3, "HTTP 500"),
    *(
        ("200 OK", each, None, 1, "an API of kind openai_chat? Most endpoints end in /v1.")
        for each in GARBAGE
    ),
]


@pytest.mark.parametrize(("http", "content", "key", "expected", "words"), REFUSED)
def test_an_error_that_all_requests_meet_ends_the_tries(ping, http, content, key, expected, words):
    """One request, the error with advice, and never the key."""
    content = content if isinstance(content, bytes) else {"error": {"message": content}}
    with server_of(answer(content, http)) as server:
        status, out, _ = ping(server, key=key)
    assert (status, sum(one.method == "POST" for one in server.requests)) == (expected, 1)
    assert words in " ".join(out.split())
    assert "no answer" in out


def test_an_unknown_model_is_answered_with_the_models_of_the_endpoint(ping):
    """After 404, the models that the endpoint lists are printed, the most similar first."""
    with server_of(answer(NO_SUCH_MODEL, "404 Not Found"), MODELS) as server:
        status, out, _ = ping(server, key="MY_KEY")
    assert status == 1
    assert "There is no 'mine' at" in " ".join(out.split())
    assert "it offers mine-2, other." in " ".join(out.split())
    listed = server.requests[1]
    assert listed.target == "/v1/models"
    assert listed.headers["authorization"] == "Bearer sk-secret-of-the-test"


def test_a_server_that_is_not_running_is_an_error(ping):
    """If no connection can be made, the message suggests that no server is running."""
    with socket.create_server(("127.0.0.1", 0)) as once:
        port = once.getsockname()[1]
    status, out, _ = ping(f"http://127.0.0.1:{port}/v1")
    assert status == 3
    assert f"Is a server running at http://127.0.0.1:{port}/v1?" in " ".join(out.split())


def test_a_timeout_is_an_error(ping):
    """A server that accepts the request and never answers is an error after --seconds."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        status, out, _ = ping(address, "mine-FC", "--seconds", "0.05")
    assert status == 3
    assert "no answer within 0.05 s. Wait longer with --seconds." in out


def test_a_missing_key_is_reported_before_a_request(ping, monkeypatch):
    """Without the key that the row names, no request is sent."""
    monkeypatch.delenv("MY_KEY")
    with server_of(good) as server:
        status, _, err = ping(server, key="MY_KEY")
    assert status == 1
    assert "MY_KEY is not set" in err
    assert server.requests == []


def test_a_model_that_a_run_serves_can_be_pinged_at_an_endpoint(ping):
    """A model of kind vllm is not served now; --endpoint names a server that is running."""
    row = {"kind": "vllm", "endpoint": None, "model": "org/model", "vllm": {"tool_parser": "hermes"}}
    status, _, err = ping("", **row)
    assert status == 1
    assert "--endpoint http://127.0.0.1:8000/v1" in err
    with server_of(good) as server:
        status, out, _ = ping("", "mine-FC", "--endpoint", server.endpoint, **row)
    assert status == 0
    assert "get_weather" in out
    assert server.requests[0].json["model"] == "org/model"


def test_a_key_is_only_sent_to_the_endpoint_of_the_row(ping):
    """--endpoint is refused for models of vendors: their keys are for their own endpoints."""
    with server_of(good) as server:
        status, _, err = ping(
            "https://example.org/v1", "mine-FC", "--endpoint", server.endpoint, key="MY_KEY"
        )
    assert status == 1
    assert "--endpoint is for models that vLLM serves" in err
    assert server.requests == []


def test_embedded_models_are_always_ready(ping):
    """A model that is part of the pipeline needs no request."""
    status, out, _ = ping("", "mine", kind="lexical", endpoint=None)
    assert status == 0
    assert "always ready" in out


def test_the_seconds_are_those_of_the_requests(ping, monkeypatch):
    """The import of the client, before the first request, is not part of the time."""
    clock = [0.0]
    opened = RowAdapter.open

    def open_slowly(self, log):
        opened(self, log)
        clock[0] += 30.0

    monkeypatch.setattr(RowAdapter, "open", open_slowly)
    monkeypatch.setattr("bfcl_pipeline.ask.ping.run_tries.time.perf_counter", lambda: clock[0])
    with server_of(good) as server:
        status, out, _ = ping(server, key="MY_KEY")
    assert (status, clock) == (0, [30.0])
    assert "; 0.00 s;" in out


@pytest.mark.parametrize("arguments", ["{}", "", '{"town": "Oslo"}', "not JSON"])
def test_a_call_without_its_argument_is_not_right(ping, arguments):
    """What is missing is named; of empty arguments, that the server may have lost them."""
    with server_of(lambda body: chat(body, [("get_weather", arguments)])) as server:
        status, out, _ = ping(server)
    assert status == 4
    assert ("its server's tool parser loses them" in " ".join(out.split())) is (arguments in ("", "{}"))


FAMILY = {"kind": "vllm", "backend": "endpoint"}


def test_a_prompt_is_printed_with_the_raw_answer_and_what_was_read(ping, staged):
    """All on lines of their own and bounded; a hostile answer moves no cursor."""
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    text = f"<think>\x1b[2J hm </think>{call}{'!' * 5_000}"
    with server_of(answer(_completion(text))) as server:
        status, out, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert (status, err) == (4, "")  # it answers the same to all questions
    lines = {line.split()[0]: line for line in reversed(out.splitlines()) if line}
    assert "prompts of the leaderboard, family qwen3-fc" in lines["asked"]
    sent = next(one.json for one in server.requests if one.target == "/v1/completions")
    assert sent["prompt"].startswith("<|im_start|>system\n# Tools")
    assert lines["prompt"].split(maxsplit=1)[1] == sent["prompt"].replace("\n", "\\n")
    assert r"<think>\x1b[2J hm </think><tool_call>\n{" in lines["raw"]
    assert lines["raw"].endswith("more characters)")
    assert lines["one"].endswith("yes")


def test_a_server_that_does_not_state_its_context_is_noted(ping, staged):
    """What a run writes to its log is printed to standard error; the answer follows."""
    with server_of(answer(_completion("It snows.")), count=NOT_FOUND) as server:
        status, out, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert status == 4
    assert "the server does not state its context length: set `vllm: {max_model_len: N}`" in err
    assert "It snows." in out


@pytest.mark.parametrize(
    ("given", "expected", "words"),
    [
        (answer(_completion("[get_weather(city='Oslo')]")), 1, "not as the family qwen3-fc writes calls"),
        (NOT_FOUND, 1, "has no /completions, to which prompts are sent. `prompting: server`"),
        (
            answer({"message": "maximum context length is 30 tokens."}, "400 Bad Request"),
            3,
            "vLLM: --max-model-len",
        ),
    ],
    ids=["another form", "no completions", "a small context"],
)
def test_the_advice_for_a_family_is_about_families(ping, staged, given, expected, words):
    """Another family or way of asking, or the context; neither a tool parser nor a key."""
    with server_of(given, answer({"data": [{"id": "Qwen/Qwen3-8B"}]})) as server:
        status, out, _ = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert (status, words in " ".join(out.split())) == (expected, True)
    assert "tool_parser" not in out
    assert "No key was sent" not in out


def test_a_prompt_needs_the_staged_release(ping, tmp_path):
    """One line with the command that stages it; nothing is sent."""
    with server_of(good) as server:
        status, _, err = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(tmp_path), **FAMILY)
    assert (status, server.requests) == (1, [])
    assert "bfcl-pipeline stage" in err


def test_a_family_whose_first_question_is_refused_is_tried_on(ping, staged):
    """The prompt and the raw answer that are printed are the first that there are."""

    def answered(body):
        refused = "Oslo, and" not in body["prompt"]
        no = answer({"error": {"message": "no"}}, "400 Bad Request")
        return no if refused else _completion("It snows.")

    with server_of(answered) as server:
        status, out, _ = ping(server, "Qwen/Qwen3-8B-FC", "--data", str(staged), **FAMILY)
    assert status == 3
    assert "  raw     It snows." in out
