"""Container images in the metadata of an archive: the parts of a reference, by Workflow Run RO-Crate.

Covers images of a registry, `docker://REGISTRY/NAME:TAG@sha256:DIGEST`, and files, such as those of
`make sif`. Nothing is looked up.
"""

from typing import Any

from bfcl_pipeline.share.archive.crate_terms import TERMS

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
