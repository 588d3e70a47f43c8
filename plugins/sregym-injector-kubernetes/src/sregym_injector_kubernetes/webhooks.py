"""Admission calls a webhook whose server does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import ObjectRef
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.template_change import AddedObjectFault, Template, TemplateChange
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_GROUP = "admissionregistration.k8s.io/v1"
_KINDS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
_NAMESPACE_LABEL = "kubernetes.io/metadata.name"


class WebhookDown(AddedObjectFault):
    """Adds a webhook of admission without a server; the component's pods, restarted, are refused."""

    name: ClassVar[str] = "webhook-down"
    title: ClassVar[str] = "Admission webhook without a backend"
    mechanism: ClassVar[str] = "admission-webhook-down"
    phrases: ClassVar[tuple[str, ...]] = (
        "admission webhook down",
        "admission webhook has no backend",
        "admission webhook outage",
        "webhook Service does not exist",
        "webhook with failurePolicy Fail is unreachable",
        "failed calling webhook",
        "validating webhook blocks pod creation",
        "webhook refuses the creation of pods",
        "fail-closed admission webhook",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("FailedCreate", "no pods", "no endpoints")
    expected: ClassVar[str] = "no webhook without a backend decides over the component's pods"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            webhook: Name of the configuration, and of the Service that it asks.
        """

        webhook: str = "image-policy"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, name = context.component, context.parameters.webhook
        server = {"name": name, "namespace": component.namespace, "path": "/validate", "port": 443}
        webhook = {
            "name": f"{name}.{component.namespace}.svc",
            "clientConfig": {"service": server},
            "rules": [
                {
                    "operations": ["CREATE"],
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "resources": ["pods"],
                    "scope": "Namespaced",
                }
            ],
            "namespaceSelector": {"matchLabels": {_NAMESPACE_LABEL: component.namespace}},
            "objectSelector": {"matchLabels": dict(component.pod_labels)},
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 5,
        }
        obj = {
            "apiVersion": _GROUP,
            "kind": _KINDS[0],
            "metadata": {"name": name},
            "webhooks": [webhook],
        }
        after = f"Service {component.namespace}/{name}, which does not exist, failurePolicy Fail"
        return TemplateChange("webhooks[0].clientConfig.service", after, objects=(obj,))

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = []
        for kind in _KINDS:
            for configuration in live.cluster.list(_GROUP, kind):
                found += [
                    f"gets no pods: {kind} {configuration['metadata']['name']} asks "
                    f"{webhook['name']}, which nobody serves"
                    for webhook in configuration.get("webhooks") or ()
                    if self._blocks(context, live, webhook)
                ]
        return found

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        return ObjectRef(api_version=_GROUP, kind=_KINDS[0], name=context.parameters.webhook)

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"webhook {context.parameters.webhook} cannot be called",)

    def _blocks(self, context: FaultContext, live: Template, webhook: KubeObject) -> bool:
        server = (webhook.get("clientConfig") or {}).get("service")
        if webhook.get("failurePolicy") == "Ignore" or server is None:
            return False
        if not any(_creates_pods(rule) for rule in webhook.get("rules") or ()):
            return False
        namespace = {_NAMESPACE_LABEL: context.component.namespace}
        labels = dict(context.component.pod_labels)
        for field, own in (("namespaceSelector", namespace), ("objectSelector", labels)):
            wanted = (webhook.get(field) or {}).get("matchLabels") or {}
            if not wanted.items() <= own.items():
                return False
        service = ObjectRef(
            api_version="v1", kind="Service", namespace=server["namespace"], name=server["name"]
        )
        return live.cluster.get(service) is None


def _creates_pods(rule: dict[str, Any]) -> bool:
    resources, operations = set(rule.get("resources") or ()), set(rule.get("operations") or ())
    return bool(resources & {"pods", "*", "*/*"} and operations & {"CREATE", "*"})
