"""Silences transformers, whose messages repeat texts of files, also control characters, as they are.

The errors that it raises are reported in printable form.
"""

import logging


def silence_transformers() -> None:
    """From now on transformers writes no messages and no progress bars. Imports it, which takes seconds."""
    from transformers.utils.logging import disable_progress_bar, set_verbosity

    set_verbosity(logging.CRITICAL + 1)
    disable_progress_bar()
