"""A run as one file that can be verified: writing it, reading it safely, and deriving the run again."""
