"""Recorded conversations played again: what each call returned, and what it changed.

Nothing is asked or fetched: results of calls come from the simulated APIs, from the web cache or the
simulated web, and from stored embeddings. A result that cannot be derived from these is marked as missing.
`play` and `play_truth` have each call with its result and its changes, for people;
`memory` has the whole memory after each call, for tables.
"""
