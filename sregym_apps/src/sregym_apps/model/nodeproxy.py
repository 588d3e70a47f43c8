"""Proxies of nodes: programs that write what leads connections to Services on their node."""

from __future__ import annotations

from typing import Literal

from sregym_apps.model.base import Text  # noqa: TC001 - pydantic reads it
from sregym_apps.model.service import ServiceProgram


class NodeProxyProgram(ServiceProgram):
    """A kube-proxy: how connections to Services are spread on its node follows from its file.

    Of the file counts what a KubeProxyConfiguration says in `mode`, `iptables.minSyncPeriod`,
    `ipvs.minSyncPeriod`, `nftables.minSyncPeriod` and `ipvs.scheduler`. One that it cannot read
    keeps it from starting; what it wrote before it ended stays in force.

    Attributes:
        kind: `node-proxy`.
        configuration: Path of the file.
    """

    kind: Literal["node-proxy"]  # type: ignore[assignment]  # another kind of service
    configuration: Text = "/var/lib/kube-proxy/config.conf"
