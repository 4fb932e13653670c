"""Prompts by the chat template of a model's own tokenizer, for families whose row says so.

A run reads the template from the model's folder, or from the hub's cache on this machine, and notes it
beside the log of its job. A derivation reads that note alone, never a file that a row names. Nothing is
downloaded and no code of a model is run; `template_process` bounds what rendering takes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from bfcl_pipeline.ask.models.template_process import TemplateText, prepare, render, silence_transformers
from bfcl_pipeline.ask.models.weights import model_files
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import named_file, read_json, read_regular
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.base.workers import new_pool
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import Json, Message
from bfcl_pipeline.dialogue.families import FamilyAsking

PROMPT_SECONDS = 10.0
"""Processor time of one prompt; it usually takes milliseconds."""

_MOST_TEMPLATE_BYTES = 2**22
_MOST_CONFIG_BYTES = 2**26


def family_asking(row: ModelRow, note: Path | None = None) -> FamilyAsking:
    """How the model of `row` is asked by the prompts of its family. Raises ConfigError if it has none.

    note: in a derivation, the run's note of the chat template, instead of the files of this machine.
    """
    if row.family is None:
        raise ConfigError(f"model {row.name!r}: no family; set `family`, or `prompting: server`.")
    return FamilyAsking(load_families()[row.family], ChatTemplate(row.model, row.revision, note))


def noted_template(row: ModelRow) -> str:
    """A run's note of the template of `row`, as JSON. Raises ConfigError if the tokenizer is missing."""
    return json.dumps(asdict(_tokenizer_text(row.model, row.revision)), sort_keys=True) + "\n"


def chat_template_digest(folder: Path) -> str | None:
    """`sha256:` and the digest of the chat template in a model's folder; None if it has no single one."""
    try:
        text = _template_text(folder)
    except (OSError, ValueError):
        return None
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}" if text else None


def _template_text(folder: Path) -> str | None:
    own = named_file(folder / "chat_template.jinja")  # the cache of the hub has links to its blobs
    if own.is_file():
        return read_regular(own, _MOST_TEMPLATE_BYTES).decode("utf-8")
    values = read_json(named_file(folder / "tokenizer_config.json"), _MOST_CONFIG_BYTES)
    text = values.get("chat_template") if isinstance(values, dict) else None
    return text if isinstance(text, str) else None


class ChatTemplate:
    """The chat template of one model, read when it is first needed."""

    def __init__(self, model: str, revision: str | None = None, note: Path | None = None) -> None:
        """Args: the model's folder, or its name on the hub; branch, tag or commit there; a run's note."""
        self._model = model
        self._revision = revision
        self._note = note

    def __call__(self, messages: Sequence[Message], functions: Sequence[Json]) -> str:
        """The prompt of `messages` and `functions`, with the beginning of an answer.

        Raises ConfigError if the template cannot be read, refuses the messages, or exceeds its bounds.
        """
        process = self._process
        try:
            return process.submit(render, list(messages), list(functions), PROMPT_SECONDS).result()
        except BrokenProcessPool as error:
            what = f"it takes more than {PROMPT_SECONDS:g} s of processor time, or too much memory"
            raise _error(self._model, f"its chat template cannot write the prompt: {what}") from error
        except Exception as error:  # whatever a template raises
            what = f"its chat template cannot write the prompt ({_line(error)})"
            raise _error(self._model, what) from error

    @cached_property
    def _process(self) -> ProcessPoolExecutor:
        text = (
            _tokenizer_text(self._model, self._revision) if self._note is None else self._noted(self._note)
        )
        return new_pool(1, prepare, text)

    def _noted(self, note: Path) -> TemplateText:
        try:
            return TemplateText.of(read_json(note, _MOST_TEMPLATE_BYTES))
        except (OSError, ValueError) as error:
            what = (
                f"not derived: needs its tokenizer, whose chat template the run did not note ({note.name})"
            )
            raise _error(self._model, what) from error


def _tokenizer_text(model: str, revision: str | None) -> TemplateText:
    found = model_files(model, revision)
    if found is None:
        raise _unreadable(model, revision)
    from transformers import AutoTokenizer  # takes seconds

    silence_transformers()
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(found), local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # versions of transformers raise different errors for missing files
        reason = "" if isinstance(error, OSError) else f" ({_line(error)})"
        raise _unreadable(model, revision, reason) from error
    if not tokenizer.chat_template:
        raise _error(model, "its tokenizer has no chat template. Set `prompting: server`, or another model")
    return TemplateText(tokenizer.get_chat_template(tools=[]), dict(tokenizer.special_tokens_map))


def _unreadable(model: str, revision: str | None, reason: str = "") -> ConfigError:
    named = f"{model} --revision {revision}" if revision else model
    return _error(
        model,
        f"its prompts need its tokenizer, which cannot be read{reason}: `model` must be a folder with "
        f"its files, or in the hub's cache. To put it there: hf download {named}",
    )


def _error(model: str, problem: str) -> ConfigError:
    return ConfigError(f"model {model!r}: {problem}.")


def _line(error: Exception) -> str:
    return printable(" ".join(str(error).split())[:200]) or type(error).__name__
