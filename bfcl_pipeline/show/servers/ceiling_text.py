"""A ceiling in words: tables for the terminal, and the same as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bfcl_pipeline.base.text import cut, text_table
from bfcl_pipeline.benchmark.definition.descriptions import overall_weights
from bfcl_pipeline.show.servers.ceiling import Ceiling, Reach
from bfcl_pipeline.show.servers.losses import Changed, Loss

_LONGEST = 400  # characters of an example


def ceiling_lines(name: str, ceiling: Ceiling) -> Iterator[str]:
    """What a perfect model reaches through the server called `name`, and why not more, with examples."""
    pieces = list(dict.fromkeys(reach.piece for reach in ceiling.reaches))
    possible, whole = _points(ceiling, pieces[0])
    worst = min(pieces, key=lambda piece: _points(ceiling, piece)[1])
    least = _points(ceiling, worst)[1]
    yield f"{name}, vLLM {ceiling.version}, {ceiling.rules} rules"
    yield (
        f"Of {possible:.2f} points of the overall score, a perfect model reaches {whole:.2f} "
        f"({_way(pieces[0])})" + (f", at worst {least:.2f} ({_way(worst)})." if least < whole else ".")
    )
    yield ""
    yield text_table(
        ["category", "entries", *map(_way, pieces)],
        [
            _row(name, ceiling, pieces)
            for name in dict.fromkeys(reach.category for reach in ceiling.reaches)
        ],
        right=set(range(1, len(pieces) + 2)),
    )
    losses = list(_losses(ceiling, pieces))
    if losses:
        yield ""
        yield "Entries that fail only through the server, by cause; in brackets those that pass although it"
        yield "changed a call or left text:"
        yield text_table(["cause", *map(_way, pieces)], losses, right=set(range(1, len(pieces) + 1)))
    else:
        yield ""
        yield "Every answer is read as it was written."
    for example in ceiling.examples.values():
        yield ""
        yield from _example_lines(example)


def ceiling_document(name: str, ceiling: Ceiling) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "server": name,
        "vllm": ceiling.version,
        "rules": ceiling.rules.value,
        "categories": [
            {
                "category": reach.category,
                "tokens_in_a_piece": reach.piece,
                "entries": reach.entries,
                "possible": reach.possible,
                "reached": reach.reached,
                "lost": {loss.value: count for loss, count in reach.lost.items()},
                "changed": {loss.value: count for loss, count in reach.changed.items()},
            }
            for reach in ceiling.reaches
        ],
        "examples": [
            {
                "cause": example.loss.value,
                "tokens_in_a_piece": example.piece,
                "written": example.written.text,
                "tools": list(example.asked.tools),
                "calls": [list(call) for call in example.reading.calls],
                "content": example.reading.content,
                "error": example.reading.error,
            }
            for example in ceiling.examples.values()
        ],
    }


def _points(ceiling: Ceiling, piece: int) -> tuple[float, float]:
    """The points of the overall score that are possible, and those that are reached."""
    weights = overall_weights()
    reaches = [reach for reach in ceiling.reaches if reach.piece == piece and reach.entries]
    return (
        sum(100 * weights[reach.category] * reach.possible / reach.entries for reach in reaches),
        sum(100 * weights[reach.category] * reach.reached / reach.entries for reach in reaches),
    )


def _row(category: str, ceiling: Ceiling, pieces: Sequence[int]) -> list[str]:
    reaches = {reach.piece: reach for reach in ceiling.reaches if reach.category == category}
    return [category, str(reaches[pieces[0]].entries), *(_share(reaches[piece]) for piece in pieces)]


def _share(reach: Reach) -> str:
    """What is reached of what is possible, in per cent; less than all never reads as all."""
    if not reach.possible:
        return "-"
    share = 100 * reach.reached / reach.possible
    return "100" if reach.reached == reach.possible else f"{min(share, 99.9):.1f}"


def _losses(ceiling: Ceiling, pieces: Sequence[int]) -> Iterator[list[str]]:
    for loss in Loss:
        lost, changed = Counter[int](), Counter[int]()
        for reach in ceiling.reaches:
            lost[reach.piece] += reach.lost.get(loss, 0)
            changed[reach.piece] += reach.changed.get(loss, 0)
        if lost.total() or changed.total():
            cells = [
                f"{lost[piece]} ({changed[piece]})" if changed[piece] else str(lost[piece])
                for piece in pieces
            ]
            yield [loss.value, *cells]


def _example_lines(example: Changed) -> Iterator[str]:
    yield f"{example.loss.value} ({_way(example.piece)}): the model writes"
    yield cut(f"    {json.dumps(example.written.text, ensure_ascii=False)}", _LONGEST)
    read: list[Any] = [f"{name}({arguments})" for name, arguments in example.reading.calls]
    if example.reading.content:
        read.append(f"the text {json.dumps(example.reading.content, ensure_ascii=False)}")
    what = example.reading.error or ", ".join(read) or "nothing"
    yield cut(f"and the server reads {what}", _LONGEST)


def _way(piece: int) -> str:
    return f"by {piece}" if piece else "at once"
