"""Faults that are settings of nodes, one row each: what is set, how it is known, how it is repaired.

A setting is written as `sregym_core.model.parse_setting` reads it, with `{node}` for the one
that is chosen, and `{cores}` for its processors. Commands of a repair run on its host as root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import FailureMode
from sregym_injectors.node_faults import Row

from sregym_injector_node.machines import MACHINES

if TYPE_CHECKING:
    from collections.abc import Mapping


_FROM_NODE: dict[str, Any] = {"source": {"node": "{node}"}}
_TO_NODE: dict[str, Any] = {"target": {"node": "{node}"}}
LOADS = (
    Row(
        name="node-cpu-taken",
        title="Processors of a node are taken by a neighbour",
        layer="os",
        setting={"what": "cpu", "node": "{node}", "cores": "{cores}"},
        actor="a nightly job on the host that compresses with all processors and does not end",
        mechanism="noisy-neighbour",
        phrases=(
            "processors are busy with a host process",
            "cpu is taken by a process on the node",
            "noisy neighbour",
            "node is out of cpu",
            "cpu contention",
            "high load on the node",
            "cpu exhaustion",
        ),
        symptom="requests through the node take long and time out",
        what="processors of the node",
        before="idle for the most part",
        after="busy with xz",
        repair=(("pkill", "-x", "xz"),),
        modes=(FailureMode.SLOW,),
    ),
)
_NO_QDISC = (("tc", "qdisc", "del", "dev", "eth0", "root"),)


def _daemon(daemon: str, state: str) -> dict[str, Any]:
    return {"what": "daemon", "node": "{node}", "daemon": daemon, "state": state}


def _link(ends: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    return {"what": "link", **ends, **values}


DAEMONS = (
    Row(
        name="node-kubelet-stopped",
        title="Kubelet of a node does not run",
        layer="os",
        setting=_daemon("kubelet", "stopped"),
        actor="a maintenance script that stops the unit and fails before its end",
        mechanism="kubelet-stopped",
        phrases=(
            "kubelet is stopped",
            "kubelet is not running",
            "node is not ready",
            "kubelet down",
        ),
        symptom="the node is NotReady and its pods lose their endpoints",
        what="kubelet.service",
        before="active",
        after="inactive",
        repair=(("systemctl", "start", "kubelet"),),
        pressure="Ready",
        enter="ssh",
    ),
    Row(
        name="node-kubelet-frozen",
        title="Kubelet of a node hangs",
        layer="os",
        setting=_daemon("kubelet", "frozen"),
        actor="a debugger or profiler that stops the process and is killed",
        mechanism="kubelet-frozen",
        phrases=(
            "kubelet hangs",
            "kubelet is frozen",
            "kubelet was stopped by SIGSTOP",
            "kubelet process is suspended",
        ),
        symptom="the node is NotReady although its kubelet's unit is active",
        what="process of the kubelet",
        before="running",
        after="stopped by SIGSTOP",
        repair=(("systemctl", "kill", "--signal=SIGCONT", "kubelet"),),
        pressure="Ready",
        enter="ssh",
    ),
    Row(
        name="node-runtime-stopped",
        title="Container runtime of a node does not run",
        layer="os",
        setting=_daemon("container-runtime", "stopped"),
        actor="an upgrade of a package that leaves the unit stopped",
        mechanism="container-runtime-stopped",
        phrases=(
            "container runtime is down",
            "containerd is stopped",
            "containerd is not running",
            "runtime not ready",
        ),
        symptom="the node is NotReady: container runtime is down",
        what="containerd.service",
        before="active",
        after="inactive",
        repair=(("systemctl", "start", "containerd"),),
        pressure="Ready",
        enter="ssh",
    ),
)
TABLES = (
    Row(
        name="node-conntrack-filled",
        title="Connection table of a node is full",
        layer="os",
        setting={"what": "kernel-table", "node": "{node}", "table": "conntrack", "taken": 262144},
        actor="a scan or flood through the node whose entries live for days",
        mechanism="conntrack-table-full",
        phrases=(
            "conntrack table is full",
            "connection tracking table is full",
            "table full, dropping packet",
        ),
        symptom="new connections from the node time out",
        what="connection tracking table",
        before="some hundred entries",
        after="262144 entries, all that it has room for",
        repair=(("conntrack", "-F"),),
        modes=(FailureMode.GRAY,),
    ),
    Row(
        name="node-disk-read-only",
        title="Root disk of a node is read-only",
        layer="hardware",
        setting={"what": "disk-read-only", "node": "{node}", "disk": "root", "read_only": True},
        actor="the kernel, after an error of the disk (errors=remount-ro)",
        mechanism="read-only-file-system",
        phrases=(
            "file system is read-only",
            "read-only file system",
            "disk is mounted read-only",
            "remounted read-only",
        ),
        symptom="whoever writes there fails with: Read-only file system",
        what="mount options of /",
        before="rw",
        after="ro",
        repair=(("mount", "-o", "remount,rw", "/"),),
        pressure="Ready",
        runs="datastore",
        enter="ssh",
    ),
)
LINKS = (
    Row(
        name="node-link-delay",
        title="Packets from a node come late",
        layer="network",
        setting=_link(_FROM_NODE, delay_ms=1500.0, jitter_ms=200.0),
        actor="a test of latency with tc whose end never came",
        mechanism="network-delay",
        phrases=(
            "network latency",
            "packets are delayed",
            "netem delay",
            "high latency on the node's interface",
        ),
        symptom="requests through the node time out",
        what="queueing discipline of eth0",
        before="fq_codel",
        after="netem delay 1500ms 200ms",
        repair=_NO_QDISC,
        modes=(FailureMode.SLOW,),
    ),
    Row(
        name="node-link-loss",
        title="Packets from a node are lost",
        layer="network",
        setting=_link(_FROM_NODE, loss=0.4),
        actor="a test of robustness with tc whose end never came",
        mechanism="packet-loss",
        phrases=("packet loss", "packets are dropped", "netem loss", "lossy network interface"),
        symptom="requests through the node time out",
        what="queueing discipline of eth0",
        before="fq_codel",
        after="netem loss 40%",
        repair=_NO_QDISC,
        modes=(
            FailureMode.GRAY,
            FailureMode.SLOW,
        ),
    ),
    Row(
        name="node-link-narrow",
        title="Bandwidth of a node is too small",
        layer="network",
        setting=_link(_FROM_NODE, rate_mbit=0.01),
        actor="a limit for backups in kbit that was meant in mbit",
        mechanism="bandwidth-limited",
        phrases=(
            "bandwidth is limited",
            "rate limit on the interface",
            "netem rate",
            "traffic shaping is too strict",
        ),
        symptom="requests through the node time out",
        what="queueing discipline of eth0",
        before="fq_codel",
        after="netem rate 10kbit",
        repair=_NO_QDISC,
        modes=(FailureMode.SLOW,),
    ),
)
_DROPPED = (
    "firewall rule drops packets",
    "iptables DROP rule",
    "packets are dropped by the node's firewall",
)
FILTERS = (
    Row(
        name="node-input-dropped",
        title="A node drops what is sent to it",
        layer="network",
        setting=_link(_TO_NODE, blocked="drop"),
        actor="a hardening script that adds a rule in front of all others",
        mechanism="packets-dropped",
        phrases=_DROPPED,
        symptom="connections to the node time out",
        what="chain INPUT of iptables",
        before="accepts packets of the cluster",
        after="drops all",
        repair=(("iptables", "-F", "INPUT"),),
    ),
    Row(
        name="node-output-dropped",
        title="A node drops what it sends",
        layer="network",
        setting=_link(_FROM_NODE, blocked="drop"),
        actor="a hardening script that adds a rule in front of all others",
        mechanism="packets-dropped",
        phrases=_DROPPED,
        symptom="connections from the node time out",
        what="chain OUTPUT of iptables",
        before="accepts packets of the cluster",
        after="drops all",
        repair=(("iptables", "-F", "OUTPUT"),),
    ),
    Row(
        name="node-cut-off",
        title="A node is cut off from all others",
        layer="network",
        setting=_link(_FROM_NODE, blocked="drop"),
        also=(_link(_TO_NODE, blocked="drop"),),
        actor="a switch on top of a rack that fails, or an access list in front of it",
        mechanism="network-partition",
        phrases=(
            *_DROPPED,
            "node is cut off from the network",
            "node is partitioned",
            "network partition",
            "top-of-rack switch has failed",
            "packets from and to the node are dropped",
        ),
        symptom="connections to the node and from it time out",
        what="chains INPUT and OUTPUT of iptables",
        before="accept packets of the cluster",
        after="drop all",
        repair=(("iptables", "-F", "OUTPUT"), ("iptables", "-F", "INPUT")),
    ),
    Row(
        name="node-input-rejected",
        title="A node refuses what is sent to it",
        layer="network",
        setting=_link(_TO_NODE, blocked="reject"),
        actor="a host firewall that is switched on with its defaults",
        mechanism="packets-rejected",
        phrases=(
            "firewall rule rejects packets",
            "iptables REJECT rule",
            "connections are refused by the node's firewall",
        ),
        symptom="connections to the node are refused",
        what="chain INPUT of iptables",
        before="accepts packets of the cluster",
        after="rejects all with icmp-port-unreachable",
        repair=(("iptables", "-F", "INPUT"),),
    ),
    Row(
        name="node-input-reset",
        title="A node resets connections to it",
        layer="network",
        setting=_link(_TO_NODE, blocked="reset"),
        actor="an intrusion prevention that takes a neighbour for an attacker",
        mechanism="connections-reset",
        phrases=("connections are reset", "reject-with tcp-reset", "firewall resets connections"),
        symptom="connections to the node are reset by peer",
        what="chain INPUT of iptables",
        before="accepts packets of the cluster",
        after="rejects all with tcp-reset",
        repair=(("iptables", "-F", "INPUT"),),
    ),
    Row(
        name="node-output-unreachable",
        title="A node finds no way to others",
        layer="network",
        setting=_link(_FROM_NODE, blocked="no-route"),
        actor="a cleanup of rules that leaves the rejecting one",
        mechanism="no-route-to-host",
        phrases=("no route to host", "host is unreachable", "network is unreachable from the node"),
        symptom="connections from the node fail with: no route to host",
        what="chain OUTPUT of iptables",
        before="accepts packets of the cluster",
        after="rejects all as unreachable",
        repair=(("iptables", "-F", "OUTPUT"),),
    ),
)
_CONFIG = "/var/lib/kubelet/config.yaml"


def _threshold(signal: str, value: str) -> dict[str, Any]:
    field = {"field": "evictionHard", "value": {signal: value}}
    return {"what": "kubelet-field", "node": "{node}", **field}


_WITHOUT_THRESHOLDS = (
    ("sed", "-i", "/^evictionHard:/,/^[^ ]/{/^evictionHard:/d;/^ /d}", _CONFIG),
    ("systemctl", "restart", "kubelet"),
)
_EVICTS = (
    "eviction threshold is too high",
    "evictionHard is misconfigured",
    "kubelet eviction threshold",
)
KUBELETS = (
    Row(
        name="node-disk-threshold",
        title="Kubelet of a node evicts although there is disk",
        layer="os",
        setting=_threshold("nodefs.available", "97%"),
        actor="a configuration management that takes the share to keep free for the share to use",
        mechanism="kubelet-eviction-threshold",
        phrases=(*_EVICTS, "nodefs.available threshold"),
        symptom="the node reports DiskPressure and evicts pods",
        what="evictionHard of the kubelet",
        before="10%",
        after="97%",
        repair=_WITHOUT_THRESHOLDS,
        runs="datastore",  # what keeps no data restarts elsewhere, unnoticed by users
        pressure="DiskPressure",
        enter="ssh",
    ),
    Row(
        name="node-memory-threshold",
        title="Kubelet of a node evicts although there is memory",
        layer="os",
        setting=_threshold("memory.available", "99%"),
        actor="a configuration management that takes the share to keep free for the share to use",
        mechanism="kubelet-eviction-threshold",
        phrases=(*_EVICTS, "memory.available threshold"),
        symptom="the node reports MemoryPressure and evicts pods",
        what="evictionHard of the kubelet",
        before="100Mi",
        after="99%",
        repair=_WITHOUT_THRESHOLDS,
        runs="datastore",  # what keeps no data restarts elsewhere, unnoticed by users
        pressure="MemoryPressure",
        enter="ssh",
    ),
)
ROWS = (*KUBELETS, *MACHINES, *LOADS, *DAEMONS, *TABLES, *LINKS, *FILTERS)
