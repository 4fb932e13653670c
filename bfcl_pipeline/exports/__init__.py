"""The results of a run in forms that other programs read: tables for papers, files of other frameworks.

`exports.forms` has the list of forms, one module each; `exports.export_run` writes one of them. Result folders
of the official tool are exported by `official.export_results`.
"""
