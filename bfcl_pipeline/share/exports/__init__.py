"""The results of a run in forms that other programs read: tables for papers, files of other frameworks.

`exports.forms` has the list of forms, a module each, and `export_run`, which writes one of them. Result
folders of the official tool are exported by `official.export_results`.
"""
