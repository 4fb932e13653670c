"""When a job stops sending requests because its model does not answer any.

Covers failures that concern all requests: no connection, a rejected key or model name, a body that the API
refuses every time. A single such failure is the matter of its entry; several in a row mean that the others
would fail as well. Covers outages after answers, too: many requests in a row that were given up.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.base.errors import AccessDenied, ModelError, NoConnection, RequestRefused

STOP_AFTER = 20
"""Failures of one kind in a row, without an answer between them, after which nothing more is sent."""

OUTAGE = 2
"""If this many times `in_flight` requests in a row were given up, it is an outage: no more are sent."""

_AT_THE_START: Mapping[type[ModelError], bool] = {
    NoConnection: True,
    AccessDenied: False,
    RequestRefused: True,
}
"""The kinds of failure, and whether they only count before the first answer of the job."""


@dataclass(slots=True)
class FailureStreak:
    """The failed attempts since the last answer."""

    in_flight: int  # maximum number of requests in flight
    _kind: type[ModelError] | None = None  # of the failures in a row
    _failures: int = 0
    _given_up: int = 0  # requests in a row, of any kind of failure
    _last_given_up: str = ""
    _answered: bool = False  # whether any request was
    _reason: str = ""  # why nothing more is sent; empty: requests are sent

    def answered(self) -> None:
        """Notes an answer."""
        self._answered = True
        self._failures = self._given_up = 0

    def failed(self, error: ModelError, waiting: int) -> None:
        """Notes a failed attempt.

        Args:
            error: the failure.
            waiting: requests that wait for an answer, this one included; a small job fails before 20 do.
        """
        kind = next((kind for kind in _AT_THE_START if isinstance(error, kind)), None)
        self._failures = self._failures + 1 if kind is self._kind else 1
        self._kind = kind
        if kind is None or self._reason or (self._answered and _AT_THE_START[kind]):
            return
        limits = {NoConnection: 2 * waiting, AccessDenied: self.in_flight}
        if self._failures >= min(STOP_AFTER, limits.get(kind, STOP_AFTER)):
            self._reason = str(error)

    def gave_up(self, error: ModelError) -> None:
        """Notes a request that is not sent again."""
        self._given_up, self._last_given_up = self._given_up + 1, str(error)

    def check(self) -> None:
        """Raises ModelError if nothing more is to be sent."""
        if self._reason:
            which = "the last requests" if self._answered else "the first requests"
            raise ModelError(f"not sent: {which} all failed: {self._reason}")

    def check_outage(self) -> None:
        """Raises ModelError if so many requests in a row were given up that no other one is begun.

        Those that wait for a slot already are still sent: an answer to one of them ends the outage.
        """
        if self._given_up >= max(2, OUTAGE * self.in_flight):
            raise ModelError(
                f"not sent: the {self._given_up} requests before it all failed, the last one because: "
                f"{self._last_given_up}"
            )
