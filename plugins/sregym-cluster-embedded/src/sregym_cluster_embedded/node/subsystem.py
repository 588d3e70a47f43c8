"""The nodes' part of a cluster."""

from __future__ import annotations

from sregym_cluster_embedded.api import dynamic, flowcontrol
from sregym_cluster_embedded.api.keys import HEARTBEATS
from sregym_cluster_embedded.kubelet.images import SHOW
from sregym_cluster_embedded.machines import MACHINE_CHANGED
from sregym_cluster_embedded.node import (
    image_garbage,
    kubelets,
    pressure,
    registration,
    rejected_heartbeats,
    restoring,
)
from sregym_cluster_embedded.node.heartbeats import with_renewed_heartbeat
from sregym_cluster_embedded.node.keys import FREEZE_KUBELET
from sregym_cluster_embedded.subsystem import Subsystem


def subsystem() -> Subsystem:
    """What this layer adds to a cluster."""
    return Subsystem(
        name="node",
        handlers={
            kubelets.REPORT: kubelets.report_due,
            SHOW: image_garbage.show_images,
            kubelets.MISSED: kubelets.missed,
            pressure.HANDLER: pressure.check_pressure,
            registration.REGISTER: registration.register,
            rejected_heartbeats.HANDLER: rejected_heartbeats.renew_lease,
            restoring.SERVER: restoring.compare_with_intended,
            restoring.LEASE: restoring.renew,
        },
        followers={
            "nodes": (kubelets.node_changed, registration.node_changed),
            restoring.LEASES: (restoring.lease_changed, registration.lease_changed),
            **dict.fromkeys(restoring.OWN_KINDS, (restoring.server_changed,)),
            **dict.fromkeys(
                (*dynamic.RESOURCES, flowcontrol.SCHEMAS, flowcontrol.LEVELS),
                (rejected_heartbeats.configuration_changed,),
            ),
        },
        services={
            **HEARTBEATS.offer(with_renewed_heartbeat),
            **FREEZE_KUBELET.offer(kubelets.freeze_kubelet),
            **MACHINE_CHANGED.offer(pressure.machine_changed),
        },
    )
