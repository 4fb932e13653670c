"""Entries and answers as records for people: what the terminal (`show`) and the page of a report show.

`entry_record` and `answer_record` make the records of `parts`, `run.answer_records` those of a category of
a run, `as_json` their form in a page.
"""
