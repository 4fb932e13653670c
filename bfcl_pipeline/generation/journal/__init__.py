"""The journal of exchanges with one model: every answer, kept before it is used."""

from bfcl_pipeline.generation.journal.lines import Kept, exchange_key
from bfcl_pipeline.generation.journal.reader import JournalReader
from bfcl_pipeline.generation.journal.writer import Journal

__all__ = ["Journal", "JournalReader", "Kept", "exchange_key"]
