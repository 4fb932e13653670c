"""Renders a chat template of anybody in a process of its own, with bounded time, memory and output.

transformers renders it in a sandbox, from which it reaches neither files nor Python. The sandbox does not
bound loops and long texts: the limits of the process do.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.process import limit_process
from bfcl_pipeline.benchmark.records import Json, Message

MOST_CHARACTERS = 2**25
"""Of a prompt; a request has at most 64 MiB."""

_MEMORY = 4 * 2**30  # bytes, of which the libraries take less than one GiB
_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


@dataclass(frozen=True, slots=True)
class TemplateText:
    """What a chat template needs of its tokenizer."""

    text: str  # Jinja
    tokens: Mapping[str, str]  # special tokens, by the names of their variables in templates

    @classmethod
    def of(cls, document: Json) -> TemplateText:
        """Raises ValueError for what `asdict` does not make."""
        match document:
            case {"text": str(text), "tokens": dict(tokens), **others} if text and not others:
                if set(tokens) <= set(_TOKENS) and all(isinstance(token, str) for token in tokens.values()):
                    return cls(text, tokens)
        raise ValueError("not the note of a chat template")


def silence_transformers() -> None:
    """From now on transformers writes nothing: its messages repeat texts of files, control characters too.

    The errors that it raises are reported in printable form. Imports it, which takes seconds.
    """
    from transformers.utils.logging import disable_progress_bar, set_verbosity

    set_verbosity(logging.CRITICAL + 1)
    disable_progress_bar()


_tokenizer: Any = None  # of this process, which renders one template


def prepare(template: TemplateText) -> None:
    """Loads the library and bounds this process: the initializer of a pool of one process."""
    global _tokenizer
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    silence_transformers()
    empty = Tokenizer(models.WordLevel({"": 0}, ""))
    _tokenizer = PreTrainedTokenizerFast(tokenizer_object=empty, **template.tokens)
    _tokenizer.chat_template = template.text
    limit_process(memory=_MEMORY, file_bytes=0)


def render(messages: list[Message], functions: list[Json], seconds: float) -> str:
    """The prompt, with the beginning of an answer. The process ends after `seconds` of processor time.

    Raises whatever a template raises, as ValueError.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)  # SIGPROF ends the process, also in C
    try:
        prompt: str = _tokenizer.apply_chat_template(
            messages, tools=functions, tokenize=False, add_generation_prompt=True
        )
    except Exception as error:  # noqa: BLE001  # errors of a template may not be picklable
        raise ValueError(str(error)[:1000] or type(error).__name__) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if len(prompt) > MOST_CHARACTERS:
        raise ValueError(f"a prompt of more than {MOST_CHARACTERS:,} characters")
    return prompt
