"""Files of a web cache that were changed, without making their hashes right."""

import pytest

from bfcl_pipeline.world.web.check import check_cache

from .conftest import Recorded


def _names(recorded):
    return [name for name in recorded.keys if recorded.document(name)["cassette"]]


EVERY_KIND = ("search", "search after a reset", "page", "missing page", "answer of an API")
MASKS = (0x20, 0x01, 0x07, 0x80, 0xFF)  # the first one changes the case of letters, as in `\\u00e9`


@pytest.mark.parametrize("name", EVERY_KIND)
def test_every_changed_byte_is_found(recorded, name):
    """A check names the file in which a byte was changed: any byte of an outcome, and of a cassette, all of
    which is under one hash, every seventh."""
    missed = []
    for file, step in ((recorded.path(name), 1), (recorded.cassette(name), 7)):
        content = file.read_bytes()
        for place in range(0, len(content), step):
            changed = bytearray(content)
            changed[place] ^= MASKS[0 if file.suffix == ".json" else place % len(MASKS)]
            file.write_bytes(changed)
            check = check_cache(recorded.cache, [recorded.keys[name]])
            if not check.failed or file.name not in "".join(check.damaged):
                missed.append((file.suffix, place))
        file.write_bytes(content)
    assert missed == []
    assert not check_cache(recorded.cache).failed


def test_a_cut_file_is_found(recorded):
    """A file without its last bytes, and an empty one, are damage."""
    for name in _names(recorded):
        for file in (recorded.path(name), recorded.cassette(name)):
            content = file.read_bytes()
            for kept in (0, 1, len(content) // 2, len(content) - 1):
                file.write_bytes(content[:kept])
                check = check_cache(recorded.cache, [recorded.keys[name]])
                assert [file.name in line for line in check.damaged] == [True]
            file.write_bytes(content)


def test_a_deleted_cassette_is_reported(recorded):
    """A missing cassette is reported with its outcome, and is neither proven nor damage."""
    before = check_cache(recorded.cache).proven
    recorded.cassette("page").unlink()
    check = check_cache(recorded.cache)
    (line,) = check.missing
    assert line.startswith(f"{recorded.path('page')}: ")
    assert (check.failed, check.proven) == (False, before - 1)


def test_a_deleted_outcome_is_reported_by_its_cassette(recorded):
    """The cassette of an outcome that was deleted is a file that no outcome names."""
    cassette = recorded.cassette("page")
    recorded.path("page").unlink()
    check = check_cache(recorded.cache)
    (line,) = check.unused
    assert line.startswith(f"{cassette}: ")
    assert check.missing == check.damaged == []


def test_a_renamed_outcome_is_damage(recorded):
    """An outcome file under another name, also that of another outcome, is damage."""
    path = recorded.path("page")
    other = path.with_name(f"{path.stem[:-1]}{'0' if path.stem[-1] != '0' else '1'}.json")
    path.rename(other)
    assert [other.name in line for line in check_cache(recorded.cache).damaged] == [True]
    other.rename(path)
    taken = recorded.path("missing page")
    first, second = path.read_bytes(), taken.read_bytes()
    path.write_bytes(second)
    taken.write_bytes(first)
    assert len(check_cache(recorded.cache).damaged) == 2


def test_a_renamed_cassette_is_reported_twice(recorded):
    """A cassette under another name is missing, and a file that no outcome names."""
    cassette = recorded.cassette("page")
    cassette.rename(cassette.with_name(f"{cassette.stem}0.yaml"))
    check = check_cache(recorded.cache)
    assert (len(check.missing), len(check.unused), check.failed) == (1, 1, False)


def test_a_directory_in_the_place_of_a_cassette_is_damage(recorded: Recorded) -> None:
    """What cannot be read is reported, not raised."""
    cassette = recorded.cassette("page")
    cassette.unlink()
    cassette.mkdir()
    assert [cassette.name in line for line in check_cache(recorded.cache).damaged] == [True]
