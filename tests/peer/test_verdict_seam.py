"""The verdict seam: our verdicts equal the official ones, output by output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Mode, NameStyle
from tests.peer.peer import printed_under, require_peer
from tests.peer.recorded import Seam
from tests.peer.variants import cases
from tests.peer.verdict_seam import compared, our_verdicts

SINGLE_TURN = tuple(name for name in V4_CATEGORIES if CATEGORIES[name].single_turn)

RETIRED = ("sql", "chatable")
"""Categories of V1 whose checkers the official package still has; it does not run them itself."""

OFFICIAL_ERROR_TYPES = {
    "ast_decoder:decoder_failed",
    "ast_decoder:decoder_wrong_output_format",
    "irrelevance_error:decoder_success",
    "multiple_function_checker:wrong_count",
    "parallel_function_checker_no_order:cannot_find_match",
    "parallel_function_checker_no_order:wrong_count",
    "relevance_error:decoder_failed",
    "simple_function_checker:missing_optional",
    "simple_function_checker:missing_required",
    "simple_function_checker:unexpected_param",
    "simple_function_checker:wrong_count",
    "simple_function_checker:wrong_func_name",
    "type_error:java",
    "type_error:js",
    "type_error:nested",
    "type_error:simple",
    "value_error:dict_key",
    "value_error:dict_value",
    "value_error:list/tuple",
    "value_error:list_dict_count",
    "value_error:others",
    "value_error:string",
}
"""Every error_type that the official single-turn checkers can give on the release's entries."""


@pytest.mark.parametrize(
    ("name", "categories", "kinds", "most"),
    [
        ("verdicts", SINGLE_TURN, OFFICIAL_ERROR_TYPES, 150_000),
        ("verdicts_retired", RETIRED, {"type_error:nested", "irrelevance_error:decoder_success"}, 5_000),
    ],
)
def test_verdicts_on_variants_equal_the_official_ones(
    name: str,
    categories: Sequence[str],
    kinds: set[str],
    most: int,
    entries: Callable[[str], list[Entry]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On variants of every single-turn entry, valid and error_type are the official ones."""
    require_peer()
    asked = [entry for category in categories for entry in entries(category)]
    generated = list(cases(asked))
    ours = our_verdicts(asked, generated)
    seam = Seam(name, "verdict_reference", block=1_000)
    with capsys.disabled():
        official = seam.answers([asdict(case) for case in generated], ours, tmp_path)
        comparison = compared("verdict seam", generated, official, ours)
        print(comparison.summary())
    comparison.check()
    assert {"valid", *kinds} <= set(comparison.kinds)
    assert comparison.compared >= most


def test_variants_do_not_depend_on_the_process(entries: Callable[[str], list[Entry]], staged: Path) -> None:
    """The same seed gives the same variants under another hash seed, and another seed gives others."""
    script = (
        "import hashlib, sys\nfrom pathlib import Path\nfrom tests.peer.variants import cases\n"
        "from bfcl_pipeline.benchmark.tables import entries_path, read_entries\n"
        "paths = [entries_path(Path(sys.argv[1]), c) for c in ('simple_java', 'live_parallel')]\n"
        "asked = [entry for path in paths for entry in read_entries(path)[:16]]\n"
        "texts = (case.result_json for case in cases(asked, int(sys.argv[2])))\n"
        "print(hashlib.sha256('\\n'.join(texts).encode()).hexdigest())\n"
    )

    digest = partial(printed_under, script, staged)
    assert digest("1", "0") == digest("2", "0")
    assert digest("1", "0") != digest("1", "1")


def test_every_single_turn_entry_has_variants_in_each_of_its_modes(
    entries: Callable[[str], list[Entry]],
) -> None:
    """No entry is left out, and each has cases in every mode and name style that it has."""
    for category in ("simple_javascript", "live_relevance", "live_parallel"):
        kinds = {(c.entry_id, c.mode, c.name_style) for c in cases(entries(category))}
        assert len(kinds) == 4 * len(entries(category))
    restated = list(cases(entries("format_sensitivity")[:26]))
    assert {(c.mode, c.name_style) for c in restated} == {(Mode.PROMPT, NameStyle.DOTTED)}
    assert len({c.entry_id for c in restated}) == 26
