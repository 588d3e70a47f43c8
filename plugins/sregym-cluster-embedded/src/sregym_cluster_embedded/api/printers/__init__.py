"""Server-side printing: the tables that kubectl shows.

Columns are data; each family of types has a module with one function per type that makes the cells
of a row. Types without a printer show their name and the time of their creation.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api.printers import (
    config,
    custom,
    devices,
    network,
    pods,
    storage,
    workloads,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.api.printers.cell_texts import Cells, Printer
    from sregym_cluster_embedded.store import Object

_PRINTERS: dict[str, Printer] = {
    "pods": pods.pod,
    "nodes": pods.node,
    "events": pods.event,
    "deployments.apps": workloads.deployment,
    "replicasets.apps": workloads.replica_set,
    "replicationcontrollers": workloads.replication_controller,
    "statefulsets.apps": workloads.stateful_set,
    "daemonsets.apps": workloads.daemon_set,
    "jobs.batch": workloads.job,
    "cronjobs.batch": workloads.cron_job,
    "controllerrevisions.apps": workloads.controller_revision,
    "podtemplates": workloads.pod_template,
    "poddisruptionbudgets.policy": workloads.disruption_budget,
    "horizontalpodautoscalers.autoscaling": workloads.autoscaler,
    "services": network.service,
    "endpoints": network.endpoints,
    "endpointslices.discovery.k8s.io": network.endpoint_slice,
    "ingresses.networking.k8s.io": network.ingress,
    "ingressclasses.networking.k8s.io": network.ingress_class,
    "networkpolicies.networking.k8s.io": network.network_policy,
    "ipaddresses.networking.k8s.io": network.ip_address,
    "servicecidrs.networking.k8s.io": network.service_cidr,
    "persistentvolumeclaims": storage.claim,
    "persistentvolumes": storage.volume,
    "storageclasses.storage.k8s.io": storage.storage_class,
    "csinodes.storage.k8s.io": storage.csi_node,
    "csidrivers.storage.k8s.io": storage.csi_driver,
    "volumeattachments.storage.k8s.io": storage.attachment,
    **config.PRINTERS,
    **devices.PRINTERS,
}
_PLAIN = "limitranges"


@lru_cache(maxsize=1)
def _columns() -> dict[str, list[dict[str, Any]]]:
    path = files("sregym_cluster_embedded.api").joinpath("data", "columns.json.gz")
    loaded = orjson.loads(gzip.decompress(path.read_bytes()))
    return {
        resource: [
            dict(zip(("name", "type", "format", "description", "priority"), column, strict=True))
            for column in columns
        ]
        for resource, columns in loaded.items()
    }


def columns(resource: str, additional: tuple[Object, ...] | None = None) -> list[dict[str, Any]]:
    """The column definitions of a resource's table.

    `additional` holds the additionalPrinterColumns of a custom resource; None for built-in types.
    """
    known = _columns()
    if additional is None:
        name, age = known["configmaps"][0], known["configmaps"][-1]
        return known.get(resource) or devices.columns(resource, name, age) or known[_PLAIN]
    name, created = known[_PLAIN]
    if not additional:
        return [name, {**created, "name": "Age"}]
    return [
        name,
        *(
            {
                "name": column["name"],
                "type": column["type"],
                "format": column.get("format", ""),
                "description": column.get("description")
                or f"Custom resource definition column (in JSONPath format): {column['jsonPath']}",
                "priority": column.get("priority", 0),
            }
            for column in additional
        ),
    ]


def cells(
    resource: str, obj: Object, now_s: float, additional: tuple[Object, ...] | None = None
) -> Cells:
    """The cells of one row, in the order of `columns`; `now_s` is Unix time."""
    if additional is not None:
        if not additional:
            return config.name_and_age(obj, now_s)
        return [
            obj["metadata"]["name"],
            *(custom.cell(obj, column, now_s) for column in additional),
        ]
    return printer(resource)(obj, now_s)


def printer(resource: str) -> Printer:
    """The function that makes the cells of a built-in type."""
    return _PRINTERS.get(resource, config.created_at)


def in_order(resource: str, objects: Iterable[Object]) -> Iterable[Object]:
    """The rows of a table in their order: that of the list, but for types that have a better one."""
    if resource == "flowschemas.flowcontrol.apiserver.k8s.io":
        # In the order in which requests are compared with them.
        return sorted(objects, key=config.precedence)
    return objects


def row_conditions(resource: str, obj: Object) -> list[dict[str, str]]:
    """The conditions of a row: only those of pods that have ended exist."""
    return pods.row_conditions(obj) if resource == "pods" else []
