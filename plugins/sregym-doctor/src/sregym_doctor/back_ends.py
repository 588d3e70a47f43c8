"""Which faults can be injected on a node, and by which back ends: found by trial."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_core.cli import cluster_choice
from sregym_core.errors import UsageError
from sregym_core.interfaces import BackEnd, ClusterSpec, NodeAccess

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.api import Workspace
    from sregym_core.model import NodeSetting


NONE = "none"


@dataclass(frozen=True)
class Row:
    """A fault on a node.

    Attributes:
        fault: Its name.
        setting: What it sets: `system-call read`.
        back_ends: All that are about such things, best first.
        told: The same as text, with the numbers of reasons.
    """

    fault: str
    setting: str
    back_ends: tuple[BackEnd, ...]
    told: str = ""

    @property
    def works(self) -> bool:
        """Whether one of them does."""
        return any(not one.why_not for one in self.back_ends)

    def as_data(self) -> dict[str, Any]:
        """As JSON."""
        found = [
            {"name": one.name, "works": not one.why_not, "why_not": one.why_not}
            for one in self.back_ends
        ]
        return {"fault": self.fault, "sets": self.setting, "works": self.works, "back_ends": found}


def on_node(workspace: Workspace, cluster: str, node: str) -> tuple[str, tuple[Row, ...]]:
    """Try all faults that set something on nodes.

    Args:
        workspace: Gives faults and clusters.
        cluster: As behind `--cluster`; the default one stands for this machine when no node is named.
        node: Its name; empty for this machine, or the first node of a cluster.

    Returns:
        The node's name, and a row for each fault, sorted by name.

    Raises:
        UsageError: There is no such node, or no access to it.
    """
    factory = workspace.factory
    access = _access(workspace, cluster, node)
    names = [one.name for one in access.nodes()]
    if (node or names[0]) not in names:
        msg = f"there is no node {node!r}; there are: {', '.join(names)}"
        raise UsageError(msg)
    name = node or names[0]
    faults = sorted(factory.registry.names("fault"))
    asked = [
        (fault, setting) for fault in faults for setting in factory.fault(fault).settings_on(name)
    ]
    found = access.back_ends(name, [setting for _, setting in asked])
    rows = [
        Row(fault, _told(setting), ways or (BackEnd(NONE, _lacking(setting)),))
        for (fault, setting), ways in zip(asked, found, strict=True)
    ]
    numbers = {reason: number for number, reason in enumerate(reasons(rows), start=1)}
    return name, tuple(replace(row, told=", ".join(_cells(row, numbers))) for row in rows)


def reasons(rows: Sequence[Row]) -> tuple[str, ...]:
    """Each reason once, in order."""
    return tuple(dict.fromkeys(one.why_not for row in rows for one in row.back_ends if one.why_not))


def _access(workspace: Workspace, cluster: str, node: str) -> NodeAccess:
    factory = workspace.factory
    name, options = cluster_choice(cluster)
    provider = factory.provider(name)
    if not node and provider.simulated and not options:
        for other in factory.registry.names("cluster"):
            access = factory.provider(other).this_machine()
            if access is not None:
                return access
        msg = "no plugin reaches this machine; install sregym-cluster-kubernetes"
        raise UsageError(msg)
    found = provider.provision(ClusterSpec(options=options)).nodes
    if found is None:
        msg = f"--cluster {cluster} gives no access to its nodes; see its option 'nodes'"
        raise UsageError(msg)
    return found


def _told(setting: NodeSetting) -> str:
    words = (str(getattr(setting, "what", "")), *(str(getattr(setting, key, "")) for key in _WHICH))
    return " ".join(word for word in words if word)


# What tells settings of a kind apart, for people.
_WHICH = ("call", "trouble", "daemon", "table", "resource", "field")


def _lacking(setting: NodeSetting) -> str:
    return f"no back end here is for {setting.capability}"


def _cells(row: Row, numbers: dict[str, int]) -> Iterator[str]:
    for one in row.back_ends:
        no = "" if one.name == NONE else "no "
        yield f"{no}{one.name} [{numbers[one.why_not]}]" if one.why_not else one.name
