"""What is done on schedule: nodes that are drained, backups, certificates that are renewed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import Actor
from sregym_core.interfaces.actor import KUBECTL_AGENT
from sregym_core.model import ObjectRef
from sregym_injectors.noise import Disturbance, Schedule, ready_services, workers
from sregym_injectors.noise.targets import disturbable_components

from sregym_noise_kubernetes.people import PEOPLE

if TYPE_CHECKING:
    from sregym_injectors.noise import Occurrence

BACKUP_IMAGE = "busybox:1.36"
_CORDON = Actor("kubectl-cordon", KUBECTL_AGENT)
_CERT_MANAGER = Actor(
    "cert-manager-certificates-issuing",
    "cert-manager-certificates-issuing/v1.16.2 (linux/amd64) cert-manager/ac5c4c0",
    "system:serviceaccount:cert-manager:cert-manager",
)


class NodeDrain(Disturbance):
    """Cordons a node for maintenance and moves pods of services away from it."""

    name: ClassVar[str] = "node-drain"
    title: ClassVar[str] = "a node is cordoned for maintenance, and pods leave it"
    family: ClassVar[str] = "maintenance"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(420.0, 720.0), lasts_s=(120.0, 300.0))

    def begin(self, occurrence: Occurrence) -> str:
        """No pod, pods that have a twin, or all of services; never the last node that takes pods."""
        context = occurrence.context
        open_nodes = [name for name in workers(context) if not _cordoned(occurrence, name)]
        if len(open_nodes) < 2:
            return ""
        node = occurrence.chance.choice(open_nodes)
        person = occurrence.chance.choice(PEOPLE)
        occurrence.note(node)
        occurrence.edit(_node(node), {"spec": {"unschedulable": True}}, _CORDON)
        here = [
            (target, pod)
            for target in ready_services(context)
            for pod in target.pods
            if pod["spec"].get("nodeName") == node
        ]
        twins = [(target, pod) for target, pod in here if len(target.pods) > 1]
        moved = occurrence.by_level([], twins[:1], here)
        for target, pod in moved:
            occurrence.note(target.component.name)
            context.cluster.delete(target.pod_ref(pod))
        return f"{person} cordoned {node} and moved {len(moved)} pods"


class Backup(Disturbance):
    """Runs a Job that takes a backup."""

    name: ClassVar[str] = "backup"
    title: ClassVar[str] = "a Job takes a backup of a datastore"
    family: ClassVar[str] = "maintenance"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(300.0, 600.0), lasts_s=(60.0, 180.0))

    def begin(self, occurrence: Occurrence) -> str:
        """Its pod takes its time and touches no data."""
        stores = [
            part for part in disturbable_components(occurrence.context) if part.kind == "datastore"
        ]
        parts = stores or disturbable_components(occurrence.context)
        if not parts:
            return ""
        part = occurrence.chance.choice(parts)
        stamp = occurrence.now().strftime("%Y%m%d-%H%M")
        name = f"backup-{part.name}-{stamp}"
        labels = {"app": "backup", "target": part.name}
        script = "echo snapshot started; sleep 3600; echo snapshot complete"
        container = {
            "name": "backup",
            "image": BACKUP_IMAGE,
            "command": ["sh", "-c", script],
            "resources": {"requests": {"cpu": "50m", "memory": "32Mi"}},
        }
        pod = {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 1,
            "containers": [container],
        }
        template = {"metadata": {"labels": labels}, "spec": pod}
        body: dict[str, Any] = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": part.namespace, "labels": labels},
            "spec": {"backoffLimit": 1, "template": template},
        }
        ref = occurrence.create(body)
        occurrence.note(part.name)
        return f"{ref} runs"


class CertificateRenewal(Disturbance):
    """Leaves what a renewal of a certificate leaves: a Secret with the next key, and an event."""

    name: ClassVar[str] = "certificate-renewal"
    title: ClassVar[str] = (
        "a certificate is renewed: a temporary Secret, and events that tell of it"
    )
    family: ClassVar[str] = "maintenance"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(420.0, 900.0), lasts_s=(60.0, 180.0))

    def begin(self, occurrence: Occurrence) -> str:
        """No program reads the Secret."""
        targets = ready_services(occurrence.context)
        if not targets:
            return ""
        part = occurrence.chance.choice(targets).component
        suffix = "".join(occurrence.chance.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5))
        name = f"{part.name}-tls-{suffix}"
        key = "".join(
            occurrence.chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef") for _ in range(64)
        )
        labels = {"cert-manager.io/next-private-key": "true"}
        metadata = {"name": name, "namespace": part.namespace, "labels": labels}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata}
        ref = occurrence.create(
            {**secret, "type": "Opaque", "data": {"tls.key": key}}, _CERT_MANAGER
        )
        occurrence.create(_told(occurrence, part.namespace, name), _CERT_MANAGER)
        return f"{ref} holds the next key of {part.name}"


def _told(occurrence: Occurrence, namespace: str, secret: str) -> dict[str, Any]:
    moment = occurrence.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {"apiVersion": "v1", "kind": "Secret", "namespace": namespace, "name": secret}
    serial = f"{occurrence.chance.randrange(16**16):016x}"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{secret}.{serial}", "namespace": namespace},
        "involvedObject": about,
        "reason": "Issuing",
        "message": "Renewing certificate as renewal was scheduled",
        "type": "Normal",
        "source": {"component": "cert-manager-certificates-trigger"},
        "firstTimestamp": moment,
        "lastTimestamp": moment,
        "count": 1,
    }


def _node(name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Node", name=name)


def _cordoned(occurrence: Occurrence, node: str) -> bool:
    live = occurrence.context.cluster.get(_node(node)) or {}
    return bool((live.get("spec") or {}).get("unschedulable"))
