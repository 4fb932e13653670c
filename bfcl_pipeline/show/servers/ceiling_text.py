"""A ceiling in words: tables for the terminal."""

import json
from collections.abc import Iterator
from typing import Any

from bfcl_pipeline.base.text import cut, text_table
from bfcl_pipeline.benchmark.definition.descriptions import overall_weights
from bfcl_pipeline.show.servers.ceiling import Ceiling, Reach
from bfcl_pipeline.show.servers.losses import Loss, ReadAnswer

_LONGEST = 400  # characters of an example


def ceiling_lines(name: str, ceiling: Ceiling) -> Iterator[str]:
    """What a perfect model reaches through the server called `name`, and why not more, with examples."""
    pieces = list(dict.fromkeys(reach.piece for reach in ceiling.reaches))
    possible, reached = (
        {piece: _points(ceiling, piece, of) for piece in pieces} for of in ("possible", "reached")
    )
    worst = min(pieces, key=reached.__getitem__)
    yield f"{name}, {ceiling.version}, {ceiling.rules} rules"
    at_worst = f", at worst {reached[worst]:.2f} ({_way(worst)})" if worst != pieces[0] else ""
    yield (
        f"Of {possible[pieces[0]]:.2f} points of the overall score, a perfect model reaches "
        f"{reached[pieces[0]]:.2f} ({_way(pieces[0])}){at_worst}."
    )
    of = {(reach.category, reach.piece): reach for reach in ceiling.reaches}
    categories = dict.fromkeys(reach.category for reach in ceiling.reaches)
    rows = [
        [each, str(of[each, pieces[0]].entries), *(_share(of[each, piece]) for piece in pieces)]
        for each in categories
    ]
    headings, right = list(map(_way, pieces)), set(range(1, len(pieces) + 2))
    yield "\n" + text_table(["category", "entries", *headings], rows, right)
    losses = [[loss.value, *(_count(ceiling, loss, piece) for piece in pieces)] for loss in Loss]
    losses = [row for row in losses if set(row[1:]) != {"0"}]
    if not losses:
        yield "\nEvery answer is read as it was written."
        return
    yield "\nEntries that fail only through the server, by cause; in brackets those that pass although it"
    yield "changed a call or left text:"
    yield text_table(["cause", *headings], losses, right - {len(pieces) + 1})
    for loss, example in ceiling.examples.items():
        yield from _example_lines(loss, example)


def _points(ceiling: Ceiling, piece: int, of: str) -> float:
    """The points of the overall score that the count called `of` gives."""
    weights = overall_weights()
    return sum(
        100.0 * weights[reach.category] * int(getattr(reach, of)) / reach.entries
        for reach in ceiling.reaches
        if reach.piece == piece and reach.entries
    )


def _share(reach: Reach) -> str:
    """What is reached of what is possible, in per cent; less than all never reads as all."""
    if not reach.possible:
        return "-"
    share = 100 * reach.reached / reach.possible
    return "100" if reach.reached == reach.possible else f"{min(share, 99.9):.1f}"


def _count(ceiling: Ceiling, loss: Loss, piece: int) -> str:
    reaches = [reach for reach in ceiling.reaches if reach.piece == piece]
    changed = sum(reach.changed.get(loss, 0) for reach in reaches)
    return f"{sum(reach.lost.get(loss, 0) for reach in reaches)}" + (f" ({changed})" if changed else "")


def _example_lines(loss: Loss, example: ReadAnswer) -> Iterator[str]:
    yield f"\n{loss.value} ({_way(example.piece)}): the model writes"
    yield cut(f"    {json.dumps(example.written.text, ensure_ascii=False)}", _LONGEST)
    read: list[Any] = [f"{name}({arguments})" for name, arguments in example.reading.calls]
    if example.reading.content:
        read.append(f"the text {json.dumps(example.reading.content, ensure_ascii=False)}")
    what = example.reading.error or ", ".join(read) or "nothing"
    yield cut(f"and the server reads {what}", _LONGEST)


def _way(piece: int) -> str:
    return f"by {piece}" if piece else "at once"
