"""Where an address leads: Services of the manifests, and the containers behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_lint import Defect, no_such

from sregym_apps.lint.container_programs import programs_of_containers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_apps.lint.container_programs import Running
    from sregym_apps.lint.files import Files, KubeDocument

_OWN = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared, not listened on


class ResolvedAddress(NamedTuple):
    """What is at an address.

    Attributes:
        wrong: Why no program is; empty when one is, or when that is not known.
        containers: Those whose program listens there, with the name of the listener.
    """

    wrong: str = ""
    containers: tuple[tuple[Running, str], ...] = ()


@dataclass(frozen=True)
class Network:
    """Containers and Services of one application.

    Attributes:
        files: All files.
        containers: Containers whose program is known.
        defects: Why others cannot start.
    """

    files: Files
    containers: tuple[Running, ...]
    defects: tuple[Defect, ...]

    @classmethod
    def of(cls, files: Files) -> Network:
        """Of an application."""
        every = [*programs_of_containers(files)]
        running = tuple(one for one in every if not isinstance(one, Defect))
        return cls(files, running, tuple(one for one in every if isinstance(one, Defect)))

    def behind(self, service: KubeDocument) -> list[Running]:
        """Containers whose pods a Service selects."""
        selector = selector_of(service)
        return [
            one
            for one in self.containers
            if selector
            and one.owner.namespace == service.namespace
            and selector.items() <= dict(one.labels).items()
        ]

    def reach(self, caller: Running, address: str, default_port: int) -> ResolvedAddress:
        """Who is at `host:port`, or at a URL, for a container.

        Args:
            caller: From where.
            address: With all settings filled in; options after a question mark say nothing of the place.
            default_port: Where the address has none; 0 when there is no usual one.
        """
        bare = (address.partition("://")[2] or address).partition("?")[0]
        # Of several servers the first one stands for all.
        place = bare.partition("/")[0].rpartition("@")[2].partition(",")[0]
        host, _, port = place.partition(":")
        number = int(port) if port.isdecimal() else default_port
        if host in _OWN or not host or host.replace(".", "").isdecimal():
            return ResolvedAddress()
        if port and not port.isdecimal():
            return ResolvedAddress(f"{address!r} has no number as its port")
        service, wrong = self._service(caller.owner.namespace, host)
        if service is None:
            return ResolvedAddress(wrong)
        if not number:
            return ResolvedAddress(f"{address!r} has no port")
        return self.at(service, number)

    def at(self, service: KubeDocument, number: int) -> ResolvedAddress:
        """Who is at a port of a Service."""
        spec = service.data.get("spec") or {}
        if spec.get("type") == "ExternalName" or not selector_of(service):
            return ResolvedAddress()
        ports = {entry.get("port"): entry for entry in spec.get("ports") or ()}
        headless = spec.get("clusterIP") == "None"
        if number not in ports and not headless:
            there = no_such("port", str(number), map(str, ports))
            return ResolvedAddress(f"Service {service.name!r}: {there}")
        entry = ports.get(number, {"port": number})
        found = []
        for one in self.behind(service):
            listener = one.ports().get(target_port(entry, one.container))
            if listener is not None:
                found.append((one, listener))
        return ResolvedAddress("", tuple(found))

    def registered(self) -> Iterator[tuple[str, Running, str | None]]:
        """Names at registries, the containers that register them, and the announced port if known."""
        for one in self.containers:
            for step in getattr(one.program, "startup", ()):
                if hasattr(step, "register_at"):
                    yield one.value(step.name) or "", one, one.value(step.port)

    def _service(self, namespace: str, host: str) -> tuple[KubeDocument | None, str]:
        """The Service that a name of the cluster's DNS means; why there is none."""
        parts = host.removesuffix(".").split(".")
        inside = parts[2:] in ([], ["svc"], ["svc", "cluster", "local"])
        if len(parts) > 1 and (parts[1] not in self.files.namespaces() or not inside):
            if len(parts) > 2 and self.files.find("Service", parts[2], parts[1]):
                return self.files.find("Service", parts[2], parts[1]), ""  # a pod of a StatefulSet
            if inside and any(one.name == parts[0] for one in self.files.of_kind("Service")):
                return None, no_such("namespace", parts[1], self.files.namespaces())
            headless = self.files.find("Service", namespace, parts[1])
            return (headless, "") if headless and len(parts) == 2 else (None, "")
        space = parts[1] if len(parts) > 1 else namespace
        found = self.files.find("Service", space, parts[0])
        if found is not None:
            return found, ""
        names = [one.name for one in self.files.of_kind("Service") if one.namespace == space]
        if not self.files.objects:
            return None, ""
        return None, no_such("Service", parts[0], names, f"in namespace {space!r}")


def selector_of(service: KubeDocument) -> Mapping[str, str]:
    """The labels that a Service selects by."""
    spec = service.data.get("spec")
    selector = spec.get("selector") if isinstance(spec, dict) else None
    return selector if isinstance(selector, dict) else {}


def target_port(entry: Mapping[str, Any], container: Mapping[str, Any]) -> int:
    """The port of a container that a port of a Service leads to; 0 for a name it has not."""
    target = entry.get("targetPort", entry.get("port"))
    if isinstance(target, int):
        return target
    named = {one.get("name"): one.get("containerPort") for one in container.get("ports") or ()}
    return int(named.get(target) or 0)
