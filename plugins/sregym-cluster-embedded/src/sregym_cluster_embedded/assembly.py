"""Puts the layers together: the only place that knows all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_apps.simulation import installed

from sregym_cluster_embedded import (
    controllers,
    kubelet,
    network,
    node,
    scheduler,
    telemetry,
    traffic,
    userland,
)
from sregym_cluster_embedded.node import driver_objects, ingress_controller, metrics_server
from sregym_cluster_embedded.node.bootstrap import NodeSpec, bootstrap
from sregym_cluster_embedded.node.system_objects import INSTALLED, Dns
from sregym_cluster_embedded.subsystem import build_spec, subsystems_of
from sregym_cluster_embedded.userland.builtin import builtin_models, public_models
from sregym_cluster_embedded.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_apps.model import ServiceModel
    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.storage_drivers import Driver

# A cluster without further wishes: three workers of a size that the usual applications fit on.
NODES = (NodeSpec("node1"), NodeSpec("node2"), NodeSpec("node3"))

# Virtual time begins here unless a cluster is served: any fixed moment will do.
EPOCH = 1_767_258_000  # 2026-01-01T09:00:00Z

# From the first start of the control plane to the moment it takes orders, in virtual seconds.
BOOT_S = 60.0


@dataclass(frozen=True)
class Blueprint:
    """What a world is built from.

    Attributes:
        models: Service models of the applications that will run.
        seed: From which all chance derives.
        epoch: Unix seconds at which the world begins.
        salt: From which its keys derive.
        nodes: Its nodes.
        dns: How its DNS was installed.
        metrics_server: Whether the cluster has one: `kubectl top`, and autoscalers by use.
        ingress_controller: Whether the cluster has one, with the default class `nginx`.
        storage_drivers: CSI drivers that run in it, each with a StorageClass.
        extensions: What else it can simulate: kinds of servers, commands, controllers, exporters;
            what is installed unless given.
    """

    models: tuple[ServiceModel, ...] = ()
    seed: int = 0
    epoch: int = EPOCH
    salt: str = ""
    nodes: Sequence[NodeSpec] = NODES
    metrics_server: bool = False
    ingress_controller: bool = False
    dns: Dns = INSTALLED
    storage_drivers: Sequence[Driver] = ()
    extensions: Installed | None = None


def build(blueprint: Blueprint) -> World:
    """A cluster whose system workloads are running and which has nothing else on it.

    Raises:
        PluginLoadError: A part of an extension cannot be used; names its distribution.
    """
    extensions = installed() if blueprint.extensions is None else blueprint.extensions
    models = [*builtin_models(), *blueprint.models, *public_models(extensions)]
    spec = build_spec(
        [
            controllers.subsystem(),
            scheduler.subsystem(),
            network.subsystem(),
            node.subsystem(),
            kubelet.subsystem(),
            userland.subsystem(models, extensions),
            traffic.subsystem(),
            telemetry.subsystem(extensions),
            *subsystems_of(extensions),
        ]
    )
    world = World(spec, blueprint.seed, blueprint.epoch, blueprint.salt)
    bootstrap(world, blueprint.nodes, dns=blueprint.dns)
    if blueprint.metrics_server:
        metrics_server.install(world)
    if blueprint.ingress_controller:
        ingress_controller.install(world)
    for driver in blueprint.storage_drivers:
        driver_objects.install(world, driver)
    world.run_until(BOOT_S)
    return world
