"""What is recorded of a server that the pipeline starts: its command, variables and packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bfcl_pipeline.runs.provenance.machine import (
    recorded_command,
    recorded_environment,
    without_directories,
)
from bfcl_pipeline.runs.provenance.software import installed_packages, packages_of, python_of


def test_a_command_has_no_address_and_no_directories() -> None:
    """Two starts of a server with the same options have one record, and it names no user."""
    command = [
        "/home/me/venv/bin/python",
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        "/data/me/tiny",
        "--served-model-name",
        "/data/me/tiny",
        "--host",
        "10.0.0.7",
        "--port",
        "41234",
        "--port=1",
        "--dtype",
        "bfloat16",
        "--chat-template=../mine/t.jinja",
        "--revision",
        "main",
    ]
    assert " ".join(recorded_command(command)) == (
        "python -m vllm.entrypoints.openai.api_server --model tiny --served-model-name tiny "
        "--dtype bfloat16 --chat-template=t.jinja --revision main"
    )


def test_values_of_options_that_name_keys_are_redacted() -> None:
    """Options about tokens of texts are not secrets."""
    command = "vllm serve m --api-key abc --hf-token=def --max-num-batched-tokens 8192"
    assert list(recorded_command(command.split(" "))) == [
        *("vllm", "serve", "m", "--api-key", "SCRUBBED", "--hf-token=SCRUBBED"),
        *("--max-num-batched-tokens", "8192"),
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("org/model", "org/model"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("/a/b/c", "c"),
        ("~/b/c", "c"),
        ("~me/b/c", "c"),
        ("./c", "c"),
        ('{"path":"/home/me/x.json","n":1}', '{"path":"x.json","n":1}'),
        ("name=/home/me/lora", "name=lora"),
        ("a:/home/me/lora", "a:lora"),
        ("1/2", "1/2"),
    ],
)
def test_only_the_last_part_of_a_local_path_is_kept(text: str, kept: str) -> None:
    """Names on the hub and addresses stay."""
    assert without_directories(text) == kept


def test_variables_that_may_change_answers_are_recorded() -> None:
    """Keys, addresses, paths, and variables of other programs are not."""
    environment = {
        "VLLM_BATCH_INVARIANT": "1",
        "VLLM_ATTENTION_BACKEND": "FLASH_ATTN",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        "VLLM_API_KEY": "secret-secret",
        "VLLM_HOST_IP": "10.0.0.7",
        "VLLM_CACHE_ROOT": "/home/me/.cache",
        "VLLM_SOMETHING": "/home/me/x",
        "HOME": "/home/me",
    }
    assert recorded_environment(environment) == {
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        "VLLM_ATTENTION_BACKEND": "FLASH_ATTN",
        "VLLM_BATCH_INVARIANT": "1",
    }


def fake_python(folder: Path, script: str) -> str:
    """A program in the place of a server's Python."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_another_python_names_its_packages() -> None:
    """The same versions as in its process."""
    found = packages_of(sys.executable)
    assert found["python"] == installed_packages()["python"]
    assert found.get("numpy") == installed_packages(("numpy",)).get("numpy")


def test_only_known_packages_and_texts_are_taken(tmp_path: Path) -> None:
    """A program that prints something else cannot fill the record."""
    printed = '{"vllm": "0.31.0", "torch": 2, "other": "1", "python": "3.12.1"}'
    assert packages_of(fake_python(tmp_path, f"echo '{printed}'")) == {"vllm": "0.31.0", "python": "3.12.1"}


@pytest.mark.parametrize("script", ["exit 1", "echo [1]", "echo '{'", "exec tail -f /dev/null"])
def test_a_python_that_does_not_answer_names_none(tmp_path: Path, script: str) -> None:
    """The server is started all the same."""
    assert packages_of(fake_python(tmp_path, script), seconds=0.3) == {}
    assert packages_of(str(tmp_path / "none")) == {}


def test_the_python_of_a_script_is_in_its_first_line(tmp_path: Path) -> None:
    """`vllm` on PATH is such a script."""
    script = tmp_path / "vllm"
    script.write_text(f"#!{sys.executable}\nimport vllm\n")
    assert python_of((str(script), "serve")) == sys.executable
    assert python_of(("/x/python", "-m", "vllm")) == "/x/python"
    script.write_text("#!/nowhere/python\n")
    assert python_of((str(script), "serve")) is None
    script.write_bytes(b"\x7fELF\xff")
    assert python_of((str(script), "serve")) is None
