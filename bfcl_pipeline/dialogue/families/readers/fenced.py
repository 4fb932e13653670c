"""Text with calls in a code fence that has a language. Source: the handler phi."""

from bfcl_pipeline.benchmark.records import DecodeFailure, Json, Mode
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.dialogue.families.readers.answers import Reader, read_plain_text


def _uniform(stored: Json, runs: bool) -> Json:
    """Without the fence's beginning; an answer in words, which is not decoded, stays as it is."""
    text = stored if runs else stored.strip()
    bare = text.removeprefix("```json").removeprefix("```python")
    if bare == text or not runs:
        return bare
    return bare if _has_calls(bare) or _has_calls(stored) else stored


def _has_calls(text: str) -> bool:
    calls = decode_step(text, Mode.PROMPT)
    return bool(calls) and not isinstance(calls, DecodeFailure)


FENCED_TEXT = Reader(read_plain_text, _uniform)
