"""Two models, or two runs, compared on the entries that both have: differences, intervals, tests, gates.

`sides` reads verdicts, `flaky` the entries whose verdict differs among trials, `compare` computes,
`tables` and `text` render, `gate` decides. The statistics are `scoring.statistics`; docs/statistics.md
explains them.
"""
