"""Generating responses: the conversation over one entry, and the runner that holds many at once."""

from bfcl_pipeline.ask.generation.backends import Adapter, Model, Responder
from bfcl_pipeline.ask.generation.conversation import Asking, ChatAsking, conversation
from bfcl_pipeline.ask.generation.generate import (
    Executing,
    FailureOf,
    Origin,
    WorldConfigOf,
    failure_of,
    responses,
    run_entries,
    unanswered_entries,
)
from bfcl_pipeline.ask.generation.memory import Completed, EntryFailure

__all__ = [
    "Adapter",
    "Asking",
    "ChatAsking",
    "Completed",
    "EntryFailure",
    "Executing",
    "FailureOf",
    "Model",
    "Origin",
    "Responder",
    "WorldConfigOf",
    "conversation",
    "failure_of",
    "responses",
    "run_entries",
    "unanswered_entries",
]
