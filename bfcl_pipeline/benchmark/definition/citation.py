"""How to cite the benchmark and this software, as BibTeX entries.

CITATION.cff and README.md of the repository have the same.
"""

BENCHMARK_BIBTEX = """\
@inproceedings{patil2025bfcl,
  title     = {The {Berkeley} {Function} {Calling} {Leaderboard} ({BFCL}): From Tool Use to Agentic
               Evaluation of Large Language Models},
  author    = {Patil, Shishir G. and Mao, Huanzhi and Yan, Fanjia and Ji, Charlie Cheng-Jie and
               Suresh, Vishnu and Stoica, Ion and Gonzalez, Joseph E.},
  booktitle = {Proceedings of the 42nd International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {267},
  pages     = {48371--48392},
  publisher = {PMLR},
  year      = {2025},
  url       = {https://proceedings.mlr.press/v267/patil25a.html}
}"""
"""The paper on the benchmark."""

SOFTWARE_BIBTEX = """\
@software{bfcl_pipeline,
  title   = {bfcl\\_pipeline: an offline-reproducible evaluation pipeline for the Berkeley Function-Calling
             Leaderboard V4},
  author  = {{bfcl\\_pipeline contributors}},
  year    = {2026},
  license = {Apache-2.0}
}"""
"""This pipeline; a paper states its version, which is on every page and in every archive."""
