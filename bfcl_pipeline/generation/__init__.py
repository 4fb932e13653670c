"""Asking a model all entries of a category: the conversation, and the loop that holds it."""

from bfcl_pipeline.generation.conversation import Conversation, conversation
from bfcl_pipeline.generation.generate import generate
from bfcl_pipeline.generation.model import Model, Responder

__all__ = ["Conversation", "Model", "Responder", "conversation", "generate"]
