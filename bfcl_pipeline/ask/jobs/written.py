"""What a model wrote in each step, as its journal has it: before a server made calls of it.

vLLM states the tokens (`adapters.openai_chat`), and a completion is the text itself. Of other answers only
what the server made of them is known.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.ask.models.weights import model_files
from bfcl_pipeline.base.errors import ArchiveError, ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, model_folder
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.runs.run import Run

Decode = Callable[[Sequence[int]], str]
"""The text of tokens, with special tokens."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote in one step, or has to write so that a server reads what is meant."""

    tokens: tuple[int, ...] = ()  # empty: they are not known
    text: str = ""  # empty: it is not known, or no tokenizer can read its tokens


def tokenizer_of(row: ModelRow | None, folder: Path | None = None) -> Decode | None:
    """Decodes tokens of a model; None if its tokenizer is not on this machine.

    Args:
        row: names the model's folder, or a model that may be in the hub's cache.
        folder: has the tokenizer instead.

    Raises ConfigError if `folder` has none.
    """
    found = folder if folder or row is None else model_files(row.model, row.revision)
    path = found and found / "tokenizer.json"
    if path is None or not path.is_file():
        if folder is None:
            return None
        raise ConfigError(f"{path}: no such file; name the folder of the model's tokenizer.")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    return lambda tokens: str(tokenizer.decode(list(tokens), skip_special_tokens=False))


def written_steps(
    run: Run, model: str, decode: Decode | None, only: Entry | None = None
) -> dict[str, list[Written]]:
    """What a model of a run wrote, by entry, step by step; empty for a model without a journal.

    only: the entry that is wanted; None: all. Raises JournalError if a journal is damaged.
    """
    found: dict[str, list[Written]] = {}

    def received(request: ReplayedRequest) -> None:
        steps = found.setdefault(request.entry.entry_id, [])
        del steps[request.number - 1 :]  # of an earlier attempt
        match None if request.journaled is None else request.journaled.raw:
            case {"choices": [{"token_ids": [*ids]}, *_]}:
                tokens = tuple(token for token in ids if isinstance(token, int) and token >= 0)
                steps.append(Written(tokens, decode(tokens) if decode and tokens else ""))
            case {"choices": [{"text": str(text)}, *_]}:
                steps.append(Written(text=text))
            case _:
                steps.append(Written())

    try:
        job = replay_job(run, model_folder(model))
    except (ArchiveError, ConfigError):
        return {}
    if only is not None:
        job = replace(job, categories=(only.category,))
    capture(job, received, None if only is None else {only.entry_id})
    return found
