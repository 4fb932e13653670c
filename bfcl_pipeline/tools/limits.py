"""Bounds on what the simulated APIs do for a model.

They are far above what any trajectory of the benchmark needs (its longest truth has 55 calls) and low
enough that no answer of a model takes much time or memory. What is past a bound gets an error text, as
any failed call does, and the conversation goes on.
"""

from __future__ import annotations

MAX_CALLS = 5_000
"""Calls that one world runs."""

MAX_RESULT = 2_000_000
"""Characters of the result of one call."""

MAX_INNER_RESULT = 100_000
"""Characters of a result that is an argument of another call: what goes back into a state stays small."""

MAX_RESULTS = 20_000_000
"""Characters of all results of one world."""


class CallFailed(Exception):
    """A call cannot be run; the text is what the model is shown. Stays within `tools`."""


class BoundExceeded(CallFailed):
    """A call asks for more than a simulated API does."""
