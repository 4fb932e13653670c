"""Signatures by SSH keys, made and checked by OpenSSH's ssh-keygen.

No key is read here: ssh-keygen finds private keys in files, agents and security keys, and asks for a
passphrase in the terminal. Files are written to temporary directories only, which other users cannot read.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature, NotCheckable, PipelineError, SigningError
from bfcl_pipeline.base.files import named_file, read_regular
from bfcl_pipeline.base.text import line_of

NAMESPACE = "bfcl-pipeline"
"""What a signature is for: one for another purpose, such as a git commit, does not count."""

SIGNATURE_BYTES = 1 << 16
"""The largest SSH signature; one with a certificate of many principals has some kilobytes."""

FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
"""The fingerprint of a key."""

_BEGIN, _END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
_GOOD = re.compile(rf'^Good "[^"]*" signature .*?with \S+ key ({FINGERPRINT.pattern})\s*$', re.MULTILINE)
_REASON = re.compile(r"(?:Signature verification failed|Couldn't verify signature): (?P<why>.+)")
_SECONDS = 60
_PUBLIC_KEY = re.compile(r"^(?:sk-)?(?:ssh|ecdsa)-\S+[ \t]+AAAA\S+", re.MULTILINE)
_SIGNERS_BYTES = 1 << 22  # of a file of allowed signers
_COLUMNS = 70  # of base64 in a line of an armored signature
_SHOWN_ABOVE = "it printed why (OpenSSH 8.2 or newer is needed)."
_INSTALL = "Install OpenSSH 8.2 or newer (on Debian, the package openssh-client)."


def check_ready(key: Path) -> None:
    """Raises SigningError if there is no such key, or no ssh-keygen."""
    if not key.is_file():
        raise SigningError(f"{key}: no such file. Name an SSH key; `ssh-keygen -t ed25519` makes one.")
    _program(SigningError)


def sign(data: bytes, key: Path) -> bytes:
    """The SSH signature (SSHSIG) of some bytes; ssh-keygen may ask for a passphrase or a touch.

    Args:
        data: what to sign.
        key: the private key; or the public key, if an agent has the private one.

    Raises:
        SigningError: ssh-keygen is missing or too old, the key cannot be read, or its use was refused.
    """
    check_ready(key)
    with tempfile.TemporaryDirectory(prefix="bfcl-sign-") as folder:
        message, signature = Path(folder) / "message", Path(folder) / "message.sig"
        message.write_bytes(data)
        command = [_program(SigningError), "-q", "-Y", "sign", "-n", NAMESPACE]
        # The message is a file, so the terminal stays free for a passphrase; so does its error stream, in
        # which ssh-keygen asks for the touch of a security key.
        done = subprocess.run(
            [*command, "-f", str(key.absolute()), str(message)],
            stderr=None if os.isatty(2) else subprocess.PIPE,
            text=True,
            errors="replace",
        )
        if done.returncode or not signature.is_file():
            said = _SHOWN_ABOVE if done.stderr is None else done.stderr.replace(f"{folder}/", "")
            _check_version(said, SigningError)
            raise SigningError(f"{key}: ssh-keygen did not sign with it: {_first(said)}")
        return _without_armor(signature.read_bytes())


def signing_key(data: bytes, signature: bytes) -> str:
    """The fingerprint of the key that made a signature, SHA256:..., whoever owns it.

    Raises:
        BadSignature: it is malformed, not of `data`, or for another purpose.
        NotCheckable: ssh-keygen is missing or too old.
    """
    with _signature_file(signature) as file:
        done = _run(["check-novalidate", "-n", NAMESPACE, "-s", str(file)], data)
    good = _GOOD.search(done.stdout)
    if done.returncode or good is None:
        raise BadSignature(_first(done.stderr, _REASON))
    return good[1]


def owners(data: bytes, signature: bytes, signers: Path) -> tuple[list[str], str]:
    """The names under which a file of allowed signers has, now, the key of a valid signature.

    Args:
        data: what was signed.
        signature: its signature.
        signers: a file in the format of OpenSSH's allowed_signers, or a public key, whose owner is named
            by its file.

    Returns:
        The names, and if there is none, the reason.

    Raises:
        NotCheckable: ssh-keygen is missing or too old, or `signers` cannot be read.
    """
    if not signers.is_file():
        raise NotCheckable(f"{signers}: no such file; it should name whose keys you trust, one a line.")
    with _signature_file(signature) as file, _allowed_signers(signers) as allowed:
        given = ["-f", str(allowed), "-s", str(file)]
        found = _run(["find-principals", *given], data)
        names, said = found.stdout.splitlines(), [found.stderr]
        good = []
        for name in names:
            done = _run(["verify", "-n", NAMESPACE, "-I", name, *given], data)
            said.append(done.stderr)
            if done.returncode == 0 and _GOOD.search(done.stdout):
                good.append(name)
    return good, "" if good else _why_not("\n".join(said).replace(str(allowed), str(signers)), signers)


@contextmanager
def _allowed_signers(signers: Path) -> Iterator[Path]:
    """The file as ssh-keygen reads it: a line that is a public key has the name of the file before it."""
    try:
        text = read_regular(named_file(signers), _SIGNERS_BYTES).decode()
    except (OSError, ValueError) as error:
        raise NotCheckable(f"{signers}: cannot be read ({error}).") from error
    name = re.sub(r"[^\w.@+-]", "_", signers.name, flags=re.ASCII)
    named = _PUBLIC_KEY.sub(rf"{name} \g<0>", text)
    if named == text:
        yield signers
        return
    with tempfile.TemporaryDirectory(prefix="bfcl-sign-") as folder:
        file = Path(folder) / "signers"
        file.write_text(named, encoding="utf-8")
        yield file


def _why_not(said: str, signers: Path) -> str:
    """Why a key is not among the allowed signers, in words that follow a comma."""
    for line in said.splitlines():
        place, colon, reason = line.removeprefix(f"{signers}:").partition(": ")
        if colon and line.startswith(f"{signers}:") and place.isdigit():
            return f"which is not trusted by {signers}, line {place}: {line_of(reason)}"
    return f"which is not in {signers}"


def _run(arguments: Sequence[str], data: bytes) -> subprocess.CompletedProcess[str]:
    """Runs `ssh-keygen -Y` without a terminal. Raises NotCheckable."""
    command = [_program(NotCheckable), "-Y", *arguments]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise NotCheckable(f"ssh-keygen did not end within {_SECONDS} s.") from error
    stdout, stderr = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    if done.returncode:
        _check_version(stderr, NotCheckable)
    return subprocess.CompletedProcess(command, done.returncode, stdout, stderr)


def _program(error: type[PipelineError]) -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise error(f"ssh-keygen is not installed. {_INSTALL}")
    return program


def _check_version(said: str, error: type[PipelineError]) -> None:
    """Raises `error` if ssh-keygen has rejected its options."""
    if re.search(r"(?:unknown|illegal|invalid) option|unsupported operation for -Y", said, re.IGNORECASE):
        raise error(f"ssh-keygen is too old to sign or to check files: {_first(said)}. {_INSTALL}")


def _first(said: str, reason: re.Pattern[str] | None = None) -> str:
    """The first line that ssh-keygen has printed, or what `reason` finds in it."""
    lines = [line for line in said.splitlines() if line.strip()]
    first = lines[0] if lines else "it printed no reason"
    found = reason.fullmatch(first) if reason else None
    return line_of(found["why"] if found else first)


@contextmanager
def _signature_file(signature: bytes) -> Iterator[Path]:
    """A temporary file with the signature in the form that ssh-keygen reads."""
    text = base64.b64encode(signature)
    lines = [text[start : start + _COLUMNS] for start in range(0, len(text), _COLUMNS)]
    with tempfile.TemporaryDirectory(prefix="bfcl-sign-") as folder:
        file = Path(folder) / "signature"
        file.write_bytes(b"\n".join([_BEGIN, *lines, _END, b""]))
        yield file


def _without_armor(text: bytes) -> bytes:
    """The bytes between the first and the last line of a signature file."""
    body = text.strip().removeprefix(_BEGIN).removesuffix(_END)
    try:
        return base64.b64decode(b"".join(body.split()), validate=True)
    except binascii.Error as error:
        raise SigningError("ssh-keygen wrote a signature that is not base64.") from error
