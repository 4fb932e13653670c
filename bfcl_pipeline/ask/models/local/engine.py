"""Greedy answers of a causal language model, through transformers: prompts in, texts out.

Covers loading, tokens, batches, stop tokens and the limit on new tokens, as vLLM's completions have them at
temperature 0. torch and transformers take seconds to import: `local.adapter` imports this at its first use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, StoppingCriteriaList

from bfcl_pipeline.ask.models.adapters.prompt_length import MOST_NEW_TOKENS, new_tokens
from bfcl_pipeline.ask.models.local.adapter import LocalAnswer, Prompt
from bfcl_pipeline.ask.models.template_process import silence_transformers
from bfcl_pipeline.ask.models.weights import is_path
from bfcl_pipeline.base.errors import ContextOverflow, ModelError, RequestRefused
from bfcl_pipeline.base.text import cut, printable

LONGEST_CONTEXT = 10**8
"""Tokenizers state a greater number if they know no limit."""

MOST_PADDING = 2
"""The longest prompt of a batch has at most this many times the tokens of the shortest."""

_LONGEST_REASON = 300
_CONTEXT_TOKENS = (
    8  # of the prompt, before the answer: the first token of a text may be written without its space
)


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A prompt in tokens."""

    place: int  # among the prompts of a call
    prompt: Prompt
    ids: list[int]
    limit: int  # new tokens


class LocalEngine:
    """A loaded model."""

    def __init__(self, model: Any, tokenizer: Any, device: str) -> None:
        """Args: of transformers; `device`: on which the model is."""
        self._model, self._tokenizer, self._device = model, tokenizer, device
        config = model.generation_config
        self._ends = _numbers(tokenizer.eos_token_id) | _numbers(config.eos_token_id)
        self._penalty = config.repetition_penalty
        self._padding = min(_numbers(tokenizer.pad_token_id) or self._ends or {0})
        length = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._context = int(length or min(tokenizer.model_max_length, LONGEST_CONTEXT))
        # Values that a generation does not set are taken from here: greedy, and nothing of the model's own.
        model.generation_config = type(config)(do_sample=False)

    @classmethod
    def load(cls, name: str, revision: str | None, dtype: str) -> LocalEngine:
        """The model in a directory, in the hub's cache or on the hub. No code of the model is run.

        Raises ModelError, with what to do, if it cannot be loaded.
        """
        if is_path(name) and not Path(name).is_dir():
            raise ModelError(
                f"{name}: no such directory. Correct `model` in the row, or fetch the weights."
            )
        silence_transformers()
        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tokenizer = AutoTokenizer.from_pretrained(name, revision=revision, trust_remote_code=False)
                model = AutoModelForCausalLM.from_pretrained(
                    name, revision=revision, dtype=getattr(torch, dtype), trust_remote_code=False
                )
                return cls(model.to(device).eval(), tokenizer, device)
        except (MemoryError, torch.OutOfMemoryError) as error:
            raise ModelError(
                f"{name}: out of memory while it was loaded in {dtype}. Choose a smaller model, `dtype: "
                "bfloat16`, or kind vllm."
            ) from error
        # Files of any content and other versions of the libraries raise anything.
        except Exception as error:
            raise ModelError(
                f"{name}: not loadable as a causal language model ({_reason(error)}). Expected a directory "
                "with config.json, weights and a tokenizer, or a name on the hub."
            ) from error

    @property
    def about(self) -> str:
        """One line about what was loaded."""
        count = sum(weights.numel() for weights in self._model.parameters())
        return (
            f"{self._model.config.model_type}, {count / 1e6:,.0f} million parameters in "
            f"{self._model.dtype} on {self._device}, context {self._context:,} tokens"
        )

    def answers(
        self, prompts: Sequence[Prompt], is_unwanted: Callable[[], bool] = lambda: False
    ) -> list[LocalAnswer | ModelError]:
        """The greedy answers to `prompts`, in their order.

        Args:
            prompts: answered at the same time as far as the context allows.
            is_unwanted: asked before each token; when it is true, what is written so far is returned.

        Returns:
            In place of an answer ContextOverflow, or RequestRefused if memory or the model failed.
        """
        found: list[LocalAnswer | ModelError] = []
        fitting: list[_Tokens] = []
        for place, prompt in enumerate(prompts):
            ids = self._tokenizer(prompt.text)["input_ids"]
            limit = prompt.max_tokens or self._limit(prompt.text)
            found.append(
                ContextOverflow(
                    f"the prompt has {len(ids):,} tokens and the answer at most {limit:,}; the model's "
                    f"context is {self._context:,}"
                )
            )
            if limit > 0 and len(ids) + limit <= self._context:
                fitting.append(_Tokens(place, prompt, ids, limit))
        for batch in self._batches(fitting):
            for one, answer in zip(batch, self._batch(batch, is_unwanted), strict=True):
                found[one.place] = answer
        return found

    def _limit(self, text: str) -> int:
        if self._context >= LONGEST_CONTEXT:
            return MOST_NEW_TOKENS
        counted = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return new_tokens(self._context, len(counted))

    def _batches(self, waiting: Sequence[_Tokens]) -> Iterator[list[_Tokens]]:
        """Prompts that are answered together: similar lengths, and none leaves the context meanwhile."""
        batch: list[_Tokens] = []
        for one in sorted(waiting, key=lambda one: len(one.ids)):
            if batch:
                limit = max(one.limit, *(other.limit for other in batch))
                padded = len(one.ids) > MOST_PADDING * len(batch[0].ids)
                if padded or len(one.ids) + limit > self._context:
                    yield batch
                    batch = []
            batch.append(one)
        if batch:
            yield batch

    def _batch(
        self, batch: Sequence[_Tokens], is_unwanted: Callable[[], bool]
    ) -> Sequence[LocalAnswer | ModelError]:
        try:
            return [
                self._answer(one, new)
                for one, new in zip(batch, self._new(batch, is_unwanted), strict=True)
            ]
        except (MemoryError, torch.OutOfMemoryError):
            text = (
                f"out of memory with {len(batch)} prompts of up to {max(len(one.ids) for one in batch):,} "
                "tokens at once; reduce `limits: {in_flight: ...}` of the row"
            )
            return [RequestRefused(text)] * len(batch)
        except (RuntimeError, IndexError, ValueError) as error:  # of the model's code
            return [RequestRefused(f"the model failed ({_reason(error)})")] * len(batch)

    def _new(self, batch: Sequence[_Tokens], is_unwanted: Callable[[], bool]) -> list[list[int]]:
        """The new tokens of each prompt, at least up to its end."""
        longest = max(len(one.ids) for one in batch)
        missing = [longest - len(one.ids) for one in batch]
        ids = [[self._padding] * pad + one.ids for pad, one in zip(missing, batch, strict=True)]
        mask = [[0] * pad + [1] * len(one.ids) for pad, one in zip(missing, batch, strict=True)]
        ended = [False] * len(batch)

        def has_ended(written: Any, _scores: Any, **_more: Any) -> Any:
            stop = is_unwanted()
            for place, (one, last) in enumerate(zip(batch, written[:, -1].tolist(), strict=True)):
                full = written.shape[1] - longest >= one.limit
                ended[place] = stop or ended[place] or full or last in self._stops(one)
            return torch.tensor(ended, device=written.device)

        config = GenerationConfig(
            do_sample=False,
            max_new_tokens=max(one.limit for one in batch),
            pad_token_id=self._padding,
            repetition_penalty=self._penalty,
        )
        with torch.inference_mode():
            written = self._model.generate(
                input_ids=torch.tensor(ids, device=self._device),
                attention_mask=torch.tensor(mask, device=self._device),
                generation_config=config,
                stopping_criteria=StoppingCriteriaList([has_ended]),
            )
        new: list[list[int]] = written[:, longest:].tolist()
        return new

    def _stops(self, one: _Tokens) -> frozenset[int]:
        return self._ends.union(one.prompt.stop_token_ids)

    def _answer(self, one: _Tokens, new: Sequence[int]) -> LocalAnswer:
        stops = self._stops(one)
        end = next((place for place, token in enumerate(new[: one.limit]) if token in stops), None)
        kept = list(new[: one.limit if end is None else end])
        return LocalAnswer(
            self._text(one, kept),
            finish_reason="length" if end is None else "stop",
            input_tokens=len(one.ids),
            output_tokens=len(kept) + (end is not None),
            max_tokens=one.limit,
        )

    def _text(self, one: _Tokens, new: list[int]) -> str:
        """The text of new tokens, as it follows the prompt, without an incomplete character at its end."""
        before = one.ids[-_CONTEXT_TOKENS:]
        start, whole = self._decoded(before, one.prompt), self._decoded([*before, *new], one.prompt)
        text = whole[len(start) :] if whole.startswith(start) else self._decoded(new, one.prompt)
        return text.rstrip("\N{REPLACEMENT CHARACTER}")

    def _decoded(self, ids: Sequence[int], prompt: Prompt) -> str:
        text: str = self._tokenizer.decode(
            ids, skip_special_tokens=prompt.skip_special_tokens, clean_up_tokenization_spaces=False
        )
        return text


def _numbers(ids: int | list[int] | None) -> frozenset[int]:
    return frozenset(() if ids is None else ids if isinstance(ids, list) else [ids])


def _reason(error: Exception) -> str:
    return printable(cut(" ".join(str(error).split()) or type(error).__name__, _LONGEST_REASON))
