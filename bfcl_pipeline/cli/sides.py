"""Arguments that name sides of a comparison: models of runs, and of archives."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, PipelineError
from bfcl_pipeline.cli.options import print_to_stderr
from bfcl_pipeline.runs.archived.unpacking import extract_verdicts
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.show.compare.sides import Choice

_ARCHIVE = ".zip"


@contextmanager
def opened_sides(texts: Sequence[str], run_dir: Path | None = None) -> Iterator[list[Choice]]:
    """What each argument names: RUN:MODEL, else a model of `run_dir` if given, else RUN.

    Names of models may contain colons: with `run_dir`, what is before the colon must be a run. Verdicts of
    archives are extracted to a temporary directory for as long as the context is open.

    Raises ConfigError, with the runs that exist, if there is no such run; ArchiveError if an archive is
    damaged or malformed.
    """
    with tempfile.TemporaryDirectory(prefix="bfcl-compare-") as temporary:
        archives = _Archives(Path(temporary))
        try:
            yield [_choice(text, run_dir, archives) for text in texts]
        except PipelineError as error:  # the temporary directory no longer exists when it is read
            text = str(error)
            if temporary not in text:
                raise
            raise type(error)(archives.named(text)) from error


class _Archives:
    """The archives that were extracted, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs: dict[Path, Choice] = {}

    def run(self, file: Path) -> Choice:
        """All models of an archive."""
        key = file.resolve()
        if key not in self._runs:
            folder = self._folder / str(len(self._runs))
            folder.mkdir()
            self._runs[key] = Choice(Run(extract_verdicts(file, folder)), archive=file)
            print_to_stderr(
                f"{file}: seal and sha256 of its verdicts are right; whether they follow "
                f"from the recorded answers: bfcl-pipeline verify {file}"
            )
        return self._runs[key]

    def named(self, text: str) -> str:
        """A message with the names of archives in place of temporary paths."""
        for choice in self._runs.values():
            text = text.replace(str(choice.run.folder), str(choice.archive))
        return text.replace(f"{self._folder}/", "")


def _choice(text: str, run_dir: Path | None, archives: _Archives) -> Choice:
    file, model = _archive_of(text)
    if file is not None:
        return Choice(archives.run(file).run, model, file)
    folder, colon, name = text.partition(":")
    if colon and folder and name:
        try:
            return Choice(open_run(folder), name)
        except ConfigError:
            if run_dir is None:
                raise
    if run_dir is not None and run_dir.suffix == _ARCHIVE:
        return Choice(archives.run(run_dir).run, text, run_dir)
    if run_dir is not None:
        return Choice(open_run(run_dir), text)
    return Choice(open_run(text))


def _archive_of(text: str) -> tuple[Path | None, str | None]:
    """The archive that an argument names, and the model after the colon; (None, None) if it is a run."""
    if text.endswith(_ARCHIVE):
        return Path(text), None
    file, found, model = text.partition(f"{_ARCHIVE}:")
    if found and file and model:
        return Path(file + _ARCHIVE), model
    return None, None
