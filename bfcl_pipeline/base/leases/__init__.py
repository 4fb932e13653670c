"""Leases: exclusive rights of one process among processes on machines that only share a file system."""

from bfcl_pipeline.base.leases.holder import (
    Holder,
    LeaseState,
    LeaseTiming,
    Liveness,
    LivenessMonitor,
    read_holder,
    read_lease,
)
from bfcl_pipeline.base.leases.lease import LEASE_TIMING, Lease

__all__ = [
    "LEASE_TIMING",
    "Holder",
    "Lease",
    "LeaseState",
    "LeaseTiming",
    "Liveness",
    "LivenessMonitor",
    "read_holder",
    "read_lease",
]
