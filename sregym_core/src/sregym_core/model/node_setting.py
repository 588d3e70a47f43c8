"""What can be set on a node: each setting says which thing it is about, and how that thing is.

A setting is a state, never an action: reading it gives how the thing is now, applying it makes the
thing so, and applying what was read before undoes a change. So one value serves faults, the journal,
the baseline and recovery. All of them are JSON.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Self

from sregym_core.model.base import Value

# What stands in a key where a field says nothing: it is about all of them.
_EVERY = "*"


class Capability(StrEnum):
    """What a cluster may let one do to its nodes; a fault names those that it needs."""

    COMMANDS = "node-commands"
    POWER = "node-power"
    DAEMONS = "node-daemons"
    LINKS = "network-links"
    DISK_FILL = "disk-fill"
    DISK_READ_ONLY = "disk-read-only"
    DISK_BAD_BLOCKS = "disk-bad-blocks"
    DISK_CORRUPTION = "disk-corruption"
    DISK_DELAY = "disk-delay"
    DISK_ERRORS = "disk-errors"
    DISK_USE = "disk-use"
    CLOCK = "node-clock"
    SYSCTLS = "sysctls"
    KERNEL_TABLES = "kernel-tables"
    MEMORY = "node-memory"
    CPU = "node-cpu"
    NETWORK_USE = "network-use"
    LIMITS = "process-limits"
    SYSCALLS = "system-calls"
    # Calls of the runtimes of programs: for memory (`mmap`, `mprotect`), threads, the time.
    RUNTIME_SYSCALLS = "runtime-system-calls"
    # Any other call beyond those of files and connections.
    EVERY_SYSCALL = "every-system-call"
    PROCESS_TROUBLES = "process-troubles"
    PROCESS_STOPS = "process-stops"
    KUBELET_CONFIGURATION = "kubelet-configuration"
    REGISTRIES = "registries"


class NodeSetting(Value):
    """One thing on a node, and how it is.

    Fields that say how it is have defaults that mean: as if untouched. A setting with
    these defaults is *neutral*; applying it removes what was set.

    Attributes:
        capability: What a cluster must have for it.
        identity: Fields that say which thing it is; two settings with the same ones contradict.
    """

    capability: ClassVar[Capability]
    identity: ClassVar[tuple[str, ...]] = ("node",)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes it is about; empty when that follows from elsewhere."""
        node = str(getattr(self, "node", ""))
        return (node,) if node else ()

    @property
    def key(self) -> str:
        """Which thing it is about, as text: the same for all settings of that thing."""
        own = self.model_dump(mode="json", include={*self.identity})
        words = [str(getattr(self, "what", "")), *(_text(own[name]) for name in self.identity)]
        return " ".join(words)

    def neutral(self) -> Self:
        """The setting of the same thing as if untouched."""
        return type(self)(**{name: getattr(self, name) for name in self.identity})

    @property
    def is_neutral(self) -> bool:
        """Whether the thing is untouched."""
        return self == self.neutral()


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = ",".join(f"{key}={_text(value[key])}" for key in sorted(value) if value[key])
    return str(value) or _EVERY
