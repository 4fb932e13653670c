"""Which hosts are asked, and which texts are keys."""

from __future__ import annotations

import pytest

from bfcl_pipeline.executables.apis import FUNCTION_HOSTS, HOSTS, PLACEHOLDERS
from bfcl_pipeline.web.api_access import KEY_OF_HOST, keys_in, missing_keys, secret_forms


def test_every_host_of_the_benchmark_is_asked_and_every_key_used() -> None:
    """No other host is, and no host receives a key that is not known."""
    assert set(KEY_OF_HOST) == {*HOSTS, *FUNCTION_HOSTS}
    assert {name for name in KEY_OF_HOST.values() if name} == set(PLACEHOLDERS)


@pytest.mark.parametrize(
    "text", ["", "   ", "short", "two words", "YOUR-OMDB-API-KEY", "line\nbreak", "kéy-0123", "k" * 501]
)
def test_a_text_that_cannot_be_a_key_counts_as_missing(text: str) -> None:
    """It is never sent."""
    environment = {"OMDB_API_KEY": text, "RAPID_API_KEY": " 0123456789 "}
    assert keys_in(environment) == {"RAPID_API_KEY": "0123456789"}
    assert "OMDB_API_KEY" in missing_keys(environment)
    assert "RAPID_API_KEY" not in missing_keys(environment)


def test_base64_of_a_key_is_a_secret() -> None:
    """It is redacted like the key itself."""
    assert secret_forms({"OMDB_API_KEY": "12345678"}) == ["12345678", "MTIzNDU2Nzg="]
