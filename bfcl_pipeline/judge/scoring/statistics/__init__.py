"""Statistics of verdicts: arrays in, numbers out.

`clustered` has the intervals of accuracies and composites, `paired` the comparison of two models on the
same entries, `power` the differences that a design can show, `scenarios` how much memory depends on single
ones. docs/statistics.md derives the formulas.
"""
