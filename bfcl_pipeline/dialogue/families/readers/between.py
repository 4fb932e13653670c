"""The texts between marks."""


def between(text: str, start: str, end: str) -> list[str]:
    """The texts between each `start` and the first `end` after it, from the left, without overlaps."""
    found = []
    at = 0
    while (begin := text.find(start, at)) >= 0:
        begin += len(start)
        stop = text.find(end, begin)
        if stop < 0:
            break
        found.append(text[begin:stop])
        at = stop + len(end)
    return found
