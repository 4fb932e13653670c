"""Ways to restyle a finished text: fences, prose, quotes, whitespace, odd characters, truncation.

Covers changes that do not depend on the syntax of the text.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.peer.variant_values import UNICODE


def _around(*pairs: tuple[str, str]) -> Callable[[str, random.Random], str]:
    def restyle(text: str, rng: random.Random) -> str:
        before, after = rng.choice(pairs)
        return before + text + after

    return restyle


def _truncated(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _beheaded(text: str, rng: random.Random) -> str:
    return text[rng.randrange(len(text) + 1) :]


def _without_one(text: str, rng: random.Random) -> str:
    at = rng.randrange(max(1, len(text)))
    return text[:at] + text[at + 1 :]


def _inserted(characters: tuple[str, ...]) -> Callable[[str, random.Random], str]:
    def restyle(text: str, rng: random.Random) -> str:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(characters) + text[at:]

    return restyle


def _replaced(*pairs: tuple[str, str]) -> Callable[[str, random.Random], str]:
    def restyle(text: str, rng: random.Random) -> str:
        old, new = rng.choice(pairs)
        return text.replace(old, new)

    return restyle


def _replaced_once(text: str, rng: random.Random) -> str:
    marks = [i for i, character in enumerate(text) if character in "()[]{}<>,=:'\"/"]
    if not marks:
        return text
    at = rng.choice(marks)
    return text[:at] + rng.choice("()[]{}<>,=:'\"/ ") + text[at + 1 :]


RESTYLES: dict[str, Callable[[str, random.Random], str]] = {
    "fence": _around(
        ("```", "```"), ("```\n", "\n```"), ("`", "`"), ("``` ", " ```"), ("\n```\n", "\n```\n")
    ),
    "fence_named": _around(
        ("```python\n", "\n```"),
        ("```json\n", "\n```"),
        ("```tool_code\n", "\n```"),
        ("```xml\n", "\n```"),
        ("```java\n", "\n```"),
        ("python\n", ""),
    ),
    "prose_before": _around(
        ("Here is the call:\n", ""),
        ("Sure! ", ""),
        ("Thought: I should call [f].\n", ""),
        ("<think>hm</think>\n", ""),
        ("[TOOL_CALLS] ", ""),
        ("Action: ", ""),
    ),
    "prose_after": _around(
        ("", "\nThis calls the function."),
        ("", " and [more]"),
        ("", "."),
        ("", "\n\n[End]"),
        ("", "<|im_end|>"),
        ("", "</s>"),
        ("", " # done"),
    ),
    "prose_around": _around(
        ("Call:\n```\n", "\n```\nDone."),
        ("I will use ", " now."),
        ("<tool_call>", "</tool_call>"),
        ("**", "**"),
        ("[TOOL]", "[/TOOL]"),
    ),
    "tag": _around(
        ("<TOOLCALL>", "</TOOLCALL>"),
        ("<TOOLCALL>\n", "\n</TOOLCALL>"),
        ("<TOOLCALL>", ""),
        ("", "</TOOLCALL>"),
        ("<toolcall>", "</toolcall>"),
        ("<TOOLCALL></TOOLCALL>", ""),
        ("text <TOOLCALL>", "</TOOLCALL> text"),
        ("<TOOLCALL><TOOLCALL>", "</TOOLCALL></TOOLCALL>"),
        ("<TOOLCALL>[]</TOOLCALL>\n<TOOLCALL>", "</TOOLCALL>"),
    ),
    "whitespace_around": _around(
        ("  ", "  "),
        ("\n\n", "\n"),
        ("\t", ""),
        ("", "\t"),
        ("\r\n", "\r\n"),
        ("\u00a0", ""),
        ("", "\u200b"),
        ("\ufeff", ""),
        ("\x0c", "\x0c"),
        ("\x0b", ""),
        ("", "\u3000"),
    ),
    "quotes_around": _around(
        ("'", "'"),
        ('"', '"'),
        ("'''", "'''"),
        ('"""', '"""'),
        ("“", "”"),
        ("'", ""),
        ("", "'"),
        ("[''", "'']"),
    ),
    "brackets_around": _around(
        ("[", "]"), ("(", ")"), ("{", "}"), ("[[", "]]"), ("[", ""), ("", "]"), ("<", ">"), ("[`", "`]")
    ),
    "twice": lambda text, rng: text + rng.choice(("", "\n", ", ", "; ", " ")) + text,
    "truncated": _truncated,
    "beheaded": _beheaded,
    "one_less": _without_one,
    "one_more": _inserted(tuple("()[]{}<>,=:'\"/\\`#;&%$@!?*+-~^|. \n\t01aE_")),
    "one_other": _replaced_once,
    "odd_character": _inserted(UNICODE),
    "other_quotes": _replaced(
        ("'", '"'),
        ('"', "'"),
        ("'", "“"),
        ("'", "’"),
        ('"', "”"),
        ("'", ""),
        ('"', ""),
        ("'", "`"),
        ("'", "\\'"),
        ('"', '\\"'),
    ),
    "other_spaces": _replaced(
        (" ", ""),
        (" ", "  "),
        (" ", "\n"),
        (" ", "\t"),
        (" ", "\u00a0"),
        (", ", ","),
        (",", "，"),
        ("=", " = "),
        ("(", " ("),
        ("\n", "\\n"),
        (" ", "\r\n"),
    ),
    "escaped": _replaced(
        ("_", "\\_"),
        ("[", "\\["),
        ("*", "\\*"),
        ("\n", "\\n"),
        ("&", "&amp;"),
        ("<", "&lt;"),
        ('"', "&quot;"),
        ("'", "&apos;"),
    ),
    "case": lambda text, rng: rng.choice((text.upper(), text.lower(), text.title())),
    "fullwidth": _replaced(
        ("(", "（"),
        (")", "）"),
        ("[", "【"),
        (":", "："),
        ("=", "＝"),
        ("0", "０"),
        ("1", "１"),
        (".", "．"),
    ),
    "null_byte": lambda text, rng: text + "\x00",
    "long": lambda text, rng: text + " " * 5000,
}
"""Every way to restyle a text, by name."""


def restyled(text: str, rng: random.Random, times: int) -> tuple[str, list[str]]:
    """`text` after `times` drawn restylings, and the names of those."""
    names = rng.choices(list(RESTYLES), k=times)
    for name in names:
        text = RESTYLES[name](text, rng)
    return text, names
