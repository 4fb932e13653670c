"""Whose conversations the page of a run has: the key `report.entries` of the config."""

from enum import StrEnum


class ShownEntries(StrEnum):
    """The conversations of the page; the list of entries with their verdicts is always complete."""

    WRONG = "wrong"  # those that a model has not right under every rule set, and those without a verdict
    ALL = "all"
    NONE = "none"
