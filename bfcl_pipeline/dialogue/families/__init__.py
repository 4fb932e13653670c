"""Open weights asked by prompts that are text: the prompt of each family, and how its answers are read.

A family is a row of config/families.yaml, a chat template of `templates` and a reader of `readers`. Prompts
are text, made of messages and function docs; readers turn texts into calls within the bounds of
`bfcl_pipeline.dialogue.calls`. Nothing is sent, and nothing that a model writes is evaluated.
"""

from bfcl_pipeline.dialogue.families.asking import FamilyAsking
from bfcl_pipeline.dialogue.families.readers import READERS
from bfcl_pipeline.dialogue.families.readers.answers import Answer, Reader

__all__ = ["READERS", "Answer", "FamilyAsking", "Reader"]
