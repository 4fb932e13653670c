"""What asking again will send, cost and take, before anything is sent.

Tokens and seconds are those that the archive has for the same requests; the tokens sent are at least those
that follow from their length, since an archive may say what it likes.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bfcl_pipeline.ask.generation.remote import CHARACTERS_PER_TOKEN
from bfcl_pipeline.base.text import duration, plural
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.share.asked_again.asking import AskingJob
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest

_MOST_SECONDS = 86_400.0  # that one answer may have taken: an archive may say infinity, or no number


@dataclass(frozen=True, slots=True)
class AskingPlan:
    """The requests to one model."""

    model: str  # the name in the archive
    own: str  # the name of the verifier's row
    drawn: int  # requests
    of: int  # requests of the run with this model
    askings: int  # of each
    left: int  # to be sent: the others were answered before
    input_tokens: int  # about, of those to be sent
    output_tokens: int  # about
    dollars: float | None  # about, by the prices of the verifier's row; None: it has none
    seconds: float | None  # about; None: the archive has no latencies

    def lines(self) -> Iterator[str]:
        """The plan for a person."""
        asked = f"{self.drawn:,} of {plural(self.of, 'request', 'requests')} drawn"
        yield f"{self.model}: {asked}, each asked {self.askings} times by your row {self.own}"
        cost = "no price known" if self.dollars is None else f"about ${self.dollars:,.2f}"
        time = "unknown time" if self.seconds is None else duration(self.seconds)
        yield (
            f"{self.model}: to be sent {plural(self.left, 'request', 'requests')}, about "
            f"{self.input_tokens:,} tokens sent and {self.output_tokens:,} received, {cost}, "
            f"about {time}"
        )


def asking_plan(job: AskingJob) -> AskingPlan:
    """The plan of one job."""
    draw, row, left = job.draw, job.row, job.left()
    share = left / max(1, len(draw.requests))  # how often each is still to be asked, on average
    sent = round(share * sum(map(_input_tokens, draw.requests)))
    received = round(share * sum(one.exchange.output_tokens or 0 for one in draw.requests))
    dollars = None
    if row.input_price is not None and row.output_price is not None:
        dollars = (sent * row.input_price + received * row.output_price) / 1e6
    seconds = _seconds(draw.requests, row, share)
    return AskingPlan(
        draw.model,
        row.name,
        len(draw.requests),
        draw.of,
        job.askings,
        left,
        sent,
        received,
        dollars,
        seconds,
    )


def _input_tokens(drawn: DrawnRequest) -> int:
    by_length = len(json.dumps(drawn.body, ensure_ascii=False)) // CHARACTERS_PER_TOKEN
    return max(drawn.exchange.input_tokens or 0, by_length)


def _seconds(requests: Sequence[DrawnRequest], row: ModelRow, share: float) -> float | None:
    """About how long the requests take, `share` times, with as many at once as the row allows."""
    given = [one.journaled.latency_seconds for one in requests]
    latencies = [seconds for seconds in given if seconds is not None and 0 <= seconds <= _MOST_SECONDS]
    if not latencies:
        return None
    together, longest = sum(latencies), max(latencies)
    at_once = max(1, min(row.limits.in_flight, len(requests)))
    seconds = share * max(together / at_once, longest)
    per_minute = row.limits.requests_per_minute
    return max(seconds, share * len(requests) * 60 / per_minute) if per_minute else seconds
