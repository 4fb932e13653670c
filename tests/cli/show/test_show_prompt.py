"""`bfcl-pipeline show --prompt`: the text of requests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.benchmark.config import load_models, recorded_models
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.definition import category_of, release
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.release_texts import read_texts
from tests.support.two_ways import two_ways

FAMILY, CHAT = "Qwen/Qwen3-8B-FC", "chat-FC"
TALK, MEMORY = "multi_turn_base_0", "memory_kv_130-notetaker-0"


@pytest.fixture
def prompt(staged, capsys):
    """A function that returns what the command prints, and its standard error."""

    def printed(entry_id, model, *words, code=0):
        assert main(["show", entry_id, "--prompt", model, "--data", str(staged), *words]) == code
        return capsys.readouterr()

    return printed


@pytest.fixture(scope="module")
def run(tmp_path_factory, staged):
    """A run of two models, one by prompts and one by chats, and the server that answered them."""
    base = tmp_path_factory.mktemp("run")
    with two_ways() as server:
        common = {"kind": "vllm", "backend": "endpoint", "endpoint": server.endpoint}
        models, folder = base / "models.yaml", base / "results/r"
        models.write_text(yaml.safe_dump({"models": [{"name": name, **common} for name in (FAMILY, CHAT)]}))
        for name in (FAMILY, CHAT):
            for entry in (TALK, MEMORY):
                _generate(base, staged, name, entry)
        (folder / "models.yaml").write_text(recorded_models(load_models(models).values()))
        config = {
            **yaml.safe_load((project_folder() / "config/config.yaml").read_text()),
            "run": "r",
            "models": [FAMILY, CHAT],
            "categories": [category_of(TALK), category_of(MEMORY)],
            "entry_ids": [TALK, MEMORY],
            "release": {"version": release.VERSION, "sha256": release.SHA256, "source": None},
        }
        (folder / "config.yaml").write_text(recorded_config(config))
        yield folder, server


def _generate(base: Path, staged: Path, model: str, entry: str) -> None:
    """`bfcl-pipeline generate` into the run of the directory `base`."""
    name, results = model.replace("/", "_"), base / "results/r"
    command = ["generate", "--model", model, "--run", "r", "--models", str(base / "models.yaml")]
    command += ["--data", str(staged), "--cache", str(base / "cache/exchanges")]
    command += ["--category", category_of(entry), "--entry-ids", entry]
    command += [
        "--out",
        str(results / "responses" / name),
        "--sessions-out",
        str(results / "memory" / name),
    ]
    assert main(command) == 0


def test_the_first_request_of_a_family_is_its_prompt(prompt, entries, staged):
    """Exactly the text, without a line feed of its own, and nothing else."""
    out, err = prompt("simple_python_0", "Qwen/Qwen3-0.6B-FC")
    asking, texts = FamilyAsking(load_families()["qwen3-fc"]), read_texts(staged)
    entry = entries("simple_python")[0]
    assert out == asking.written(asking.first(entry, texts), texts).prompt
    assert out.endswith("<|im_start|>assistant\n")
    assert err == ""


def test_the_first_request_of_other_models_is_json(prompt):
    """The body of a model behind a chat API, without its key; messages and tools of an embedded one."""
    out, _ = prompt("simple_python_0", "gpt-4o-2024-11-20-FC")
    body = json.loads(out)
    assert (body["model"], body["tools"][0]["name"]) == ("gpt-4o-2024-11-20", "calculate_triangle_area")
    embedded = json.loads(prompt("simple_python_0", "oracle").out)
    assert [message["role"] for message in embedded["messages"]] == ["system", "user"]


def test_an_empty_memory_is_noted(prompt):
    """On standard error, so that the request itself can be piped."""
    out, err = prompt(MEMORY, "Qwen/Qwen3-0.6B-FC")
    assert "<|im_start|>system" in out
    assert "The memory is empty here" in err


@pytest.mark.parametrize("entry", [TALK, MEMORY])
def test_each_request_of_a_run_is_the_one_that_was_sent(run, prompt, entry):
    """Answers, results of calls and memories included, in both ways of asking."""
    folder, server = run
    words = ["--run", str(folder), "--cache", str(folder.parents[1] / "cache")]
    sent = {
        FAMILY: [body["prompt"] for body in server.bodies["/v1/completions"]],
        CHAT: [body["messages"] for body in server.bodies["/v1/chat/completions"]],
    }
    for step in (1, 2):
        text = prompt(entry, FAMILY, *words, "--step", str(step)).out
        assert text in sent[FAMILY]
        body = json.loads(prompt(entry, CHAT, *words, "--step", str(step)).out)
        assert body["messages"] in sent[CHAT]
        assert (
            ("<tool_response>" in text)
            is ("tool" in [one["role"] for one in body["messages"]])
            is (step > 1)
        )
    message = prompt(entry, FAMILY, *words, "--step", "400", code=1).err
    assert "--step 400 is too large" in message


def test_what_cannot_be_made_again_is_said(run, prompt, tmp_path):
    """Without the journal, there is the first request; the others follow from answers."""
    words = ["--run", str(run[0]), "--cache", str(tmp_path)]
    assert json.loads(prompt(TALK, CHAT, *words).out)["messages"]
    message = prompt(TALK, CHAT, *words, "--step", "2", code=1).err
    assert "only the first 1 requests can be made again: no journal has an answer" in message


@pytest.mark.parametrize("entry_id", ["exec_simple_3", "rest_3", "sql_3", "chatable_3"])
def test_the_first_request_has_the_question_and_no_value(show, entry, entry_id):
    """`--prompt` prints what a model is sent: the release's text, with placeholders instead of keys."""
    sent = json.loads(show(entry_id, None, "--prompt", "oracle"))
    asked = entry(entry_id)
    assert sent["messages"][-1]["content"] == asked.turns[0][-1]["content"]
    assert ("YOUR-RAPID-API-KEY" in json.dumps(sent)) == (entry_id == "rest_3")
