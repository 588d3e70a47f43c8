"""The StatefulSets of the components, and the Deployment of the discovery service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_operator_tidb.cluster import PORTS, TidbComponent, labels_of, metadata_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import Object

_STATUS_PORTS = {"pd": 2379, "tikv": 20180, "tidb": 10080}
_CONTAINER_PORTS: dict[str, list[dict[str, Any]]] = {
    "pd": [{"name": "server", "containerPort": 2380}, {"name": "client", "containerPort": 2379}],
    "tikv": [
        {"name": "server", "containerPort": 20160},
        {"name": "status", "containerPort": 20180},
    ],
    "tidb": [{"name": "server", "containerPort": 4000}, {"name": "status", "containerPort": 10080}],
}
# Fields of the resource that go into the pods as they are: there -> here.
_POD_FIELDS = {
    "affinity": "affinity",
    "nodeSelector": "nodeSelector",
    "tolerations": "tolerations",
    "podSecurityContext": "securityContext",
    "priorityClassName": "priorityClassName",
    "schedulerName": "schedulerName",
    "serviceAccount": "serviceAccountName",
    "hostNetwork": "hostNetwork",
    "imagePullSecrets": "imagePullSecrets",
    "terminationGracePeriodSeconds": "terminationGracePeriodSeconds",
    "topologySpreadConstraints": "topologySpreadConstraints",
}


def stateful_set(component: TidbComponent, config: str) -> Object:
    """The StatefulSet of a component whose ConfigMap has the name `config`."""
    name, spec = component.name, component.spec
    wanted: Object = {
        "replicas": component.replicas,
        "selector": {"matchLabels": component.labels},
        "serviceName": f"{component.member}-peer",
        "podManagementPolicy": "Parallel",
        "updateStrategy": _strategy(component),
        "template": _template(component, config),
    }
    if name != "tidb":
        request = {"storage": (spec.get("requests") or {}).get("storage")}
        claim: Object = {
            "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": request}},
        }
        if spec.get("storageClassName"):
            claim["spec"]["storageClassName"] = spec["storageClassName"]
        wanted["volumeClaimTemplates"] = [claim]
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata_of(component.owner, component.member, component.labels),
        "spec": wanted,
    }


def _strategy(component: TidbComponent) -> Object:
    """`OnDelete` where the resource says so; everything else is a rolling update."""
    if component.setting("statefulSetUpdateStrategy") == "OnDelete":
        return {"type": "OnDelete"}
    return {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}


def _template(component: TidbComponent, config: str) -> Object:
    name = component.name
    port = str(_STATUS_PORTS[name])
    annotations = {
        "prometheus.io/scrape": "true",
        "prometheus.io/path": "/metrics",
        "prometheus.io/port": port,
        **(component.spec.get("annotations") or {}),
    }
    pod = {
        there: component.setting(here)
        for here, there in _POD_FIELDS.items()
        if component.setting(here) is not None
    }
    volumes = [
        _from_config("config", config, "config-file", f"{name}.toml"),
        _from_config("startup-script", config, "startup-script", f"{name}_start_script.sh"),
    ]
    return {
        "metadata": {
            "labels": {**component.labels, **(component.spec.get("labels") or {})},
            "annotations": annotations,
        },
        "spec": {**pod, "containers": [_container(component)], "volumes": volumes},
    }


def _from_config(name: str, config: str, key: str, path: str) -> Object:
    items = [{"key": key, "path": path}]
    return {"name": name, "configMap": {"name": config, "items": items}}


def _container(component: TidbComponent) -> Object:
    name, spec = component.name, component.spec
    mounts = [
        {"name": "config", "mountPath": f"/etc/{name}", "readOnly": True},
        {"name": "startup-script", "mountPath": "/usr/local/bin", "readOnly": True},
    ]
    if name != "tidb":
        mounts.append({"name": name, "mountPath": f"/var/lib/{name}"})
    requests = {k: v for k, v in (spec.get("requests") or {}).items() if k != "storage"}
    resources = {"requests": requests, "limits": spec.get("limits") or {}}
    container: Object = {
        "name": name,
        "image": component.image,
        "imagePullPolicy": component.setting("imagePullPolicy") or "IfNotPresent",
        "command": ["/bin/sh", f"/usr/local/bin/{name}_start_script.sh"],
        "ports": _CONTAINER_PORTS[name],
        "env": [
            *_environment(component),
            *(component.setting("env") or []),
        ],
        "resources": {key: value for key, value in resources.items() if value},
        "volumeMounts": mounts,
    }
    if name != "tikv":
        probe = {"tcpSocket": {"port": PORTS[name]}, "initialDelaySeconds": 10}
        container["readinessProbe"] = probe
    return container


def _environment(component: TidbComponent) -> list[Object]:
    return [
        {"name": "NAMESPACE", "valueFrom": _field("metadata.namespace")},
        {"name": "POD_NAME", "valueFrom": _field("metadata.name")},
        {"name": "CLUSTER_NAME", "value": component.cluster},
        {"name": "HEADLESS_SERVICE_NAME", "value": f"{component.member}-peer"},
        {"name": "TZ", "value": component.owner["spec"].get("timezone") or "UTC"},
    ]


def _field(path: str) -> Object:
    return {"fieldRef": {"fieldPath": path}}


def discovery(owner: Object, image: str) -> list[Object]:
    """The Deployment and the Service of the discovery service."""
    name, labels = f"{owner['metadata']['name']}-discovery", labels_of(owner, "discovery")
    container = {
        "name": "discovery",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/usr/local/bin/tidb-discovery"],
        "ports": [{"name": "discovery", "containerPort": 10261}],
        "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}},
    }
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata_of(owner, name, labels),
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "strategy": {"type": "RollingUpdate"},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata_of(owner, name, labels),
            "spec": {
                "type": "ClusterIP",
                "selector": labels,
                "ports": [{"name": "discovery", "port": 10261, "targetPort": 10261}],
            },
        },
    ]


def services(component: TidbComponent) -> list[Object]:
    """The headless Service of its pods, and the one for others, where it has one."""
    peers = {
        "pd": (("tcp-peer-2380", 2380), ("tcp-peer-2379", 2379)),
        "tikv": (("peer", 20160),),
        "tidb": (("status", 10080),),
    }[component.name]
    others = {
        "pd": (("client", 2379),),
        "tikv": (),
        "tidb": (("mysql-client", 4000), ("status", 10080)),
    }[component.name]
    found = [
        _service(component, "-peer", peers, {"clusterIP": "None", "publishNotReadyAddresses": True})
    ]
    if component.name == "tidb" and not isinstance(component.spec.get("service"), dict):
        return found
    kind = (component.spec.get("service") or {}).get("type") or "ClusterIP"
    if others:
        found.append(_service(component, "", others, {"type": kind}))
    return found


def _service(
    component: TidbComponent, suffix: str, ports: tuple[tuple[str, int], ...], more: Object
) -> Object:
    listed = [{"name": name, "port": port, "targetPort": port} for name, port in ports]
    name = f"{component.member}{suffix}"
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata_of(component.owner, name, component.labels),
        "spec": {**more, "selector": component.labels, "ports": listed},
    }
