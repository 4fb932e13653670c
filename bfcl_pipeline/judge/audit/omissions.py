"""Compares what truths accept for optional parameters with the defaults of docs and what requests state.

Covers parameters and keys of objects. A call without an optional parameter means its default: both should
be judged alike, and neither is right if the request states another value.
"""

from collections.abc import Iterator

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.audit.accepted import Accepted, accepted_parameters, has_number
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options


def rejected_omissions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter whose documented default is accepted, while leaving it out is not."""
    for each in accepted_parameters(benchmark):
        default = each.default
        if not each.required and not each.may_be_left_out and default is not None and each.accepts(default):
            said = "says it" if each.states(default) else "does not say it"
            detail = f"the default {shorten(default)} is accepted, its omission is not; the request {said}"
            yield Suspicion(each.entry, each.where, detail)


def rejected_defaults(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter that may be left out, while writing its documented default fails.

    The truth has no such parameter, or accepts its omission and other values only. If the request states
    one of these, its omission is suspect instead (`accepted_omissions`).
    """
    for each in accepted_parameters(benchmark):
        default = each.default
        if each.required or not each.may_be_left_out or each.accepts(default):
            continue
        if default is None and "default" not in each.schema:
            continue
        is_omission = default == "" and each.values is not None
        if not is_omission and not _stated(each):
            detail = f"its omission is accepted, its default {shorten(default)} is not"
            yield Suspicion(each.entry, each.where, detail)


def accepted_omissions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter that may be left out, while the request states another value.

    That value is accepted, and the default is not; or it is an option of the enum that is not accepted, in
    an entry that demands the function once.
    """
    for each in accepted_parameters(benchmark):
        default = each.default
        if each.required or each.values is None or not each.may_be_left_out or default is None:
            continue
        stated = [] if each.accepts(default) else _stated(each)
        if len(each.calls) == 1:
            others = (option for option in each.schema.get("enum", ()) if not str(option).isdigit())
            stated += [o for o in others if o != default and not each.accepts(o) and each.states(o)]
        if stated:
            detail = f"the request has {shown_options(stated)}; leaving it out means {shorten(default)}"
            yield Suspicion(each.entry, each.where, f"{detail} and is accepted")


def unasked_values(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter that must have a value that the request does not state, not its default.

    The request has no word of the parameter's name; nor, for True and False, also as texts, one of its
    description; nor, for a number, any number. Other texts are not covered, as requests say them in their
    own words; nor are requests with other letters than those of English.
    """
    for each in accepted_parameters(benchmark):
        default = each.default
        if each.required or each.may_be_left_out or default is None or each.accepts(default):
            continue
        request, values = content_of(each.entry.turns[0]), each.given
        if not request.isascii():
            continue
        if all(str(value) in ("True", "False") for value in values):
            is_said = each.mentions(str(each.schema.get("description", "")), shortest=5)
        else:
            is_said = not all(isinstance(value, int | float) for value in values) or has_number(request)
        if not is_said and not each.mentions(each.name):
            yield Suspicion(each.entry, each.where, f"nothing in the request says {shown_options(values)}")


def _stated(each: Accepted) -> list[Json]:
    """The accepted values that the request states; True and False, if it has a word of the name."""
    return [
        value
        for value in each.given
        if each.states(value) or (isinstance(value, bool) and each.mentions(each.name))
    ]
