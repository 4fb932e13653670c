"""Finding and redacting given secrets, such as API keys, in texts, bytes and JSON.

Only secrets that are given are searched for, in every encoding in which a server may send them back. What
keys look like in general is `archive.key_shapes`; which HTTP headers and parameters hold secrets is
`web.evidence.redaction`.
"""

import html
import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

REDACTED = "SCRUBBED"
"""The marker in journals and cassettes; part of their format."""

SHORTEST = 8
"""Characters of the shortest API key that is redacted: servers without keys get a placeholder (`EMPTY`)."""


def encoded_forms(secret: str) -> tuple[str, ...]:
    """`secret` as it is, percent-encoded, in HTML, JSON-escaped once and twice, without duplicates."""
    escaped = _escaped(secret)
    forms = (
        secret,
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
        html.escape(secret, quote=False),
        html.escape(secret),
        escaped,
        json.dumps(secret, ensure_ascii=False)[1:-1],
        _escaped(escaped),
    )
    return tuple(dict.fromkeys(forms))


_JSON_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\(?:u00((?!22|5[cC])[2-7][0-9a-fA-F])|/)")
"""A printable ASCII character that JSON could hold without its escape; before it, pairs of backslashes."""


_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
"""Encodings of bytes that a server may send; JSON may be in any of them."""


class Redactor:
    """Replaces secrets, in all their encoded forms, by a marker."""

    def __init__(self, secrets: Iterable[str], marker: str = REDACTED, *, shortest: int = 1) -> None:
        """shortest: secrets with fewer characters are ignored."""
        forms = {form for secret in secrets if len(secret) >= shortest for form in encoded_forms(secret)}
        self._marker = marker
        self._forms = sorted(forms, key=lambda form: (-len(form), form))  # none is part of a later one
        self._in_bytes = [
            (form.encode(name, errors="replace"), marker.encode(name))
            for name in _ENCODINGS
            for form in self._forms
        ]
        self._in_json = [_escaped(form).encode("ascii") for form in self._forms]

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        for form in self._forms:
            text = text.replace(form, self._marker)
        return text

    def content(self, content: bytes) -> bytes:
        """`content`, text in a Unicode encoding or any other bytes, without the secrets.

        JSON may escape any character. Such escapes are resolved if a secret is found in them.
        """
        content = self._replaced(content)
        if b"\\" not in content:
            return content
        plain = _JSON_ESCAPE.sub(_resolved, content)
        redacted = self._replaced(plain)
        return content if redacted == plain else redacted

    def document(self, value: Any) -> Any:
        """A JSON value without the secrets, neither in texts nor in names, at any depth."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self.document(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.document(item) for item in value]
        return value

    def is_in_json(self, line: bytes) -> bool:
        """Whether a JSON document in ASCII contains a secret."""
        return any(form in line for form in self._in_json)

    def _replaced(self, content: bytes) -> bytes:
        for form, marker in self._in_bytes:
            content = content.replace(form, marker)
        return content


def _resolved(escape: re.Match[bytes]) -> bytes:
    return escape[1] + (bytes.fromhex(escape[2].decode("ascii")) if escape[2] else b"/")


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1]
