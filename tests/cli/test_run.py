"""`bfcl-pipeline run`: its options as a Snakemake command, which replaces the process."""

import os
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The command that replaces the process; the process of the test stays."""
    words: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/elsewhere/bin")

    def execv(_: str, command: list[str]) -> None:
        words.extend(command)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "execv", execv)
    return words


def test_options_become_config(executed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Models and categories are repeated or separated by commas; the derived name is printed first."""
    main(
        [
            "run",
            "-m",
            "a,b",
            "--model",
            "c",
            "-c",
            "live",
            "--sample",
            "20",
            "--budget",
            "2",
            "--errata",
            "x.yaml",
        ]
    )
    config = executed[executed.index("--config") + 1 :]
    assert config == [
        *('models=["a", "b", "c"]', 'categories=["live"]', 'errata=["x.yaml"]', "sample=20"),
        *("budget=2.0", 'run="a-b-c-live-20"'),
    ]
    assert capsys.readouterr().err.splitlines()[0] == "Run a-b-c-live-20: results/a-b-c-live-20"


def test_a_sample_by_weight_is_a_mapping(executed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Snakemake reads it from one word; without a number of entries it is an error."""
    main(["run", "--sample", "50", "--sample-by", "weight"])
    config = executed[executed.index("--config") + 1 :]
    assert config == ['sample={"entries": 50, "by": "weight"}', 'run="embedded-50-by-weight"']
    assert main(["run", "--sample-by", "weight"]) == 1
    assert "--sample-by needs the number of entries: --sample N." in capsys.readouterr().err


def test_a_fresh_run_has_its_own_journal_and_name(executed: list[str]) -> None:
    """`--fresh` is a setting of the config; the derived name is that of another run."""
    main(["run", "-m", "a", "--fresh"])
    assert executed[executed.index("--config") + 1 :] == ['models=["a"]', 'journal="run"', 'run="a-fresh"']


def test_steps_call_this_environment(executed: list[str]) -> None:
    """Its folder of programs comes first on PATH, before that of another environment."""
    main(["run"])
    assert executed[0] == sys.executable
    assert os.environ["PATH"] == f"{Path(sys.executable).parent}{os.pathsep}/elsewhere/bin"


def test_nothing_given_is_the_configured_run(
    executed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without options Snakemake gets no config."""
    main(["run"])
    assert "--config" not in executed
    assert "Run " not in capsys.readouterr().err


def test_what_follows_two_dashes_is_snakemakes(executed: list[str]) -> None:
    """Targets and options, in their order."""
    main(["run", "--cores", "2", "--", "results/x/report.html", "--config", "run=x"])
    assert executed[-4:] == ["2", "results/x/report.html", "--config", "run=x"]
