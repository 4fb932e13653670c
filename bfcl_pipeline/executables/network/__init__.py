"""The 19 functions that ask web APIs, by name: each has the request that it makes and reads the answer."""

from bfcl_pipeline.executables.network.function import NetworkFunction

NETWORK_FUNCTIONS: dict[str, NetworkFunction] = {}
"""Every function that uses the network."""

__all__ = ["NETWORK_FUNCTIONS", "NetworkFunction"]
