"""From an entry and a response to a verdict, and what follows from verdicts: pure functions."""
