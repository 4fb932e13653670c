"""The items of records on a page for a terminal: each kind with its mark and colour."""

from collections.abc import Iterable

from bfcl_pipeline.base.text import on_one_line
from bfcl_pipeline.show.entry.terminal_page import TerminalPage
from bfcl_pipeline.show.transcripts.parts import Item, Items, Kind

CALL_MARK = "> "
"""The mark before a call."""

_RESULT_MARK = " " * len(CALL_MARK)
_CHANGE_MARK = _RESULT_MARK + "~ "
_NAME = 20  # longest key with its value beside it; the narrowest page has room for both
_ANSWER_MARK = "*"  # before a text of a memory with an acceptable answer
_STYLES = {Kind.TEXT: "italic", Kind.NOTE: "dim"}
_ROLES = (Kind.SYSTEM, Kind.USER, Kind.ASSISTANT, Kind.TOOL)


def put_items(page: TerminalPage, items: Iterable[Item], label: str = "") -> None:
    """Each item beside its label. label: for the first item if it has none of its own."""
    for item in items:
        put_item(page, item, item.label or label)
        label = ""


def put_item(page: TerminalPage, item: Item, label: str = "") -> None:
    """One item beside `label`."""
    match item.kind:
        case Kind.CALL:
            page.item(label, item.text, "bold", mark=CALL_MARK, remark=item.remark)
        case Kind.RESULT:
            # A label is the number of a hit, which stands before it.
            page.item("", item.text, mark=f"{item.label} " if item.label else _RESULT_MARK)
        case Kind.CHANGE:
            page.item("", item.text, "green", mark=_CHANGE_MARK)
        case _:
            beside = item.kind.value if item.kind in _ROLES and not item.label else label
            page.item(beside, item.text, _STYLES.get(item.kind, ""), remark=item.remark)


def put_accepted(page: TerminalPage, items: Items) -> None:
    """Acceptable answers: texts, or functions with the acceptable values of their parameters."""
    label = "accepts"
    for item in items:
        if item.kind is Kind.FUNCTION:
            page.item(label, item.text, "bold", mark=CALL_MARK)
        elif item.kind is Kind.SOURCE:
            page.item("source", item.text, "dim")
        elif item.kind is Kind.ACCEPTED and item.label:
            page.item("", item.text, mark=f"    {item.label} = ")
        else:
            put_item(page, item, item.label or label)
        label = ""


def put_memory_texts(page: TerminalPage, items: Items) -> None:
    """The texts of a memory, part by part; keys that are short stand in a column beside their values."""
    part = ""
    column = 0
    for place, item in enumerate(items):
        if item.kind is not Kind.MEMORY:
            if item.text:
                put_item(page, item, item.label)
            else:
                part = item.label
                column = _column(items[place + 1 :])
            continue
        mark, name, shown = f"{_ANSWER_MARK if item.marked else ' '} ", item.label, part
        part = ""
        if not name:
            page.item(shown, item.text, mark=mark)
            continue
        if len(name) > _NAME:
            page.item(shown, name, "dim", mark=mark)
            shown, mark, name = "", "  ", ""
        page.item(shown, on_one_line(item.text), mark=f"{mark}{name.ljust(column)}  ")


def _column(items: Items) -> int:
    """The width of the column of names of the part that begins with the first item."""
    widths = [0]
    for item in items:
        if item.kind is not Kind.MEMORY:
            break
        if len(item.label) <= _NAME:
            widths.append(len(item.label))
    return max(widths)
