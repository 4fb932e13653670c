"""The simulated file system."""

from bfcl_pipeline.tools.file_system.api import GorillaFileSystem

__all__ = ["GorillaFileSystem"]
