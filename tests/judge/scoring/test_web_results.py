"""Where an acceptable answer stands in the results of web tools."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.judge.scoring.web_results import MOST_READ, Place, places, result_failed

HIT = {
    "title": "Han Kang - Wikipedia",
    "href": "https://en.wikipedia.org/wiki/Dong-Sup_Yoon",
    "body": "70 floors",
}


def page(text: str) -> str:
    return json.dumps({"content": text})


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["han kang"], {Place.TITLE}),
        (["Dong-Sup Yoon"], {Place.ADDRESS}),
        (["nobody", "70"], {Place.SNIPPET}),
        (["Kang Wikipedia"], {Place.TITLE}),
        (["Han", "yoon", "floors"], {Place.TITLE, Place.ADDRESS, Place.SNIPPET}),
        (["7"], set()),
        (["an Kang"], set()),
        ([], set()),
        ([".,-"], set()),
    ],
)
def test_the_parts_of_a_search_result(answers: list[str], expected: set[Place]) -> None:
    """Whole words in order count, in any case and with any punctuation between them."""
    assert places(str([HIT]), answers) == expected


def test_escapes_of_an_address_are_read() -> None:
    """A name with an accent stands in an address in which it is escaped."""
    hit = {"title": "", "href": "https://a.example/Andr%C3%A9_Weil"}
    assert places(str([hit]), ["André Weil"]) == {Place.ADDRESS}


@pytest.mark.parametrize("answer", ["1234567", "1,234,567", "1234,567"])
def test_commas_in_numbers_do_not_matter(answer: str) -> None:
    """A number is found with and without commas between its digits."""
    assert places(page("There are 1,234,567 of them."), [answer]) == {Place.PAGE}


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        (page("70"), False),
        (str([HIT]), False),
        ("[]", False),
        (json.dumps({"error": "403 Client Error: 70"}), True),
        ("Error during execution: 70", True),
        ("[not a literal", True),
        ("", True),
        ("{" * 100_000, True),
    ],
)
def test_an_error_has_no_place(result: str, failed: bool) -> None:
    """An error is distinguished from a result, and an answer in it does not count."""
    assert result_failed(result) is failed
    assert bool(places(result, ["70"])) is (result in (page("70"), str([HIT])))


def test_a_page_is_read_up_to_its_bound() -> None:
    """An answer at the start of a huge page is found, one beyond the bound is not."""
    assert places(page("70 " + "x " * MOST_READ), ["70"]) == {Place.PAGE}
    assert places(page("x " * MOST_READ + "70"), ["70"]) == frozenset()
    assert not result_failed(page("x " * MOST_READ))
