"""What happens inside containers: images, processes, files, commands, datastores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.userland.interaction import Interaction
from sregym_cluster_embedded.userland.kinds import disks_changed
from sregym_cluster_embedded.userland.passage import Passages
from sregym_cluster_embedded.userland.process import Process
from sregym_cluster_embedded.userland.runtime import Runtime
from sregym_cluster_embedded.userland.storage import Storage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_apps.model import ServiceModel

__all__ = ["Process", "Runtime", "contribution"]


def contribution(models: Iterable[ServiceModel] = ()) -> Contribution:
    """The room `runtime` for the programs of these service models."""
    runtime = Runtime(models)
    return Contribution(
        name="userland",
        handlers={
            "userland.begin": runtime.begin,
            "userland.event": runtime.event,
            "userland.resume": runtime.resume,
            "userland.job": runtime.job,
            "userland.exit": runtime.exit,
            "userland.oom": runtime.oom,
        },
        rooms={
            "runtime": runtime,
            "storage": Storage(),
            "disks_changed": disks_changed,
            "interaction": Interaction(runtime),
            "passage": Passages(runtime),
        },
    )
