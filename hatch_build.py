"""Adds the workflow, its profiles and the shipped config to wheels; in a checkout they stay at the top."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = (
    "LICENSE",
    "Snakefile",
    "requirements.lock",
    "requirements-vllm.lock",
    "workflow",
    "config/README.md",
    "config/config.yaml",
    "config/models.yaml",
    "config/official_models.yaml",
    "config/chat_templates",
    "config/experiments",
    "profiles/README.md",
    "profiles/default",
    "profiles/slurm",
)
"""Named one by one where the user's own files may stand beside them."""

FOLDER = "bfcl_pipeline/_project"


class CustomBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for each wheel; an editable one reads the files where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the files under FOLDER."""
        if version == "standard":
            build_data["force_include"] |= {name: f"{FOLDER}/{name}" for name in FILES}
