"""From verdicts to tables, the official CSV files and one HTML page.

`report.tables` writes the tables of a run, `report.page` the page, `report.terminal` prints the V4 table.
Nothing is re-exported here: the command that prints the table must not load the libraries of the others.
"""
