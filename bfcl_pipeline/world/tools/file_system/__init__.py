"""The simulated file system."""
