"""Whether the cassettes of a web cache prove its outcomes."""

from bfcl_pipeline.web.check import check_cache


def test_every_kind_of_outcome_is_proven(recorded):
    """Searches, pages, failures and answers of APIs are derived from their cassettes, retries included."""
    check = check_cache(recorded.cache)
    assert (check.contradictions, check.undecided, check.missing, check.damaged, check.unused) == ([],) * 5
    assert (check.proven, check.unsent) == (len(recorded.keys) - 1, 1)
