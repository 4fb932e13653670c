"""What made an answer, noted when it is made: software, machine, weights, server. docs/provenance.md."""

from bfcl_pipeline.runs.provenance.document import (
    BESIDE_LOG,
    FOLDER,
    MOST_BYTES,
    TEMPLATE_BESIDE_LOG,
    Gpu,
    MachineRecord,
    ModelFiles,
    Pipeline,
    Provenance,
    ServerRecord,
    provenance_path,
    read_provenance,
    write_provenance,
)

__all__ = [
    "BESIDE_LOG",
    "FOLDER",
    "MOST_BYTES",
    "TEMPLATE_BESIDE_LOG",
    "Gpu",
    "MachineRecord",
    "ModelFiles",
    "Pipeline",
    "Provenance",
    "ServerRecord",
    "provenance_path",
    "read_provenance",
    "write_provenance",
]
