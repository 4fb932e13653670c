"""The published forms of calls, as data: a chat template and a tokenizer with the marks of each.

`formats.yaml` has the forms, by the name of vLLM's parser. Weights, templates and tokenizers of vendors are
not needed: the template here is short, and the tokenizer is trained on the texts of the benchmark.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, Template

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables.entries import entries_path, read_entries
from bfcl_pipeline.show.servers.vllm_process import with_objects

TRAINED_ON = ("simple_python", "live_multiple")
"""The categories whose texts the tokenizer is trained on."""

VOCABULARY = 4_096
"""Tokens of the tokenizer, the marks of a format aside."""

_CONFIG = {"architectures": ["GPTJForCausalLM"], "model_type": "gptj", "n_positions": 262_144}
"""Of any model that the server knows: with it, the folder can be given to the server's renderer."""

_START, _END = "<|turn|>", "<|end|>"

_TEMPLATE = """\
{%- macro written(calls) -%}
CALLS
{%- endmacro -%}
{%- if tools %}<|turn|>tools
{{ tools | tojson }}<|end|>
{% endif -%}
{%- for message in messages -%}
<|turn|>{{ message.role }}
{{ message.content or '' }}
{%- if message.tool_calls %}{{ written(message.tool_calls | map(attribute='function') | list) }}{% endif -%}
<|end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|turn|>assistant
{% endif -%}
"""


@dataclass(frozen=True, slots=True)
class Format:
    """One form of calls."""

    parser: str  # vLLM's name of the parser that reads it
    calls: str  # Jinja: what a template writes for `calls`
    marks: Sequence[str]  # tokens of its tokenizer
    call: Sequence[str | None]  # what stands before and after a call; None: up to the end
    body: Literal["object", "array", "named", "tags"]  # what stands there
    name: Sequence[str] = ("", "")  # what stands before and after the name
    arguments: str | None = None  # what stands before the arguments if the name does not end there
    parameter: Sequence[str] = ("", "", "")  # before its name, before its value, after it
    sglang: str | None = None  # SGLang's name of its parser

    @property
    def template(self) -> str:
        """A whole chat template that writes calls in this form."""
        return _TEMPLATE.replace("CALLS", self.calls)

    def prompt(self, messages: Sequence[Json], tools: Sequence[Json], answer: bool = True) -> str:
        """What the template makes of messages. answer: with the beginning of an answer."""
        shown = [with_objects(message) for message in messages]
        return _compiled(self.template).render(messages=shown, tools=tools, add_generation_prompt=answer)

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> str:
        """What a model has to write for the last of the messages."""
        before, whole = self.prompt(messages[:-1], tools), self.prompt(messages, tools, answer=False)
        return whole[len(before) :].removesuffix(f"{_END}\n")


@cache
def _compiled(template: str) -> Template:
    return Environment(autoescape=False).from_string(template)  # noqa: S701  # not HTML


@cache
def load_formats() -> Mapping[str, Format]:
    """Every form by the name of its parser."""
    rows: dict[str, dict[str, Any]] = read_yaml_file(Path(__file__).with_name("formats.yaml"))
    return {parser: Format(parser, **row) for parser, row in rows.items()}


def format_of(parser: str) -> Format:
    """The form that a parser reads. Raises ConfigError if there is none here."""
    if parser not in load_formats():
        advice = "Give its chat template and tokenizer: --template FILE --tokenizer DIR"
        raise ConfigError(f"{unknown_name('parser', parser, load_formats())} {advice}")
    return load_formats()[parser]


def write_tokenizer(form: Format, data: Path, folder: Path) -> None:
    """Writes a tokenizer to `folder`: trained on texts of the staged release in `data`, with the marks."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[_START, _END], initial_alphabet=alphabet, show_progress=False
    )
    entries = (entry for name in TRAINED_ON for entry in read_entries(entries_path(data, name)))
    texts = (json.dumps([entry.functions, entry.turns, entry.truth]) for entry in entries)
    tokenizer.train_from_iterator(texts, trainer)
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=_END, pad_token=_END, clean_up_tokenization_spaces=False
    )
    made.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in form.marks])
    made.chat_template = form.template
    made.save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps(_CONFIG))
