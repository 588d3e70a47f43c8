"""Accounts of programs that act on the API, and the programs: scripts of kubectl in pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces.cluster import KubeObject

_RBAC = "rbac.authorization.k8s.io"
IMAGE = "bitnami/kubectl:1.31"
SCRIPTS = "/scripts"


def rule(group: str, resource: str, *verbs: str) -> dict[str, Any]:
    """A rule of a role."""
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


def account(name: str, namespace: str, rules: Sequence[dict[str, Any]]) -> tuple[KubeObject, ...]:
    """A ServiceAccount with a role of its own: account, role, binding."""
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name}}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    return (
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "Role",
            "metadata": metadata,
            "rules": list(rules),
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": name},
            "subjects": [subject],
        },
    )


def scripts(name: str, namespace: str, files: dict[str, str]) -> KubeObject:
    """A ConfigMap with what a program runs."""
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": files}


def pod(name: str, image: str, script: str) -> dict[str, Any]:
    """The specification of a pod that runs a script of the ConfigMap `name` as that account."""
    container = {
        "name": name,
        "image": image,
        "command": ["sh", f"{SCRIPTS}/{script}"],
        "volumeMounts": [{"name": "scripts", "mountPath": SCRIPTS}],
    }
    volumes = [{"name": "scripts", "configMap": {"name": name}}]
    return {"serviceAccountName": name, "containers": [container], "volumes": volumes}


def deployment(name: str, namespace: str, spec: dict[str, Any], replicas: int = 1) -> KubeObject:
    """A Deployment of such pods."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def cron_job(name: str, namespace: str, spec: dict[str, Any], minutes: int) -> KubeObject:
    """A CronJob of such pods, every so many minutes."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {**spec, "restartPolicy": "Never"}}
    job = {"metadata": {"labels": labels}, "spec": {"template": template, "backoffLimit": 1}}
    schedule = "* * * * *" if minutes == 1 else f"*/{minutes} * * * *"
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"schedule": schedule, "concurrencyPolicy": "Forbid", "jobTemplate": job},
    }
