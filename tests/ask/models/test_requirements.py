"""Requirements of models that this machine lacks."""

import socket
import sys

import pytest

from bfcl_pipeline.ask.models import requirements
from bfcl_pipeline.ask.models.requirements import needs, silent_endpoint
from bfcl_pipeline.benchmark.config import load_models


@pytest.fixture
def row(tmp_path, monkeypatch):
    """Reads a row in an empty directory, with an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ):
        monkeypatch.delenv(name, raising=False)

    def read(text):
        (tmp_path / "models.yaml").write_text("models:\n  - {name: mine, " + text + "}\n")
        return load_models(tmp_path / "models.yaml")["mine"]

    return read


def _words(row):
    return [need.what for need in needs(row)]


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_key_that_is_not_set_is_missing(row, monkeypatch, value):
    """A missing or blank variable is reported with the command that sets it."""
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    (need,) = needs(row("kind: openai_chat, key: MY_KEY"))
    assert (need.what, need.remedy) == ("MY_KEY", "export MY_KEY=... (or in the file .env)")


def test_embedded_models_have_no_requirements(row):
    """A model that is part of the pipeline is always ready."""
    assert needs(row("kind: lexical")) == ()


def test_bedrock_needs_aws_credentials(row, monkeypatch, tmp_path):
    """A model of Bedrock needs AWS credentials: a variable, or a file in the home directory."""
    bedrock = row("kind: litellm, model: bedrock/converse/us.amazon.nova-micro-v1:0")
    assert "AWS" in _words(bedrock)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").touch()
    assert "AWS" not in _words(bedrock)
    (tmp_path / ".aws" / "credentials").unlink()
    monkeypatch.setenv("AWS_PROFILE", "mine")
    assert "AWS" not in _words(bedrock)


def test_vllm_is_searched_as_for_serving(row, monkeypatch):
    """A Python that the user names for vLLM is accepted if it exists."""
    served = row("kind: vllm, model: org/model")
    monkeypatch.setenv("BFCL_VLLM_PYTHON", sys.executable)
    assert "vLLM" not in _words(served)
    monkeypatch.setenv("BFCL_VLLM_PYTHON", "/nowhere/python")
    assert "vLLM" in _words(served)


def test_a_running_server_needs_neither_vllm_nor_gpus(row):
    """With `backend: endpoint`, nothing has to be installed on this machine."""
    assert (
        needs(row("kind: vllm, backend: endpoint, endpoint: 'http://gpu:8000/v1', vllm: {gpus: 999}")) == ()
    )


def test_a_chat_template_has_to_exist(row, tmp_path):
    """A template is a file with a path relative to the project's directory."""
    served = row("kind: vllm, model: org/model, vllm: {chat_template: templates/mine.jinja}")
    assert "template" in _words(served)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "mine.jinja").touch()
    assert "template" not in _words(served)

    prompted = row("kind: vllm, model: org/m, family: qwen3, vllm: {chat_template: templates/none.jinja}")
    assert "template" not in _words(prompted)


@pytest.mark.parametrize(
    ("text", "missing"),
    [("family: minicpm-fc", ["[minicpm]"]), ("family: minicpm", []), ("prompting: server, mode: fc", [])],
)
def test_functions_as_code_need_a_package(row, monkeypatch, text, missing):
    """The package of MiniCPM's prompts is listed as missing for rows of that family only."""
    minicpm = row(f"kind: vllm, backend: endpoint, endpoint: 'http://gpu:8000/v1', {text}")
    monkeypatch.setattr(requirements, "is_installed", lambda _module: False)
    assert _words(minicpm) == missing
    monkeypatch.setattr(requirements, "is_installed", lambda _module: True)
    assert _words(minicpm) == []


def test_an_endpoint_of_this_machine_needs_a_server(row):
    """A port of this machine at which nothing listens is missing; addresses elsewhere are not tried."""
    endpoint = "kind: openai_chat, endpoint: 'http://{}/v1'"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert silent_endpoint(row(endpoint.format(f"127.0.0.1:{port}"))) == ()
    (need,) = silent_endpoint(row(endpoint.format(f"127.0.0.1:{port}")))
    assert need.what == "server"
    assert f"nothing listens at http://127.0.0.1:{port}/v1" in need.remedy
    assert silent_endpoint(row(endpoint.format("model.example:1"))) == ()
    assert silent_endpoint(row("kind: lexical")) == ()
