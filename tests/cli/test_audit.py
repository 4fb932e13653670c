"""`bfcl-pipeline audit`: entries that no answer can pass."""

from pathlib import Path

from bfcl_pipeline.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


def test_the_published_list_is_what_the_command_finds(tmp_path, staged, capsys):
    """docs/audit.md is the output of the command on the pinned release."""
    page = tmp_path / "audit.md"
    assert main(["audit", "--data", str(staged), "--markdown", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    assert "live_multiple_862-181-3" in capsys.readouterr().out


def test_categories_can_be_chosen(staged, capsys):
    """Only the given categories are audited; those without a truth have nothing to list."""
    assert main(["audit", "--data", str(staged), "--categories", "irrelevance"]) == 0
    assert "0 of 240 audited" in capsys.readouterr().out
