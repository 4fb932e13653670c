"""Cassettes, written and read through vcrpy's classes, in memory.

Requests without a complete answer are the cassette's metadata `unanswered`. Reading is bounded and safe for
the cassettes of others: no Python objects, no aliases.
"""
