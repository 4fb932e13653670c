"""Asking a model all entries of a category: the conversation, and the loop that holds it."""

from bfcl_pipeline.generation.conversation import Conversation, conversation
from bfcl_pipeline.generation.generate import (
    Conversed,
    Failure,
    FailureOf,
    Origin,
    SettingOf,
    converse_all,
    failure_of,
    generate,
    responses,
)
from bfcl_pipeline.generation.model import Model, Responder, Wire

__all__ = [
    "Conversation",
    "Conversed",
    "Failure",
    "FailureOf",
    "Model",
    "Origin",
    "Responder",
    "SettingOf",
    "Wire",
    "conversation",
    "converse_all",
    "failure_of",
    "generate",
    "responses",
]
