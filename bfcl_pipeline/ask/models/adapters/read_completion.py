"""The exchange that a completion of text is, from a server or from a model in this process."""

from collections.abc import Mapping

from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator, tokens
from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.benchmark.records import Exchange, Json, Request
from bfcl_pipeline.dialogue.families import FamilyAsking


def read_completion(
    family: FamilyAsking,
    request: Request,
    choice: Mapping[str, Json],
    usage: Json,
    expect: ResponseValidator,
) -> Exchange:
    """The exchange that a completion completes. Raises Malformed.

    Args:
        family: how the model is asked.
        request: the request that it answers.
        choice: has `text` and `finish_reason`.
        usage: has `prompt_tokens` and `completion_tokens`.
        expect: checks the values.
    """
    result, parts = family.read(request, valid_unicode(expect.text(choice.get("text"), "`text`")))
    return Exchange(
        request,
        result,
        input_tokens=tokens(usage, "prompt_tokens"),
        output_tokens=tokens(usage, "completion_tokens"),
        reply=parts.reply,
        finish_reason=expect.maybe_text(choice.get("finish_reason"), "`finish_reason`"),
    )
