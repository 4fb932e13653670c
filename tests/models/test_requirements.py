"""What a model lacks on this machine."""

import sys

import pytest

from bfcl_pipeline.config import load_models
from bfcl_pipeline.models.requirements import needs


@pytest.fixture
def row(tmp_path, monkeypatch):
    """The row of these lines, read in a folder and with a home where nothing is."""
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
    """A variable that is not there, or holds nothing, is no key; its name and how to set it are told."""
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    (need,) = needs(row("kind: openai_chat, key: MY_KEY"))
    assert (need.what, need.remedy) == ("MY_KEY", "export MY_KEY=...")


def test_embedded_models_lack_nothing(row):
    """A model that is part of the pipeline is ready wherever the pipeline is."""
    assert needs(row("kind: lexical")) == ()


def test_amazon_wants_credentials_of_its_own(row, monkeypatch, tmp_path):
    """A model of Bedrock needs some of AWS's credentials: a variable, or a file in the home."""
    bedrock = row("kind: litellm, model: bedrock/converse/us.amazon.nova-micro-v1:0")
    assert "AWS" in _words(bedrock)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").touch()
    assert "AWS" not in _words(bedrock)
    (tmp_path / ".aws" / "credentials").unlink()
    monkeypatch.setenv("AWS_PROFILE", "mine")
    assert "AWS" not in _words(bedrock)


def test_vllm_is_looked_for_where_serving_looks(row, monkeypatch):
    """A Python that the user names for vLLM is taken at its word; one that is not there is missing."""
    served = row("kind: vllm, model: org/model")
    monkeypatch.setenv("BFCL_VLLM_PYTHON", sys.executable)
    assert "vLLM" not in _words(served)
    monkeypatch.setenv("BFCL_VLLM_PYTHON", "/nowhere/python")
    assert "vLLM" in _words(served)


def test_a_server_that_runs_needs_neither_vllm_nor_gpus(row):
    """With `backend: endpoint`, what the server needs is the server's affair."""
    assert (
        needs(row("kind: vllm, backend: endpoint, endpoint: 'http://gpu:8000/v1', vllm: {gpus: 999}")) == ()
    )


def test_a_chat_template_has_to_be_there(row, tmp_path):
    """A template is a file, named from the folder of the project."""
    served = row("kind: vllm, model: org/model, vllm: {chat_template: templates/mine.jinja}")
    assert "template" in _words(served)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "mine.jinja").touch()
    assert "template" not in _words(served)
