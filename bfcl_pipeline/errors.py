"""The exception tree: each type names the boundary that was crossed.

PipelineError
├── ConfigError          what the user asked for does not exist or contradicts itself
├── StagingError         the release could not be fetched, verified or read
│   ├── HashMismatch     a file is not the pinned one
│   └── MalformedRelease a file of the release is missing or not in the documented form
├── TableError           a table on disk lacks a column, or a row cannot be read
├── ModelError           a model could not be asked
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


class TableError(PipelineError):
    """A table on disk lacks a column, or one of its rows cannot be read."""


class ModelError(PipelineError):
    """A model could not be asked (unknown name, missing requirement)."""


class WebError(PipelineError):
    """The web could not be asked: an outage or a rate limit that did not end, a damaged record."""


class NotRecorded(WebError):
    """A search or a page whose outcome was never recorded."""
