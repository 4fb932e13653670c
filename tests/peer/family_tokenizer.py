"""Writes a small tokenizer whose chat template shows everything that it is given, to a folder."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

TEMPLATE = """\
{%- for tool in tools or [] %}
<tool>{{ tool | tojson }}</tool>
{%- endfor %}
{%- for message in messages %}
<{{ message.role }}>
{%- for key, value in message.items() if key != 'role' %}
{{ key }}: {{ value }}
{%- endfor %}
</{{ message.role }}>
{%- endfor %}
{%- if add_generation_prompt %}
<assistant>
{%- endif %}"""


def write_tokenizer(folder: Path) -> None:
    """The files of a tokenizer of one token; prompts need only its template."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"a": 0}, "a")))
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
