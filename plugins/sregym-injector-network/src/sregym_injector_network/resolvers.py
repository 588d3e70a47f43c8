"""Faults in how pods find names: the resolver that they are given, and their hosts file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sregym_core.errors import WorldError
from sregym_core.model import ComponentPart, FailureMode
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_pod,
)
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component


class _ResolverFault(PodTemplateFault):
    """Base: fits what calls others by their names."""

    layer: ClassVar[str] = "network"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.calls else "it calls nobody"


class DnsPolicy(_ResolverFault):
    """Lets the pods ask a name server that does not know the cluster."""

    name: ClassVar[str] = "dns-policy"
    title: ClassVar[str] = "Pods ask a name server that does not know the cluster"
    mechanism: ClassVar[str] = "dns-policy-wrong"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong dnsPolicy",
        "dnsPolicy is None",
        "dnsPolicy misconfigured",
        "dnsConfig points to an external name server",
        "pod does not use the cluster DNS",
        "pod bypasses CoreDNS",
        "wrong name server in dnsConfig",
        "pod DNS configuration is wrong",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("name resolution fails", "no such host")
    expected: ClassVar[str] = "pods that ask the cluster's name server"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            policy: `None` asks `nameserver` alone; `Default` asks whom the node asks.
            nameserver: For `None`.
        """

        policy: Literal["None", "Default"] = "None"
        nameserver: str = "8.8.8.8"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given, before = context.parameters, right_pod(context).get("dnsPolicy", "ClusterFirst")
        if given.policy == "Default":
            return TemplateChange("dnsPolicy", "Default", before, pod={"dnsPolicy": "Default"})
        told = f"None, name server {given.nameserver}"
        config = {"nameservers": [given.nameserver], "searches": []}
        wrong = {"dnsPolicy": "None", "dnsConfig": config}
        return TemplateChange("dnsPolicy", told, before, pod=wrong)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        policy = live.spec.get("dnsPolicy", "ClusterFirst")
        if policy.startswith("ClusterFirst"):
            return []
        servers = (live.spec.get("dnsConfig") or {}).get("nameservers") or []
        clusters = [
            address
            for service in live.cluster.list("v1", "Service", "kube-system", "k8s-app=kube-dns")
            for address in service["spec"].get("clusterIPs") or [service["spec"].get("clusterIP")]
        ]
        if any(server in clusters for server in servers):
            return []
        return [f"has the dnsPolicy {policy} and asks {', '.join(servers) or 'whom its node asks'}"]


class HostAliases(_ResolverFault):
    """Writes an address of the past for one that the component calls into its hosts file."""

    name: ClassVar[str] = "host-aliases"
    title: ClassVar[str] = "Pods have an address of the past in their hosts file"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    mechanism: ClassVar[str] = "host-alias-stale"
    phrases: ClassVar[tuple[str, ...]] = (
        "stale hostAliases",
        "wrong hostAliases entry",
        "stale entry in /etc/hosts",
        "hosts file overrides DNS",
        "hostAliases maps the name to a wrong address",
        "hostAliases pins an old address",
        "wrong address in the hosts file",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out", "no route to host")
    expected: ClassVar[str] = "pods whose hosts file leaves names to the cluster's name server"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            name: Of the component that is called; empty: the first of those that users need.
            address: What the hosts file says of it.
        """

        name: str = ""
        address: str = "10.96.250.17"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        entry = self._entry(context)
        kept = right_pod(context).get("hostAliases") or []
        told = f"{entry['ip']} {' '.join(entry['hostnames'])}"
        return TemplateChange("hostAliases", told, pod={"hostAliases": [*kept, entry]})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        wrong = self._entry(context)
        return [
            f"has {alias['ip']} for {name} in its hosts file"
            for alias in live.spec.get("hostAliases") or ()
            for name in alias.get("hostnames") or ()
            if name in wrong["hostnames"] and alias["ip"] == wrong["ip"]
        ][:1]

    def _entry(self, context: FaultContext) -> dict[str, Any]:
        service = _called(context).service
        assert service is not None, "only what has a Service is chosen"
        names = [service.name, f"{service.name}.{service.namespace}"]
        names.append(f"{names[-1]}.svc.cluster.local")
        return {"ip": context.parameters.address, "hostnames": names}


def _called(context: FaultContext) -> Component:
    """Whom the component calls, chosen."""
    component, wanted = context.component, context.parameters.name
    called = [
        part
        for part in context.application.components()
        if part.name in component.calls and part.service
    ]
    fitting = [part for part in called if wanted in ("", part.name)]
    # Without what users need nothing would be felt.
    fitting.sort(key=lambda part: not part.operations)
    if not fitting:
        known = ", ".join(part.name for part in called) or "nobody"
        raise WorldError(
            f"component {component.name!r} does not call {wanted or 'anybody'} by the name of a "
            f"Service; it calls: {known}; choose another target or parameter 'name'"
        )
    return fitting[0]
