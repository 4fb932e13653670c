"""Asking a model all entries of a category: the conversation, and the loop that holds it."""

from bfcl_pipeline.generation.conversation import Conversation, conversation
from bfcl_pipeline.generation.generate import Conversed, SettingOf, generate, responses
from bfcl_pipeline.generation.model import Model, Responder

__all__ = [
    "Conversation",
    "Conversed",
    "Model",
    "Responder",
    "SettingOf",
    "conversation",
    "generate",
    "responses",
]
