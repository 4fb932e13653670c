"""Calls in and out of text: decoding what models write, writing calls in every format."""

from bfcl_pipeline.calls.decode import decode

__all__ = ["decode"]
