"""Journaled changes of nodes: settings, and commands on hosts with the command that undoes them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import Command, node_access
from sregym_core.model import GroundTruth, Node, name_of

from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import CommandResult, FaultContext, NodeAccess
    from sregym_core.interfaces.nodes import S
    from sregym_core.model import Change, NodeSetting

# From which the pod that an engineer enters a node with is made; every cluster can pull it.
DEBUG_IMAGE = "busybox:1.36"


class NodeEdits:
    """Changes of nodes in one injection; how each thing was goes into the journal before.

    Later changes of the same thing add no entry, as with `Edits`.
    """

    def __init__(self, context: FaultContext) -> None:
        self._context = context
        self._saved: list[str] = []

    @property
    def access(self) -> NodeAccess:
        """The access to the cluster's nodes."""
        return node_access(
            self._context.cluster, whose=f"a fault on {name_of(self._context.target)}"
        )

    def apply(self, setting: NodeSetting) -> None:
        """Make a thing on a node so."""
        if setting.key not in self._saved:
            self._context.journal.node_setting(self.access.read(setting))
            self._saved.append(setting.key)
        self.access.apply(setting)

    def run(
        self, node: str, argv: Sequence[str], undo: Sequence[str], stdin: str = ""
    ) -> CommandResult:
        """Run a command with side effects on a host.

        Args:
            node: Where.
            argv: The command.
            undo: What makes it as it was; must be harmless when nothing was done, or repeated.
            stdin: What the command reads.

        Raises:
            NodeError: The command failed.
        """
        self._context.journal.node_command(node, undo)
        return read_from_node(self._context, node, argv, stdin)


def read_from_node(
    context: FaultContext, node: str, argv: Sequence[str], stdin: str = ""
) -> CommandResult:
    """Run a read-only command on the host of a node.

    Raises:
        NodeError: The command failed.
    """
    result = node_access(context.cluster).run(node, argv, stdin)
    if not result.ok:
        said = (result.stderr or result.stdout).strip()
        msg = f"on node {node!r} {' '.join(argv)!r} ended with {result.exit_code}: {said}"
        raise NodeError(msg)
    return result


def current(context: FaultContext, setting: S) -> S:
    """How a thing on a node is now."""
    return node_access(context.cluster).read(setting)


def repairs(
    context: FaultContext, settings: Sequence[NodeSetting], usual: Sequence[Sequence[str]]
) -> tuple[Sequence[str], ...]:
    """Commands on the host that make things as they were: as the access defines, else the usual ones.

    Args:
        context: Gives the cluster.
        settings: What the fault has set.
        usual: What undoes them on machines of which the access knows no more.
    """
    access = context.cluster.nodes
    told = [argv for one in settings for argv in access.repairs(one)] if access else []
    return tuple(dict.fromkeys(map(tuple, told or usual)))


def on_host(context: FaultContext, argv: Sequence[str]) -> Command:
    """The kubectl command by which an engineer runs a command on the node, as root.

    The pod for it is made in a namespace of the application: elsewhere agents may make none.
    """
    return host_command(context, context.node.name, argv)


def host_command(context: FaultContext, node: str, argv: Sequence[str]) -> Command:
    """The same on a node of the cluster that need not be the target."""
    return _entered(context, node, argv)


def from_another_node(context: FaultContext, argv: Sequence[str]) -> Command:
    """The same by way of another node and `ssh`: on a node in need no pod comes up, or stays.

    A kubelet that is short of a resource evicts the pod that it was entered with, and one that does
    not run starts none. Where there is no other node, the node itself is entered.
    """
    name = context.node.name
    others = (node.name for node in node_access(context.cluster).nodes() if node.name != name)
    other = next(others, "")
    if not other:
        return on_host(context, argv)
    return _entered(context, other, ("ssh", "-o", "BatchMode=yes", name, shlex.join(argv)))


def on_another_node(context: FaultContext, argv: Sequence[str]) -> Command:
    """The command that runs on a node that is not the target, since nothing runs there.

    Raises:
        NodeError: There is no other node.
    """
    name = context.node.name
    other = next(
        (node.name for node in node_access(context.cluster).nodes() if node.name != name), ""
    )
    if not other:
        msg = f"nothing can be run beside node {name!r}: the cluster has no other node"
        raise NodeError(msg)
    return _entered(context, other, argv)


def _entered(context: FaultContext, node: str, argv: Sequence[str]) -> Command:
    place = ("-n", context.application.namespaces[0])
    pod = (f"--image={DEBUG_IMAGE}", "--profile=sysadmin", "--attach", "--quiet")
    head = ("kubectl", "debug", f"node/{node}", *place, *pod)
    return Command((*head, "--", "chroot", "/host", *argv))


def truth_on_node(
    context: FaultContext, mechanism: str, phrases: Sequence[str], changed: Change, *symptoms: str
) -> GroundTruth:
    """Ground truth of a defect of a node; workloads there are affected, nearest first.

    Args:
        context: Gives the node, and the component because of which it was chosen.
        mechanism: One word of the vocabulary: `packet-loss`.
        phrases: Other ways to say the mechanism.
        changed: What was changed, from what, to what.
        symptoms: What users may see besides failing operations.
    """
    node: Node = context.node
    component = node.component
    name = node.name or str(node)
    truth = GroundTruth(
        component=name,
        kind="Node",
        object_name=name,
        namespace="",
        mechanism=mechanism,
        mechanism_phrases=tuple(phrases),
        changed=changed,
        impact_phrases=symptoms,
    )
    if component is None:
        return truth
    sufferers = (component.name, *scope.affected(context.application, component))
    return truth.model_copy(
        update={
            "affected": sufferers,
            "impact": scope.impact(component),
            "impact_phrases": (*scope.impact_phrases(component), *symptoms),
        }
    )
