"""One mention as the value of a parameter: the right type, the right unit."""

from __future__ import annotations

from bfcl_pipeline.models.lexical.dates import in_asked_form
from bfcl_pipeline.models.lexical.functions import Kind, Parameter
from bfcl_pipeline.models.lexical.mentions import Mention, Sort
from bfcl_pipeline.records import Json


def scalar(parameter: Parameter, mention: Mention) -> Json:
    """The value that `mention` gives a text or number parameter."""
    if parameter.kind is Kind.TEXT or mention.number is None:
        if mention.sort is Sort.DATE:
            return in_asked_form(mention.text, parameter.description)
        return mention.text
    if parameter.kind is Kind.INTEGER:
        return int(mention.number)
    value = float(mention.number)
    if mention.percent and "percent" not in f"{parameter.name} {parameter.description}".lower():
        return round(value / 100, 12)
    return value
