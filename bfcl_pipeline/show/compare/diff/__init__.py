"""What two runs differ in, from their settings to their verdicts, and where each conversation parts.

`opened` opens a run or an archive, `settings` compares what runs were made with, `conversations` reads what
was asked and answered, `parting` finds the first difference of an entry, `difference` puts all together;
`text`, `forms` and `side_by_side` print and write it. Nothing is sent or fetched.
"""
