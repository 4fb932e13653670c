"""Two models, or two runs, compared on the entries that both have: differences, intervals, tests, gates.

`sides` and `trials` read verdicts, `settings` what runs were made with, `aligned` finds the entries of
both sides, `compare` computes, `pairs` chooses what is compared, `gate` decides; `text` and `tables`
render. The statistics are `scoring.statistics`; docs/statistics.md explains them.
"""
