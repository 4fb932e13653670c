"""The simulated file system."""

from bfcl_pipeline.world.tools.file_system.api import GorillaFileSystem

__all__ = ["GorillaFileSystem"]
