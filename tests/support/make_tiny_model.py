"""Writes an untrained language model to a folder: random weights, a tokenizer, a chat template.

No weights can be fetched where tests run, so the engine is real and the model is untrained: an architecture
that vLLM serves (GPT-J, with a bias for each token in its last layer), small enough to answer in
milliseconds on a CPU, with a context for the longest prompts of the benchmark. It generates random text
that ends after a few words; the weights are the same each time. Needs torch, transformers and tokenizers:

    python make_tiny_model.py FOLDER
"""

from __future__ import annotations

import argparse
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPTJConfig, GPTJForCausalLM, PreTrainedTokenizerFast

POSITIONS = 32_768  # tokens; the longest prompts of the benchmark need about 20,000 of this tokenizer's
VOCABULARY = 6_000
TURN, END, PAD = "<|turn|>", "<|end|>", "<|pad|>"
MARKS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
TEXTS = ("json/*.py", "email/*.py", "argparse.py", "[a-d]*.py")  # of the standard library

NEVER, SELDOM, OFTEN = -100.0, -25.0, 10.0
END_BIAS = 11.0  # among noise of a deviation of 4 or so: an answer of a dozen tokens
NOISE = 0.25  # the deviation of the weights

CHAT = """\
{%- for message in messages -%}
{%- if message.role == 'tool' -%}
<|turn|>user
<tool_response>
{{ message.content }}
</tool_response><|end|>
{% else -%}
<|turn|>{{ message.role }}
{% if loop.first and tools and message.role == 'system' -%}
{{ tool_list(tools) }}
{% endif -%}
{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor -%}
<|end|>
{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|turn|>assistant
{% endif -%}
"""
TOOLS = """\
{%- macro tool_list(tools) -%}
You may call these functions, each as one line of JSON between <tool_call> and </tool_call>:
{%- for tool in tools %}
{{ tool.function | tojson }}
{%- endfor %}
{%- endmacro -%}
{%- if tools and messages[0].role != 'system' -%}
<|turn|>system
{{ tool_list(tools) }}<|end|>
{% endif -%}
"""


def main() -> None:
    """Writes the model into the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    make_model(tokenizer).save_pretrained(folder)


def make_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer, trained on Python source code and some JSON."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(MARKS),
        special_tokens=[PAD, TURN, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    trained.train_from_iterator(texts(), trainer)
    made = PreTrainedTokenizerFast(
        tokenizer_object=trained, eos_token=END, pad_token=PAD, clean_up_tokenization_spaces=False
    )
    # Not special: the server's tool parser has to see them in the text.
    made.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in MARKS])
    made.chat_template = TOOLS + CHAT
    return made


def texts() -> Iterator[str]:
    """The texts that the tokenizer is trained on, in the same order everywhere."""
    library = Path(sysconfig.get_path("stdlib"))
    for pattern in TEXTS:
        for path in sorted(library.glob(pattern)):
            yield path.read_text(encoding="utf-8", errors="ignore")
    for number in range(400):
        yield f'{{"type": "object", "properties": {{"city": {{"type": "string"}}, "days": {number}}}}}\n'


def make_model(tokenizer: PreTrainedTokenizerFast) -> GPTJForCausalLM:
    """Two layers of noise, and a last layer that prefers readable tokens and an early end."""
    torch.manual_seed(7)
    config = GPTJConfig(
        vocab_size=len(tokenizer),
        n_positions=POSITIONS,
        n_embd=128,
        n_layer=2,
        n_head=2,
        rotary_dim=32,
        initializer_range=NOISE,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
        dtype=torch.float32,
    )
    model = GPTJForCausalLM(config).to(torch.float32)
    with torch.no_grad():
        model.lm_head.bias.copy_(torch.tensor([bias(tokenizer, token) for token in range(len(tokenizer))]))
    return model


def bias(tokenizer: PreTrainedTokenizerFast, token: int) -> float:
    """The bias of a token: in JSON, texts end often and numbers are short; special tokens are never
    generated."""
    text = tokenizer.decode([token])
    if token == tokenizer.eos_token_id:
        return END_BIAS
    if token in (tokenizer.pad_token_id, tokenizer.convert_tokens_to_ids(TURN)) or text in MARKS:
        return NEVER
    if not text.strip() or not text.isprintable() or "\N{REPLACEMENT CHARACTER}" in text:
        return NEVER
    if text.isdigit():
        return SELDOM
    return OFTEN if text in ('"', '"}', '"}}', '",') else 0.0


if __name__ == "__main__":
    main()
