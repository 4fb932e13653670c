"""Two models, or two runs, compared on the entries that both have: differences, intervals, tests, gates.

`sides` reads verdicts, `compare` computes, `tables` and `text` render, `gate` decides. The statistics are
`scoring.statistics`; docs/statistics.md explains them.
"""
