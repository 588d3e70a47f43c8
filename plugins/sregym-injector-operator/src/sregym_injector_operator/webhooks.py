"""Admission webhooks that run and harm: the wrong authority, a policy too strict, a hidden change, no haste."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator
from sregym_injectors.certificates import authority
from sregym_injectors.quantities import memory_bytes
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.template_change import AddedObjectFault, Template, TemplateChange
from typing_extensions import override

from sregym_injector_operator.admission_trial import tried
from sregym_injector_operator.webhook_server import (
    IMAGE,
    WebhookServer,
    configuration_ref,
    encoded,
    on_new_pods,
    policy_text,
)
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

_VALIDATING, _MUTATING = "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"
_NOTHING: Mapping[str, Any] = {"rules": []}


class WebhookParameters(ClientParameters):
    """Parameters of all webhooks.

    Attributes:
        webhook: Name of the configuration; its server is called so with `-webhook` behind it.
        image: Of the server, which takes its policy from a file.
    """

    webhook: str = "pod-policy"
    image: str = IMAGE


class WebhookFault(AddedObjectFault):
    """Base: adds a server of webhooks and configurations that ask it about the component's new pods."""

    symptoms: ClassVar[tuple[str, ...]] = ("FailedCreate", "no pods", "no endpoints")
    kind: ClassVar[str] = _VALIDATING
    expected: ClassVar[str] = "admission lets the component's pods be created"

    class Parameters(WebhookParameters):
        """What all have."""

    def server(self, context: FaultContext) -> WebhookServer:
        """The server."""
        given, namespace = context.parameters, context.component.namespace
        name = f"{given.webhook}-webhook"
        return WebhookServer(name, namespace, given.image, f"{namespace}, seed {context.seed}")

    @abstractmethod
    def policy(self, context: FaultContext) -> Mapping[str, Any]:
        """What its server does."""

    @abstractmethod
    def describe(self, context: FaultContext) -> tuple[str, str, str]:
        """What is wrong in the configuration or the policy: path, value before, value after."""

    def configurations(self, context: FaultContext) -> tuple[KubeObject, ...]:
        """The configurations; one unless overridden."""
        server, name = self.server(context), context.parameters.webhook
        return (server.configuration(self.kind, name, self.bundle(context), self.webhook(context)),)

    def webhook(self, context: FaultContext) -> dict[str, Any]:
        """When it is asked, and what its failure means."""
        component = context.component
        about = on_new_pods(component.namespace, component.pod_labels)
        return {**about, "failurePolicy": "Fail", "timeoutSeconds": 5}

    def bundle(self, context: FaultContext) -> str:
        """Authorities that the API server trusts; the right one unless overridden."""
        return self.server(context).authority.certificate

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        what, before, after = self.describe(context)
        server = self.server(context).objects(self.policy(context))
        return TemplateChange(what, after, before, objects=(*server, *self.configurations(context)))

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        return configuration_ref(self.kind, context.parameters.webhook)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        refused = tried(context, live).refused
        return [f"gets no pods: {refused}"] if refused else []

    def restarted(self, context: FaultContext) -> tuple[Command, ...]:
        """The pods restart: their controller, refused so often, tries but seldom by now."""
        return (
            *commands.restart_and_wait((context.component.workload,)),
            *commands.restart_and_wait(clients_of(context)),
        )

    def harmless(self, context: FaultContext) -> tuple[Command, ...]:
        """The server is given a policy that does nothing, and reads it."""
        server = self.server(context)
        data = {"data": {"policy.yaml": policy_text(_NOTHING)}}
        return (
            commands.patch(server.policy, data, "merge"),
            *commands.restart_and_wait((server.deployment,)),
        )


class WebhookCa(WebhookFault):
    """The API server trusts another authority than the one that signed the webhook's certificate."""

    name: ClassVar[str] = "webhook-ca"
    title: ClassVar[str] = "CA bundle does not fit the webhook's certificate"
    mechanism: ClassVar[str] = "ca-bundle-mismatch"
    phrases: ClassVar[tuple[str, ...]] = (
        "caBundle does not match the webhook's certificate",
        "wrong caBundle",
        "CA bundle mismatch",
        "webhook CA mismatch",
        "webhook TLS verification fails",
        "webhook certificate is signed by an unknown authority",
        "x509: certificate signed by unknown authority",
        "failed to verify certificate of the admission webhook",
        "stale CA bundle in the webhook configuration",
    )

    @override
    def policy(self, context: FaultContext) -> Mapping[str, Any]:
        return _NOTHING

    @override
    def bundle(self, context: FaultContext) -> str:
        server = self.server(context)
        return authority(f"{server.name}-ca", f"former {server.secret}").certificate

    @override
    def describe(self, context: FaultContext) -> tuple[str, str, str]:
        what = "webhooks[0].clientConfig.caBundle"
        return what, "the authority of its certificate", "another authority of the same name"

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        right = encoded(self.server(context).authority.certificate)
        path = "/webhooks/0/clientConfig/caBundle"
        operation = {"op": "replace", "path": path, "value": right}
        return (
            commands.patch(self.broken(context), [operation], "json"),
            *self.restarted(context),
        )


class WebhookDenies(WebhookFault):
    """A webhook refuses the component's pods by its policy."""

    name: ClassVar[str] = "webhook-denies"
    title: ClassVar[str] = "Admission webhook refuses pods"
    mechanism: ClassVar[str] = "webhook-denies-pods"
    phrases: ClassVar[tuple[str, ...]] = (
        "admission webhook denies pods",
        "admission webhook denied the request",
        "webhook policy rejects the pods",
        "admission policy too strict",
        "validating webhook rejects pod creation",
        "policy of the webhook blocks pods",
    )

    class Parameters(WebhookParameters):
        """Parameters.

        Attributes:
            message: With which it refuses.
        """

        message: str = "pods must name their cost center"

    @override
    def policy(self, context: FaultContext) -> Mapping[str, Any]:
        labels = dict(context.component.pod_labels)
        rule = {"resources": ["pods"], "labels": labels, "deny": context.parameters.message}
        return {"rules": [rule]}

    @override
    def describe(self, context: FaultContext) -> tuple[str, str, str]:
        return "data[policy.yaml].rules", "", f"deny: {context.parameters.message}"

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (*self.harmless(context), *self.restarted(context))


class WebhookMutates(WebhookFault):
    """A webhook changes the component's pods at admission; their workload says nothing of it."""

    name: ClassVar[str] = "webhook-mutates"
    title: ClassVar[str] = "Admission webhook changes what pods get"
    kind: ClassVar[str] = _MUTATING
    mechanism: ClassVar[str] = "webhook-mutates-pods"
    phrases: ClassVar[tuple[str, ...]] = (
        "mutating webhook changes the pods",
        "mutating webhook lowers the memory limit",
        "mutating admission webhook overrides resource limits",
        "webhook rewrites memory limits at admission",
        "hidden mutation at admission",
        "pods differ from their Deployment because of a mutating webhook",
        "admission controller injects a lower memory limit",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("OOMKilled", "CrashLoopBackOff", "crash loop")
    expected: ClassVar[str] = "pods get what their workload says"

    class Parameters(WebhookParameters):
        """Parameters.

        Attributes:
            memory: Limit (and request) of memory that containers get, a quantity.
            set: What is set instead: path in the pod, with `*` for each entry of a list -> value.
        """

        webhook: str = "resource-defaults"
        memory: str = "6Mi"
        set: dict[str, Any] = Field(default_factory=dict)

        @field_validator("memory")
        @classmethod
        def _is_quantity(cls, value: str) -> str:
            memory_bytes(value)
            return value

    def values(self, context: FaultContext) -> dict[str, Any]:
        """What is set: path -> value."""
        given = context.parameters
        fields = ("limits", "requests")
        usual = {f"/spec/containers/*/resources/{one}/memory": given.memory for one in fields}
        return dict(given.set) or usual

    @override
    def policy(self, context: FaultContext) -> Mapping[str, Any]:
        labels = dict(context.component.pod_labels)
        rule = {"resources": ["pods"], "labels": labels, "set": self.values(context)}
        return {"rules": [rule]}

    @override
    def webhook(self, context: FaultContext) -> dict[str, Any]:
        return {**super().webhook(context), "failurePolicy": "Ignore"}

    @override
    def describe(self, context: FaultContext) -> tuple[str, str, str]:
        shown = ", ".join(f"{path} {value}" for path, value in self.values(context).items())
        return "data[policy.yaml].rules", "", f"set: {shown}"

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        given = context.parameters
        limit = () if given.set else (f"memory limit of {given.memory} set by a webhook",)
        return (*super().more_phrases(context), *limit)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        pod = tried(context, live).pod
        if pod is None:
            return []
        component, found = context.component, []
        pods = live.cluster.list("v1", "Pod", component.namespace, _selector(component.pod_labels))
        template = live.workload["template"]
        for one in (pod, *pods):
            found += [
                f"has pods with {path} {_shown(got)}, not {_shown(want)}"
                for path in self.values(context)
                if (got := _at(one, path)) != (want := _at(template, path))
            ]
        return list(dict.fromkeys(found))

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (*self.harmless(context), *self.restarted(context))


class WebhookSlow(WebhookFault):
    """Several slow webhooks, each tolerated, take longer together than a request may."""

    name: ClassVar[str] = "webhook-slow"
    title: ClassVar[str] = "Tolerated webhooks add up to the request's deadline"
    kind: ClassVar[str] = _MUTATING
    mechanism: ClassVar[str] = "webhook-timeouts-add-up"
    phrases: ClassVar[tuple[str, ...]] = (
        "webhook timeouts add up",
        "cumulative webhook timeout exceeds the request deadline",
        "sum of the webhooks' timeouts exceeds the request timeout",
        "admission webhooks are too slow",
        "slow admission webhooks",
        "webhooks with failurePolicy Ignore still time out the request",
        "request did not complete within requested timeout",
        "unresponsive mutating webhooks delay pod creation",
    )

    class Parameters(WebhookParameters):
        """Parameters.

        Attributes:
            timeouts: `timeoutSeconds` of each of the webhooks; together beyond what the API server
                gives a request (34).
            delay: What a review takes, as a duration.
        """

        webhook: str = "sidecar-defaults"
        timeouts: tuple[int, ...] = Field(default=(12, 8, 11, 9), min_length=2)
        delay: str = "45s"

    @override
    def policy(self, context: FaultContext) -> Mapping[str, Any]:
        return {"delay": context.parameters.delay, "rules": []}

    @override
    def configurations(self, context: FaultContext) -> tuple[KubeObject, ...]:
        server, bundle = self.server(context), self.bundle(context)
        webhook = {**self.webhook(context), "failurePolicy": "Ignore"}
        return tuple(
            server.configuration(self.kind, name, bundle, {**webhook, "timeoutSeconds": timeout})
            for name, timeout in zip(_names(context), context.parameters.timeouts, strict=True)
        )

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        return configuration_ref(self.kind, _names(context)[0])

    @override
    def describe(self, context: FaultContext) -> tuple[str, str, str]:
        given = context.parameters.timeouts
        shown = f"{' + '.join(map(str, given))} = {sum(given)} s for one request"
        return "webhooks[0].timeoutSeconds", "", shown

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        operation = {"op": "replace", "path": "/webhooks/0/timeoutSeconds", "value": 1}
        shorter = (
            commands.patch(configuration_ref(self.kind, name), [operation], "json")
            for name in _names(context)
        )
        return (*shorter, *self.restarted(context))


def _names(context: FaultContext) -> tuple[str, ...]:
    """The configurations, one for each timeout."""
    given = context.parameters
    return tuple(f"{given.webhook}-{number}" for number in range(1, len(given.timeouts) + 1))


def _selector(labels: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in labels.items())


def _at(holder: Any, path: str) -> Any:
    """What stands at a path; of `*` a list."""
    words = path.split("/")[1:]
    return _below(holder, words)


def _below(held: Any, words: list[str]) -> Any:
    if not words:
        return held
    word, *rest = words
    if word == "*":
        return [_below(one, rest) for one in held] if isinstance(held, list) else []
    plain = word.replace("~1", "/").replace("~0", "~")
    return _below(held.get(plain), rest) if isinstance(held, dict) else None


def _shown(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join("none" if one is None else str(one) for one in values)
