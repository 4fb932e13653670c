"""install/environment.py: what it takes from pip's configuration, and where PyTorch comes from."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support import ROOT


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("environment", ROOT / "install/environment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pip_conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip's only configuration, empty."""
    file = tmp_path / "pip.conf"
    file.touch()
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "CERT", "TRUSTED_HOST", "NO_INDEX"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "SSL_CERT_FILE", "TORCH_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    return file


def test_uv_is_given_pips_configuration(
    script: ModuleType, pip_conf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files and variables, several indexes, folders and the certificates; variables override files."""
    pip_conf.write_text(
        "[global]\nindex-url = https://a.invalid/simple\ncert = /ca.pem\n"
        "extra-index-url =\n    https://b.invalid/simple\n    https://c.invalid/simple\n"
        "[install]\ntrusted-host = b.invalid\n[download]\nno-index = true\n"
    )
    monkeypatch.setenv("PIP_INDEX_URL", "https://d.invalid/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "/one /two")
    given = script.uv_environment(script.pip_settings(Path(sys.executable)))
    assert {name: given.get(name) for name in script.UV_VARIABLES.values()} == {
        "UV_DEFAULT_INDEX": "https://d.invalid/simple",
        "UV_INDEX": "https://b.invalid/simple https://c.invalid/simple",
        "UV_FIND_LINKS": "/one,/two",
        "UV_NO_INDEX": None,
        "UV_INSECURE_HOST": "b.invalid",
        "SSL_CERT_FILE": "/ca.pem",
        "SSL_CLIENT_CERT": None,
        "ALL_PROXY": given.get("ALL_PROXY"),
        "UV_HTTP_TIMEOUT": given.get("UV_HTTP_TIMEOUT"),
    }


def test_uvs_own_variables_win(script: ModuleType, pip_conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has configured uv keeps that."""
    pip_conf.write_text("[global]\nindex-url = https://a.invalid/simple\n")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mine.invalid/simple")
    settings = script.pip_settings(Path(sys.executable))
    assert script.uv_environment(settings)["UV_DEFAULT_INDEX"] == "https://mine.invalid/simple"


@pytest.mark.usefixtures("pip_conf")
def test_pytorch_is_the_build_for_processors(
    script: ModuleType, pip_conf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From PyTorch's index on Linux; from the user's own, if there is one; the variable decides."""
    monkeypatch.setattr(sys, "platform", "linux")
    python = Path(sys.executable)
    assert script.torch_index(script.pip_settings(python)) == script.TORCH_INDEX
    pip_conf.write_text("[global]\nextra-index-url = https://a.invalid/simple\n")
    assert script.torch_index(script.pip_settings(python)) == ""
    monkeypatch.setenv("TORCH_INDEX_URL", "https://gpu.invalid")
    assert script.torch_index(script.pip_settings(python)) == "https://gpu.invalid"
    monkeypatch.delenv("TORCH_INDEX_URL")
    pip_conf.write_text("")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert script.torch_index(script.pip_settings(python)) == ""


def test_groups_are_those_of_the_project(script: ModuleType) -> None:
    """The requirements of several groups, in their order."""
    names = script.requirements(["plot", "test"])
    assert names[0].startswith("matplotlib")
    assert any(name.startswith("pytest>=") for name in names)
