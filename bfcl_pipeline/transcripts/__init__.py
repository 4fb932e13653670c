"""Entries and answers as records for people: what the terminal (`show`) and the page of a report show."""
