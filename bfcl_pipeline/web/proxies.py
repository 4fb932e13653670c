"""The proxy of searches and fetches: that of the environment, a configured one, or none."""
