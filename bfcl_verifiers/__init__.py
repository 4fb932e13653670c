"""The environment of `bfcl_pipeline` under a name that verifiers can import: vf-eval bfcl-verifiers."""

from bfcl_pipeline.environments.verifiers_tasks import BfclEnv, BfclHarness, BfclTaskset

__all__ = ["BfclEnv", "BfclHarness", "BfclTaskset"]
