"""A reference that answers without the official package, for the tests of recorded answers.

    python -m tests.peer.echo_reference QUESTIONS ANSWERS

A question has a number; an answer is its `double`, and an `apart` that no other side has for 7.
"""

from tests.peer.reference_process import answer_questions

if __name__ == "__main__":
    answer_questions(lambda row: {"double": 2 * row["number"], "apart": row["number"] == 7})
