"""What keys of a config may say: kinds of model, trials, comparisons, whose journals answer, the page.

`ask.models` has the code of each kind of model.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name

_LATER = re.compile(r"(?P<model>.+)~(?P<number>[2-9]|[1-9]\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Trial:
    """One repetition of the benchmark."""

    model: str  # name of its row in the models file
    number: int = 1  # from 1


def trial_name(model: str, number: int) -> str:
    """The name of trial `number` of `model` in tables, reports and directories: the second is `model~2`."""
    return model if number == 1 else f"{model}~{number}"


def trial_of(name: str) -> Trial:
    """The trial that has `name` in tables."""
    match = _LATER.fullmatch(name)
    return Trial(match["model"], int(match["number"])) if match else Trial(name)


class ShownEntries(StrEnum):
    """The conversations of the page; the list of entries with their verdicts is always complete."""

    WRONG = "wrong"  # those that a model has not right under every rule set, and those without a verdict
    ALL = "all"
    NONE = "none"


class JournalChoice(StrEnum):
    """The key `journal` of a config."""

    SHARED = "shared"  # an answer that any run received is used by all
    RUN = "run"  # the run uses no answer of another run, and no other run uses its answers

    def member(self, run: str) -> PurePosixPath:
        """The directory with one directory for each model, relative to that of `results` and `cache`."""
        return PurePosixPath(f"results/{run}/exchanges" if self is JournalChoice.RUN else "cache/exchanges")


Groups = tuple[tuple[str, ...], ...]
"""Models by group: the others of a group are compared with its first."""


def comparison_groups(given: Sequence[str | Sequence[str]] | None, models: Sequence[str]) -> Groups:
    """The groups that `compare` names: one list of models, or a list of such lists.

    Args:
        given: the value of the key; None for no comparison.
        models: the models of the run, with a name for each trial.

    Raises:
        ConfigError: a model is not one of the run, or a group does not have two models.
    """
    if given is None:
        return ()
    texts = [name for name in given if isinstance(name, str)]
    if texts and len(texts) < len(given):
        raise ConfigError(
            "compare: expected a list of models, or a list of such lists; got both in one list."
        )
    groups = (tuple(texts),) if texts else tuple(tuple(group) for group in given)
    for group in groups:
        for name in group:
            if name not in models:
                raise ConfigError(f"compare: {unknown_name('model of this run', name, models)}")
        if len(set(group)) < len(group) or len(group) < 2:
            raise ConfigError(f"compare: expected two or more different models, got {', '.join(group)}.")
    return groups


_API_KEYS = ("model", "endpoint", "key", "options", "limits", "resources")
_LOCAL_KEYS = ("model", "options", "limits", "resources")
_STRICT_KEYS = (*_API_KEYS, "strict")
_OPEN_KEYS = ("family", "revision", "weights", "prompts")


@dataclass(frozen=True, slots=True)
class ModelKind:
    """One way of answering requests."""

    about: str  # one line: how its models answer
    adapter: str = (
        ""  # module:class of `bfcl_pipeline.ask.models`, imported when first used; empty: recorded
    )
    keys: tuple[str, ...] = _API_KEYS  # of its rows, besides those that describe a model
    completions: str = ""  # the same for rows with a family, which are sent prompts; empty: none
    in_flight: int = 32  # default of the maximum number of requests in flight
    embedded: bool = False  # answers in the process of the job, without requests
    recorded: bool = False  # its answers are read from a file: nothing is asked
    extra: str | None = None  # optional dependency, bfcl-pipeline[extra], and the module that it installs
    endpoint: str | None = None  # default URL of its API; None: the row has to name one
    key: str | None = None  # environment variable of the key for that endpoint


KINDS: Mapping[str, ModelKind] = {
    "oracle": ModelKind(
        "from the ground truth", adapter="oracle:Oracle", keys=("resources",), embedded=True
    ),
    "lexical": ModelKind("by word overlap", adapter="lexical:Lexical", keys=("resources",), embedded=True),
    "openai_chat": ModelKind(
        "OpenAI chat completions, and every server compatible with them",
        adapter="adapters.openai_chat:OpenAIChat",
        keys=_STRICT_KEYS,
        endpoint="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
    ),
    "openai_responses": ModelKind(
        "OpenAI Responses",
        adapter="adapters.openai_responses:OpenAIResponses",
        keys=_STRICT_KEYS,
        endpoint="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
    ),
    "anthropic": ModelKind(
        "Anthropic Messages",
        adapter="adapters.anthropic:Anthropic",
        endpoint="https://api.anthropic.com",
        key="ANTHROPIC_API_KEY",
    ),
    "gemini": ModelKind(
        "Google Gemini",
        adapter="adapters.gemini:Gemini",
        endpoint="https://generativelanguage.googleapis.com",
        key="GOOGLE_API_KEY",
    ),
    "litellm": ModelKind(
        "any API that litellm supports (Bedrock, Cohere, ...)",
        adapter="adapters.litellm:LiteLLM",
        extra="litellm",
    ),
    "vllm": ModelKind(
        "a model of the hub or in a directory, served by vLLM for the run",
        adapter="adapters.openai_chat:OpenAIChat",
        keys=(*_STRICT_KEYS, *_OPEN_KEYS, "backend", "prompting", "vllm"),
        completions="adapters.completions:Completions",
    ),
    "transformers": ModelKind(
        "a small model of the hub or in a directory, in the process of the job, greedily",
        adapter="local:TransformersModel",
        keys=(*_LOCAL_KEYS, *_OPEN_KEYS, "dtype"),
        in_flight=1,  # one prompt at a time: its answer depends on nothing else
    ),
    "results": ModelKind(
        "from results of another run, tool or team, read from `path`",
        keys=("model", "path", "web"),
        recorded=True,
    ),
}
"""Every kind, embedded ones first."""

EMBEDDED_KINDS = frozenset(name for name, kind in KINDS.items() if kind.embedded)
"""Kinds of the models that are part of the pipeline; the report marks them."""

RECORDED_KINDS = frozenset(name for name, kind in KINDS.items() if kind.recorded)
"""Kinds of the models whose answers are read from results that exist already."""

OPEN_KINDS = ("vllm", "transformers")
"""Kinds of open weights, served and in this process."""


def kinds_with(key: str) -> list[str]:
    """The kinds whose rows have `key`; empty for a key of all rows."""
    return [name for name, kind in KINDS.items() if key in kind.keys]


def keys_of_others(kind: str) -> list[str]:
    """The keys that rows of other kinds have, and rows of `kind` have not."""
    keys = dict.fromkeys(key for other in KINDS.values() for key in other.keys)
    return [key for key in keys if key not in KINDS[kind].keys]
