"""Admission webhooks as teams install them: a Deployment with a certificate, a Service, a policy."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.model import ObjectRef
from sregym_injectors.certificates import Authority, authority, serving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces.cluster import KubeObject

GROUP = "admissionregistration.k8s.io/v1"
IMAGE = "ghcr.io/platform-ops/policy-webhook:1.4.0"
_PORT = 8443
_PLACE = "/etc/webhook"


@dataclass(frozen=True)
class WebhookServer:
    """The server of some webhooks.

    Attributes:
        name: Of its Deployment, Service, ConfigMap, and of its Secret with `-tls` behind it.
        namespace: Where they are.
        image: That runs it.
        secret: On which its keys depend.
    """

    name: str
    namespace: str
    image: str
    secret: str

    @property
    def authority(self) -> Authority:
        """Who has signed its certificate."""
        return authority(f"{self.name}-ca", f"{self.name} {self.secret}")

    @property
    def deployment(self) -> ObjectRef:
        """What runs it."""
        return self._ref("apps/v1", "Deployment")

    @property
    def policy(self) -> ObjectRef:
        """Where its policy stands."""
        return self._ref("v1", "ConfigMap")

    def objects(self, policy: Mapping[str, Any]) -> tuple[KubeObject, ...]:
        """All that it needs, in the order in which it is created."""
        labels = {"app": self.name}
        host = f"{self.name}.{self.namespace}.svc"
        shown = serving(self.authority, host, f"{self.name} {self.secret}")
        pair = {"tls.crt": shown.certificate, "tls.key": shown.key}
        return (
            {
                **self._head("v1", "Secret", f"{self.name}-tls"),
                "type": "kubernetes.io/tls",
                "data": {name: encoded(text) for name, text in pair.items()},
            },
            {**self._head("v1", "ConfigMap"), "data": {"policy.yaml": policy_text(policy)}},
            {
                **self._head("v1", "Service"),
                "spec": {"selector": labels, "ports": [{"port": 443, "targetPort": _PORT}]},
            },
            {
                **self._head("apps/v1", "Deployment"),
                "spec": {
                    "replicas": 1,
                    "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels}, "spec": self._pod()},
                },
            },
        )

    def configuration(
        self, kind: str, name: str, bundle: str, webhook: Mapping[str, Any]
    ) -> KubeObject:
        """A configuration with one webhook, which trusts the authorities of `bundle`."""
        service = {"name": self.name, "namespace": self.namespace, "path": "/review", "port": 443}
        hook = {
            "name": f"{name}.{self.namespace}.svc",
            "clientConfig": {"service": service, "caBundle": encoded(bundle)},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **webhook,
        }
        return {"apiVersion": GROUP, "kind": kind, "metadata": {"name": name}, "webhooks": [hook]}

    def _pod(self) -> dict[str, Any]:
        mounts = [
            {"name": "tls", "mountPath": f"{_PLACE}/tls", "readOnly": True},
            {"name": "policy", "mountPath": f"{_PLACE}/policy"},
        ]
        probe = {"path": "/healthz", "port": _PORT, "scheme": "HTTPS"}
        container = {
            "name": "webhook",
            "image": self.image,
            "args": [f"--port={_PORT}", f"--policy={_PLACE}/policy/policy.yaml"],
            "ports": [{"name": "https", "containerPort": _PORT}],
            "readinessProbe": {"httpGet": probe, "periodSeconds": 5},
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
            "volumeMounts": mounts,
        }
        volumes = [
            {"name": "tls", "secret": {"secretName": f"{self.name}-tls"}},
            {"name": "policy", "configMap": {"name": self.name}},
        ]
        return {"containers": [container], "volumes": volumes}

    def _head(self, api_version: str, kind: str, name: str = "") -> KubeObject:
        metadata = {
            "name": name or self.name,
            "namespace": self.namespace,
            "labels": {"app": self.name},
        }
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata}

    def _ref(self, api_version: str, kind: str) -> ObjectRef:
        return ObjectRef(
            api_version=api_version, kind=kind, namespace=self.namespace, name=self.name
        )


def configuration_ref(kind: str, name: str) -> ObjectRef:
    """The configuration of a webhook."""
    return ObjectRef(api_version=GROUP, kind=kind, name=name)


def on_new_pods(namespace: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """The part of a webhook that has it asked about new pods with these labels."""
    rule = {
        "operations": ["CREATE"],
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
        "scope": "Namespaced",
    }
    return {
        "rules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "objectSelector": {"matchLabels": dict(labels)},
    }


def policy_text(policy: Mapping[str, Any]) -> str:
    """A policy as its file holds it."""
    text: str = yaml.safe_dump(dict(policy), sort_keys=False)
    return text


def encoded(text: str) -> str:
    """As Secrets and bundles hold it."""
    return base64.b64encode(text.encode()).decode()


def refs(objects: Sequence[KubeObject]) -> tuple[ObjectRef, ...]:
    """Who they are."""
    return tuple(map(ObjectRef.of, objects))
