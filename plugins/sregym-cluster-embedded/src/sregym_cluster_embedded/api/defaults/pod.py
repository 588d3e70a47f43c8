"""Defaults of pods and of the pod templates in workloads."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.defaults.fields import each, filled, within
from sregym_cluster_embedded.api.identity_cache import Same

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_SPEC = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
}
_CONTAINER = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_PROBE = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
_MODE = {"defaultMode": 0o644}
_CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


def pod(obj: Object) -> Object:
    """A pod: its spec, and what templates do not get (service links, requests from limits)."""
    spec = _spec_of_pod(Same(obj["spec"]))
    return obj if spec is obj["spec"] else {**obj, "spec": spec}


@lru_cache(maxsize=512)
def _spec_of_pod(given: Same[Object]) -> Object:
    spec = pod_spec(given.value)
    spec = filled(spec, {"enableServiceLinks": True})
    for field in _CONTAINER_LISTS[:2]:
        spec = within(spec, field, each(_requests_from_limits))
    if spec.get("hostNetwork"):
        for field in _CONTAINER_LISTS[:2]:
            spec = within(spec, field, each(_host_ports))
    return spec


def template(obj: Object) -> Object:
    """A pod template."""
    spec = pod_spec(obj.get("spec", {}))
    if spec is obj.get("spec") and "metadata" in obj:
        return obj
    return {**obj, "metadata": obj.get("metadata", {}), "spec": spec}


def pod_spec(spec: Object) -> Object:
    """A pod spec, in a pod or in a template."""
    return _completed(Same(spec))


@lru_cache(maxsize=512)
def _completed(given: Same[Object]) -> Object:
    # The same template goes from the workload to all that is made of it.
    spec = filled(given.value, _SPEC)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account and not (spec.get("serviceAccountName") == spec.get("serviceAccount") == account):
        # The deprecated twin always has the value of the real field.
        spec = {**spec, "serviceAccountName": account, "serviceAccount": account}
    for field in _CONTAINER_LISTS:
        spec = within(spec, field, each(_container))
    return within(spec, "volumes", each(_volume))


def image_pull_policy(image: str) -> str:
    """`Always` for the tag `latest`, written or implied; `IfNotPresent` for all others."""
    name, _, digest = image.partition("@")
    if digest:
        return "IfNotPresent"
    _, _, tag = name.rpartition("/")[2].partition(":")
    return "Always" if tag in ("", "latest") else "IfNotPresent"


def _container(container: Object) -> Object:
    container = filled(container, _CONTAINER)
    if "imagePullPolicy" not in container:
        policy = image_pull_policy(container.get("image", ""))
        container = {**container, "imagePullPolicy": policy}
    container = within(container, "ports", each(_port))
    container = within(container, "env", each(_variable))
    for field in ("livenessProbe", "readinessProbe", "startupProbe"):
        container = within(container, field, _probe)
    return within(container, "lifecycle", _lifecycle)


def _port(port: Object) -> Object:
    return filled(port, {"protocol": "TCP"})


def _variable(variable: Object) -> Object:
    return within(variable, "valueFrom", _value_from)


def _value_from(source: Object) -> Object:
    source = within(source, "fieldRef", field_reference)
    source = within(source, "resourceFieldRef", _divisor)
    return within(source, "fileKeyRef", lambda ref: filled(ref, {"optional": False}))


def field_reference(reference: Object) -> Object:
    """A reference to a field of the pod."""
    return filled(reference, {"apiVersion": "v1"})


def _divisor(reference: Object) -> Object:
    # A quantity without `omitempty`: zero is written out.
    return filled(reference, {"divisor": "0"})


def _probe(probe: Object) -> Object:
    probe = filled(probe, _PROBE)
    probe = within(probe, "grpc", lambda grpc: filled(grpc, {"service": ""}))
    return within(probe, "httpGet", _http_get)


def _http_get(action: Object) -> Object:
    if not action.get("path"):
        action = {**action, "path": "/"}
    return filled(action, {"scheme": "HTTP"})


def _lifecycle(lifecycle: Object) -> Object:
    for field in ("postStart", "preStop"):
        lifecycle = within(lifecycle, field, lambda hook: within(hook, "httpGet", _http_get))
    return lifecycle


_SOURCES: dict[str, Object] = {
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {
        "cachingMode": "ReadWrite",
        "fsType": "ext4",
        "kind": "Shared",
        "readOnly": False,
    },
}


def _sourced(complete: Object, source: Object) -> Object:
    return filled(source, complete)


def _image_volume(source: Object) -> Object:
    if source.get("pullPolicy") or not source.get("reference"):
        return source
    return {**source, "pullPolicy": image_pull_policy(source["reference"])}


def _volume(volume: Object) -> Object:
    if volume.keys() == {"name"}:
        return {**volume, "emptyDir": {}}
    for field in ("configMap", "secret"):
        volume = within(volume, field, lambda source: filled(source, _MODE))
    volume = within(volume, "hostPath", lambda source: filled(source, {"type": ""}))
    volume = within(volume, "downwardAPI", _downward)
    volume = within(volume, "projected", _projected)
    volume = within(volume, "image", _image_volume)
    for field, complete in _SOURCES.items():
        volume = within(volume, field, partial(_sourced, complete))
    return within(volume, "ephemeral", _ephemeral)


def _downward(source: Object) -> Object:
    return within(filled(source, _MODE), "items", each(_downward_item))


def _downward_item(item: Object) -> Object:
    item = within(item, "fieldRef", field_reference)
    return within(item, "resourceFieldRef", _divisor)


def _projected(source: Object) -> Object:
    return within(filled(source, _MODE), "sources", each(_projection))


def _projection(source: Object) -> Object:
    source = within(
        source, "serviceAccountToken", lambda token: filled(token, {"expirationSeconds": 3600})
    )
    return within(
        source,
        "downwardAPI",
        lambda downward: within(downward, "items", each(_downward_item)),
    )


def _ephemeral(source: Object) -> Object:
    def claim(claim_template: Object) -> Object:
        claim_template = filled(claim_template, {"metadata": {}})
        return within(
            claim_template, "spec", lambda spec: filled(spec, {"volumeMode": "Filesystem"})
        )

    return within(source, "volumeClaimTemplate", claim)


def _requests_from_limits(container: Object) -> Object:
    resources: dict[str, Any] = container["resources"]
    limits = resources.get("limits")
    if not limits:
        return container
    requests = resources.get("requests", {})
    if limits.keys() <= requests.keys():
        return container
    return {**container, "resources": {**resources, "requests": {**limits, **requests}}}


def _host_ports(container: Object) -> Object:
    def port(entry: Object) -> Object:
        return entry if entry.get("hostPort") else {**entry, "hostPort": entry["containerPort"]}

    return within(container, "ports", each(port))
