"""The untrained model of `make_tiny_model`, made once in this process."""

from __future__ import annotations

from pathlib import Path

from tests.support.make_tiny_model import make_model, make_tokenizer


def save_tiny_model(folder: Path) -> Path:
    """Writes the model into `folder`; returns it."""
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    make_model(tokenizer).save_pretrained(folder)
    return folder
