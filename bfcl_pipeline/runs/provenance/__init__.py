"""What made an answer, noted when it is made: software, machine, weights, server. docs/provenance.md."""

from bfcl_pipeline.runs.provenance.document import (
    MOST_BYTES,
    Gpu,
    MachineRecord,
    ModelFiles,
    Pipeline,
    Provenance,
    ServerRecord,
)
from bfcl_pipeline.runs.provenance.store import (
    BESIDE_LOG,
    FOLDER,
    TEMPLATE_BESIDE_LOG,
    provenance_path,
    provenances_in,
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
    "provenances_in",
    "read_provenance",
    "write_provenance",
]
