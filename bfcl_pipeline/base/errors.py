"""The exception tree. Each type names the part of the system that failed.

PipelineError
├── ConfigError          the configuration or the command line is wrong
├── StagingError         the release could not be fetched, verified or read
│   ├── HashMismatch     a file does not have the pinned sha256
│   └── MalformedRelease a file of the release is missing or not in the documented form
├── LeaseError           another process holds the lease on a file or folder
├── TableError           a table lacks a column, or a row cannot be read
├── ErrataError          a record of the errata is malformed, or does not fit the release
├── ModelError           a request to a model failed
│   ├── Transient        a retry may succeed: connection reset, time limit, HTTP 5xx
│   │   ├── NoConnection no connection to the server can be made
│   │   ├── RateLimited  too many requests or tokens, or the server is overloaded
│   │   └── Malformed    the answer is not in the wire format, or too long
│   ├── ContextOverflow  the request exceeds the model's context length
│   ├── RequestRefused   the server rejects this request for good
│   ├── BudgetSpent      the budget of the run is used up
│   ├── NotJournaled     replay: no journal has an answer to a request
│   └── AccessDenied     the server rejects every request: wrong key, model name or address
├── JournalError         a journal is damaged, or belongs to another job
├── ProvenanceError      a record of what made answers is damaged
├── ArchiveError         an archive is damaged or malicious, or must not be written
├── SigningError         a statement cannot be signed
├── BadSignature         a signature does not hold, or its file is malformed
├── NotCheckable         this machine lacks a program or package that a signature needs to be checked
└── WebError             a search, a page fetch or a request of a web API failed
    ├── WebStopped       the search engine is not asked any more in this job
    └── NotRecorded      the web cache has no outcome, and none may be requested

A wrong answer is never an exception: it is a verdict. Model output that cannot be decoded is a
`records.DecodeFailure`. Every message states what was expected, what was found, and what to do next.
"""

from typing import Self


class PipelineError(Exception):
    """Base of all errors that the command line prints without a traceback."""


class ConfigError(PipelineError):
    """The configuration names something unknown, or two settings contradict each other."""


class StagingError(PipelineError):
    """The release could not be fetched, verified or read."""


class HashMismatch(StagingError):
    """A fetched file does not have the pinned sha256."""


class MalformedRelease(StagingError):
    """A file of the release is missing or does not have the documented form."""

    @classmethod
    def at(cls, place: str, expected: str, got: str) -> Self:
        """The error for a staged value: where it is, what was expected and what was found."""
        return cls(
            f"{place}: expected {expected}, got {got}. Stage the release again (bfcl-pipeline stage)."
        )


class LeaseError(PipelineError):
    """Another process holds a lease that this one needs, or has taken it over."""


class TableError(PipelineError):
    """A table lacks a column, or one of its rows cannot be read."""


class ErrataError(PipelineError):
    """A record of the errata is malformed, or one of its edits does not fit the release."""


class ModelError(PipelineError):
    """A request to a model failed, or its model cannot be used (unknown name, missing requirement)."""


class Transient(ModelError):
    """One request failed; another attempt may succeed."""


class NoConnection(Transient):
    """No connection to the server can be made: it is not running, or the network does not reach it."""


class RateLimited(Transient):
    """The server demands fewer requests, or is overloaded."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds  # the server's Retry-After; None if it sent none


class Malformed(Transient):
    """The answer cannot be read in the wire format."""


class ContextOverflow(ModelError):
    """The request is longer than the model's context."""


class RequestRefused(ModelError):
    """The server rejects this request because of its content; other requests may be accepted."""


class BudgetSpent(ModelError):
    """The remaining budget of the run does not allow another request."""


class NotJournaled(ModelError):
    """No journal has an answer to a request of a replay."""


class AccessDenied(ModelError):
    """The server rejects all requests: the key, model name, address or permission is wrong."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status  # HTTP status of the answer; None if there was none


class JournalError(PipelineError):
    """A journal is damaged (more than an incomplete last line), or belongs to another job."""


class ProvenanceError(PipelineError):
    """A record of what made answers is damaged, or was changed."""


class ArchiveError(PipelineError):
    """An archive was changed, was not written by this program, or would contain a secret."""


class SigningError(PipelineError):
    """A statement cannot be signed: no key, no program, no service, or it refused."""


class BadSignature(PipelineError):
    """A signature is malformed, or is not of what it is said to be of."""


class NotCheckable(PipelineError):
    """A signature cannot be checked here: a program or package is missing."""


class WebError(PipelineError):
    """A search, fetch or API request failed for good: an outage, a lasting rate limit, a damaged cache."""


class WebStopped(WebError):
    """The search engine has ceased to answer and is not asked any more in this job."""


class NotRecorded(WebError):
    """The web cache has no outcome for a search, a page or an API request, and none may be requested."""
