"""The official scorer as a second judge of an archive: run in an environment of its own, and compared."""
