"""The journals of exchanges with one model: every answer is on disk before it is used."""

from bfcl_pipeline.runs.journal.heads import ExchangeHead, exchange_heads
from bfcl_pipeline.runs.journal.lines import JournaledExchange, exchange_key
from bfcl_pipeline.runs.journal.paths import journal_path, journals_in, lease_path
from bfcl_pipeline.runs.journal.reader import JournalReader, JournalsReader
from bfcl_pipeline.runs.journal.writer import Journal

__all__ = [
    "ExchangeHead",
    "Journal",
    "JournalReader",
    "JournaledExchange",
    "JournalsReader",
    "exchange_heads",
    "exchange_key",
    "journal_path",
    "journals_in",
    "lease_path",
]
