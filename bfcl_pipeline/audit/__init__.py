"""Finds suspected defects of the benchmark's entries. Pure: entries in, findings out."""
