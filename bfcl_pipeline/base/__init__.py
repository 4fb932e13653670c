"""The ground floor: files, text, secrets, processes, errors, leases. Nothing here knows the benchmark."""

__version__ = "0.1.0"
