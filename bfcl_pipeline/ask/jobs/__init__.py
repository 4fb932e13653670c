"""Carrying out one job: options to a record, the record to responses."""
