"""From verdicts to tables, the official CSV files and one HTML page.

`report.aggregate_run` writes the tables of a run, `report.page` the page. The arithmetic of the
leaderboard is `bfcl_pipeline.scoring.aggregate`. Nothing is re-exported here: the command that prints
a table must not load what the others need.
"""
