"""The error text for a name that no row has, with the nearest names."""

import difflib
from collections.abc import Iterable

_MOST_SUGGESTED = 4  # names in an error message


def unknown_model(name: str, known: Iterable[str]) -> str:
    """An error text for an unknown model; too many models are known to list them all."""
    known = list(known)
    near = [other for other in known if name and name.lower() in other.lower()]
    if not near:
        near = difflib.get_close_matches(name, known, n=1)
    named = " or ".join(map(repr, near[:_MOST_SUGGESTED]))
    more = f" ({len(near) - _MOST_SUGGESTED} more contain it)" if len(near) > _MOST_SUGGESTED else ""
    hint = f" Did you mean {named}?{more}" if near else ""
    return f"unknown model {name!r}.{hint} `bfcl-pipeline models` lists all."
