"""Leases: exclusive rights of one process among processes on machines that only share a file system."""

from bfcl_pipeline.base.leases.holder import (
    Holder,
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
    "LeaseTiming",
    "Liveness",
    "LivenessMonitor",
    "read_holder",
    "read_lease",
]
