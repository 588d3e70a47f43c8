"""kube-state-metrics about webhooks, certificate requests, attachments and replication controllers."""

from __future__ import annotations

from base64 import b64decode
from functools import partial
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state.measures import (
    Measure,
    Measured,
    creation,
    gauge,
    info,
    named,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs

_CONDITIONS = ("Approved", "Denied")


def _service(label: str, obj: Object) -> Measured:
    """The Services that webhooks are behind."""
    for webhook in obj.get("webhooks") or ():
        service = (webhook.get("clientConfig") or {}).get("service")
        if service is not None:
            labels = (
                *named(label)(obj),
                ("webhook_name", webhook["name"]),
                ("service_name", service["name"]),
                ("service_namespace", service["namespace"]),
            )
            yield labels, 1.0


def _webhooks(kind: str, word: str) -> tuple[Measure, ...]:
    label = f"{word}webhookconfiguration"
    stem = f"kube_{label}"
    labels = named(label)
    return (
        gauge(f"{stem}_info", f"Information about the {kind}.", info(labels)),
        gauge(f"{stem}_created", "Unix creation timestamp.", creation(labels)),
        gauge(
            f"{stem}_webhook_clientconfig_service",
            f"Service used by the apiserver to connect to a {word} webhook.",
            partial(_service, label),
        ),
    )


MUTATING = _webhooks("MutatingWebhookConfiguration", "mutating")
VALIDATING = _webhooks("ValidatingWebhookConfiguration", "validating")


def _own(label: str) -> Callable[[Object], Pairs]:
    return lambda obj: ((label, obj["metadata"]["name"]),)


def _requested(obj: Object) -> Pairs:
    return (
        ("certificatesigningrequest", obj["metadata"]["name"]),
        ("signer_name", obj["spec"].get("signerName", "")),
    )


def _conditions(obj: Object) -> Measured:
    said = [entry["type"] for entry in obj.get("status", {}).get("conditions") or ()]
    for name in _CONDITIONS:
        yield (*_requested(obj), ("condition", name.lower())), float(name in said)


def _length(obj: Object) -> Measured:
    issued = obj.get("status", {}).get("certificate") or ""
    yield _requested(obj), float(len(b64decode(issued)))


REQUESTS = (
    gauge(
        "kube_certificatesigningrequest_created", "Unix creation timestamp", creation(_requested)
    ),
    gauge(
        "kube_certificatesigningrequest_condition",
        "The number of each certificatesigningrequest condition",
        _conditions,
    ),
    gauge("kube_certificatesigningrequest_cert_length", "Length of the issued cert", _length),
)


def _attached(obj: Object) -> Measured:
    attached = obj.get("status", {}).get("attached", False)
    yield _own("volumeattachment")(obj), float(bool(attached))


ATTACHMENTS = (
    gauge(
        "kube_volumeattachment_info",
        "Information about volumeattachment.",
        info(_own("volumeattachment"), ("attacher", "spec.attacher"), ("node", "spec.nodeName")),
    ),
    gauge(
        "kube_volumeattachment_created",
        "Unix creation timestamp",
        creation(_own("volumeattachment")),
    ),
    gauge(
        "kube_volumeattachment_spec_source_persistentvolume",
        "PersistentVolume source reference.",
        info(_own("volumeattachment"), ("volumename", "spec.source.persistentVolumeName")),
    ),
    gauge(
        "kube_volumeattachment_status_attached", "Information about volumeattachment.", _attached
    ),
)

_CONTROLLER = named("replicationcontroller")
REPLICATION_CONTROLLERS = (
    gauge("kube_replicationcontroller_created", "Unix creation timestamp", creation(_CONTROLLER)),
    *(
        gauge(f"kube_replicationcontroller_{name}", text, number(_CONTROLLER, path, default))
        for name, text, path, default in (
            ("status_replicas", "The number of replicas per ReplicationController.", "status.replicas", 0.0),
            ("status_fully_labeled_replicas", "The number of fully labeled replicas per ReplicationController.", "status.fullyLabeledReplicas", 0.0),
            ("status_ready_replicas", "The number of ready replicas per ReplicationController.", "status.readyReplicas", 0.0),
            ("status_available_replicas", "The number of available replicas per ReplicationController.", "status.availableReplicas", 0.0),
            ("status_observed_generation", "The generation observed by the ReplicationController controller.", "status.observedGeneration", 0.0),
            ("spec_replicas", "Number of desired pods for a ReplicationController.", "spec.replicas", None),
            ("metadata_generation", "Sequence number representing a specific generation of the desired state.", "metadata.generation", None),
        )
    ),
)  # fmt: skip
