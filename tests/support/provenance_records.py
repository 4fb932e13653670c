"""Records of what made answers, for tests."""

from __future__ import annotations

from bfcl_pipeline.runs.provenance import Gpu, ModelFiles, Pipeline, Provenance, ServerRecord
from bfcl_pipeline.runs.provenance.document import MachineRecord

H200 = Gpu("NVIDIA H200", 151_000_000_000, "580.95.05")


def record(vllm: str = "0.31.0") -> Provenance:
    """A record of a model that vLLM serves."""
    return Provenance(
        Pipeline("0.11.0", "0" * 40, changed=False),
        {"python": "3.11.16", "pyarrow": "22.0.0"},
        MachineRecord("Linux x86_64, glibc 2.36", "a processor", (H200,)),
        ModelFiles("sha256:" + "1" * 64, None, {"model.safetensors": "2" * 64}, "sha256:" + "3" * 64),
        ServerRecord(
            "vllm", vllm, {"vllm": vllm, "torch": "2.9.0"}, ("vllm", "serve", "tiny"), {}, (H200,)
        ),
    )
