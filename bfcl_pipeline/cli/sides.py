"""Arguments that name sides of a comparison: models of runs, and of archives."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.cli.runs import opened
from bfcl_pipeline.runs.folders import ARCHIVE_SUFFIX
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.sides import Choice

_OF_VERDICTS = re.compile(
    r"results/[^/]+/(?:config\.yaml|models\.yaml|verdicts/[^/]+\.parquet|responses/[^/]+/[^/]+\.parquet)"
)
"""The members of an archive that a comparison of verdicts needs."""


@contextmanager
def opened_sides(texts: Sequence[str], run_dir: Path | None = None) -> Iterator[list[Choice]]:
    """What each argument names: RUN:MODEL, else a model of `run_dir` if given, else RUN.

    Names of models may contain colons: with `run_dir`, what is before the colon must be a run. Verdicts of
    archives are extracted to a temporary directory for as long as the context is open.

    Raises ConfigError, with the runs that exist, if there is no such run; ArchiveError if an archive is
    damaged or malformed.
    """
    with ExitStack() as archives:
        once = cache(lambda file: opened(archives, file, wanted=_OF_VERDICTS.fullmatch))
        yield [_choice(text, run_dir, once) for text in texts]


def _choice(text: str, run_dir: Path | None, opened: Callable[[Path], Run]) -> Choice:
    file, of_archive, name = text.partition(f"{ARCHIVE_SUFFIX}:")
    folder, _, name = (file + ARCHIVE_SUFFIX, "", name) if of_archive else text.partition(":")
    if folder and name:
        try:
            return Choice(opened(Path(folder)), name)
        except ConfigError:
            if run_dir is None:
                raise
    if run_dir is None or text.endswith(ARCHIVE_SUFFIX):
        return Choice(opened(Path(text)))
    return Choice(opened(run_dir), text)
