"""The pinned release of the benchmark: its wheel, and the hash of its contents.

Source: the wheel bfcl-eval 2026.3.23 on the package index, built from upstream commit 6ea57973.
"""

DISTRIBUTION = "bfcl-eval"
VERSION = "2026.3.23"
SHA256 = "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a"
WHEEL = "bfcl_eval-2026.3.23-py3-none-any.whl"
UPSTREAM_COMMIT = "6ea57973"
CONTENTS_SHA256 = "3dfe9e48331cfb87026c831dc57988c532cbc38be6637f39f27af46cc9d12f54"
"""The sha256 of the `sha256sum` lines of all files that staging reads; checks an unpacked folder."""

_VERIFIED = "+verified."


def verified_version(contents: str) -> str:
    """The version of BFCL-Verified, the corrected release whose contents have this sha256."""
    return f"{VERSION}{_VERIFIED}{contents[:8]}"


V4 = "BFCL V4"


def benchmark_name(version: str) -> str:
    """The benchmark of which the release with this version gives the scores, for people."""
    return f"BFCL-Verified {version}" if _VERIFIED in version else V4
