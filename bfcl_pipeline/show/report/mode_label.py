"""The mode of a model beside its name, where the name does not state it; for the page and the terminal.

The scores of one model may differ by many points between the modes, so that each is labelled. Standard
library only, so that the command that prints the table starts fast.
"""

import re

_STATED = re.compile(r"\((?:FC|Prompt)\b|-FC\b")

_LABELS = {"fc": "FC", "prompt": "Prompt", "fc and prompt": "FC and Prompt"}


def mode_label(display_name: str, mode: str | None) -> str:
    """The label of a mode: FC or Prompt; empty if the name states a mode or the mode is not known.

    mode: as in the column `mode` of the table `leaderboard`.
    """
    return "" if _STATED.search(display_name) else _LABELS.get(mode or "", "")


def name_with_mode(display_name: str, mode: str | None) -> str:
    """The name with its mode, as the leaderboard writes it: `my-model (FC)`."""
    label = mode_label(display_name, mode)
    return f"{display_name} ({label})" if label else display_name
