"""Recorded conversations played again: what each call returned, and what it changed.

Nothing is asked or fetched: results of calls come from the simulated APIs, from the web cache or the
simulated web, and from stored embeddings. A result that cannot be derived from these is marked as missing.
`play`, `play_truth` and `play_agentic` have each call with its result and its changes, for people;
`memory` has the whole memory after each call, for tables.
"""
