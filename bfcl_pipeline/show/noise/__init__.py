"""How much equal runs differ, and the smallest set of entries that shows a loss.

`records` has what is known of entries, `sentinel` chooses them and decides on them, `mlperf` is a preset,
`noise` measures equal runs. docs/noise.md explains them.
"""
