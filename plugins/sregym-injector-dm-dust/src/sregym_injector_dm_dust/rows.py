"""Tables of the device mapper below a node's file system, one row each."""

from __future__ import annotations

from sregym_core.model import FailureMode
from sregym_injectors.node_faults import Row

ROWS = (
    Row(
        name="disk-slow",
        title="Each access to the disk of a node takes long",
        layer="hardware",
        setting={"what": "disk-delay", "node": "{node}", "disk": "root", "delay_ms": 1500.0},
        actor="a rehearsal of slow storage that nobody has ended",
        mechanism="slow-disk",
        phrases=(
            "disk is slow",
            "bad disk",
            "slow disk I/O",
            "high disk latency",
            "disk accesses are delayed",
            "fail-slow disk",
            "dm-delay",
            "storage latency on the node",
        ),
        symptom="datastores on the node answer late and requests time out",
        what="device mapper table of the root disk",
        before="none",
        after="a delay for each access",
        repair=(("dmsetup", "remove", "vda1-delay"),),
        runs="datastore",
        modes=(FailureMode.SLOW,),
    ),
    Row(
        name="disk-flaky",
        title="A part of the accesses to the disk of a node fails",
        layer="hardware",
        setting={"what": "disk-errors", "node": "{node}", "disk": "root", "share": 0.5},
        actor="a rehearsal of failing storage that nobody has ended",
        mechanism="disk-io-errors",
        phrases=(
            "flaky disk",
            "bad disk",
            "intermittent disk errors",
            "intermittent I/O errors",
            "disk I/O errors",
            "input/output error",
            "failing disk",
            "dm-flakey",
            "reads and writes fail now and then",
        ),
        symptom="datastores on the node end or report Input/output error",
        what="device mapper table of the root disk",
        before="none",
        after="errors for a part of the accesses",
        repair=(("dmsetup", "remove", "vda1-flakey"),),
        runs="datastore",
        pressure="Ready",
        restarts=True,
        modes=(FailureMode.GRAY,),
    ),
)
