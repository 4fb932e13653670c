"""Finding and redacting secrets in texts, bytes and JSON: given ones, and what has the shape of a key.

Given secrets are found in every encoding in which a server may send them back. Shapes are those of API keys
and tokens, and strict: the answer of a model or a web page may also contain words such as `sk-`. Which HTTP
headers and parameters hold secrets is `web.evidence.redaction`.
"""

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bfcl_pipeline.base.text import changed_texts

REDACTED = "SCRUBBED"
"""The marker in journals and cassettes; part of their format."""

SHORTEST = 8
"""Characters of the shortest API key that is used: a shorter text may be part of any answer."""

TOO_SHORT = f"has fewer than {SHORTEST} characters, too few to be found and redacted in what is received"
"""The end of a sentence that refuses a key."""

_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
"""Encodings of bytes that a server may send; JSON may be in any of them."""

_URL_SAFE = {"+": "-", "/": "_"}


@cache
def secret_patterns(secret: str, encoding: str = "utf-8") -> tuple[re.Pattern[bytes], ...]:
    """Match `secret` in bytes of that encoding.

    Each character may be percent-encoded, escaped as in JSON or a reference as in HTML, also repeatedly. A
    secret of SHORTEST characters is also matched in hexadecimal digits, and within the base64 of a text.
    """
    forms = _Forms(encoding)
    found = [b"".join(map(forms.piece, re.findall(r"\\+|[^\\]", secret)))]
    content = secret.encode("utf-8", "surrogateescape")
    if len(secret) >= SHORTEST:
        found += [b"".join(map(forms.base64, _base64(content, before))) for before in range(3)]
        found.append(forms.hexadecimal(content.hex()))
    return tuple(map(re.compile, found))


def _base64(content: bytes, before: int) -> str:
    """What the base64 of `before` bytes, `content` and any other bytes contains for every such bytes."""
    encoded = b64encode(bytes(before) + content).decode("ascii")
    return encoded[-(-8 * before // 6) : 8 * (before + len(content)) // 6]


class _Forms:
    """Patterns for one character in its encoded forms.

    All repeats are bounded. Each form begins with one certain byte, which makes the search much faster.
    """

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding

    def piece(self, text: str) -> bytes:
        """Backslashes, which may be doubled again and again, or another character."""
        if not text.startswith("\\"):
            return self.character(text)
        doubled = b"(?:%s){0,%d}" % (self._plain("\\"), 7 * len(text))
        return _any([self._plain(text) + doubled, self.character("\\") * len(text)])

    def character(self, letter: str) -> bytes:
        """As it is, or encoded in a URL, in JSON or in HTML."""
        units = letter.encode("utf-16-be", "surrogatepass").hex()
        backslashes = self._plain("\\") + self._repeated("\\")
        short = "/" if letter == "/" else json.dumps(letter)[2:-1].strip("\\")  # without its backslash
        reference = [
            self._plain(f"#{ord(letter)}"),
            self._plain("#x") + self.hexadecimal(f"{ord(letter):x}"),
        ]
        named = html.escape(letter)[1:-1]
        forms = [
            *([backslashes + self._plain(short)] if len(short) == 1 else []),
            self._plain(letter),
            *([self._plain("+")] if letter == " " else []),
            b"".join(
                backslashes + self._plain("u") + self.hexadecimal(units[at : at + 4])
                for at in range(0, len(units), 4)
            ),
            b"".join(
                self._plain("%") + self._repeated("25") + self.hexadecimal(f"{byte:02x}")
                for byte in letter.encode("utf-8", "surrogateescape")
            ),
            self._plain("&")
            + self._repeated("amp;")
            + _any([*reference, *([self._plain(named)] if named else [])])
            + self._plain(";"),
        ]
        return _any(forms)

    def base64(self, letter: str) -> bytes:
        """A letter of base64, or of its variant for URLs."""
        return (
            _any(map(self.character, (letter, _URL_SAFE[letter])))
            if letter in _URL_SAFE
            else self._plain(letter)
        )

    def hexadecimal(self, digits: str) -> bytes:
        """Digits, each in either case."""
        return b"".join(_any({self._plain(one): 0, self._plain(one.upper()): 0}) for one in digits)

    def _plain(self, text: str) -> bytes:
        errors = "surrogateescape" if self._encoding == "utf-8" else "replace"
        return re.escape(text.encode(self._encoding, errors))

    def _repeated(self, text: str) -> bytes:
        return b"(?:%s){0,7}" % self._plain(text)


def _any(forms: Iterable[bytes]) -> bytes:
    return b"(?:%s)" % b"|".join(forms)


class Redactor:
    """Replaces secrets, in all their encoded forms, by a marker."""

    def __init__(self, secrets: Iterable[str], marker: str = REDACTED, *, shortest: int = 1) -> None:
        """shortest: secrets with fewer characters are ignored."""
        given = {secret for secret in secrets if len(secret) >= shortest}
        self._secrets = sorted(given, key=lambda one: (-len(one), one))  # none is part of a later one
        self._marker = marker

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        content = text.encode("utf-8", "surrogatepass")
        redacted = self._replaced(content, "utf-8")
        return text if redacted == content else redacted.decode("utf-8", "surrogatepass")

    def content(self, content: bytes) -> bytes:
        """`content`, text in a Unicode encoding or any other bytes, without the secrets."""
        for encoding in _ENCODINGS if b"\0" in content else _ENCODINGS[:1]:
            content = self._replaced(content, encoding)
        return content

    def document(self, value: Any) -> Any:
        """A JSON value without the secrets, neither in texts nor in names, at any depth."""
        return changed_texts(value, self.text)

    def is_in_json(self, line: bytes) -> bool:
        """Whether a JSON document in ASCII contains a secret."""
        return any(pattern.search(line) for secret in self._secrets for pattern in secret_patterns(secret))

    def _replaced(self, content: bytes, encoding: str) -> bytes:
        marker = self._marker.encode(encoding)
        for secret in self._secrets:
            for pattern in secret_patterns(secret, encoding):
                content = pattern.sub(lambda _: marker, content)
        return content


LONGEST = 400
"""Most bytes that a shape matches."""

_SECRET_VARIABLE = re.compile(r"(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)", re.IGNORECASE)
_LONG_ENOUGH = 16  # shortest value of a variable that is known only by its name


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret."""

    what: str  # description
    pattern: re.Pattern[bytes]
    digits: int = 0  # minimum number of digits: a word of letters and dashes is not a key
    within: bool = False  # whether it may start within a word

    def found(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Offset and text of each match in `text`."""
        for match in self.pattern.finditer(text):
            # Not part of the pattern, which is faster if it starts with literal characters.
            if not self.within and _within_word(text, match.start()):
                continue
            if sum(map(match[0].count, _DIGITS)) >= self.digits:
                yield match.start(), match[0]


_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_DIGITS = [str(digit).encode() for digit in range(10)]


def _within_word(text: bytes, start: int) -> bool:
    """Whether `start` is within a word; the n of an escaped line break in JSON does not count."""
    before = text[max(0, start - 2) : start]
    escape = len(before) == 2 and before[:1] == b"\\" and before[1] in b"nrtbf"
    return bool(before) and before[-1] in _WORD and not escape


def _shape(what: str, pattern: bytes, digits: int = 0, within: bool = False) -> Shape:
    return Shape(what, re.compile(pattern), digits, within)


SHAPES = (
    _shape("a key like OpenAI's or Anthropic's", rb"sk-[A-Za-z0-9_-]{20,200}", digits=3),
    _shape("an access key like AWS's", rb"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape(
        "a secret access key like AWS's",
        rb"(?:secret_access_key|SECRET_ACCESS_KEY)[\"'\s:=\\]{1,8}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
        within=True,
    ),
    _shape("a key like Google's", rb"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _shape("a token like Google's", rb"ya29\.[A-Za-z0-9_-]{30,300}"),
    _shape("a token like Hugging Face's", rb"hf_[A-Za-z0-9]{30,80}(?![A-Za-z0-9_])"),
    _shape("a token like GitHub's", rb"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,200})"),
    _shape("a token like GitLab's", rb"glpat-[A-Za-z0-9_-]{20,100}", digits=1),
    _shape("a token like Slack's", rb"xox[abeprs]-[A-Za-z0-9-]{20,200}", digits=6),
    _shape("a key like Groq's", rb"gsk_[A-Za-z0-9]{40,100}"),
    _shape("a key like xAI's", rb"xai-[A-Za-z0-9]{60,120}"),
    _shape("a key like NVIDIA's", rb"nvapi-[A-Za-z0-9_-]{50,120}"),
    _shape("a bearer token", rb"[Bb](?:earer|EARER)\s{1,4}[A-Za-z0-9._~+/-]{20,300}", digits=3),
    _shape(
        "a signed token (JWT)", rb"eyJ[A-Za-z0-9_-]{10,150}\.eyJ[A-Za-z0-9_-]{10,150}\.[A-Za-z0-9_-]{10,80}"
    ),
    _shape(
        "a private key",
        rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,120}",
        within=True,
    ),
    _shape(
        "a password in an address",
        rb"://[^\s/:@\"'<>\\]{1,60}:[^\s/:@\"'<>\\]{6,100}@[A-Za-z0-9]",
        within=True,
    ),
)
"""Every kind of secret that is found by its shape."""


def named_secrets(environment: Mapping[str, str], variables: Iterable[str]) -> dict[str, str]:
    """The secret values in `environment` by variable: of `variables`, and of others with telling names."""
    named = frozenset(variables)
    secrets: dict[str, str] = {}
    for name, value in environment.items():
        text = value.strip()
        least = SHORTEST if name in named else _LONG_ENOUGH
        if len(text) >= least and (name in named or _SECRET_VARIABLE.fullmatch(name)):
            secrets[name] = text
    return secrets
