"""References to container images, split into what the metadata states."""

from __future__ import annotations

import pytest

from bfcl_pipeline.share.archive.crate_terms import image_properties

SHA256 = "ab" * 32


@pytest.mark.parametrize(
    ("reference", "stated"),
    [
        (
            f"docker://registry.example/people/image:1.0@sha256:{SHA256}",
            {"registry": "registry.example", "name": "people/image", "tag": "1.0", "sha256": SHA256},
        ),
        ("docker://localhost:5000/image", {"registry": "localhost:5000", "name": "image"}),
        ("docker://localhost/image:x", {"registry": "localhost", "name": "image", "tag": "x"}),
        (f"docker://people/image@sha256:{SHA256}", {"name": "people/image", "sha256": SHA256}),
        ("docker://python:3.12", {"name": "python", "tag": "3.12"}),
        ("containers/bfcl-pipeline.sif", {"name": "containers/bfcl-pipeline.sif"}),
    ],
)
def test_a_reference_is_split_into_its_parts(reference: str, stated: dict[str, str]) -> None:
    """Registry, name, tag and sha256, as far as it has them; without a host, the registry of Docker."""
    properties = image_properties(reference)
    docker = reference.startswith("docker://")
    kind = properties.pop("additionalType")["@id"]
    assert kind.endswith("#DockerImage" if docker else "#SIFImage")
    assert properties == ({"registry": "docker.io"} if docker else {}) | stated
