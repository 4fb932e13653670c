"""Hostile model outputs: texts that are meant to harm the evaluator."""

from __future__ import annotations

import json

_CANARY = "__import__('pathlib').Path('canary').touch()"

LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {n} "{f"&{m};" * 10}">' for m, n in zip("abcdefgh", "bcdefghi", strict=True))
    + ']><functions><function name="f"><param name="a">&i;</param></function></functions>'
)


def _everywhere(expression: str) -> list[str]:
    """`expression` in every place of a call where code could be evaluated."""
    return [
        f"[f(a={expression})]",
        f"[f(a={expression} + 1)]",
        f"[f(a=-{expression})]",
        f"[f(a=[1, {{'k': {expression}}}])]",
        f"[f(a=lambda: {expression})]",
        f"[f(**{expression})]",
        f"[{expression}]",
        expression,
        f"[f(a=x[{expression}])]",
        f'[f(a=f"{{{expression}}}" + "")]',
        f"[f(a=g({expression}))]",
        f"[f(a=g(b={expression}) + 1)]",
        f"<TOOLCALL>[f(a={expression} + 1)]</TOOLCALL>",
        '<functions><function name="f"><params><param name="a" type="array" value="'
        + expression.replace('"', "'")
        + '"/></params></function></functions>',
        '<functions><function name="f"><param name="a" type="dict">'
        + expression
        + "</param></function></functions>",
    ]


EXPRESSIONS = [
    _CANARY,
    "open('canary', 'w')",
    'exec(\'open("canary", "w")\')',
    "().__class__.__base__.__subclasses__()",
    "(1).__class__.__mro__[1].__subclasses__()",
    "globals()['__builtins__']",
    "breakpoint()",
    "input()",
    "exit()",
    "9**9**9**9",
    "10**(10**10)",
    "2**100000000",
    "1<<10**10",
    "'a'*10**10",
    "[0]*10**10",
    "((((('a'*9999)*9999)*9999)*9999)*9999)",
    "'%99999999999d' % 1",
    "sum([[0]*10**9, []])",
    "max(range(10**12))",
    "int('9'*10**9)",
    "(lambda f: f(f))(lambda f: f(f))",
]

OUTPUTS: list[str] = [
    *(text for expression in EXPRESSIONS for text in _everywhere(expression)),
    LAUGHS,
    "[" * 100_000,
    "(" * 90 + ")" * 90,
    "[f(a=" * 20_000,
    "{" * 50 + "}" * 50,
    "[f(a=" + "[" * 99 + "]" * 99 + ")]",
    "[f(a=" + "-" * 100_000 + "1)]",
    "[f(a=" + "1+" * 24_000 + "1)]",
    "[f(a=" + "a." * 24_000 + "a)]",
    "[f(a=" + "not " * 12_000 + "1)]",
    "[f(a=" + "1," * 24_000 + ")]",
    "[f" + "()" * 24_000 + "]",
    "[f(a='" + "x" * 10_000_000 + "')]",
    '[{"function": "f", "parameters": ' + '{"a": ' * 5_000 + "}" * 5_000 + "}]",
    '[{"function": "f", "parameters": {"a": ' + "9" * 40_000 + "}}]",
    "[{" * 25_000,
    "[{}," * 12_000,
    "[{ }" + " " * 40_000 + ",",
    "[f(a=" + "9" * 40_000 + ")]",
    "[f(a=1e" + "9" * 4_000 + ")]",
    "<functions>" + "<a>" * 16_000 + "</functions>",
    "<functions>" + "<function name='f'>" * 2_000 + "</function>" * 2_000 + "</functions>",
    "<functions>" * 4_000,
    "<TOOLCALL>" * 4_000,
    "\0" * 1_000,
    "[f(a='\0')]",
    "\ud800\udfff\ud800",
    "[f(a='\ud800')]",
    "[f\ud800(a=1)]",
    "\ufeff[f(a=1)]",
    "\u202e[f(a=1)]",
    "`" * 50_000,
    "'" * 50_000,
    '"""' * 15_000,
    "f'{" * 10_000,
    "[f(a=f'" + "{1}" * 15_000 + "')]",
    "\\" * 50_000,
    "\n" * 50_000 + "[f(a=1)]",
    "a<" * 2_400,
    "a=>" * 1_600,
    "a=>" * 16_000,
    "new List<" * 500,
    "-a=/*+" * 800,
    "a[&catch" * 600,
    "yield +|" * 600,
    "`${" * 1_600,
    "f(a = " + "(" * 90 + "1" + ")" * 90 + ")",
    "f(a = " + "1 + " * 1_200 + "1)",
    "f(a = " + "!" * 4_900 + "x)",
    "f(a = " + "x." * 2_400 + "x)",
    'f(a = "' + "\u00e9" * 4_000 + '", b = new ArrayList<>(Arrays.asList(1, 2)))',
]
"""Answers of prompt mode, tried in every return format."""

_VALUES = [
    "[" * 5_000,
    "[[" + "],[" * 1_600 + "]]",
    "[ [" + "]" * 4_000,
    "{" + ":" * 4_000 + "}",
    "{" + "a:b," * 1_200 + "}",
    "{" + "," * 4_000 + "}",
    "new Array(" * 500,
    "new ArrayList<>(Arrays.asList(" * 160,
    "new ArrayList<>(){{" + "add(" * 1_200,
    "new HashMap<" * 400,
    "new HashMap<>(){{" + 'put("' * 900,
    "new HashMap<>(){{" + 'put("' + '",' * 2_400,
    "new HashMap<>(){" + " " * 4_900,
    "new int[]" + " " * 4_900 + "{",
    "new " + " " * 4_900 + "int[]{",
    "9" * 5_000,
    "-" * 5_000,
    "1e" + "9" * 4_000,
    " " * 5_000,
    "\ud800",
    "\0",
]

NATIVE: list[object] = [
    *([{"f": json.dumps({"a": value})}] for value in _VALUES),
    [{"f": json.dumps({"a": "x" * 5_000_000})}],
    [{"f": "[" * 900_000}],
    [{"f": '{"a": ' * 100_000}],
    [{"f": '{"a": ' + "9" * 900_000 + "}"}],
    [{"f": '{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999999}'}],
    [{"f": "{}"}] * 200_000,
    [{"f" * 1_000_000: "{}"}],
    [{"": "{}"}],
    [[[[[[]]]]]],
    {"f": {"f": {"f": "{}"}}},
    [{"f": '"' + "\\ud800" * 1_000 + '"'}],
    [{"f": '{"\\ud800": "\\udfff"}'}],
    10**4000,
    True,
]
"""Answers of function-calling mode; parameters named `a` are also tried as Java and JavaScript."""

VALUES: list[str] = _VALUES
"""Values that are hard on the converters of Java and JavaScript."""
