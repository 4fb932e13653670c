"""`bfcl-pipeline gate`."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import write_table
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.cli import main
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks, write_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Three nights of two models: equal to the baseline, and a loss of a quarter in one of them."""
    folder = tmp_path_factory.mktemp("nights")
    equal = MadeUpModel("m", {"multiple": marks(150, 50)})
    other = MadeUpModel("n", {"multiple": marks(200)})
    worse = MadeUpModel("n", {"multiple": marks(150, 50)})
    nights = {"baseline": [equal, other], "good": [equal, other], "bad": [equal, worse]}
    return {name: str(write_run(folder / name, models)) for name, models in nights.items()}


def gate(runs: dict[str, str], night: str, *more: str) -> int:
    """The exit status for a night."""
    return main(["gate", runs[night], "--against", runs["baseline"], "--category", "multiple", *more])


@pytest.mark.parametrize(
    ("night", "more", "status", "begins"),
    [
        ("good", "--no-worse 2", 0, "pass: "),
        ("bad", "--no-worse 2", 1, "fail: bad:n minus baseline:n on multiple is -25.00 points"),
        ("bad", "--no-worse 2 --model m", 0, "pass: "),
        ("bad", "--no-worse 2 --model n", 1, "fail: "),
        ("bad:n", "--no-worse 2", 1, "fail: "),
        # a margin that the entries cannot show
        ("good", "--no-worse 0.1", 1, "fail: undecided, "),
        ("good", "--no-worse 0.1 --undecided pass", 0, "pass: undecided, "),
    ],
)
def test_a_night_is_decided_in_one_line(
    night: str,
    more: str,
    status: int,
    begins: str,
    runs: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By all models that are chosen: exit status 0 if the run is no worse, else 1."""
    folder, _, model = night.partition(":")
    run, baseline = (f"{runs[name]}:{model}".removesuffix(":") for name in (folder, "baseline"))
    words = ["gate", run, "--against", baseline, "--category", "multiple", *more.split()]
    assert main(words) == status
    printed = capsys.readouterr().out
    assert printed.startswith(begins)
    assert printed.count("\n") == 1


def test_the_decision_is_written_as_json(
    runs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The outcome and the numbers of every score; without trials, nothing is known of flaky entries."""
    out = tmp_path / "gate.json"
    assert gate(runs, "bad", "--no-worse", "2", "--json", str(out)) == 1
    printed = capsys.readouterr().out
    assert printed.endswith("; of all 2 differences: 1 fail, 1 pass\n")
    assert "flaky" not in printed
    found = json.loads(out.read_text())
    assert (found["passes"], found["decision"], found["margin"]) == (False, "fail", 0.02)
    keys = ("model", "decision", "difference", "only_second_flaky")
    assert [[each[key] for key in keys] for each in found["scores"]] == [
        ["bad:m", "pass", 0.0, None],
        ["bad:n", "fail", -0.25, None],
    ]


def test_models_that_only_the_baseline_has_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate is not passed in silence because a model was dropped."""
    both = [MadeUpModel(name, {"multiple": marks(200)}) for name in ("m", "n", "o")]
    baseline, night = made_up_tables(tmp_path / "old", both), made_up_tables(tmp_path / "new", both[:2])
    arguments = ["gate", str(night), "--against", str(baseline), "--no-worse", "3"]
    arguments += ["--category", "multiple"]
    assert main(arguments) == 0
    assert capsys.readouterr().err == "Not in the run, so not decided on: o.\n"
    assert main([*arguments, "--model", "m"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("missing", "more", "status", "said"),
    [
        (1, [], 0, "1 entry without a verdict left out"),
        (10, [], 1, "entries without a verdict could turn it (--omitted worst); 10 entries without"),
        (10, ["--undecided", "pass"], 0, "pass: undecided, new minus old on multiple is 0.00 points"),
        (10, ["--omitted", "worst"], 1, "new minus old on multiple is -5.00 points"),
        (1, ["--omitted", "worst"], 0, "1 entry without a verdict counted against the run"),
    ],
)
def test_entries_without_a_verdict_do_not_hide_a_loss(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    missing: int,
    more: list[str],
    status: int,
    said: str,
) -> None:
    """They are named; it is undecided where they could turn the decision, and they may count as wrong."""
    new, old = Marks([True] * (200 - missing) + [None] * missing), marks(200)
    run = write_run(
        tmp_path, [MadeUpModel("new", {"multiple": new}), MadeUpModel("old", {"multiple": old})]
    )
    arguments = ["--no-worse", "4", "--category", "multiple", *more]
    assert main(["gate", f"{run}:new", "--against", f"{run}:old", *arguments]) == status
    assert said in capsys.readouterr().out


def test_one_function_doc_does_not_pass_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs that agree on nearly all pass if no function doc has more of the entries than the margin."""
    for name, docs in (("one", [0] * 60 + list(range(1, 141))), ("many", list(range(200)))):
        ids = [f"live_simple_{number}-{doc}-0" for number, doc in enumerate(docs)]
        for side, wrong in (("new", 100), ("old", 150)):
            rows = [
                {"run": "r", "model": "m", "category": "live_simple", "entry_id": entry, "mode": "fc"}
                | {"rules": "official", "valid": number != wrong, "status": Status.ANSWERED.value}
                for number, entry in enumerate(ids)
            ]
            table = pa.Table.from_pylist(rows, schema=VERDICTS)
            write_table(tmp_path / name / side / "verdicts" / "m.parquet", table)
    arguments = ["--no-worse", "15", "--category", "live_simple"]
    found = [
        main(["gate", str(tmp_path / name / "new"), "--against", str(tmp_path / name / "old"), *arguments])
        for name in ("one", "many")
    ]
    assert found == [1, 0]
    assert "in one function doc or scenario, may be missing" in capsys.readouterr().out


def test_lost_entries_that_are_flaky_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of three entries that only the baseline has right differ among the trials of a run."""
    baseline = made_up_tables(tmp_path / "baseline", [MadeUpModel("m", {"multiple": marks(200)})])
    first, second = Marks([False] * 3 + [True] * 197), Marks([False] + [True] * 199)
    trials = [MadeUpModel("m", {"multiple": first}), MadeUpModel("m~2", {"multiple": second})]
    night = made_up_tables(tmp_path / "night", trials)
    out = tmp_path / "gate.json"
    arguments = ["--no-worse", "10", "--category", "multiple", "--json", str(out)]
    assert main(["gate", f"{night}:m", "--against", str(baseline), *arguments]) == 0
    printed = capsys.readouterr().out
    assert "; of 3 entries that only the baseline has right, 2 flaky in trials" in printed
    assert printed.count("\n") == 1
    assert json.loads(out.read_text())["scores"][0]["only_second_flaky"] == 2


def test_the_mean_of_trials_decides_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each trial alone is a decision of its own; with --trials there is one, with a narrower interval."""
    lost_first, lost_second = ([False] * 4 + [True] * 196, [True] * 196 + [False] * 4)
    trials = [
        MadeUpModel("m", {"multiple": Marks(lost_first)}),
        MadeUpModel("m~2", {"multiple": Marks(lost_second)}),
    ]
    night = write_run(tmp_path / "night", trials)
    baseline = write_run(
        tmp_path / "baseline", [MadeUpModel(name, {"multiple": marks(200)}) for name in ("m", "m~2")]
    )
    out = tmp_path / "gate.json"
    arguments = ["gate", str(night), "--against", str(baseline), "--no-worse", "4"]
    arguments += ["--category", "multiple", "--json", str(out)]
    assert main(arguments) == 1
    each = json.loads(out.read_text())["scores"]
    assert capsys.readouterr().out.endswith("; of all 2 differences: 2 undecided\n")
    assert main([*arguments, "--trials"]) == 0
    (mean,) = json.loads(out.read_text())["scores"]
    assert capsys.readouterr().out.startswith(
        "pass: night:m (2 trials) minus baseline:m (2 trials) on multiple is -2.00 points"
    )
    assert mean["difference"] == each[0]["difference"] == each[1]["difference"]
    assert mean["ci_low"] > each[0]["ci_low"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{good} --against {baseline} --no-worse 2", "no verdicts on a part of overall"),
        ("{good} --against {baseline} --no-worse 2 --category parallel", "no verdicts on parallel"),
        ("{good} --against {good} --no-worse 2", "are the same"),
        ("{good} --against {baseline} --no-worse -1", "--no-worse: expected 0 to 100"),
        ("{good} --against {baseline} --no-worse nan", "--no-worse: expected 0 to 100"),
        ("{good} --against nowhere --no-worse 2", "no run 'nowhere'"),
        ("{good} --against {baseline} --no-worse 2 --model x", "unknown model 'x'"),
        ("{good} --against {baseline} --no-worse 2 --category x", "unknown score 'x'"),
        ("{good}:m --against {baseline}:x --no-worse 2", "unknown model 'x'"),
    ],
)
def test_unusable_input_has_its_own_status(
    runs: dict[str, str], words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and one line: a nightly job can tell a broken gate from a regression."""
    assert main(["gate", *words.format(**runs).split()]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_trials_of_the_same_exchanges_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each trial alone, and their mean; an entry counts whose exchanges are the same in every trial."""
    seconds = {
        name: [0.1 + place + index for index in range(200)] for place, name in enumerate(("m", "m~2"))
    }

    def night(name: str) -> str:
        trials = [
            MadeUpModel(model, {"multiple": marks(200)}, latencies={"multiple": latencies})
            for model, latencies in seconds.items()
        ]
        return str(write_run(tmp_path / name, trials))

    baseline, same = night("baseline"), night("same")
    seconds["m~2"][0] = 0.2
    other = night("other")
    arguments = ["--against", baseline, "--no-worse", "4", "--category", "multiple"]
    for more in ([], ["--trials"]):
        assert main(["gate", same, *arguments, *more]) == 2
        assert "all 200 pairs are the same exchange" in capsys.readouterr().err
    assert main(["gate", other, *arguments, "--trials"]) == 0
    assert "; 199 pairs are the same exchange, from a journal" in capsys.readouterr().out
    assert main(["gate", other, *arguments]) == 2


def test_what_both_have_is_decided_and_what_is_missing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that lacks a category and entries is refused with the way on, which weighs what is there."""
    baseline = {"multiple": marks(200), "parallel": marks(200), "simple_java": marks(100)}
    whole = write_run(tmp_path / "old", [MadeUpModel("m", baseline)])
    part = {"multiple": marks(140, 20), "simple_java": marks(100)}
    run = write_run(tmp_path / "new", [MadeUpModel("m", part)])
    out = tmp_path / "gate.json"
    arguments = ["gate", str(run), "--against", str(whole), "--no-worse", "3", "--json", str(out)]
    assert main([*arguments, "--category", "non_live"]) == 2
    assert "only old:m has parallel. Use --common" in capsys.readouterr().err
    assert main([*arguments, "--category", "non_live", "--common"]) == 1
    printed = capsys.readouterr().out
    assert "non_live is -9.38 points" in printed  # 0 and -12.5, whose weights are 1/12 and 1/4
    assert "without simple_python, simple_javascript, parallel, parallel_multiple, which" in printed
    assert "; 240 entries of one side only left out" in printed
    (group,) = json.loads(out.read_text())["scores"]
    assert group["entries_of_one_side"] == 240
    assert group["categories_not_on_both_sides"][2:] == ["parallel", "parallel_multiple"]


@pytest.mark.parametrize("undecided", ["fail", "pass"])
def test_ci_gets_a_case_for_each_model_and_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], undecided: str
) -> None:
    """JUnit and Markdown say of each what the line says of the worst; no name is read as markup."""
    names = ["good", "<b>&\x1b[31m|", "new"]
    nights = [marks(200), marks(150, 50), marks(196, 4)]
    both = [MadeUpModel(name, {"multiple": night}) for name, night in zip(names, nights, strict=True)]
    old = [MadeUpModel(name, {"multiple": marks(200)}) for name in names]
    runs = [str(write_run(tmp_path / name, models)) for name, models in (("n", both), ("o", old))]
    report, summary = tmp_path / "gate.xml", tmp_path / "gate.md"
    options = ["--no-worse", "3", "--category", "multiple", "--undecided", undecided]
    options += ["--junit", str(report), "--markdown", str(summary)]
    assert main(["gate", runs[0], "--against", runs[1], *options]) == 1
    suite = ElementTree.parse(report).getroot()
    cases = {
        case.get("classname", ""): [(child.tag, child.get("type")) for child in case] for case in suite
    }
    skipped = [("skipped", None)] if undecided == "pass" else [("failure", "undecided")]
    assert list(cases.values()) == [[("failure", "fail")], [("system-out", None)], skipped]
    assert suite.attrib["failures"] == ("1" if undecided == "pass" else "2")
    assert "\x1b" not in report.read_text() + summary.read_text()
    lines = summary.read_text().splitlines()
    assert lines[0].startswith("fail: ")
    assert sum(line.startswith("| ") for line in lines) == 5
    assert "\\<b\\>\\&" in summary.read_text()
    assert capsys.readouterr().out.startswith("fail: ")
