"""Daemons of nodes that say where packets go: proxies for Services, routers for pods."""

from __future__ import annotations

from typing import Literal

from sregym_apps.model.base import Text  # noqa: TC001 - pydantic reads it
from sregym_apps.model.service import ServiceProgram


class NodeProxyProgram(ServiceProgram):
    """A kube-proxy: how connections to Services are spread on its node follows from its file.

    Of the file counts what a KubeProxyConfiguration has in `mode`, `iptables.minSyncPeriod`,
    `ipvs.minSyncPeriod`, `nftables.minSyncPeriod` and `ipvs.scheduler`. One that it cannot read
    keeps it from starting; what it wrote before it ended stays in force.

    Attributes:
        kind: `node-proxy`.
        configuration: Path of the file.
    """

    kind: Literal["node-proxy"]  # type: ignore[assignment]  # another kind of service
    configuration: Text = "/var/lib/kube-proxy/config.conf"


class NodeRouterProgram(ServiceProgram):
    """A kube-router: which nodes exchange routes to their pods follows from annotations.

    When it starts it reads of its own Node `kube-router.io/rr.server` and `kube-router.io/rr.client`:
    a client speaks with nodes that are servers alone, and these pass on what they receive.

    Attributes:
        kind: `node-router`.
    """

    kind: Literal["node-router"]  # type: ignore[assignment]  # another kind of service
