"""The difference between two records of the web as JSON and as text for a terminal.

Texts of the web are bounded in length, and printed with invisible characters escaped.
"""

from collections.abc import Iterator, Sequence

from bfcl_pipeline.base.text import cut, on_one_line, printable, text_table
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.web.difference import (
    TOP,
    ChangeKind,
    Movement,
    RecordChange,
    RecordDifference,
    RecordSide,
    ResultsChange,
    TextChange,
    time_text,
)
from bfcl_pipeline.world.web.keys import Key, digest, key_document

FORMAT = 1
"""The version of the JSON."""

_LONGEST_TEXT = 500  # characters of an address or message in the JSON
_MOST_ADDRESSES = 100  # of one list of a change in the JSON
_LONGEST_LINE = 140  # characters of a text of the web in a line
_MOST_LISTED = 3  # addresses of a change in the text
_DIGITS = 4  # decimal places of shares


def difference_json(found: RecordDifference) -> dict[str, Json]:
    """Everything that differs."""
    moved = found.moved
    return {
        "format": FORMAT,
        "a": _side_json(found.sides[0]),
        "b": _side_json(found.sides[1]),
        "equal": found.equal,
        "changed": len(found.changes),
        "kinds": {str(kind): count for kind, count in found.kinds().items()},
        "moved": {
            "searches": moved.searches,
            "searches_with_same_first_result": moved.same_first,
            f"mean_overlap_at_{TOP}": None
            if moved.mean_overlap is None
            else round(moved.mean_overlap, _DIGITS),
            "pages": moved.pages,
            "pages_unchanged": moved.pages_unchanged,
        },
        "only_a": [_key_json(key) for key in found.only[0]],
        "only_b": [_key_json(key) for key in found.only[1]],
        "changes": [_change_json(change) for change in found.changes],
    }


def _side_json(side: RecordSide) -> dict[str, Json]:
    return {
        "outcomes": side.outcomes,
        "oldest": time_text(side.oldest),
        "newest": time_text(side.newest),
        "engines": {cut(engine, _LONGEST_TEXT): side.engines[engine] for engine in sorted(side.engines)},
        "damaged": len(side.damaged),
    }


def _key_json(key: Key) -> dict[str, Json]:
    return {"sha256": digest(key_document(key)), **_bounded(key_document(key))}


def _bounded(document: dict[str, Json]) -> dict[str, Json]:
    return {
        name: cut(value, _LONGEST_TEXT) if isinstance(value, str) else value
        for name, value in document.items()
    }


def _change_json(change: RecordChange) -> dict[str, Json]:
    a, b = change.recordings
    document: dict[str, Json] = {
        "key": _key_json(change.key),
        "kind": str(change.kind),
        "recorded_at": [a.recorded_at, b.recorded_at],
        "engine": [cut(a.engine, _LONGEST_TEXT), cut(b.engine, _LONGEST_TEXT)],
    }
    match change.detail:
        case ResultsChange(kept, gone, new, reordered, same_first, overlap):
            document |= {
                "kept": _addresses_json(kept),
                "gone": _addresses_json(gone),
                "new": _addresses_json(new),
                "order_changed": reordered,
                "same_first_result": same_first,
                f"overlap_at_{TOP}": round(overlap, _DIGITS),
            }
        case TextChange(characters, equal_lines):
            document |= {"characters": [*characters], "equal_lines": round(equal_lines, _DIGITS)}
    if any(change.messages):
        document["messages"] = [
            None if message is None else cut(message, _LONGEST_TEXT) for message in change.messages
        ]
    return document


def _addresses_json(addresses: Sequence[str]) -> list[Json]:
    return [cut(address, _LONGEST_TEXT) for address in addresses[:_MOST_ADDRESSES]]


def difference_text(found: RecordDifference, show: int) -> str:
    """The totals, how the web moved, and the first `show` requests of each list."""
    rows = [
        ("outcomes", *(f"{side.outcomes:,}" for side in found.sides)),
        ("only here", *(f"{len(only):,}" for only in found.only)),
        ("damaged", *(f"{len(side.damaged):,}" for side in found.sides)),
        ("oldest", *(time_text(side.oldest) or "-" for side in found.sides)),
        ("newest", *(time_text(side.newest) or "-" for side in found.sides)),
    ]
    lines = [text_table(("", "A", "B"), rows)]
    for name, side in zip("AB", found.sides, strict=True):
        lines += [
            f"{name} by {_line(engine)}: {side.engines[engine]:,}."
            for engine in sorted(side.engines)[:show]
        ]
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in found.kinds().items())
    lines += [
        "",
        f"In both: equal {found.equal:,}, changed {len(found.changes):,}{kinds and f' ({kinds})'}.",
    ]
    lines += _moved_lines(found.moved)
    for change in found.changes[:show]:
        lines += ["", f"{change.kind}: {_line(str(change.key))}", *_change_lines(change)]
    lines += _more(len(found.changes), show)
    for name, only in zip("AB", found.only, strict=True):
        if only:
            lines += [
                "",
                f"Only in {name}: {len(only):,}.",
                *(f"  {_line(str(key))}" for key in only[:show]),
            ]
            lines += _more(len(only), show)
    return "\n".join(lines)


def _moved_lines(moved: Movement) -> Iterator[str]:
    if moved.mean_overlap is not None:
        yield (
            f"Searches in both: {moved.searches:,}; same first result "
            f"{_percent(moved.same_first / moved.searches)}, mean overlap of the first {TOP} "
            f"{_percent(moved.mean_overlap)}."
        )
    if moved.pages:
        yield f"Pages in both: {moved.pages:,}; unchanged {_percent(moved.pages_unchanged / moved.pages)}."


def _change_lines(change: RecordChange) -> Iterator[str]:
    a, b = change.recordings
    yield f"  A {a.recorded_at}, {_line(a.engine)}; B {b.recorded_at}, {_line(b.engine)}"
    match change.detail:
        case ResultsChange(kept, gone, new, reordered, same_first, overlap):
            yield (
                f"  kept {len(kept):,}, gone {len(gone):,}, new {len(new):,}; order of the kept "
                f"{'changed' if reordered else 'unchanged'}; first result "
                f"{'unchanged' if same_first else 'changed'}; overlap {_percent(overlap)}"
            )
            for sign, addresses in (("-", gone), ("+", new)):
                yield from (f"  {sign} {_line(address)}" for address in addresses[:_MOST_LISTED])
                if len(addresses) > _MOST_LISTED:
                    yield f"  {sign} ... and {len(addresses) - _MOST_LISTED:,} more"
        case TextChange((ours, theirs), equal_lines):
            yield f"  characters {ours:,} and {theirs:,}; equal lines {_percent(equal_lines)}"
    for name, message in zip("AB", change.messages, strict=True):
        if message is not None:
            yield f"  {name}: {'' if change.kind is ChangeKind.ANSWER else 'failure: '}{_line(message)}"


def _more(count: int, show: int) -> list[str]:
    return [f"  ... and {count - show:,} more (--json has all)"] if count > show else []


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _line(text: str) -> str:
    return printable(on_one_line(cut(text, _LONGEST_LINE)))
