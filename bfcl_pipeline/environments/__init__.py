"""The benchmark as an environment in which agents are trained and tested. A wing."""
