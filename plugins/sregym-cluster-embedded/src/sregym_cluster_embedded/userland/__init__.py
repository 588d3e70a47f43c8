"""What happens inside containers: images, processes, files, commands, datastores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.keys import LISTENERS, PASSAGE, WEBHOOKS_IN_PODS
from sregym_cluster_embedded.kubelet import keys as kubelet
from sregym_cluster_embedded.node.keys import DISKS_CHANGED
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.userland import runtime_calls
from sregym_cluster_embedded.userland.apiserver_proxy import Passages
from sregym_cluster_embedded.userland.formats import LogFormats
from sregym_cluster_embedded.userland.handlers import Handlers
from sregym_cluster_embedded.userland.host import power, services
from sregym_cluster_embedded.userland.interaction import Interaction
from sregym_cluster_embedded.userland.keys import EXTENSIONS, INTERACTION, LOG_FORMATS, RUNTIME
from sregym_cluster_embedded.userland.process import Process
from sregym_cluster_embedded.userland.reviewers import Reviewers
from sregym_cluster_embedded.userland.runtime import Runtime
from sregym_cluster_embedded.userland.storage import Storage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_apps.model import ServiceModel
    from sregym_apps.simulation import Installed

__all__ = ["Process", "Runtime", "subsystem"]


def subsystem(
    models: Iterable[ServiceModel] = (), extensions: Installed | None = None
) -> Subsystem:
    """The service `runtime` for the programs of these service models.

    Args:
        models: The service models.
        extensions: Kinds of servers, commands and so on; what is installed unless given.
    """
    runtime = Runtime(models, extensions)
    handlers = Handlers(runtime)
    return Subsystem(
        name="userland",
        handlers={
            "userland.begin": handlers.begin,
            "userland.event": handlers.event,
            "userland.resume": handlers.resume,
            "userland.job": handlers.job,
            "userland.exit": handlers.exit,
            "userland.oom": handlers.oom,
            runtime_calls.EVENT: runtime_calls.retry_call,
            services.RETRY: services.retry,
            services.CORRECT: services.correct_clock,
            power.BOOT: power.boot,
        },
        services={
            **RUNTIME.offer(runtime),
            **LISTENERS.offer(runtime),
            **kubelet.RUNTIME.offer(runtime),
            **EXTENSIONS.offer(runtime.extensions),
            **LOG_FORMATS.offer(LogFormats(runtime.extensions)),
            **kubelet.STORAGE.offer(Storage()),
            **DISKS_CHANGED.offer(runtime_calls.machine_changed),
            **INTERACTION.offer(Interaction(runtime)),
            **PASSAGE.offer(Passages(runtime)),
            **WEBHOOKS_IN_PODS.offer(Reviewers(runtime)),
        },
    )
