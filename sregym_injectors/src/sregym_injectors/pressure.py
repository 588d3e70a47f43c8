"""After a node was under pressure: until its kubelet reports that it is not, and for evicted pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Command

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ObjectRef


def after_pressure(context: FaultContext, condition: str, node: str = "") -> tuple[Command, ...]:
    """Wait until a condition is lifted, take evicted pods away, and restart those that serve.

    Args:
        context: Of a fault on a node.
        condition: `DiskPressure`, `MemoryPressure`; `Ready`, which is waited for.
        node: The node that is looked at; the target itself unless given.
    """
    wanted = "true" if condition == "Ready" else "false"
    wait = (f"--for=condition={condition}={wanted}", f"node/{node or context.node.name}")
    # Evicted pods stay as objects until they are deleted.
    evicted = "--field-selector=status.phase=Failed"
    return (
        Command(("kubectl", "wait", *wait, "--timeout=600s")),
        *(
            Command(("kubectl", "delete", "pods", "-n", namespace, evicted))
            for namespace in context.application.namespaces
        ),
        # A datastore that lost its memory is used again only by clients that restart.
        *commands.restart_and_wait(_services(context)),
    )


def restart_store(context: FaultContext) -> tuple[Command, ...]:
    """Restart the datastore because of which a node was chosen; nothing for other components.

    What ended again and again is started late by the kubelet, and at once by a new rollout.
    """
    component = context.node.component
    if component is None or component.kind != "datastore":
        return ()
    return commands.restart_and_wait((component.workload,))


def _services(context: FaultContext) -> list[ObjectRef]:
    """Workloads that serve users and keep nothing themselves."""
    return [
        part.workload
        for part in context.application.components()
        if part.kind == "service" and part.operations
    ]
