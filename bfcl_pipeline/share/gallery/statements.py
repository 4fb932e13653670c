"""The signed statements on an archive, from all places where it was found.

Anybody may put a copy of an archive, with any statements, into a folder of their own. So the statements of
all copies are checked, and one that does not hold is left out and takes nothing from the others.
"""

from collections.abc import Collection
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature, NotCheckable
from bfcl_pipeline.base.text import Log, printable
from bfcl_pipeline.share.archive.sign import statement_of
from bfcl_pipeline.share.archive.statement import first_difference, read_statement, subject_of
from bfcl_pipeline.share.gallery.find import Found
from bfcl_pipeline.share.signing.signature import Trust
from bfcl_pipeline.share.signing.signed_line import check_line, payload_of
from bfcl_pipeline.share.signing.statement_file import LINES, read_lines


def statement_lines(found: Found, log: Log) -> set[bytes]:
    """The lines of all files of statements on an archive. log: receives a line for one that has no form."""
    lines: set[bytes] = set()
    for path in found.statements:
        try:
            lines |= set(read_lines(path))
        except (OSError, BadSignature) as error:
            log(f"left out: {printable(str(error))}")
    return lines


def statements_that_hold(file: Path, lines: Collection[bytes], trust: Trust) -> list[bytes]:
    """Those statements that say what an archive says, or that a trusted signer made of it; as many as a
    file may have, those of trusted signers first.

    Raises:
        ArchiveError: the archive is damaged or malformed.
        PipelineError: a file of the run is damaged.
    """
    if not lines:
        return []
    sha256, payload = statement_of(file)
    says = read_statement(payload).predicate
    ordered: list[tuple[int, bytes]] = []
    for line in lines:
        try:
            if subject_of(payload_of(line)) != sha256:
                continue
            checked = check_line(line, trust)
            trusted = bool(checked.signer.principals)
            if trusted or first_difference(read_statement(checked.payload).predicate, says) is None:
                ordered.append((0 if trusted else 1, line))
        except NotCheckable:
            ordered.append((2, line))
        except BadSignature:
            continue
    return [line for _, line in sorted(ordered)[:LINES]]
