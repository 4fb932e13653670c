"""An offline-reproducible evaluation pipeline for the Berkeley Function-Calling Leaderboard V4.

Covers the whole path from the pinned release to the report; `DESIGN` in README.md names the rooms.
Importing the package has no effects and loads nothing heavy.
"""

__version__ = "0.1.0"
