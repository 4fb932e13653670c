"""Prompts by the chat template of a model's own tokenizer, made here."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from bfcl_pipeline.ask.models import chat_template, template_process
from bfcl_pipeline.ask.models.chat_template import ChatTemplate, noted_template
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.families.rendering import prompts_digest
from tests.support import ROOT
from tests.support.family_talk import DOC, Talk, asked

TEMPLATE = (
    "{{ bos_token }}{% for tool in tools %}{{ tool.name }};{% endfor %}{% for message in messages %}"
    "<{{ message.role }}>{{ message.name | default('') }}{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


class Here:
    """Stands for the pool of one process that renders: everything is done in this process."""

    def __init__(self, _: int, prepare: Callable[..., None], text: object) -> None:
        prepare(text)

    def submit(self, render: Callable[..., str], *given: object) -> Future[str]:
        """Its result or its error."""
        done: Future[str] = Future()
        try:
            done.set_result(render(*given))
        except ValueError as error:
            done.set_exception(error)
        return done


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates are rendered in this process: for what does not depend on the bounds of another one."""
    monkeypatch.setattr(chat_template, "new_pool", Here)
    monkeypatch.setattr(template_process, "limit_process", lambda **_: None)


def _tokenizer(folder: Path, template: str | None) -> str:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel({"a": 0, "<s>": 1}, unk_token="a")), bos_token="<s>"
    )
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.usefixtures("here")
def test_a_conversation_of_falcon(tmp_path: Path):
    """Falcon's prompts are its tokenizer's, with the functions as the benchmark documents them."""
    talk = Talk("falcon3-fc", asked("Go."))
    template = ChatTemplate(_tokenizer(tmp_path, TEMPLATE))
    talk.asking = FamilyAsking(load_families()["falcon3-fc"], template)
    answer = '<tool_call>{"name": "m.f", "arguments": {"a": 1, "b": "x"}}</tool_call>'
    talk.answer(answer)
    assert talk.prompt() == f"<s>m.f;<user>Go.<assistant>{answer}<tool>m.f(a=1,b='x') r0<assistant>"


def test_prompts_by_a_template_of_the_model_have_a_digest():
    """It is of the row alone: the template is one of the model's files."""
    assert prompts_digest("falcon3-fc").startswith("sha256:")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("template", "problem"),
    [
        (None, "no chat template"),
        ("{{ raise_exception('only\x1b users') }}", r"cannot write the prompt \(only\\x1b users\)"),
        ("{{ ''.__class__.__mro__ }}", "cannot write the prompt"),
        ("{{ cycler.__init__.__globals__ }}", "'__init__' of 'type' object is unsafe"),
        ("{{ messages.append(1) }}", "'append' of 'list' object is unsafe"),
        ("{% include '/etc/hostname' %}", "no loader"),
        ("{% for i in range(10**9) %}{% endfor %}", "Range too big"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion depth"),
        ("{{ ''.zfill(2**62) }}", r"\(MemoryError\)"),
        ("{{ 'a' * 2**26 }}", "a prompt of more than"),
    ],
)
def test_templates_that_cannot_be_used(tmp_path: Path, template: str | None, problem: str):
    """A template that is missing, refuses the messages, leaves the sandbox or writes too much is one clear
    error."""
    with pytest.raises(ConfigError, match=problem):
        ChatTemplate(_tokenizer(tmp_path, template))(asked("Go."), [DOC])


@pytest.mark.parametrize(
    ("template", "seconds", "problem"),
    [
        ("{{ 9 ** (9 ** 9) }}", 0.2, "more than 0.2 s of processor time"),
        ("{{ 'a' * 10**10 }}", 60, "MemoryError"),
    ],
)
def test_rendering_has_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str, seconds: float, problem: str
) -> None:
    """Of time, also in one step of C, and of memory; the job goes on."""
    monkeypatch.setattr(chat_template, "PROMPT_SECONDS", seconds)
    with pytest.raises(ConfigError, match=problem):
        ChatTemplate(_tokenizer(tmp_path, template))(asked("Go."), [DOC])


@pytest.mark.usefixtures("here")
def test_a_noted_template_needs_no_tokenizer(tmp_path: Path) -> None:
    """The note of a run has all that a prompt needs, and only it is read: `model` is not a path then."""
    row = ModelRow(
        "m", "vllm", Mode.FC, "m", model=_tokenizer(tmp_path / "m", TEMPLATE), family="falcon3-fc"
    )
    note = tmp_path / "note.json"
    note.write_text(noted_template(row))
    expected = ChatTemplate(row.model)(asked("Go."), [DOC])
    assert ChatTemplate("org/none", note=note)(asked("Go."), [DOC]) == expected
    note.write_text(json.dumps({**json.loads(note.read_text()), "tokens": {"chat_template": "{{ 1 }}"}}))
    for named in (note, tmp_path / "none.json"):
        with pytest.raises(ConfigError, match="not derived: needs its tokenizer"):
            ChatTemplate(row.model, note=named)(asked("Go."), [DOC])


_KILLED = """
import os, pathlib, signal, sys
from bfcl_pipeline.ask.models.chat_template import ChatTemplate
template = ChatTemplate("m", note=pathlib.Path(sys.argv[1]))
print(template([{"role": "user", "content": "Go."}], []), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_rendering_ends_with_a_killed_parent(tmp_path: Path) -> None:
    """As each pool of processes does; its process would hold standard output open as long as it lives."""
    note = tmp_path / "note.json"
    note.write_text(json.dumps({"text": TEMPLATE, "tokens": {"bos_token": "<s>"}}))
    command = [sys.executable, "-c", _KILLED, str(note)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, timeout=300, check=False)
    assert done.stdout == b"<s><user>Go.<assistant>\n"
    assert done.returncode < 0


@pytest.fixture
def lookups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The names of hosts that are looked up; the hub's cache is empty."""
    asked_for: list[object] = []

    def refused(host: object, *_: object, **__: object) -> None:
        asked_for.append(host)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return asked_for


@pytest.mark.parametrize("revision", ["v1", "a" * 40])
def test_missing_files_are_named_with_a_remedy(lookups: list[object], revision: str):
    """A model that was not downloaded is not downloaded now, and no host is asked: the message says how."""
    with pytest.raises(ConfigError, match=f"hf download tiiuae/no-such-model --revision {revision}"):
        ChatTemplate("tiiuae/no-such-model", revision)(asked("Go."), [DOC])
    assert not lookups


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("revision", [None, "v1", "b" * 40])
def test_a_model_in_the_cache_of_the_hub_is_read_without_requests(
    tmp_path: Path, lookups: list[object], revision: str | None
):
    """By its branch, tag or commit; a file that is missing there is an error, not a download."""
    folder = tmp_path / "hub/models--org--m"
    _tokenizer(folder / "snapshots" / ("b" * 40), TEMPLATE)
    (folder / "refs").mkdir()
    for name in ("main", "v1"):
        (folder / "refs" / name).write_text("b" * 40)
    assert ChatTemplate("org/m", revision)(asked("Go."), [DOC]).startswith("<s>m.f;")
    (folder / "snapshots" / ("b" * 40) / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match="hf download org/m"):
        ChatTemplate("org/m", revision)(asked("Go."), [DOC])
    assert not lookups


def test_code_in_the_folder_of_a_model_does_not_run(tmp_path: Path):
    """A tokenizer whose config names a class of its own is refused."""
    folder = Path(_tokenizer(tmp_path / "model", TEMPLATE))
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\nclass Own: pass\n")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config |= {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigError, match="contains custom code"):
        ChatTemplate(str(folder))(asked("Go."), [DOC])
    assert not ran.exists()


def test_a_family_without_a_template_needs_a_model():
    """Prompts of such a family cannot be written from the table alone."""
    with pytest.raises(ConfigError, match="template of a model's tokenizer"):
        Talk("falcon3-fc", asked("Go.")).prompt()
