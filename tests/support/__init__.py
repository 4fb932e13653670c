"""Helpers shared by tests of several folders: servers, projects, synthetic runs, stand-in models.

They are imported by their full name (`from tests.support.local_chat import LocalChat`), and run as
`python -m tests.support.chat_server`. pytest has the checkout on its path (pyproject.toml); processes that
tests start in other folders have it in PYTHONPATH.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
