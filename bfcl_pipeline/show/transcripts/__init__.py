"""Entries and answers as records for people: what the terminal (`show`) and the page of a report show.

`entry_record` and `answer_record` make the records of `parts`, `run.answer_records` those of a category of
a run, `as_json` their form in a page.
"""

from bfcl_pipeline.show.transcripts.answer import MemoriesAround, answer_record
from bfcl_pipeline.show.transcripts.as_json import as_json
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.limits import PAGE, TERMINAL, TextLimits
from bfcl_pipeline.show.transcripts.memory import RecordedMemory

__all__ = [
    "PAGE",
    "TERMINAL",
    "MemoriesAround",
    "RecordedMemory",
    "TextLimits",
    "answer_record",
    "as_json",
    "entry_record",
]
