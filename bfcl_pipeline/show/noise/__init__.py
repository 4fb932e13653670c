"""How much equal runs differ, and the smallest set of entries that shows a loss (docs/noise.md)."""
