"""Bundles of runs for others, and a static site of the archives of many runs, each verified."""
