"""Variables from a file `.env` in the working directory: API keys that need not be exported in every shell.

Variables of the environment take precedence. Nothing is expanded: a value is what is written.
"""

from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError

ENV_FILE = Path(".env")
"""Read by every command and by the workflow; ignored by git, never archived."""


def read_env_file() -> None:
    """Adds the variables in the file, if it exists, to the environment of this process and its children.

    Raises ConfigError, which repeats nothing of the file, if it is not text that can be read.
    """
    if ENV_FILE.is_file():
        from dotenv import load_dotenv  # slow, and few folders have the file

        try:
            # Some editors begin a file in UTF-8 with a byte order mark.
            load_dotenv(ENV_FILE, override=False, interpolate=False, encoding="utf-8-sig")
        except OSError as error:
            raise ConfigError(f"{ENV_FILE}: not readable ({error.strerror}).") from error
        except ValueError as error:  # also of a value with a null character
            raise ConfigError(
                f"{ENV_FILE}: not text in UTF-8. Save it in this encoding, with lines NAME=VALUE."
            ) from error
