"""The undo journal: written before each step of a fault, replayed backwards on recovery."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.interfaces import node_access
from sregym_core.interfaces.injector import Journal
from sregym_core.model import ObjectRef, kind_of, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import FaultTarget, NodeSetting
    from sregym_core.sealing import Seal

# A kubelet holds a container that crashed back for up to five minutes; it starts and gets ready then.
READY_TIMEOUT_S = 600.0


class UndoJournal(Journal):
    """Undo steps in the order in which faults took their steps.

    Args:
        file: Where each entry is appended as a JSON line before the step is taken, so that
            another process could undo it; None keeps the entries in memory only.
        seal: By what the lines are sealed; None for plain ones.
    """

    def __init__(self, file: Path | None = None, seal: Seal | None = None) -> None:
        self.entries: list[dict[str, Any]] = []
        self._file = file
        self._seal = seal

    def take_over(self, entries: Sequence[dict[str, Any]]) -> None:
        """Add entries of another journal: those of a world of which this episode has a fork."""
        for entry in entries:
            self._append(entry)

    def restore(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Undo by giving the object this state again; None: by deleting it."""
        self._append({"op": "restore", "ref": ref.model_dump(), "before": before})

    def command(self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str) -> None:
        """Undo by running a command in a ready pod of the workload."""
        entry = {"namespace": namespace, "workload": workload.model_dump(), "argv": list(argv)}
        self._append({"op": "command", **entry, "stdin": stdin})

    def redact(self, ref: ObjectRef) -> None:
        """Keep a tool of the fault from the agent."""
        self._append({"op": "conceal", "ref": ref.model_dump()})

    def node_setting(self, before: NodeSetting) -> None:
        """Undo by making a thing on a node as it was."""
        self._append({"op": "node", "before": before.model_dump(mode="json")})

    def node_command(self, node: str, argv: Sequence[str], stdin: str = "") -> None:
        """Undo by running a command on a host."""
        entry = {"op": "host-command", "node": node, "argv": list(argv), "stdin": stdin}
        self._append(entry)

    def chosen(self, fault: str, asked: str, target: FaultTarget) -> None:
        """Which target was chosen for a fault whose problem leaves that to the seed."""
        entry = {"op": "chosen", "fault": fault, "asked": asked, "kind": kind_of(target)}
        self._append({**entry, "target": name_of(target)})

    @property
    def redacted(self) -> tuple[ObjectRef, ...]:
        """What is kept from the agent."""
        return tuple(
            ObjectRef(**entry["ref"]) for entry in self.entries if entry["op"] == "conceal"
        )

    def undo_nodes(self, cluster: Cluster) -> None:
        """Make nodes as they were, the last change first.

        Raises:
            WorldError: A node cannot be changed, or a command on it failed.
        """
        for entry in reversed(self.entries):
            if entry["op"] == "node":
                cluster.operations.set_node(entry["before"])
            elif entry["op"] == "host-command":
                _run_on_host(cluster, entry)

    def undo_objects(self, cluster: Cluster) -> None:
        """Give objects their former state, the last change first."""
        for entry in reversed(self.entries):
            if entry["op"] == "restore":
                cluster.operations.restore_object(ObjectRef(**entry["ref"]), entry["before"])

    def undo_commands(self, cluster: Cluster) -> None:
        """Run the undo commands, the last step first, each in a ready pod of its workload.

        Raises:
            WorldError: A command failed, or its workload did not get ready.
        """
        for entry in reversed(self.entries):
            if entry["op"] == "command":
                _run(cluster, entry)

    def _append(self, entry: dict[str, Any]) -> None:
        self.entries.append(entry)
        if self._file is not None:
            line = (json.dumps(entry, sort_keys=True) + "\n").encode()
            with self._file.open("ab") as stream:
                stream.write(line if self._seal is None else self._seal.line(line))


def _run_on_host(cluster: Cluster, entry: dict[str, Any]) -> None:
    node, argv = entry["node"], tuple(entry["argv"])
    result = node_access(cluster).run(node, argv, entry["stdin"])
    if not result.ok:
        said = (result.stderr or result.stdout).strip()
        msg = f"undoing on node {node!r} failed: {' '.join(argv)!r} ended with {result.exit_code}: {said}"
        raise WorldError(msg)


def _run(cluster: Cluster, entry: dict[str, Any]) -> None:
    workload = ObjectRef(**entry["workload"])
    namespace, argv = entry["namespace"], tuple(entry["argv"])
    last = ""

    def done() -> bool:
        nonlocal last
        result = cluster.operations.run_in(namespace, workload, argv, entry["stdin"])
        if result is None:
            last = f"no ready pod of {workload}"
            return False
        last = (result.stderr or result.stdout).strip()
        return result.ok

    if not cluster.clock.wait_until(done, READY_TIMEOUT_S, 5.0):
        msg = f"undoing in {workload} failed: {' '.join(argv)!r} did not succeed in {READY_TIMEOUT_S:g} s: {last}"
        raise WorldError(msg)
