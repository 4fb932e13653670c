"""Ways to change one argument value: slightly, in type, or into an expression.

Covers values; an expression is a `Code`, source text that the Python writer leaves bare. Every
expression here is harmless when evaluated, because the reference does evaluate some.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Code(str):
    """Source text that is written unchanged, without quotes."""

    __slots__ = ()


def snippets(name: str) -> tuple[str, ...]:
    """The lines of `snippets/<name>.txt`; a line break within one is written as its arrow."""
    path = Path(__file__).parent / "snippets" / f"{name}.txt"
    return tuple(line.replace("⏎", "\n") for line in path.read_text(encoding="utf-8").split("\n")[:-1])


EXPRESSIONS = snippets("python")
"""Source text for one argument, most of it an expression. Without effects, and cheap to evaluate."""

BEYOND = snippets("python_beyond")
"""Operations with operands that the reference computes by evaluating calls, names, attributes and
similar."""

UNICODE = tuple("é\u200b\u00a0\ufeff\x00\ud800\udc00日😀\u2028\x85\x1f\x7fﬁǆ\u0301\r\x0cẞK")
"""Characters that readers of text stumble over."""

_PUNCTUATION = " ,./-_*^'\"!?:;()[]{}%&@#~`|\\<>=+$\t\n"


def changed_value(value: Any, rng: random.Random) -> Any:
    """Another value for the same argument: mostly near, sometimes of another type or an expression."""
    roll = rng.random()
    if roll < 0.2:
        return Code(rng.choice(EXPRESSIONS))
    if roll < 0.21:
        return Code(rng.choice(BEYOND))
    if roll < 0.35:
        return rng.choice(_RETYPED)(value)
    return _near(value, rng)


def _near(value: Any, rng: random.Random) -> Any:
    if isinstance(value, Code):
        return Code(f"({value})")
    if isinstance(value, bool):
        return rng.choice(_NEAR_BOOLEAN)(value)
    if isinstance(value, (int, float)) and not abs(value) < 10**15:  # huge or not a number
        return rng.choice((0, 1.5, str(value), [value]))
    if isinstance(value, int):
        return rng.choice(_NEAR_INTEGER)(value)
    if isinstance(value, float):
        return rng.choice(_NEAR_FLOAT)(value)
    if isinstance(value, str):
        return _near_text(value, rng)
    if isinstance(value, (list, tuple)):
        return _near_list(list(value), rng)
    if isinstance(value, dict):
        return _near_dict(value, rng)
    return rng.choice(("None", "null", "", 0, False, []))


def _near_text(value: str, rng: random.Random) -> Any:
    roll = rng.random()
    at = rng.randrange(len(value) + 1)
    if roll < 0.15:
        return value[:at] + rng.choice(_PUNCTUATION) + value[at:]
    if roll < 0.2:
        return value[:at] + rng.choice(UNICODE) + value[at:]
    if roll < 0.3:
        return rng.choice(_SPLIT_TEXT)(value[:at], value[at:])
    return rng.choice(_NEAR_TEXT)(value)


def _near_list(value: list[Any], rng: random.Random) -> Any:
    if rng.random() < 0.3:
        value = [changed_value(item, rng) if rng.random() < 0.5 else item for item in value]
        return value if rng.random() < 0.8 else tuple(value)
    return rng.choice(_NEAR_LIST)(value)


def _near_dict(value: dict[Any, Any], rng: random.Random) -> Any:
    if rng.random() < 0.3:
        return {k: changed_value(v, rng) if rng.random() < 0.5 else v for k, v in value.items()}
    if value and rng.random() < 0.3:
        some = rng.choice(list(value))
        if rng.random() < 0.3:
            return {k: v for k, v in value.items() if k != some}
        return {**value, some: rng.choice((None, "", {"a": 1}, [1], [value[some]], True))}
    return rng.choice(_NEAR_DICT)(value)


Change = Callable[[Any], Any]


def _always(*values: Any) -> tuple[Change, ...]:
    """Changes to a fixed value."""

    def to(value: Any) -> Change:
        return lambda _: value

    return tuple(map(to, values))


_RETYPED: tuple[Change, ...] = (
    *_always(
        None, True, 0, 1, 1.0, -1, "", "text", [], {}, (), [None], [1, "a"], [{"a": 1}], {"a": {"b": [1]}}
    ),
    lambda v: [v],
    lambda v: [[v]],
    lambda v: {"a": v},
    lambda v: (v,),
    str,
    repr,
)

_NEAR_BOOLEAN: tuple[Change, ...] = (
    lambda v: not v,
    int,
    str,
    lambda v: str(v).lower(),
    lambda v: Code(f"not {v}"),
    lambda v: Code(str(v).lower()),
)


def _codes(*forms: str) -> tuple[Change, ...]:
    """Expressions with the value put into them."""
    return tuple(lambda value, form=form: Code(form.format(v=value)) for form in forms)


_NEAR_INTEGER: tuple[Change, ...] = (
    lambda v: v + 1,
    lambda v: -v,
    float,
    str,
    bool,
    lambda v: v * 10**20,
    lambda v: v * 10**400,
    lambda v: f"{v}.0",
    lambda v: f"{v:,}",
    lambda v: [v],
    lambda v: v / 2,
    lambda v: Code(f"{v - 1}+1"),
    lambda v: Code(f"{v * 2}/2"),
    lambda v: Code(f"{v * 2}//2"),
    lambda v: Code(hex(v)),
    *_codes(
        "+{v}", "--{v}", "-(-{v})", "- {v}", "~{v}", "{v}*1", "{v}**1", "{v}+0.0", "{v}e0", "{v}.0", "0{v}"
    ),
    *_codes("{v:_}", "{v}j", "{v}L", "{v} if 1 else 0", "({v})", "int({v})", "str({v})", "{v}%7", "{v}|0"),
)

_NEAR_FLOAT: tuple[Change, ...] = (
    int,
    lambda v: v + 0.1,
    lambda v: -v,
    str,
    round,
    lambda v: v + 1e-12,
    lambda v: [v],
    lambda v: f"{v:.1f}",
    lambda v: f"{v}%",
    lambda v: Code(f"{v * 2}/2"),
    lambda v: Code(f"{v - 1}+1"),
    lambda _: float("inf"),
    lambda _: float("nan"),
    lambda _: 10**400,
    *_codes("{v:e}", "+{v}", "{v}*1", "{v}f", "{v:.6f}", "float({v})", "-(-{v})", "{v}//1", "{v}j"),
)

_NEAR_TEXT: tuple[Change, ...] = (
    str.upper,
    str.lower,
    str.swapcase,
    str.title,
    str.casefold,
    str.split,
    lambda v: v.split(", "),
    lambda v: f" {v}",
    lambda v: f"{v} ",
    lambda v: f"{v}.",
    lambda v: f"{v}\n",
    lambda v: f"the {v}",
    lambda v: f"{v}s",
    lambda v: f"'{v}'",
    lambda v: f'"{v}"',
    lambda v: f"“{v}”",
    lambda v: v + v,
    lambda v: v[::-1],
    lambda v: "".join(c for c in v if c.isalnum()),
    lambda v: v.encode("unicode_escape").decode(),
    lambda v: [v],
    lambda v: {v: v},
    lambda v: int(v) if v.isdecimal() and len(v) < 20 else v,
    *(
        lambda v, old=old, new=new: v.replace(old, new)
        for old, new in (
            *((" ", ""), (" ", "_"), (" ", "-"), (",", ""), ("'", '"'), ('"', "'"), ("/", "-"), ("-", "/")),
            *(("_", " "), ("i", "İ"), ("s", "ß"), ("e", "é"), (" ", "\u00a0"), ("-", "–"), (" ", "*")),
        )
    ),
    *_codes("{v}", '"{v}"', "'{v}'", "f'{v}'", "'''{v}'''", "r'{v}'", "str('{v}')", "b'{v}'", "('{v}')"),
)

_SPLIT_TEXT: tuple[Callable[[str, str], Any], ...] = (
    lambda head, tail: head + tail[1:],
    lambda head, tail: head,
    lambda head, tail: [head, tail],
    lambda head, tail: tail + head,
    lambda head, tail: Code(f"'{head}' '{tail}'"),
    lambda head, tail: Code(f"'{head}'+'{tail}'"),
    lambda head, tail: Code(f"'{head}%s' % '{tail}'"),
)


def _in_code(form: str) -> Change:
    """An expression with the items of a list, comma-separated, put into it."""
    return lambda items: Code(form.replace("{}", ", ".join(map(repr, items))))


_NEAR_LIST: tuple[Change, ...] = (
    lambda v: v[::-1],
    lambda v: v[:-1],
    lambda v: v[1:],
    lambda v: v + v[:1],
    lambda v: [*v, None],
    lambda v: [*v, ""],
    lambda v: [v],
    tuple,
    str,
    lambda v: ", ".join(map(repr, v)),
    lambda v: {str(i): item for i, item in enumerate(v)},
    lambda v: v[0] if v else None,
    lambda v: [[item] for item in v],
    lambda v: [str(item) for item in v],
    lambda v: [{"value": item} for item in v],
    lambda v: [float(item) if isinstance(item, int) and abs(item) < 10**15 else item for item in v],
    lambda v: [item.upper() if isinstance(item, str) else item for item in v],
    lambda _: [],
    lambda _: [None],
    *map(_in_code, ("{{}}", "list([{}])", "[{}]+[]", "[{},]", "[*[{}]]", "({})", "[{}][:]", "tuple([{}])")),
)

_NEAR_DICT: tuple[Change, ...] = (
    lambda v: {**v, "extra": 1},
    lambda v: {**v, None: 1},
    lambda v: {str(k).upper(): item for k, item in v.items()},
    lambda v: {k: [item] for k, item in v.items()},
    lambda v: {k: str(item) for k, item in v.items()},
    lambda v: {k: item.upper() if isinstance(item, str) else item for k, item in v.items()},
    lambda v: dict(reversed(v.items())),
    lambda v: {"value": v},
    lambda v: [v],
    lambda v: [v, v],
    lambda v: list(v.items()),
    list,
    str,
    lambda _: {},
    lambda _: {0: 1},
    lambda v: Code(f"dict({', '.join(f'{k}={item!r}' for k, item in v.items())})"),
    *(
        lambda v, form=form: Code(form.replace("{}", repr(v)))
        for form in ("{}|{}", "[{}]", "({})", "[{}, {}]")
    ),
    lambda v: Code(f"{{**{v}}}"),
)
