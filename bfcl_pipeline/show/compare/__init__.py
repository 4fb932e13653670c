"""Two models, or two runs, compared on the entries that both have: differences, intervals, tests, gates.

`sides` and `trials` read verdicts, `settings` what runs were made with, `compare` computes, `questions`
joins web questions, `gate` decides; `text`, `question_forms` and `tables` render. The statistics are
`scoring.statistics`; docs/statistics.md explains them.
"""
