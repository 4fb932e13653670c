"""The journals of exchanges with one model: every answer is on disk before it is used."""

from bfcl_pipeline.runs.journal.lines import ExchangeHead, JournaledExchange, exchange_heads, exchange_key
from bfcl_pipeline.runs.journal.reader import JournalReader, JournalsReader
from bfcl_pipeline.runs.journal.writer import Journal, journal_path, journals_in, lease_path

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
