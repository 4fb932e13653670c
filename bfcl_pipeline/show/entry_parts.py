"""The parts that every page about an entry has: its head, messages, function signatures and verdict.

Covers how many characters are shown of each. Turns are printed by `show.transcript`, single answers by
`show.single_answer`.
"""

import json
from collections.abc import Sequence

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.records import Entry, FunctionDoc, Json, Message, Rules, Status, Verdict
from bfcl_pipeline.show.terminal_page import TerminalPage
from bfcl_pipeline.text import cut, plural

WORDS = 3_000
"""Characters shown of a text of a user or a model."""

CALL = 600
"""Characters shown of a call."""

RESULT = 400
"""Characters shown of a result."""

VALUE = 200
"""Characters shown of a value."""

CALL_MARK = "> "
"""The mark before a call."""


def is_conversation(entry: Entry) -> bool:
    """True if the entry has turns that can be played."""
    return CATEGORIES[entry.category].check is Check.MULTI_TURN


def put_head(page: TerminalPage, entry: Entry, answered_by: str | None) -> None:
    """The id of the entry, what it is about, and the model that answered; None if no answer is shown."""
    page.title(entry.entry_id, f"answered by {answered_by}" if answered_by else "")
    counts = plural(len(entry.functions), "function offered", "functions offered")
    page.item("about", "; ".join(filter(None, (entry.category, ", ".join(entry.apis), counts))))
    if entry.prompt_format is not None:
        page.item("format", entry.prompt_format.replace("&", " "))
    if entry.depends_on:
        page.item("memory", f"from {plural(len(entry.depends_on), 'earlier session', 'earlier sessions')}")


def put_messages(page: TerminalPage, messages: Sequence[Message]) -> None:
    """Each message beside its role."""
    for message in messages:
        page.item(message["role"], cut(str(message["content"]).rstrip(), WORDS))


def put_verdict(page: TerminalPage, verdict: Verdict, rules: Rules, *, doubtful: bool = False) -> None:
    """The verdict: valid, invalid and why, or why there is no verdict.

    doubtful: whether the errata list a defect of the entry, which is printed beside a wrong answer.
    """
    about = f"{rules} rules" if verdict.answer_class is None else f"{rules} rules, {verdict.answer_class}"
    page.blank()
    if verdict.status is not Status.ANSWERED:
        page.title("no verdict", verdict.status, "yellow")
    elif verdict.valid:
        page.title("valid", about, "dim", style="bold green")
    else:
        page.title("invalid", f"{verdict.error_type}  ({about})", "red", style="bold red")
    if verdict.error_message:
        page.item("", cut(verdict.error_message, WORDS))
    if doubtful and verdict.valid is False:
        page.item("", "The errata list this entry, see below.", "yellow")


def put_signatures(page: TerminalPage, label: str, docs: Sequence[FunctionDoc]) -> None:
    """One line for each function."""
    for place, doc in enumerate(docs):
        page.item(label if place == 0 else "", cut(signature(doc), CALL))


def signature(doc: FunctionDoc) -> str:
    """A function as in Python, with the type names of the release."""
    required = doc["parameters"].get("required", ())
    parameters = (
        f"{name}: {_type(about)}" + ("" if name in required else f" = {_default(about)}")
        for name, about in doc["parameters"].get("properties", {}).items()
    )
    return f"{doc['name']}({', '.join(parameters)})"


def _type(about: FunctionDoc) -> str:
    kind = str(about.get("type", "any"))
    items = about.get("items")
    return f"{kind}[{_type(items)}]" if isinstance(items, dict) and "type" in items else kind


def _default(about: FunctionDoc) -> str:
    return cut(repr(about["default"]), VALUE) if "default" in about else "..."


def raw_text(result: Json) -> str:
    """An answer that is not shown as calls: a text unchanged, any other value as JSON."""
    if isinstance(result, str):
        return result or "(an empty answer)"
    return json.dumps(result, ensure_ascii=False)
