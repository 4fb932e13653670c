"""Taking secrets out of what is kept of HTTP: addresses, headers, bodies, texts of errors.

A secret is the value of a parameter or header with a name such as `api_key`, a user in an address, or a
text that is named as one. Headers that hold secrets are left out; values become SCRUBBED, and long ones
wherever else they stand. A name that only looks like one costs a parameter of the evidence, not of the
outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus, unquote, unquote_plus

SCRUBBED = "SCRUBBED"
"""What stands where a secret was."""

_SECRET_NAME = re.compile(
    r".*(token|secret|passw(or)?d|signature|credentials?|api[-_.]?key|authori[sz]ation|cookie2?)"
    r"|(.*[-_.])?(key|auth|pwd|sig|sid)",
    re.IGNORECASE | re.DOTALL,
)
_PARAMETER = re.compile(r"(?<![\w.%\[\]-])([\w.%\[\]-]+)=([^&#\s'\"<>]*)")
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_WITH_ADDRESSES = {"location", "content-location", "link", "refresh", "referer"}
_LONG_ENOUGH = 12  # characters: a shorter value of `key=` is not sought elsewhere, it may be any word


def scrubbed(text: str) -> str:
    """An address, or text with addresses, without the values of secret parameters and without users."""
    return _PARAMETER.sub(_without_secret, _USER.sub("", text))


def secret_values(address: str) -> Iterator[str]:
    """The values of secret parameters in an address that are long enough to be sought elsewhere."""
    for name, value in _PARAMETER.findall(address):
        if len(value) >= _LONG_ENOUGH and _SECRET_NAME.fullmatch(unquote(name)):
            yield value
            yield unquote_plus(value)


def secret_header_values(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The keys and authorizations in headers, long enough to be sought elsewhere; not cookies."""
    for name, value in headers:
        key = value.rpartition(" ")[2]  # behind `Bearer` and the like
        if len(key) >= _LONG_ENOUGH and _SECRET_NAME.fullmatch(name) and "cookie" not in name.lower():
            yield key


class Scrubber:
    """Takes out what has a secret name, and given secrets wherever they stand."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """secrets: texts as they are; their forms in addresses are taken out too."""
        forms = {
            form
            for secret in secrets
            if secret
            for form in (
                secret,
                quote(secret, safe="", errors="replace"),
                quote_plus(secret, errors="replace"),
            )
        }
        self._forms = sorted(forms, key=lambda form: (-len(form), form))  # none within a later one

    def text(self, text: str) -> str:
        """`text` without the given secrets."""
        for form in self._forms:
            text = text.replace(form, SCRUBBED)
        return text

    def body(self, content: bytes) -> bytes:
        """A body without the given secrets."""
        for form in self._forms:
            content = content.replace(form.encode(errors="replace"), SCRUBBED.encode())
        return content

    def address(self, text: str) -> str:
        """An address, or text with addresses, without any secret."""
        return self.text(scrubbed(text))

    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """Headers by name, without those that hold secrets."""
        kept: dict[str, list[str]] = {}
        for name, value in headers:
            if not _SECRET_NAME.fullmatch(name):
                known = self.address if name.lower() in _WITH_ADDRESSES else self.text
                kept.setdefault(name, []).append(known(value))
        return kept


def _without_secret(parameter: re.Match[str]) -> str:
    name = parameter[1]
    return f"{name}={SCRUBBED}" if _SECRET_NAME.fullmatch(unquote(name)) else parameter[0]
