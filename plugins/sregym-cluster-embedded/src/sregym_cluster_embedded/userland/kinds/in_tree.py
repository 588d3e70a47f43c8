"""The kinds of programs that come with the embedded cluster."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind

_HERE = "sregym_cluster_embedded.userland"
_KINDS = f"{_HERE}.kinds"
_TELEMETRY = "sregym_cluster_embedded.telemetry"
_EXPORTERS = f"{_TELEMETRY}.metrics.exporters"

_GENERIC = (
    ServerKind(
        name="service",
        program="sregym_apps.model.service:ServiceProgram",
        behaviour=f"{_KINDS}.service:ServiceKind",
    ),
    ServerKind(
        name="load-generator",
        program="sregym_apps.model.workload:LoadGeneratorProgram",
        behaviour=f"{_KINDS}.load:LoadKind",
    ),
    ServerKind(
        name="name-server",
        program="sregym_apps.model.nameserver:NameServerProgram",
        behaviour=f"{_KINDS}.nameserver:NameServerKind",
        background=f"{_TELEMETRY}.coredns_query_log:background",
    ),
    ServerKind(
        name="ingress-controller",
        program="sregym_apps.model.ingress:IngressProgram",
        behaviour=f"{_KINDS}.ingress:IngressKind",
    ),
    ServerKind(
        name="admission-webhook",
        program="sregym_apps.model.admission:AdmissionProgram",
        behaviour=f"{_KINDS}.admission:AdmissionKind",
    ),
    ServerKind(
        name="http-proxy",
        program="sregym_apps.model.proxy:ProxyProgram",
        behaviour=f"{_KINDS}.proxy:ProxyKind",
    ),
    ServerKind(
        name="node-proxy",
        program="sregym_apps.model.nodeproxy:NodeProxyProgram",
        behaviour=f"{_KINDS}.node_proxy:NodeProxyKind",
    ),
    ServerKind(
        name="node-router",
        program="sregym_apps.model.nodeproxy:NodeRouterProgram",
        behaviour=f"{_KINDS}.node_router:NodeRouterKind",
    ),
)
# In the order in which applications meet them; nothing depends on it.
IN_TREE = Extension(
    name="cluster-embedded",
    server_kinds=_GENERIC,
    commands=(Command("kubectl", "sregym_cluster_embedded.kubectl.in_containers:kubectl"),),
)
