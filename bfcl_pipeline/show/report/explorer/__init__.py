"""The part of the page in which people walk through every entry and every conversation of a run."""
