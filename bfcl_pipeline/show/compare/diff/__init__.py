"""What two runs differ in, from their settings to their verdicts, and where each conversation parts.

`settings` compares what runs were made with, `conversations` reads what was asked and answered, `parting`
finds the first difference of an entry, `difference` puts all together and writes it; `text` prints
it. Nothing is sent or fetched.
"""
