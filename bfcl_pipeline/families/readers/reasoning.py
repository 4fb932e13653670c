"""Reasoning before the answer, which ends with </think>."""

_END, _START = "</think>", "<think>"


def without_reasoning(text: str) -> tuple[str, str]:
    """The answer and the reasoning before it; without an end mark, all is the answer."""
    if _END not in text:
        return text, ""
    parts = text.split(_END)
    return parts[-1].lstrip("\n"), parts[0].rstrip("\n").split(_START)[-1].lstrip("\n")
