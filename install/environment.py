"""Installs the project and its pinned packages into a virtual environment: with uv, else with pip.

    python3 install/environment.py .venv [--group test] [--extra litellm]

The environment is created if it does not exist. uv is used from PATH, else fetched from pip's index for
this call; it is given what pip is configured with (pip.conf, PIP_ variables). What fails with uv is tried
again with pip.

TORCH_INDEX_URL: the index with PyTorch's build for processors; empty: pip's own index, which on PyPI has
the build for NVIDIA GPUs. Not set: on Linux PyTorch's index, unless pip is configured with an index.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCK = PROJECT / "requirements.lock"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
OWN_INDEX = ("index-url", "extra-index-url", "find-links", "no-index")
"""Settings of pip that name where packages come from."""

_PIP_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")

UV_VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
}
"""uv's variable for each setting of pip; a variable that is set already keeps its value."""


def main() -> None:
    """Installs what the arguments name. Ends with the installer's exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036  # whoever calls it
        sys.exit("Python 3.11 or newer is needed: make PYTHON=...")
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--group", nargs="+", default=[], help="dependency groups of pyproject.toml")
    parser.add_argument("--extra", nargs="+", default=[], help="extras of the project")
    parser.add_argument(
        "--wheel", type=Path, help="install this wheel of the project instead of the checkout"
    )
    options = parser.parse_args()
    python = options.folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(options.folder)], check=True)
    settings = pip_settings(python)
    project = str(options.wheel or PROJECT) + (f"[{','.join(options.extra)}]" if options.extra else "")
    wanted = ["--constraint", str(LOCK), *requirements(options.group)]
    wanted += [project] if options.wheel else ["--editable", project]
    with tempfile.TemporaryDirectory() as temporary:
        uv = shutil.which("uv") or fetched_uv(python, Path(temporary), settings)
        for step in (*torch(settings), wanted):
            install(python, step, uv, settings)


def torch(settings: dict[str, str]) -> list[list[str]]:
    """PyTorch comes first and alone: with others, it may be a build that is gigabytes larger."""
    index = torch_index(settings)
    pinned = re.search(r"^torch==\S+", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    return [["--no-deps", str(pinned and pinned[0]), *(["--index-url", index] if index else [])]]


def torch_index(settings: dict[str, str]) -> str:
    """The index of PyTorch's build for processors; empty if pip's own index is used."""
    if "TORCH_INDEX_URL" in os.environ:
        return os.environ["TORCH_INDEX_URL"]
    own = not settings.keys().isdisjoint(OWN_INDEX)
    return TORCH_INDEX if sys.platform == "linux" and not own else ""


def requirements(groups: list[str]) -> list[str]:
    """The requirements of dependency groups."""
    import tomllib  # from Python 3.11

    with (PROJECT / "pyproject.toml").open("rb") as file:
        known = tomllib.load(file)["dependency-groups"]
    return [line for group in groups for line in known[group]]


def pip_settings(python: Path) -> dict[str, str]:
    """pip's settings for `pip install` by name; variables override files."""
    command = [str(python), "-m", "pip", "config", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for section, name, value in re.findall(r"(?m)^([^\s=]+)\.([a-z-]+)='(.*)'$", done.stdout):
        found.get(section, {})[name] = value.replace("\\n", " ").strip()
    settings = found["global"] | found["install"] | found[":env:"]
    return {name: value for name, value in settings.items() if value}


def uv_environment(settings: dict[str, str]) -> dict[str, str]:
    """The environment of uv: the same indexes, certificates and limits as pip's."""
    environment = dict(os.environ)
    for name, variable in UV_VARIABLES.items():
        if name in settings:
            value = settings[name]
            environment.setdefault(variable, ",".join(value.split()) if name == "find-links" else value)
    return environment


def fetched_uv(python: Path, folder: Path, settings: dict[str, str]) -> str | None:
    """uv, installed into a temporary folder; None if pip's index does not have it."""
    if "no-index" in settings:
        return None
    command = [str(python), *_PIP_INSTALL, "--retries", "1", "--target", str(folder), "uv"]
    done = subprocess.run(command, capture_output=True, check=False)
    return str(folder / "bin/uv") if done.returncode == 0 else None


def install(python: Path, words: list[str], uv: str | None, settings: dict[str, str]) -> None:
    """Installs what `words` name. Ends this program if neither uv nor pip can."""
    if uv is not None:
        # As pip does, uv then chooses the best version of all indexes.
        options = ["--quiet", "--no-sources", "--index-strategy", "unsafe-best-match"]
        command = [uv, "pip", "install", "--python", str(python), *options, *words]
        if subprocess.run(command, env=uv_environment(settings), cwd=PROJECT, check=False).returncode == 0:
            return
        print("uv failed; trying again with pip.", file=sys.stderr)
    done = subprocess.run([str(python), *_PIP_INSTALL, "--no-compile", *words], cwd=PROJECT, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
