"""The shapes of API keys and tokens, and the secret values of environment variables.

The shapes are strict, because the answer of a model or a web page may also contain words such as `sk-`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bfcl_pipeline.base.secrets import SHORTEST

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
