"""Recorded runs, opened once: by their folder or their name."""
