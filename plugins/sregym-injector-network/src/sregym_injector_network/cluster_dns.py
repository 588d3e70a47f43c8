"""Faults in the cluster DNS: the ConfigMap that CoreDNS reads, and how many of it run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import (
    Change,
    Check,
    Component,
    ComponentPart,
    GroundTruth,
    ObjectRef,
)
from sregym_injectors.cluster_fault import ClusterFault, cluster_truth
from sregym_injectors.component_fault import ComponentFault, by_service, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.pods import not_terminating, pods_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.service_fault import service_of
from sregym_injectors.workloads import restart_rollout, rolled_out
from typing_extensions import override

from sregym_injector_network.corefile import (
    DOMAIN,
    STANDARD,
    directives,
    obstacles,
    with_domain,
    with_rule,
)
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.interfaces import Cluster, Command, FaultContext

_SYSTEM = "kube-system"
CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace=_SYSTEM, name="coredns")
SERVER = ObjectRef(api_version="apps/v1", kind="Deployment", namespace=_SYSTEM, name="coredns")
_KEY = "Corefile"
_LABELS = "k8s-app=kube-dns"
# As many as kubeadm installs.
_REPLICAS = 2
_ROLLED_OUT_S = 300.0


def edit_corefile(edits: Edits, edit: Callable[[str], str]) -> None:
    """Change the Corefile and restart CoreDNS, so that it answers by it; see `unfinished`."""
    text = edits.read(CONFIG)["data"][_KEY]
    edits.patch(CONFIG, {"data": {_KEY: edit(text)}}, "merge")
    edits.restart(SERVER)


def unfinished(cluster: Cluster) -> str:
    """What is missing until all of CoreDNS answers by its Corefile; empty once it does."""
    server = cluster.get(SERVER)
    done = server is None or rolled_out(server)
    return "" if done else f"{SERVER} still has pods that read the Corefile before"


def standard_corefile() -> tuple[Command, ...]:
    """The commands that give CoreDNS back the Corefile of an installation, at once."""
    return (
        commands.patch(CONFIG, {"data": {_KEY: STANDARD}}, "merge"),
        commands.delete_pods(_SYSTEM, _LABELS),
        commands.rollout_status(SERVER),
    )


def corefile_defects(cluster: Cluster, names: Sequence[str]) -> list[str]:
    """What keeps CoreDNS from the true answers for names, one phrase each."""
    config = cluster.get(CONFIG)
    if config is None:
        return [f"{CONFIG} does not exist"]
    text = (config.get("data") or {}).get(_KEY, "")
    return [f"in the Corefile {phrase}" for name in names for phrase in obstacles(text, name)]


class DnsNamePoisoned(ComponentFault):
    """Lets CoreDNS answer wrong for the name of the component's Service, and for no other."""

    name: ClassVar[str] = "dns-name-poisoned"
    title: ClassVar[str] = "Cluster DNS answers wrong for one Service"
    layer: ClassVar[str] = "network"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.SERVICE,)

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            answer: `nxdomain`: there is no such name. `servfail`: the server cannot say. `address`:
                an address of the past.
            address: For `address`.
        """

        answer: Literal["nxdomain", "servfail", "address"] = "nxdomain"
        address: str = "10.96.250.17"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or by_service(component):
            return reason
        return "" if component.callers else "nobody calls it"

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edit_corefile(edits, lambda text: with_rule(text, _rule(context)))
        # A client that starts before would get, and cache, right answers.
        edits.cluster.clock.wait_until(lambda: not unfinished(edits.cluster), _ROLLED_OUT_S, 1.0)
        restart_rollout(edits, clients_of(context, otherwise=True))

    @override
    def present(self, context: FaultContext) -> Check:
        name = _name(context)
        expected = f"CoreDNS answers for {name} by the Service"
        return defect_check(expected, corefile_defects(context.cluster, [name]))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        name, given = _name(context), context.parameters
        answer = given.address if given.answer == "address" else given.answer.upper()
        return truth_of(
            context,
            CONFIG,
            "dns-name-poisoned",
            (
                f"CoreDNS answers {answer} for {name}",
                f"CoreDNS template returns {answer}",
                "CoreDNS has a template for the name of the service",
                "wrong DNS answer for the service",
                "DNS resolution of the service is broken by CoreDNS",
                "CoreDNS configuration overrides the name of the service",
                "CoreDNS ConfigMap misconfigured",
                "Corefile misconfigured",
                "bad template in the Corefile",
            ),
            Change(what=f"data.{_KEY}", before="", after="; ".join(_rule(context))),
            "name resolution fails",
            "no such host",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        clients = clients_of(context, otherwise=True)
        return (*standard_corefile(), *commands.restart_and_wait(clients))


def _name(context: FaultContext) -> str:
    service = service_of(context)
    return f"{service.name}.{service.namespace}.svc.{DOMAIN}"


def _rule(context: FaultContext) -> tuple[str, ...]:
    given, name = context.parameters, _name(context)
    if given.answer == "address":
        return (
            f"template IN A {name} {{",
            f'   answer "{{{{ .Name }}}} 60 IN A {given.address}"',
            "}",
        )
    return (f"template ANY ANY {name} {{", f"   rcode {given.answer.upper()}", "}")


class DnsZoneBroken(ClusterFault):
    """Lets CoreDNS deny the names of all Services."""

    name: ClassVar[str] = "dns-zone-broken"
    title: ClassVar[str] = "Cluster DNS knows no Service"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            how: `denied`: a rule of the past says that the zone's names do not exist. `renamed`:
                the cluster's names are served under another domain.
            domain: For `renamed`.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        how: Literal["denied", "renamed"] = "denied"
        domain: str = Field(default="cluster.internal", min_length=1)

    @override
    def inject(self, context: FaultContext) -> None:
        given = context.parameters
        edits = Edits(context)
        if given.how == "renamed":
            edit_corefile(edits, lambda text: with_domain(text, given.domain))
        else:
            edit_corefile(edits, lambda text: with_rule(text, _DENIED))

    @override
    def outstanding(self, context: FaultContext) -> str:
        return unfinished(context.cluster)

    @override
    def present(self, context: FaultContext) -> Check:
        names = [f"kubernetes.default.svc.{DOMAIN}"]
        found = corefile_defects(context.cluster, names)
        return defect_check("CoreDNS answers for Services of the cluster", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        given = context.parameters
        renamed = given.how == "renamed"
        change = Change(
            what=f"data.{_KEY}",
            before=f"kubernetes {DOMAIN}" if renamed else "",
            after=f"kubernetes {given.domain}" if renamed else "; ".join(_DENIED),
        )
        phrases = (
            "CoreDNS configuration is wrong",
            "CoreDNS misconfigured",
            "CoreDNS ConfigMap misconfigured",
            "Corefile misconfigured",
            "CoreDNS does not resolve the names of services",
            "DNS resolution of all services is broken",
            "cluster DNS is broken",
            "stale CoreDNS configuration",
            f"CoreDNS serves {given.domain}" if renamed else "CoreDNS template returns NXDOMAIN",
        )
        return cluster_truth(context, CONFIG, SERVER.name, "dns-zone-broken", phrases, change)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return standard_corefile()


_DENIED = (f"template ANY ANY svc.{DOMAIN} {{", "   rcode NXDOMAIN", "}")


class DnsConfigInvalid(ClusterFault):
    """Lets CoreDNS restart with a Corefile that it cannot read."""

    name: ClassVar[str] = "dns-config-invalid"
    title: ClassVar[str] = "Cluster DNS cannot read its configuration"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            directive: A word that CoreDNS does not know.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        directive: str = Field(default="cahce", pattern=r"^[a-z_]+$")

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        text = with_rule(edits.read(CONFIG)["data"][_KEY], (f"{context.parameters.directive} 30",))
        edits.patch(CONFIG, {"data": {_KEY: text}}, "merge")
        # A rolling update would keep pods that read the Corefile before.
        edits.pause()
        for pod in not_terminating(pods_of(edits.cluster, edits.read(SERVER))):
            edits.end(pod)

    @override
    def present(self, context: FaultContext) -> Check:
        config = context.cluster.get(CONFIG)
        text = "" if config is None else (config.get("data") or {}).get(_KEY, "")
        word = context.parameters.directive
        found = [f"the Corefile has the directive {word}"] if word in directives(text) else []
        return defect_check("a Corefile that CoreDNS can read", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        word = context.parameters.directive
        change = Change(what=f"data.{_KEY}", before="", after=f"{word} 30")
        phrases = (
            "Corefile is invalid",
            "Corefile has an unknown directive",
            "syntax error in the Corefile",
            "typo in the Corefile",
            f"Corefile has the unknown directive {word}",
            "CoreDNS cannot parse its Corefile",
            "CoreDNS crash loops because of its Corefile",
            "CoreDNS ConfigMap misconfigured",
            "CoreDNS misconfigured",
        )
        return cluster_truth(context, CONFIG, SERVER.name, "dns-config-invalid", phrases, change)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return standard_corefile()


class DnsDown(ClusterFault):
    """Scales CoreDNS to nothing."""

    name: ClassVar[str] = "dns-down"
    title: ClassVar[str] = "Cluster DNS does not run"

    class Parameters(BaseModel):
        """None."""

        model_config = ConfigDict(frozen=True, extra="forbid")

    @override
    def inject(self, context: FaultContext) -> None:
        Edits(context).patch(SERVER, {"spec": {"replicas": 0}}, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        server: Any = context.cluster.get(SERVER)
        wanted = None if server is None else server["spec"].get("replicas", 1)
        found = [f"{SERVER} has spec.replicas 0"] if wanted == 0 else []
        if server is None:
            found = [f"{SERVER} does not exist"]
        return defect_check("CoreDNS runs", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        phrases = (
            "CoreDNS is scaled to zero",
            "CoreDNS has no replicas",
            "CoreDNS does not run",
            "cluster DNS is down",
            "CoreDNS is down",
            "no CoreDNS pods",
        )
        change = Change(what="spec.replicas", before=str(_REPLICAS), after="0")
        return cluster_truth(context, SERVER, SERVER.name, "dns-down", phrases, change)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (commands.scale(SERVER, _REPLICAS), commands.rollout_status(SERVER))
