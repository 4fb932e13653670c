"""The journals of exchanges with one model: every answer, kept before it is used."""

from bfcl_pipeline.generation.journal.lines import Kept, exchange_key
from bfcl_pipeline.generation.journal.names import journal_path, journals_in, owner_path
from bfcl_pipeline.generation.journal.reader import FolderReader, JournalReader, JournalsReader
from bfcl_pipeline.generation.journal.writer import Journal

__all__ = [
    "FolderReader",
    "Journal",
    "JournalReader",
    "JournalsReader",
    "Kept",
    "exchange_key",
    "journal_path",
    "journals_in",
    "owner_path",
]
