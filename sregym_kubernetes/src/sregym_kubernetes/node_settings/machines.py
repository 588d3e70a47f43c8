"""Settings of machines: power, services of the node, links, clock, kubelet, registries; and all."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from sregym_core.model.base import Value
from sregym_core.model.node_setting import Capability, NodeSetting

from sregym_kubernetes.node_settings.disks import (
    DiskBadBlocks,
    DiskCorruption,
    DiskDelay,
    DiskErrors,
    DiskFill,
    DiskReadOnly,
    DiskUse,
)
from sregym_kubernetes.node_settings.kernel import (
    CpuUse,
    KernelTable,
    MemoryUse,
    NetworkUse,
    ProcessLimit,
    ProcessStop,
    ProcessTrouble,
    Sysctl,
    SystemCall,
)


class Power(NodeSetting):
    """Whether a machine runs."""

    capability: ClassVar[Capability] = Capability.POWER
    what: Literal["power"] = "power"
    node: str
    on: bool = True


DaemonName: TypeAlias = Literal["kubelet", "container-runtime", "network-plugin", "kube-proxy"]


class Daemon(NodeSetting):
    """A service of the node itself.

    Attributes:
        node: Where.
        daemon: Which.
        state: `running`, `stopped`, or `frozen` (SIGSTOP: the process is there and does nothing).
        delay_s: Seconds by which kube-proxy is late with new rules; 0 for all others.
    """

    capability: ClassVar[Capability] = Capability.DAEMONS
    identity: ClassVar[tuple[str, ...]] = ("node", "daemon")
    what: Literal["daemon"] = "daemon"
    node: str
    daemon: DaemonName
    state: Literal["running", "stopped", "frozen"] = "running"
    delay_s: float = Field(default=0.0, ge=0)


class Peer(Value):
    """Who a link begins or ends at, as NetworkPolicies choose peers; empty for all.

    Attributes:
        node: A machine, with all pods on it.
        namespace: Pods of this namespace.
        labels: Only those with these labels, also pods that come later.
        pod: Only the one of this name.
        cidr: Addresses.
    """

    node: str = ""
    namespace: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    pod: str = ""
    cidr: str = ""


class LinkState(NodeSetting):
    """What happens to packets from one end to another, in this direction only.

    Attributes:
        source: Where packets begin.
        target: Where they go.
        delay_ms: Each packet comes so much later.
        jitter_ms: Standard deviation of that.
        loss: Share of packets that are lost, 0 to 1.
        rate_mbit: Megabits a second; 0 for no limit.
        duplicated: Share of packets that are sent twice, 0 to 1; copies take their part of the rate.
        blocked: `drop` loses all packets, `reject` answers that the port is closed, `reset` ends
            connections, `no-route` answers that there is no way; empty lets packets pass.
    """

    capability: ClassVar[Capability] = Capability.LINKS
    identity: ClassVar[tuple[str, ...]] = ("source", "target")
    what: Literal["link"] = "link"
    source: Peer = Peer()
    target: Peer = Peer()
    delay_ms: float = Field(default=0.0, ge=0)
    jitter_ms: float = Field(default=0.0, ge=0)
    loss: float = Field(default=0.0, ge=0, le=1)
    rate_mbit: float = Field(default=0.0, ge=0)
    duplicated: float = Field(default=0.0, ge=0, le=1)
    blocked: Literal["", "drop", "reject", "reset", "no-route"] = ""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The ends that are nodes."""
        return tuple(peer.node for peer in (self.source, self.target) if peer.node)

    def reverse(self) -> LinkState:
        """The same for packets that go the other way."""
        return self.model_copy(update={"source": self.target, "target": self.source})


class NodeClock(NodeSetting):
    """How a node's clock goes.

    Attributes:
        node: Where.
        offset_s: Seconds by which it is ahead of true time at this moment; negative when behind.
        drift_ppm: Microseconds that it gains in each second from now on.
    """

    capability: ClassVar[Capability] = Capability.CLOCK
    what: Literal["clock"] = "clock"
    node: str
    offset_s: float = 0.0
    drift_ppm: float = 0.0


class KubeletField(NodeSetting):
    """A field of a node's KubeletConfiguration; the kubelet reads it when it starts.

    Attributes:
        node: Where.
        field: Path in the file: `maxPods`, `evictionHard.memory.available` is
            `evictionHard/memory.available`.
        value: As in the file; None when it does not stand there.
    """

    capability: ClassVar[Capability] = Capability.KUBELET_CONFIGURATION
    identity: ClassVar[tuple[str, ...]] = ("node", "field")
    what: Literal["kubelet-field"] = "kubelet-field"
    node: str
    field: str
    value: Any = None


class RegistryAccess(NodeSetting):
    """Whether nodes reach an image registry.

    Attributes:
        node: From where; empty for every node.
        host: Of the registry, as image references name it: `docker.io`.
        failure: `timeout`, `refused`, `no-such-host` or `certificate`; empty when it is reached.
    """

    capability: ClassVar[Capability] = Capability.REGISTRIES
    identity: ClassVar[tuple[str, ...]] = ("node", "host")
    what: Literal["registry"] = "registry"
    node: str = ""
    host: str
    failure: Literal["", "timeout", "refused", "no-such-host", "certificate"] = ""


AnyNodeSetting: TypeAlias = Annotated[
    Power
    | Daemon
    | LinkState
    | DiskFill
    | DiskReadOnly
    | DiskBadBlocks
    | DiskCorruption
    | DiskDelay
    | DiskErrors
    | DiskUse
    | NodeClock
    | Sysctl
    | KernelTable
    | MemoryUse
    | CpuUse
    | NetworkUse
    | ProcessLimit
    | SystemCall
    | ProcessStop
    | ProcessTrouble
    | KubeletField
    | RegistryAccess,
    Field(discriminator="what"),
]


def parse_setting(data: Any) -> NodeSetting:
    """A setting from what `model_dump` made of one."""
    setting: NodeSetting = _adapter().validate_python(data)
    return setting


@cache
def _adapter() -> TypeAdapter[Any]:
    """Made once: what it says of the types takes longer to work out than any value to read."""
    return TypeAdapter(AnyNodeSetting)
