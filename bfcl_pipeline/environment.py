"""Variables from a file `.env` in the working directory: API keys that need not be exported in every shell.

Variables of the environment take precedence. Nothing is expanded: a value is what is written.
"""

from pathlib import Path

ENV_FILE = Path(".env")
"""Read by every command and by the workflow; ignored by git, never archived."""


def read_env_file() -> None:
    """Adds the variables in the file, if it exists, to the environment of this process and its children."""
    if ENV_FILE.is_file():
        from dotenv import load_dotenv

        load_dotenv(ENV_FILE, override=False, interpolate=False)
