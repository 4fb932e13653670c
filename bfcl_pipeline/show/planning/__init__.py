"""Plans of runs: which sample has a wanted precision, and what it takes of each model. Pure."""
