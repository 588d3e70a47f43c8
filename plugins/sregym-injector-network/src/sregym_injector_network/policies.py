"""NetworkPolicies that cut a component off: from its callers, from whom it calls, from names."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sregym_core.errors import WorldError
from sregym_core.model import Check, Component, FailureMode, pod_template
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.component_fault import not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.pods import labels_selector
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import workload_defects
from typing_extensions import override

from sregym_injector_network.policy_rules import NAMESPACE_LABEL, Traffic, closing
from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

_DNS = 53


class PolicyFault(AddedObjectFault):
    """Base of faults that are one NetworkPolicy over the pods of a component.

    Attributes:
        suffix: Of the policy's name, behind that of the component.
    """

    layer: ClassVar[str] = "network"
    suffix: ClassVar[str]

    @abstractmethod
    def rules(self, context: FaultContext) -> dict[str, Any]:
        """`policyTypes`, `ingress` and `egress` of the policy."""

    @abstractmethod
    def cut(self, context: FaultContext) -> Sequence[Traffic]:
        """What has to pass again; that the policy stops it is the defect."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        reason = not_load(component) or not_custom(component) or not_rolling(component)
        if reason:
            return reason
        if not component.pod_labels:
            return "its pods have no labels that a policy could select"
        return "" if component.callers else "nobody calls it"

    @override
    def added(self, context: FaultContext) -> KubeObject:
        component = context.component
        return {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {
                "name": f"{component.name}-{self.suffix}",
                "namespace": component.namespace,
            },
            "spec": {
                "podSelector": {"matchLabels": dict(component.pod_labels)},
                **self.rules(context),
            },
        }

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        # Connections that were open before go on: a policy affects new ones alone.
        if context.parameters.restart_clients is False:
            return ()
        own = scope.restartable(context.component) if self._holds(context) else ()
        return (*own, *clients_of(context, otherwise=True))

    @override
    def present(self, context: FaultContext) -> Check:
        component, cluster = context.component, context.cluster
        found = workload_defects(cluster, component.workload)
        workload = cluster.get(component.workload)
        if workload is not None:
            labels = (pod_template(workload).get("metadata") or {}).get("labels") or {}
            policies = cluster.list("networking.k8s.io/v1", "NetworkPolicy", component.namespace)
            for traffic in self.cut(context):
                names = closing(policies, labels, traffic)
                if names:
                    found.append(f"NetworkPolicy {', '.join(names)} stops {traffic.told}")
        return defect_check("no NetworkPolicy stops the component's traffic", found)

    def _holds(self, context: FaultContext) -> bool:
        """Whether the component's own connections are cut."""
        return any(traffic.direction == "egress" for traffic in self.cut(context))


def _callers(context: FaultContext) -> list[Component]:
    parts = {part.name: part for part in context.application.components()}
    return [parts[name] for name in context.component.callers if name in parts]


def _ingress(context: FaultContext) -> list[Traffic]:
    """What the component's callers send it."""
    component = context.component
    ports = [(port.protocol, port.container_port) for port in component.ports]
    return [
        Traffic("ingress", part.namespace, part.pod_labels, protocol, port, f"{part.name} to it")
        for part in _callers(context)
        for protocol, port in ports[:1]
    ]


class PolicyDeny(PolicyFault):
    """Lets nothing in, nothing out, or neither."""

    name: ClassVar[str] = "policy-deny"
    title: ClassVar[str] = "NetworkPolicy denies a component all traffic"
    suffix: ClassVar[str] = "deny-all"
    mechanism: ClassVar[str] = "network-policy-denies"
    phrases: ClassVar[tuple[str, ...]] = (
        "network policy blocks traffic",
        "NetworkPolicy denies all traffic",
        "deny-all NetworkPolicy",
        "default deny network policy",
        "network policy blocks ingress and egress",
        "network policy isolates the pods",
        "blocked by a NetworkPolicy",
        "restrictive network policy",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out",)

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            direction: What the policy closes.
        """

        direction: Literal["both", "ingress", "egress"] = "both"

    @override
    def rules(self, context: FaultContext) -> dict[str, Any]:
        types = {"both": ["Ingress", "Egress"], "ingress": ["Ingress"], "egress": ["Egress"]}
        return {"policyTypes": types[context.parameters.direction]}

    @override
    def describe(self, context: FaultContext) -> str:
        words = {"both": "ingress and egress", "ingress": "ingress", "egress": "egress"}
        return f"denies all {words[context.parameters.direction]}"

    @override
    def cut(self, context: FaultContext) -> Sequence[Traffic]:
        direction, found = context.parameters.direction, []
        if direction != "egress":
            found += _ingress(context)
        if direction != "ingress":
            found.append(Traffic("egress", told="whatever it sends"))
        return found


class PolicyPeer(PolicyFault):
    """Lets in only pods with a label that no caller has."""

    name: ClassVar[str] = "policy-peer"
    title: ClassVar[str] = "NetworkPolicy lets in pods that are not the callers"
    suffix: ClassVar[str] = "allow-clients"
    mechanism: ClassVar[str] = "network-policy-wrong-peer"
    phrases: ClassVar[tuple[str, ...]] = (
        "network policy does not allow the callers",
        "NetworkPolicy only allows pods with a label that no caller has",
        "network policy selects the wrong peers",
        "ingress rule matches no caller",
        "network policy blocks the callers",
        "blocked by a NetworkPolicy",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out",)

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            key: Label that clients need to be let in.
            value: Its value.
        """

        key: str = "access"
        value: str = "granted"

    @override
    def rules(self, context: FaultContext) -> dict[str, Any]:
        peer = {"podSelector": {"matchLabels": self._label(context)}}
        return {"policyTypes": ["Ingress"], "ingress": [{"from": [peer]}]}

    @override
    def describe(self, context: FaultContext) -> str:
        return f"lets in pods with {labels_selector(self._label(context))} alone"

    @override
    def cut(self, context: FaultContext) -> Sequence[Traffic]:
        return _ingress(context)

    def _label(self, context: FaultContext) -> dict[str, str]:
        return {context.parameters.key: context.parameters.value}


class PolicyCaller(PolicyFault):
    """Lets in the callers one by one, and leaves one of them out."""

    name: ClassVar[str] = "policy-caller"
    title: ClassVar[str] = "NetworkPolicy leaves out one of the callers"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    suffix: ClassVar[str] = "callers"
    mechanism: ClassVar[str] = "network-policy-blocks-caller"
    phrases: ClassVar[tuple[str, ...]] = (
        "network policy does not allow one of the callers",
        "NetworkPolicy does not allow the caller",
        "network policy blocks one caller",
        "network policy only allows some of the callers",
        "blocked by a NetworkPolicy",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections of one caller time out",)

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            caller: Name of the one that is left out; empty: the first that serves users.
        """

        caller: str = ""

    @override
    def rules(self, context: FaultContext) -> dict[str, Any]:
        left_out = _left_out(context)
        peers = [
            {
                "namespaceSelector": {"matchLabels": {NAMESPACE_LABEL: part.namespace}},
                "podSelector": {"matchLabels": dict(part.pod_labels)},
            }
            for part in _callers(context)
            if part.name != left_out.name
        ]
        return {"policyTypes": ["Ingress"], "ingress": [{"from": peers}] if peers else []}

    @override
    def describe(self, context: FaultContext) -> str:
        return f"lets in callers, but not {_left_out(context).name}"

    @override
    def cut(self, context: FaultContext) -> Sequence[Traffic]:
        told = f"{_left_out(context).name} to it"
        return [traffic for traffic in _ingress(context) if traffic.told == told]

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        own = scope.restartable(_left_out(context))
        return [ref for ref in super().restarted(context) if ref in own]


def _left_out(context: FaultContext) -> Component:
    callers, wanted = _callers(context), context.parameters.caller
    fitting = [part for part in callers if wanted in ("", part.name)]
    fitting.sort(key=lambda part: (part.kind == scope.LOAD, not part.operations))
    if not fitting:
        raise WorldError(
            f"component {context.component.name!r} has no caller {wanted!r} that a policy could "
            f"leave out; its callers: {', '.join(part.name for part in callers)}"
        )
    return fitting[0]


class PolicyPort(PolicyFault):
    """Lets callers in at a port at which no process listens."""

    name: ClassVar[str] = "policy-port"
    title: ClassVar[str] = "NetworkPolicy lets callers in at the wrong port"
    suffix: ClassVar[str] = "allow-port"
    mechanism: ClassVar[str] = "network-policy-wrong-port"
    phrases: ClassVar[tuple[str, ...]] = (
        "network policy allows the wrong port",
        "NetworkPolicy does not allow the port of the service",
        "network policy blocks the port",
        "blocked by a NetworkPolicy",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out",)

    @override
    def mismatch_reason(self, component: Component) -> str:
        return super().mismatch_reason(component) or (
            "" if component.ports else "its Service has no ports"
        )

    @override
    def rules(self, context: FaultContext) -> dict[str, Any]:
        port = {"protocol": "TCP", "port": _wrong_port(context)}
        return {"policyTypes": ["Ingress"], "ingress": [{"ports": [port]}]}

    @override
    def describe(self, context: FaultContext) -> str:
        return f"lets callers in at port {_wrong_port(context)} alone"

    @override
    def cut(self, context: FaultContext) -> Sequence[Traffic]:
        return _ingress(context)


class PolicyDns(PolicyFault):
    """Lets the component speak with pods of its namespace, and forgets the cluster's name server."""

    name: ClassVar[str] = "policy-dns"
    title: ClassVar[str] = "NetworkPolicy keeps a component from the cluster's name server"
    suffix: ClassVar[str] = "egress"
    mechanism: ClassVar[str] = "network-policy-blocks-dns"
    phrases: ClassVar[tuple[str, ...]] = (
        "network policy blocks DNS",
        "egress policy does not allow DNS",
        "NetworkPolicy blocks egress to CoreDNS",
        "egress to port 53 is not allowed",
        "network policy forgets kube-dns",
        "blocked by a NetworkPolicy",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("name resolution times out", "i/o timeout")

    @override
    def mismatch_reason(self, component: Component) -> str:
        reason = super().mismatch_reason(component)
        return reason or ("" if component.calls else "it calls nobody")

    @override
    def rules(self, context: FaultContext) -> dict[str, Any]:
        return {"policyTypes": ["Egress"], "egress": [{"to": [{"podSelector": {}}]}]}

    @override
    def describe(self, context: FaultContext) -> str:
        return f"lets it speak with pods of namespace {context.component.namespace} alone"

    @override
    def cut(self, context: FaultContext) -> Sequence[Traffic]:
        labels = {"k8s-app": "kube-dns"}
        return [Traffic("egress", "kube-system", labels, "UDP", _DNS, "its questions to CoreDNS")]


def _wrong_port(context: FaultContext) -> int:
    component = context.component
    taken = {p.container_port for p in component.ports} | set(component.own_container.ports)
    return next(port for port in range(8080, 65536) if port not in taken)
