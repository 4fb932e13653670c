"""Archives in folders of several people: no folder takes anything from another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.runs.archived.writing import UNSEALED, seal
from bfcl_pipeline.share.gallery import find
from bfcl_pipeline.share.gallery.find import find_archives


def sealed(path: Path, content: str) -> Path:
    """A file with a valid seal, which is all of an archive that finding it needs."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() + UNSEALED)
    seal(path)
    return path


def test_a_folder_with_too_many_archives_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those beyond the limit are found as surplus, one by one; a file without a seal does not count."""
    monkeypatch.setattr(find, "MOST", 2)
    for number in range(9):
        (tmp_path / f"{number}.crate.zip").write_text(f"not an archive {number}")
    honest = sealed(tmp_path / "honest/run.crate.zip", "honest")
    many = [sealed(tmp_path / f"a/{number}.crate.zip", str(number)) for number in range(5)]
    found = find_archives([tmp_path], print)
    assert len(found) == 9 + 1 + 5
    assert {one.files[0] for one in found if "more than 2" in one.refused} == set(many[2:])
    assert sum("no seal" in one.refused for one in found) == 9
    many[4].write_bytes(honest.read_bytes())
    (copy,) = [one for one in find_archives([tmp_path], print) if honest in one.files]
    assert copy.refused == ""


def test_an_archive_is_found_with_all_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal bytes are one archive in any order of the places; a file that is too large is left out."""
    first = sealed(tmp_path / "one/a.crate.zip", "same")
    second = sealed(tmp_path / "two/b.crate.zip", "same")
    with (tmp_path / "two/large.crate.zip").open("wb") as large:
        large.truncate(2**40)
    for places in ([first.parent, second.parent], [second.parent, first.parent], [tmp_path]):
        (found,) = find_archives(places, print)
        assert found.files == (first, second)
        assert found.folders == [first.parent, second.parent]
    assert "left out" in capsys.readouterr().out
