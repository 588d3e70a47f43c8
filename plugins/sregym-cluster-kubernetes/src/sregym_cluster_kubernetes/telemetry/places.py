"""Where a service of observability is: at an address, or behind a Service of the cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces.cluster import KubeObject

# The services by the names that agents know, with the ports on which they usually listen.
PORTS = {"prometheus": 9090, "loki": 3100, "jaeger": 16686, "alertmanager": 9093}
_LABEL = "app.kubernetes.io/name"
# Other names under which charts install them.
_ALIASES = {
    "prometheus": ("prometheus", "prometheus-server", "prometheus-operated"),
    "loki": ("loki", "loki-gateway"),
    "jaeger": ("jaeger", "jaeger-query"),
    "alertmanager": ("alertmanager", "prometheus-alertmanager", "alertmanager-operated"),
}
_PLACE = re.compile(
    r"(?:(?P<scheme>https?):)?(?P<namespace>[a-z0-9-]+)/(?P<name>[a-z0-9-]+)"
    r"(?::(?P<port>[a-z0-9-]+))?(?P<path>/.*)?"
)


@dataclass(frozen=True)
class ServicePlace:
    """A Service of the cluster, reached through the API server's proxy.

    Attributes:
        namespace: Its namespace.
        name: Its name.
        port: Number or name of its port.
        path: What stands before every path there, without a slash at the end.
        scheme: `http` or `https`.
    """

    namespace: str
    name: str
    port: str
    path: str = ""
    scheme: str = "http"

    def __str__(self) -> str:
        """As the user gives it."""
        scheme = f"{self.scheme}:" if self.scheme != "http" else ""
        return f"{scheme}{self.namespace}/{self.name}:{self.port}{self.path}"

    def proxied(self, path: str) -> str:
        """The path at the API server that leads to a path of the service."""
        scheme = f"{self.scheme}:" if self.scheme != "http" else ""
        service = f"{scheme}{self.name}:{self.port}"
        return (
            f"/api/v1/namespaces/{self.namespace}/services/{service}/proxy"
            f"{quote(self.path + path, safe='/%')}"
        )


def is_address(text: str) -> bool:
    """Whether it is a URL."""
    return text.startswith(("http://", "https://"))


def parse_place(service: str, text: str) -> ServicePlace | None:
    """A Service from `NAMESPACE/SERVICE[:PORT][/PATH]`, `https:` before it where it wants that."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    return ServicePlace(
        namespace=found["namespace"],
        name=found["name"],
        port=found["port"] or str(PORTS[service]),
        path=(found["path"] or "").rstrip("/"),
        scheme=found["scheme"] or "http",
    )


def found_among(objects: Iterable[KubeObject]) -> dict[str, ServicePlace]:
    """The services of observability among Services of a cluster, the first of each by its name."""
    found: dict[str, ServicePlace] = {}
    candidates = [obj for obj in objects if _ports(obj)]
    for service, names in _ALIASES.items():
        # One with the plain name comes before one that only has the label.
        for own in (True, False):
            for obj in candidates:
                metadata = obj["metadata"]
                label = (metadata.get("labels") or {}).get(_LABEL, "")
                if (metadata["name"] if own else label) in names and service not in found:
                    found[service] = ServicePlace(
                        metadata["namespace"], metadata["name"], _port(service, obj)
                    )
    return found


def _ports(obj: KubeObject) -> list[dict[str, object]]:
    return list((obj.get("spec") or {}).get("ports") or ())


def _port(service: str, obj: KubeObject) -> str:
    """The usual one where it has it, else its first."""
    numbers = [str(port["port"]) for port in _ports(obj)]
    usual = str(PORTS[service])
    return usual if usual in numbers else numbers[0]
