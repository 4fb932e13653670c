"""Taking given secrets out of what a journal keeps.

A server may send back what it was sent, its key too. Only secrets that are given are sought, in every form
they may have in JSON or an address; texts that merely look like keys stay, as they may be a model's answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from bfcl_pipeline.records import Json

SCRUBBED = "SCRUBBED"
"""What stands where a secret was."""

SHORTEST = 8
"""Characters of a secret, at least: servers that want no key are given a word that any answer may hold."""


class Secrets:
    """What must not be written."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [secret.strip() for secret in secrets]
        forms = {form for secret in known if len(secret) >= SHORTEST for form in _forms(secret)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))  # none within a later one
        # A line is JSON in ASCII, so that there they stand in the escaped form.
        self._escaped = [_escaped(form).encode("ascii") for form in self._forms]

    def within(self, line: bytes) -> bool:
        """Whether a line of JSON in ASCII may hold a secret."""
        return any(form in line for form in self._escaped)

    def scrubbed(self, value: Json) -> Json:
        """`value` with SCRUBBED in place of secrets, in names and texts of any depth."""
        if isinstance(value, str):
            for form in self._forms:
                value = value.replace(form, SCRUBBED)
            return value
        if isinstance(value, dict):
            return {self.scrubbed(name): self.scrubbed(held) for name, held in value.items()}
        if isinstance(value, list | tuple):
            return [self.scrubbed(held) for held in value]
        return value


def _forms(secret: str) -> tuple[str, ...]:
    """A secret as it is, in an address, and in JSON that is itself a text, such as arguments of a call."""
    return (
        secret,
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
        _escaped(secret),
        json.dumps(secret, ensure_ascii=False)[1:-1],
    )


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1]
