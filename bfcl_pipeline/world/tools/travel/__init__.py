"""The simulated travel agency."""
