"""Faults of whole machines, a row each."""

from __future__ import annotations

from sregym_injectors.node_faults import Row

# The management board of a machine, asked from any other.
BOARD = ("ipmitool", "-I", "lanplus", "-H", "{node}-bmc", "-U", "admin", "-f", "/etc/ipmi.secret")
MACHINES = (
    Row(
        name="node-power-off",
        title="A machine is switched off",
        layer="hardware",
        setting={"what": "power", "node": "{node}", "on": False},
        actor="a power distribution unit of which one outlet is switched off",
        mechanism="power-lost",
        phrases=(
            "machine lost its power",
            "machine is off",
            "node is powered off",
            "node lost its power",
            "power failure",
            "chassis power is off",
            "node is down",
            "host is down",
            "machine is dark",
        ),
        symptom="the node is NotReady, and what can only run there is away",
        what="power of the machine",
        before="on",
        after="off",
        repair=((*BOARD, "chassis", "power", "on"),),
        runs="datastore",  # what keeps no data restarts elsewhere, unnoticed by users
        pressure="Ready",
        enter="beside",
    ),
)
