"""The parts of a text between two marks, in time that grows with its length alone."""

from collections.abc import Iterator


def between(text: str, start: str, end: str) -> Iterator[str]:
    """Each shortest part of `text` after `start` and before `end`, in order and without overlaps."""
    place = 0
    while (begins := text.find(start, place)) >= 0:
        begins += len(start)
        ends = text.find(end, begins)
        if ends < 0:
            return
        yield text[begins:ends]
        place = ends + len(end)
