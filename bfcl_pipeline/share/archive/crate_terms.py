"""What is in the metadata of every archive: profiles, licence, citation, terms, and what an image is."""

from collections.abc import Mapping
from typing import Any

PROFILES: tuple[Mapping[str, str], ...] = tuple(
    {"@id": f"https://w3id.org/{path}/{version}", "@type": "CreativeWork", "name": name, "version": version}
    for path, name, version in (
        ("ro/wfrun/process", "Process Run Crate", "0.5"),
        ("ro/wfrun/workflow", "Workflow Run Crate", "0.5"),
        ("workflowhub/workflow-ro-crate", "Workflow RO-Crate", "1.0"),
    )
)
"""The profiles to which an archive conforms."""

LICENSE = "https://spdx.org/licenses/Apache-2.0"

APACHE: Mapping[str, str] = {
    "@id": LICENSE,
    "@type": "CreativeWork",
    "name": "Apache License 2.0",
    "description": "The licence of the pipeline and of its results. Answers of models and web pages are "
    "under the terms of their owners.",
}

PAPER_ID = "https://proceedings.mlr.press/v267/patil25a.html"

PAPER: Mapping[str, Any] = {
    "@type": "ScholarlyArticle",
    "name": "The Berkeley Function Calling Leaderboard (BFCL): From Tool Use to Agentic Evaluation of "
    "Large Language Models",
    "author": "Shishir G. Patil, Huanzhi Mao, Fanjia Yan, Charlie Cheng-Jie Ji, Vishnu Suresh, Ion Stoica, "
    "Joseph E. Gonzalez",
    "isPartOf": "Proceedings of the 42nd International Conference on Machine Learning (ICML 2025), PMLR "
    "267",
    "pagination": "48371-48392",
    "datePublished": "2025",
}
"""What to cite for the benchmark."""

BENCHMARK_URL = "https://gorilla.cs.berkeley.edu/leaderboard.html"

ENCODER_URL = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"

SOFTWARE: Mapping[str, Mapping[str, str]] = {
    "bfcl-pipeline": {"description": "generates responses, scores and tabulates them"},
    "snakemake": {"description": "runs the workflow", "url": "https://snakemake.readthedocs.io"},
    "python": {"description": "runs both", "url": "https://www.python.org"},
    "pyarrow": {"description": "writes the tables", "url": "https://arrow.apache.org/docs/python"},
    "polars": {"description": "aggregates the verdicts", "url": "https://pola.rs"},
    "faiss-cpu": {"description": "searches the vector memory", "url": "https://faiss.ai"},
    "sentence-transformers": {
        "description": "encodes the texts of the vector memory",
        "url": "https://sbert.net",
    },
    "torch": {"description": "runs the encoder", "url": "https://pytorch.org"},
    "transformers": {
        "description": "has the architecture of the encoder",
        "url": "https://huggingface.co/docs/transformers",
    },
}
"""The purpose of each piece of software, and its address, by which the metadata identifies it."""

TERMS: Mapping[str, str] = {
    name: f"https://w3id.org/ro/terms/workflow-run#{name}"
    for name in ("ContainerImage", "DockerImage", "SIFImage", "registry", "sha256", "tag")
}
"""Terms that the JSON-LD context of RO-Crate 1.1 lacks."""

ENCODINGS: Mapping[str, str] = {
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
    "png": "image/png",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "yaml": "application/yaml",
    "md": "text/markdown",
    "py": "text/x-python",
    "vectors": "application/octet-stream",
}
"""Media types by file name extension; all other files are plain text."""

_DOCKER = "docker://"
_DEFAULT_REGISTRY = "docker.io"  # of a name without a host, by the convention of Docker


def image_properties(reference: str) -> dict[str, Any]:
    """What a reference says: kind and name, and those of registry, tag and sha256 that it has."""
    if not reference.startswith(_DOCKER):
        return {"additionalType": {"@id": TERMS["SIFImage"]}, "name": reference}
    whole, _, sha256 = reference.removeprefix(_DOCKER).partition("@sha256:")
    host, slash, rest = whole.partition("/")
    if not slash or not (host == "localhost" or "." in host or ":" in host):
        host, rest = _DEFAULT_REGISTRY, whole
    name, _, tag = rest.partition(":")
    parts = {"name": name, "registry": host, "tag": tag, "sha256": sha256}
    return {
        "additionalType": {"@id": TERMS["DockerImage"]},
        **{key: part for key, part in parts.items() if part},
    }
