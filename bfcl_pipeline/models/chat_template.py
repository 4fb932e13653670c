"""Prompts by the chat template of a model's own tokenizer, for families whose row says so.

The files are those of the model's folder, or of the hub's cache on this machine; nothing is downloaded, and
no code of a model is run: transformers renders the template in a sandbox, which does not bound how long or
how much it writes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.config.families import load_families
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.families import FamilyAsking
from bfcl_pipeline.files import read_regular
from bfcl_pipeline.models.hub_cache import cached_snapshot
from bfcl_pipeline.models.quiet import silence_transformers
from bfcl_pipeline.records import Json, Message
from bfcl_pipeline.text import printable

_MOST_TEMPLATE_BYTES = 2**22
_MOST_CONFIG_BYTES = 2**26


def family_asking(row: ModelRow) -> FamilyAsking:
    """How the model of `row` is asked by the prompts of its family. Raises ConfigError if it has none."""
    if row.family is None:
        raise ConfigError(f"model {row.name!r}: no family; set `family`, or `prompting: server`.")
    return FamilyAsking(load_families()[row.family], ChatTemplate(row.model, row.revision))


def chat_template_digest(folder: Path) -> str | None:
    """`sha256:` and the digest of the chat template in a model's folder; None if it has no single one."""
    try:
        text = _template_text(folder)
    except (OSError, ValueError, RecursionError):
        return None
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}" if text else None


def _template_text(folder: Path) -> str | None:
    own = (folder / "chat_template.jinja").resolve()  # the cache of the hub has links to its blobs
    if own.is_file():
        return read_regular(own, _MOST_TEMPLATE_BYTES).decode("utf-8")
    values = json.loads(read_regular((folder / "tokenizer_config.json").resolve(), _MOST_CONFIG_BYTES))
    text = values.get("chat_template") if isinstance(values, dict) else None
    return text if isinstance(text, str) else None


class ChatTemplate:
    """The chat template of one model, read when it is first needed."""

    def __init__(self, model: str, revision: str | None = None) -> None:
        """Args: the model's folder, or its name on the hub; branch, tag or commit there."""
        self._model = model
        self._revision = revision

    def __call__(self, messages: Sequence[Message], functions: Sequence[Json]) -> str:
        """The prompt of `messages` and `functions`, with the beginning of an answer.

        Raises ConfigError if the tokenizer's files are missing, or its template refuses the messages.
        """
        tokenizer = self._tokenizer
        try:
            prompt: str = tokenizer.apply_chat_template(
                list(messages), tools=list(functions), tokenize=False, add_generation_prompt=True
            )
        except Exception as error:  # whatever a template raises
            raise self._error(f"its chat template cannot write the prompt ({_line(error)})") from error
        return prompt

    @cached_property
    def _tokenizer(self) -> Any:
        folder = Path(self._model)
        found = folder if folder.is_dir() else cached_snapshot(self._model, self._revision)
        if found is None:
            raise self._unreadable()
        from transformers import AutoTokenizer

        silence_transformers()
        try:
            tokenizer = AutoTokenizer.from_pretrained(
                str(found), local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # versions of transformers raise different errors for missing files
            raise self._unreadable("" if isinstance(error, OSError) else f" ({_line(error)})") from error
        if not tokenizer.chat_template:
            raise self._error(
                "its tokenizer has no chat template. Set `prompting: server`, or another model"
            )
        return tokenizer

    def _unreadable(self, reason: str = "") -> ConfigError:
        named = f"{self._model} --revision {self._revision}" if self._revision else self._model
        return self._error(
            f"its prompts need its tokenizer, which cannot be read{reason}: `model` must be a folder with "
            f"its files, or in the hub's cache. To put it there: hf download {named}"
        )

    def _error(self, problem: str) -> ConfigError:
        return ConfigError(f"model {self._model!r}: {problem}.")


def _line(error: Exception) -> str:
    return printable(" ".join(str(error).split())[:200]) or type(error).__name__
