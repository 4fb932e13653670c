"""What else differs between the model of an archive and the verifier's."""

from __future__ import annotations

from bfcl_pipeline.runs.making import Making, ProvenanceUse
from bfcl_pipeline.runs.provenance import MachineRecord, ModelFiles, Pipeline, Provenance, ServerRecord
from bfcl_pipeline.share.asked_again.own_model import different_surroundings


def made_by(server: ServerRecord, models: dict[str, int]) -> Making:
    pipeline, machine = Pipeline("1", None, changed=False), MachineRecord("Linux", "x")
    record = Provenance(pipeline, {}, machine, ModelFiles(), server)
    return Making((ProvenanceUse("0" * 64, record, 1, "", ""),), models, {}, 0)


def test_other_surroundings_are_reported() -> None:
    """Another version of the server, another variable, another model behind the same name."""
    theirs = ServerRecord("vllm", "0.31.0", environment={"VLLM_BATCH_INVARIANT": "1"})
    archived = made_by(theirs, {"chat-2026-01": 3})
    own = made_by(ServerRecord("vllm", "0.30.0"), {"chat-2026-02": 5})
    lines = list(different_surroundings(archived, own))
    assert lines[0] == "returned models is 'chat-2026-01' in the archive and 'chat-2026-02' in yours"
    assert "server.version is '0.31.0' in the archive and '0.30.0' in yours" in lines
    assert any("VLLM_BATCH_INVARIANT" in line for line in lines)
    assert list(different_surroundings(archived, archived)) == []
    assert list(different_surroundings(archived, Making((), {}, {}, 0))) == []
