"""The tables of a run, built from its verdicts and responses."""
