"""Damaged archives are rejected with a message, and do not crash the command."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.archived.members import METADATA
from bfcl_pipeline.runs.archived.writing import SEAL_BYTES, seal

EACH = 40
"""Damaged archives of each kind; there are five."""


def flipped(content: bytes, choice: random.Random) -> bytes:
    changed = bytearray(content)
    for place in choice.sample(range(len(content) - SEAL_BYTES), choice.randint(1, 8)):
        changed[place] ^= choice.randint(1, 255)
    return bytes(changed)


def truncated(content: bytes, choice: random.Random) -> bytes:
    """With the end, the start or a part in the middle removed."""
    start, end = sorted(choice.sample(range(1, len(content) - SEAL_BYTES), 2))
    return choice.choice([content[:end], content[start:], content[:start] + content[end:]])


def swapped(content: bytes, choice: random.Random) -> bytes:
    def change(contents: dict[str, bytes]) -> None:
        one, two = choice.sample(sorted(contents), 2)
        while contents[one] == contents[two]:
            one, two = choice.sample(sorted(contents), 2)
        contents[one], contents[two] = contents[two], contents[one]

    return zipped(content, change)


def added(content: bytes, choice: random.Random) -> bytes:
    """With an additional file: among the results, in other directories, or a duplicate."""
    names = ["results/small/tables/x.csv", "setup.py", "results/small/logs/x.log", "workflow/x", "x" * 50]

    def change(contents: dict[str, bytes]) -> None:
        contents[choice.choice(names)] = choice.randbytes(choice.randint(0, 1000))

    return zipped(content, change)


def replaced(content: bytes, choice: random.Random) -> bytes:
    """With other bytes in a member, or without the member."""

    def change(contents: dict[str, bytes]) -> None:
        # A line feed after the metadata changes nothing that they say: only the seal has it.
        name = choice.choice(sorted(contents.keys() - {METADATA}))
        text = contents.pop(name)
        if choice.random() < 0.7:
            contents[name] = text + b"\n" if choice.random() < 0.5 else choice.randbytes(len(text) + 1)

    return zipped(content, change)


def zipped(content: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """Unpacked, changed, and packed as by a common tool, with the old seal as the comment."""
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        contents = {name: opened.read(name) for name in opened.namelist()}
        comment = opened.comment
    change(contents)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name, text in contents.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED if len(text) < 60_000 else zipfile.ZIP_STORED
            written.writestr(info, text)
        written.comment = comment
    return out.getvalue()


DAMAGES: Mapping[str, Callable[[bytes, random.Random], bytes]] = {
    damage.__name__: damage for damage in (flipped, truncated, swapped, added, replaced)
}


@pytest.mark.parametrize("sealed", [False, True], ids=["old seal", "new seal"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damaged_archive_is_refused(
    damage: str,
    sealed: bool,
    archived: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The seal or, with a new seal, structure, sizes and hashes detect the damage; nothing is unpacked."""
    temporary, place = tmp_path / "temporary", tmp_path / "place"
    for folder in (temporary, place):
        folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.chdir(place)
    content = archived.read_bytes()
    path = tmp_path / "x.crate.zip"
    for number in range(EACH):
        path.write_bytes(DAMAGES[damage](content, random.Random(f"{damage} {number}")))
        if sealed:
            seal(path)
        capsys.readouterr()
        assert main(["verify", str(path), "--data", str(tmp_path / "none")]) == 1, number
        output = capsys.readouterr()
        assert output.err.startswith(f"bfcl-pipeline verify: {path}"), number
        assert "\n" not in output.err.strip(), number
        assert "verified      hashes" not in output.out, number
        if not sealed:
            assert "seal" in output.err
            assert output.out == ""
    assert not [*temporary.iterdir(), *place.iterdir()]


def test_a_fragment_of_an_archive_is_refused(
    archived: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first or last bytes of an archive, a directory, and a missing file are reported as such."""
    path, content = tmp_path / "x.zip", archived.read_bytes()
    for size in (0, 1, 21, 22, 92, 93, 94, 1000):
        for part in (content[:size], content[len(content) - size :]):
            path.write_bytes(part)
            assert main(["verify", str(path)]) == 1
            assert "seal" in capsys.readouterr().err
    for other, why in ((tmp_path, "not a regular file"), (tmp_path / "none", "no such file")):
        assert main(["verify", str(other)]) == 1
        assert why in capsys.readouterr().err
