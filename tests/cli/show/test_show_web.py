"""`bfcl-pipeline show` on web questions: the hop chain, and what searches and fetches returned."""

from __future__ import annotations

import json

from bfcl_pipeline.benchmark.records import Mode, Response

QUESTION = "web_search_base_5"


def answer(*steps, web="simulated"):
    """A native answer with these steps."""
    return Response(QUESTION, "web_search_base", Mode.FC, json.dumps([steps]), web=web)


def test_the_hop_chain_is_printed_with_answers_and_sources(show):
    """Each hop is followed by its answer and the address of the page that has it."""
    text = show(QUESTION)
    assert (
        "hop 1    What is the city that received the most international tourists in 2024?\n"
        "answer   Bangkok\n"
        "source   https://en.wikipedia.org/wiki/List_of_cities_by_international_visitors\n"
        "hop 2    What is the tallest building in Bangkok?\n"
    ) in text


def test_searches_and_fetches_have_what_they_returned(show, oracle):
    """Hits are numbered, with title, address and snippet on lines of their own; a page is its text."""
    text = show(QUESTION, oracle(QUESTION))
    assert "step 1   > search_engine_query(" in text
    assert (
        "\n         1 List of cities by international visitors - en.wikipedia.org\n           https://"
        in text
    )
    assert "> fetch_url_content(url=" in text
    assert "This page is simulated" in text
    assert "not recorded" not in text
    assert text.endswith("valid  official rules, right\n")


def test_results_of_a_live_web_are_said_to_be_missing(show):
    """Calls are printed with a note instead of a result."""
    text = show(QUESTION, answer([{"search_engine_query": '{"keywords": "tea"}'}], "70", web="live"))
    assert (
        "step 1   > search_engine_query(keywords='tea')\n"
        "         (result not recorded: The web of this answer is not recorded.)\n"
        "step 2   70\n"
    ) in text


def test_verdicts_that_differ_are_printed_together(show):
    """The rule sets that refuse an answer share one verdict before that of the chosen rules."""
    text = show(QUESTION, answer("The answer is 70."))
    assert (
        "\n\ninvalid  agentic:answer_not_found  (corrected and verified rules, no answer form)\n"
        "         Expected exactly '70', got no `answer` field.\n"
        "\nvalid  official rules, right\n"
    ) in text


def test_a_final_answer_is_not_called_a_broken_call(show):
    """A text in the form of final answers has no note that it cannot be read as calls."""
    prompted = Response(
        QUESTION,
        "web_search_base",
        Mode.PROMPT,
        json.dumps([["{'answer': '70', 'context': 'the tower (in Bangkok)'}"]]),
        web="simulated",
    )
    assert "no call" not in show(QUESTION, prompted, model="org/some")
