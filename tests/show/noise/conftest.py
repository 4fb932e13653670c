"""Runs of the local server, as of `diff`."""

from tests.show.compare.diff.conftest import first, server

__all__ = ["first", "server"]
