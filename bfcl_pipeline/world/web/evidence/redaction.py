"""Redacting the HTTP evidence of the web cache: addresses, headers, bodies, error texts.

A secret is the value of a parameter or header with a name such as `api_key`, the user part of an address,
or a text that is given as a secret. Headers that hold secrets are left out; parameter values become
`secrets.REDACTED`, and long ones are also replaced wherever else they occur. A harmless parameter with such
a name is lost from the evidence, but not from the outcome.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, unquote_plus

from bfcl_pipeline.base.secrets import REDACTED, SHORTEST, Redactor

_SECRET_NAME = re.compile(
    r".*(token|secret|passw(or)?d|signature|credentials?|api[-_.]?key|authori[sz]ation|cookie2?)"
    r"|(.*[-_.])?(key|auth|pwd|sig|sid)",
    re.IGNORECASE | re.DOTALL,
)
_PARAMETER = re.compile(r"(?<![\w.%\[\]-])([\w.%\[\]-]+)=([^&#\s'\"<>]*)")
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_WITH_ADDRESSES = {"location", "content-location", "link", "refresh", "referer"}
_REPLACED = re.compile(rf"""[^\s&#'"<>]{{{SHORTEST},4000}}""")  # what a marker may stand for
_LONG_ENOUGH = 12  # characters: a shorter value of `key=` may be any word, so it is not replaced elsewhere


def redact_address(text: str) -> str:
    """An address, or text with addresses, without the values of secret parameters and without users."""
    return _PARAMETER.sub(_redact_value, _USER.sub("", text))


def secret_values(address: str) -> Iterator[str]:
    """The values of secret parameters in an address that are long enough to be redacted elsewhere too."""
    for name, value in _PARAMETER.findall(address):
        if len(value) >= _LONG_ENOUGH and _SECRET_NAME.fullmatch(unquote(name)):
            yield value
            yield unquote_plus(value)


def secret_header_values(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The keys and authorizations in headers that are long enough to be redacted elsewhere; not cookies."""
    for name, value in headers:
        key = value.rpartition(" ")[2]  # without `Bearer` and the like
        if len(key) >= _LONG_ENOUGH and _SECRET_NAME.fullmatch(name) and "cookie" not in name.lower():
            yield key


def differs_in_secrets_only(text: str, recorded: str) -> bool:
    """Whether `recorded` is `text` with nothing redacted but single secrets, each without white space."""
    first, *others = recorded.split(REDACTED)
    if not others:
        return text == recorded
    if not text.startswith(first):
        return False
    at = len(first)
    for number, part in enumerate(others, start=1):
        if text.startswith(REDACTED, at):  # redacted in both
            end = at + len(REDACTED)
        elif number == len(others):
            end = len(text) - len(part)
        else:
            end = text.find(part, at + SHORTEST)
        if not _REPLACED.fullmatch(text, at, max(at, end)) or not text.startswith(part, end):
            return False
        at = end + len(part)
    return at == len(text)


class HttpRedactor(Redactor):
    """Redacts given secrets everywhere, and parameters and headers with secret names."""

    def address(self, text: str) -> str:
        """An address, or text with addresses, without any secret."""
        return self.text(redact_address(text))

    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """Header values by name, without the headers that hold secrets and without secrets in names."""
        redacted: dict[str, list[str]] = {}
        for name, value in headers:
            if not _SECRET_NAME.fullmatch(name):
                redact = self.address if name.lower() in _WITH_ADDRESSES else self.text
                redacted.setdefault(self.text(name), []).append(redact(value))
        return redacted


def _redact_value(parameter: re.Match[str]) -> str:
    name = parameter[1]
    return f"{name}={REDACTED}" if _SECRET_NAME.fullmatch(unquote(name)) else parameter[0]
