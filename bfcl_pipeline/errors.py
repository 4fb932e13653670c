"""The exception tree: each type names the boundary that was crossed.

PipelineError
├── ConfigError          what the user asked for does not exist or contradicts itself
├── StagingError         the release could not be fetched, verified or read
│   ├── HashMismatch     a file is not the pinned one
│   └── MalformedRelease a file of the release is missing or not in the documented form
├── OwnerError           something belongs to another process, or is taken away by one
├── TableError           a table on disk lacks a column, or a row cannot be read
├── ModelError           a model could not be asked
│   ├── Transient        this request may succeed if it is sent again: reset, time limit, 5xx
│   │   ├── RateLimited  too many requests or tokens for the time, or the server is too busy
│   │   └── Malformed    the answer is not in the wire format, or too long
│   ├── ContextOverflow  the request does not fit the model
│   ├── RequestRefused   this request is not accepted, now or later
│   ├── BudgetSpent      the money that a run may cost is spent
│   ├── NotJournaled     replay: no journal has an answer to a request
│   └── AccessDenied     no request to this model is: key, name or address are wrong
├── JournalError         the journal of exchanges is damaged, or another job writes it
├── ArchiveError         an archive is damaged or hostile, or must not be written
└── WebError             the web could not be asked
    └── NotRecorded      replay: the record has no outcome for a search or a page

A wrong answer is never an exception: it is a verdict. Text of a model that cannot be decoded is a
`records.DecodeFailure`. Every message says what was expected, what came, and what to do next.
"""


class PipelineError(Exception):
    """Base of all errors that the command line prints without a traceback."""


class ConfigError(PipelineError):
    """The configuration names something unknown or contradicts itself."""


class StagingError(PipelineError):
    """The release could not be fetched, verified or read."""


class HashMismatch(StagingError):
    """A fetched file does not have the pinned sha256."""


class MalformedRelease(StagingError):
    """A file of the release is missing or does not have the documented form."""


class OwnerError(PipelineError):
    """Another process has what this one wants, or has taken it away."""


class TableError(PipelineError):
    """A table on disk lacks a column, or one of its rows cannot be read."""


class ModelError(PipelineError):
    """A model could not be asked (unknown name, missing requirement)."""


class Transient(ModelError):
    """A failure of one request that may be gone at the next attempt."""


class RateLimited(Transient):
    """The server asks for fewer requests, or is too busy."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds  # as the server says (Retry-After); None if it does not


class Malformed(Transient):
    """What came back cannot be read in the wire format."""


class ContextOverflow(ModelError):
    """The request is longer than the model takes."""


class RequestRefused(ModelError):
    """The server refuses this request for what it says; others may be accepted."""


class BudgetSpent(ModelError):
    """The budget of the run does not allow another request."""


class NotJournaled(ModelError):
    """A request to which no journal has an answer."""


class AccessDenied(ModelError):
    """The server refuses all requests: key, model name, address or permission are wrong."""


class JournalError(PipelineError):
    """A journal is damaged other than by a torn end, or belongs to another job."""


class ArchiveError(PipelineError):
    """An archive is not as it was written, is nothing that we write, or would hold a secret."""


class WebError(PipelineError):
    """The web could not be asked: an outage or a rate limit that did not end, a damaged record."""


class NotRecorded(WebError):
    """A search or a page whose outcome was never recorded."""
