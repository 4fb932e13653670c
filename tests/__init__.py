"""The tests, and `tests.support` with what those of several folders share."""
