"""Finds an attempted call in text that cannot be decoded as calls.

A text attempts a call if it holds the tag with which a model family begins a call, if it or a code block
in it opens with a list of calls, or if it calls an offered function: in brackets, on a line of its own, as
JSON or XML. A text that mentions or documents a function, defines one in a program, or holds other JSON,
formulas or links attempts none. Only the form of a call is sought, so it need not be complete; the decoders
read what is called. Source of the tags: the release's handlers and the chat templates in them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from bfcl_pipeline.dialogue.calls.limits import MAX_TEXT

_LONGEST_MARK = 60  # characters of a mark that are shown

_MOST_PLACES = 200  # occurrences of one name, or of one kind of mark, that are looked at

_LONGEST_LINE = 2_000  # characters of a line with a call that are looked at

_DECLINING = frozenset({"out_of_domain", "directly_answer", "directly-answer", "none", "None", "null"})
"""Functions in the prompts of NexusRaven and Command R by which they say that no offered one
fits, and names that say the same."""

_NO_WORDS = re.compile(r"```[\w+-]*|<[^<>\n]{1,80}>|\[/?[A-Z_]{4,20}\]")
"""Parts of an answer that are neither words nor calls: code fences and tags."""

_REASONING_ENDS = ("</think>", "</thinking>", "[/THINK]", "<|thought_end|>", "<|END_THINKING|>")
_REASONING_STARTS = ("<think>", "<thinking>", "[THINK]", "<|thought_start|>", "<|START_THINKING|>")

_CHAT_TOKENS = re.compile(
    r"(?:\s|<\|(?:begin_of_text|end_of_text|endoftext|eot_id|eom_id|im_start|im_end|start_header_id"
    r"|end_header_id|assistant|end|message|channel)\|>(?:assistant\b)?)+"
)

_SIGNS = ("[", "(", "{", "<", "✿", "```", "to=", "ction:")
"""Every attempted call has one of them; most answers in words have none."""

_LEAST_PREFIX = 4  # characters of an offered name with which a text that is cut short ends

_TAG = re.compile(
    r"<(?i:[|｜]?(?:\w{1,12}[:｜])?(?:start_)?(?:tools?|functions?)[_▁ ]?(?:calls?|use)(?![\w▁]{0,12}end)"
    r"|[|｜](?:python_tag|python_start|action_start|start_action|plugin|tools_prefix)[|｜]>"
    r"|[|｜]tool[▁_]sep[|｜]>|[|｜]recipient[|｜]>(?!\s*all\b)"
    r"|arg_key>"
    r"|functions?(?:=(?!\.)|>|\s+name\s*=)|(?:\w{1,12}:)?invoke\s+name\s*=|<function>>)"
    r"|\[(?i:(?:tool|function)_?(?:calls?|requests?)\])|\[ARGS\](?=\s*\{)|functools(?=\[)"
    r"|✿(?i:function✿)|to=functions\.|(?:assistant|commentary|analysis) ?to=(?=\w)"
    r"|```(?i:(?:tool_code|tool_calls?|toolcall|function_calls?)\b)"
)
_NOTHING = re.compile(
    r"(?:s|_begin|_start|\|)*>?[ \t\n]*+(?:```\w{0,10}\s++```|```\s*+\Z|(?:```\w{0,10}\s++)?"
    r"(?:</|<[|｜]/|\[/|(?:\[\s*+\]|\{\s*+\}|none|null)\s*+(?:</|<[|｜]|\[/|```|\Z)"
    r"""|\[?\s*+\{\s*+["']name["']\s*+:\s*+["']?(?:none|null)\b))""",
    re.IGNORECASE,
)
"""After a tag: that no call follows, `<tool_call>[]</tool_call>`."""

_MENTIONED = re.compile(r"[\w=|｜.]{0,30}[>\]]?`(?!`)")
"""After a tag that a single backtick precedes: that the text mentions the tag."""

_FENCE = re.compile("```")
_OPENING = re.compile(
    r"(?:```[\w+-]{0,20}(?=\s))?(?:\s|#[^\n]*\n)*"
    r"(>>>\s*|return\s+|await\s+|print\s*\(\s*|(?:(?:const|let|var)\s)?[A-Za-z_]\w{0,60} ?= ?(?:await\s)?)?"
)
"""Where the text or a code block begins, up to the expression of its first statement.

The group is what precedes the expression in that statement."""

_LIST_OF_CALLS = re.compile(
    r"""\[\s*["'`]?(?:[A-Za-z_][\w.\-]{0,120}\(|[A-Za-z][\w .\-/]{0,80}\w\(\s*[A-Za-z_]\w{0,60}=)"""
)
_NAME_CUT_SHORT = re.compile(r"""\[\s*["'`]?([A-Za-z_][\w.\-]{0,120})\Z""")
_LINE_OF_CALLS = re.compile(
    r"""^[ \t>`]*\[\s*["']?[A-Za-z_][\w.\-]{0,120}\(\s*(?:[A-Za-z_]\w{0,60}\s?=|\{)""", re.MULTILINE
)
_ONLY_CALLS = re.compile(
    r"([A-Za-z_][\w.]{0,120})\((?:[^()\n]|\([^()\n]*\))*\)"
    r"""(?:\s*[;,]\s*[A-Za-z_][\w.]{0,120}\((?:[^()\n]|\([^()\n]*\))*\))*[;.\s`'")}>]*\Z"""
)
_ONLY_A_CALL_CUT_SHORT = re.compile(r"([A-Za-z_][\w.]{0,120})\(\s*[A-Za-z_]\w{0,60}\s?=[^()\n]*\Z")
_CALLED = re.compile(r"(?:functions\.)?([A-Za-z_][\w.\-]{0,120})\(")
_ONLY_NAMES = re.compile(r"""\[\s*+[\[({]?\s*+["'`]?([A-Za-z_][\w.\-/]{0,120}+)["']?\s*+[,\]({]""")
_NAME = re.compile(r"[A-Za-z_][\w.\-]*")
_NAME_OVER_JSON = re.compile(r"""(?:>>>\s?)?[A-Za-z_][\w.]{0,120}\s*\n\{\s*["'}]""")

_JSON_NAME = re.compile(
    r"""(?:[{,]\s*\\?["']|\{\s*)(name|function|function_name|function_call|func|func_name|tool"""
    r"""|tool_name|action|api_name|recipient_name)\\?["']?\s*:\s*\\?["']?(?:functions\.)?([\w.\-/]{1,128})\\?["']?"""
)
_ARGUMENTS = re.compile(
    r"""\s*,\s*\\?["']?(arguments|parameters|params|args|kwargs|tool_input|action_input)\\?["']?\s*:"""
)
_FIRST_OBJECT = re.compile(
    r"""(?:```[\w+-]{0,20}\s++)?[\s\[]*+(\{\s*+["']type["']\s*+:\s*+["']function["'])?"""
)
"""What precedes the first object of an answer, and what may precede the name in it (the group)."""
_DATA = {(key, word) for key in ("name", "action") for word in ("parameters", "params", "args", "kwargs")}
_DOC = re.compile(
    r"""\s*,\s*["']?(?:description|parameters["']?\s*:\s*\{\s*["']type["']\s*:\s*["'](?:dict|object)\b)"""
)
"""After a name in JSON: that a function doc is repeated."""
_FILLED_DOC = re.compile(
    r"""\s*,\s*["']?description["']?\s*:\s*(?:"[^"\n]{0,2000}"|'[^'\n]{0,2000}')\s*,\s*"""
    r"""["'](?:parameters|arguments)["']\s*:\s*\{(?!\s*["'](?:type|properties)["'])\s*["']"""
)
"""After a name in JSON: that values stand in the place of the parameters of a repeated function doc."""

_BEFORE_IN_LIST = re.compile(r"""(?<![\\\w])\[\s*["'`]?(?:functions\.)?\Z""")
_BEFORE_ON_LINE = re.compile(
    r"\n[ \t>`]*(?:\*\*)?"
    r"(?:(?:action|call|functions?(?: calls?| name)?|tools?(?: calls?| name)?)\s*:[ \t*`]*)?"
    r"(?:functions\.)?\Z",
    re.IGNORECASE,
)
_BEFORE_IN_POINTS = re.compile(
    r"(?:\n[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+[`*]{0,2}"
    r"|<\w{0,8}(?:call|action|tool|func|execute)\w{0,8}>\s?)\Z"
)
"""Before a call with values: that it is a point of a list, or in an element such as `<action>`."""
_BEFORE_ACTION = re.compile(r"\n[ \t*]*action\s*:[ \t*`]*\Z", re.IGNORECASE)
_BEFORE_KEY = re.compile(r"""[{,]\s*\\?["']\Z""")
_BEFORE = 40  # characters before a name that are looked at

_AFTER_CALLED = re.compile(r"\s?\(")
_AFTER_WITH_VALUE = re.compile(r"\(\s*[A-Za-z_]\w{0,60}\s?=")
_AFTER_KEY = re.compile(r"""\\?["']\s*:\s*["']?\{(?!\s*["'](?:description|type|parameters)["'])""")
_AFTER_ELEMENT = re.compile(r"[\s/>]")
_AFTER_NAMED = re.compile(
    r"(?::\d{1,4})?(?:\[ARGS\])?\s{0,3}(?:(?:action input|arguments) ?:\s{0,3}|<\|content\|>)?"
    r"""(?:```(?:json)?\s{0,3})?\{\s*["'}]""",
    re.IGNORECASE,
)
_AFTER_ACTION = re.compile(r"[ \t`*]*(?:\n|\Z)|\[")
_SIGNATURE = re.compile(
    r"\s?\(\s*(?:(?:[A-Za-z_]\w*\s*,\s*)*(?:[A-Za-z_]\w*\s*)?\)|[A-Za-z_]\w{0,60}\s?:\s?"
    r"(?:str|string|int|integer|float|number|bool|boolean|list|array|dict|object|any|optional)\b)",
    re.IGNORECASE,
)
"""A call with names, types or nothing between the brackets: how text mentions a function."""


def attempted_call(text: str, names: Sequence[str]) -> str | None:
    """The mark by which `text` attempts a call, to be shown; None if it attempts none.

    names: the offered functions, as in the entry. At most MAX_TEXT characters are looked at.
    """
    if not any(sign in text for sign in _SIGNS):
        return None
    text = after_reasoning(text[:MAX_TEXT])
    spelled = {spelling for name in names for spelling in (name, name.replace(".", "_"))}
    tag = next(_tags(text), None)
    mark = tag[0] if tag else _opening(text, names) or _json(text, spelled)
    if mark is None:
        used = (name for name in sorted(spelled) if name in text and not _is_defined(text, name))
        mark = next((mark for name in used for mark in _marks(text, name)), None)
    return None if mark is None else " ".join(mark[:_LONGEST_MARK].split())


def is_written_call(text: str, names: Sequence[str]) -> bool:
    """Whether `text` calls an offered function in a form that servers and readers of families read.

    These are a tag before the name, an object with name and arguments, a list of calls at the beginning of
    the text, a code block or a line, and a text that is nothing but calls. A line or a point of a list with
    a call may also report a call that was made before, so of the other attempts none counts.
    names, and how much is looked at: as for `attempted_call`.
    """
    if not any(sign in text for sign in _SIGNS):
        return False
    text = after_reasoning(text[:MAX_TEXT])
    spelled = {
        spelling
        for name in names
        for spelling in (name, name.replace(".", "_"), name.rpartition(".")[2])
        if spelling and spelling in text
    }
    if not spelled:
        return False
    tag = next(_tags(text), None)
    return (
        (tag is not None and any(name in text[tag.end() :] for name in spelled))
        or any(mark in spelled for mark in _whole_calls(text))
        or any(
            found[2] in spelled and _ARGUMENTS.match(text, found.end())
            for found in _few(_JSON_NAME.finditer(text))
            if not _DOC.match(text, found.end())
        )
    )


def _whole_calls(text: str) -> Iterator[str]:
    """The names with which lists of calls, or a text of nothing but calls, begin."""
    opening = _OPENING.match(text)
    bare = (text[opening.end() :] if opening else text).lstrip("`'\"({<")
    openings = (_OPENING.match(text, place) for place in _places(text))
    found = (
        _ONLY_CALLS.match(bare),
        _NAME_OVER_JSON.match(text),
        *(_LIST_OF_CALLS.match(text, opening.end()) for opening in openings if opening),
        *_few(_LINE_OF_CALLS.finditer(text)),
    )
    for match in filter(None, found):
        name = _NAME.search(match[0])
        if name is not None:
            yield name[0].removeprefix("functions.")


def has_words(text: str) -> bool:
    """Whether the answer in `text` has a letter or a digit that is not part of a tag or a code fence."""
    answer = after_reasoning(text[:MAX_TEXT])
    return answer[:1].isalpha() or any(map(str.isalnum, _NO_WORDS.sub(" ", answer)))


def after_reasoning(text: str) -> str:
    """`text` without reasoning before the answer, tokens of a chat, and Markdown's escapes in names."""
    text = text.strip()
    if text[:1].isalpha() and ">" not in text and "]" not in text:
        return text.replace("\\_", "_")
    for end in _REASONING_ENDS:
        text = text.rpartition(end)[2]
    if text.lstrip().startswith(_REASONING_STARTS):
        return ""
    tokens = _CHAT_TOKENS.match(text)
    return text[tokens.end() if tokens else 0 :].strip().replace("\\_", "_")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """The tags with which a call begins."""
    for tag in _few(_TAG.finditer(text)):
        if _NOTHING.match(text, tag.end()) is None and not _is_mentioned(text, tag):
            yield tag


def _is_mentioned(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag stands alone between single backticks."""
    before = text[max(0, tag.start() - 2) : tag.start()]
    return before[-1:] == "`" and before != "``" and _MENTIONED.match(text, tag.end()) is not None


def _is_defined(text: str, name: str) -> bool:
    """Whether a program in the text defines a function of that name, so that a call there is part of it."""
    return f"def {name}" in text or f"function {name}" in text


def _opening(text: str, names: Sequence[str]) -> str | None:
    """The call with which the text, one of its code blocks or one of its lines opens."""
    bare = text.strip("`; \n").lstrip("'\"({<")
    only_calls = _ONLY_CALLS.match(bare) or _ONLY_A_CALL_CUT_SHORT.match(bare)
    if only_calls is not None and only_calls[1] not in _DECLINING:
        return f"{only_calls[1]}("
    over_json = _NAME_OVER_JSON.match(text)
    if over_json is not None:
        return over_json[0]
    for place in _places(text):
        opening = _OPENING.match(text, place)
        start = opening.end() if opening else place
        calls = _LIST_OF_CALLS.match(text, start)
        if calls is not None:
            return calls[0]
        only_names = _ONLY_NAMES.match(text, start)
        if only_names is not None and _is_offered(only_names[1], names):
            return only_names[0]
        cut_short = _NAME_CUT_SHORT.match(text, start)
        if cut_short is not None and _begins(cut_short[1], names):
            return cut_short[0]
        is_statement = opening is not None and (opening[1] or text.startswith("```", place))
        call = _CALLED.match(text, start) if is_statement else None
        if call is not None and _is_offered(call[1], names) and not _is_defined(text, call[1]):
            return call[0]
    line = _LINE_OF_CALLS.search(text)
    return None if line is None else line[0]


def _is_offered(called: str, names: Sequence[str]) -> bool:
    """Whether `called` is an offered function: its name in any spelling, or the part after the last dot."""
    return any(called in (name, name.replace(".", "_"), name.rpartition(".")[2]) for name in names)


def _begins(cut_short: str, names: Iterable[str]) -> bool:
    """Whether a text that is cut short ends with the beginning of an offered name."""
    return len(cut_short) >= _LEAST_PREFIX and any(name.startswith(cut_short) for name in names)


def _json(text: str, names: set[str]) -> str | None:
    """An object with the name of an offered function, or with any name and arguments.

    Data may have a name and parameters, so with a name that is not offered these two words are a call only
    where the answer opens with them.
    """
    if "{" not in text:
        return None
    opening = _FIRST_OBJECT.match(text)
    first = {opening.start(1), opening.end()} if opening else set()
    for found in _few(_JSON_NAME.finditer(text)):
        key, name = found.groups()
        end = found.end()
        if name in _DECLINING:
            continue
        if _DOC.match(text, end):
            if name in names and _FILLED_DOC.match(text, end):
                return found[0]
            continue
        arguments = _ARGUMENTS.match(text, end)
        if name in names or (end == len(text) and _begins(name, names)):
            return found[0]
        if arguments and ((key, arguments[1]) not in _DATA or found.start() in first):
            return found[0]
    return None


def _marks(text: str, name: str) -> Iterator[str]:
    """The calls of an offered function: in brackets, on a line of its own, as a key or as an element."""
    end, places = 0, 0
    while (start := text.find(name, end)) >= 0 and (places := places + 1) <= _MOST_PLACES:
        end = start + len(name)
        before = ("\n" if start <= _BEFORE else "") + text[max(0, start - _BEFORE) : start]
        called = _AFTER_CALLED.match(text, end) is not None
        if (
            (called and _BEFORE_IN_LIST.search(before))
            or (called and _BEFORE_ON_LINE.search(before) and _is_line_of_calls(text, end))
            or (_AFTER_NAMED.match(text, end) and _BEFORE_ON_LINE.search(before))
            or (_AFTER_ACTION.match(text, end) and _BEFORE_ACTION.search(before))
            or (_AFTER_WITH_VALUE.match(text, end) and _BEFORE_IN_POINTS.search(before))
            or (_AFTER_KEY.match(text, end) and _BEFORE_KEY.search(before))
            or (before.endswith("<") and _AFTER_ELEMENT.match(text, end))
        ):
            yield text[max(0, start - 1) : end + 1]


def _is_line_of_calls(text: str, start: int) -> bool:
    """Whether the line that goes on with arguments at `start` is a call and nothing else.

    A call that is cut short ends the text. A signature, `f(a, b)`, is how text mentions a function.
    """
    line = text[start : start + _LONGEST_LINE].partition("\n")[0].partition(" #")[0].rstrip(" \t`")
    if _SIGNATURE.match(line):
        return False
    return line[-1] in ")];,([{" or (start + len(line) >= len(text) and ")" not in line)


def _places(text: str) -> Iterator[int]:
    """Where a list of calls may begin: with the text, and with each of its code blocks."""
    return chain((0,), (fence.start() for fence in _few(_FENCE.finditer(text))))


def _few(found: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    return (match for match, _ in zip(found, range(_MOST_PLACES), strict=False))
