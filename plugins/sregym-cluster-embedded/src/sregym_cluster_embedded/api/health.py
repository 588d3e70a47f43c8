"""The answers of `/healthz`, `/readyz` and `/livez`."""

from __future__ import annotations

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.request import Request, Response

_HOOKS = (
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    "priority-and-fairness-config-consumer",
    "priority-and-fairness-filter",
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "peer-endpoint-reconciler-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "storage-readiness",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
    "aggregator-reload-proxy-client-cert",
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-wait-for-first-sync",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
)
_OPENAPI_HOOKS = ("apiservice-openapi-controller", "apiservice-openapiv3-controller")
KINDS = ("healthz", "readyz", "livez")
_UNSNIFFED = {"X-Content-Type-Options": "nosniff"}


def paths() -> list[str]:
    """The paths of the answers and of each check."""
    hooks = [f"poststarthook/{hook}" for hook in (*_HOOKS, *_OPENAPI_HOOKS)]
    alive = ["autoregister-completion", "etcd", "log", "loopback-serving-certificate", "ping"]
    ready = ["autoregister-completion", "informer-sync", "log", "ping", "shutdown"]
    return [
        path
        for kind, checks in (("healthz", alive), ("livez", alive), ("readyz", ready))
        for path in (f"/{kind}", *(f"/{kind}/{check}" for check in (*checks, *hooks)))
    ]


_PATHS = frozenset(paths())


def answer(request: Request) -> Response | None:
    """`ok`, or with `?verbose` each check by name; None when there is no such check."""
    kind = request.path.strip("/")
    if f"/{kind}" not in _PATHS:
        return None
    if request.method != "GET":
        raise errors.method_not_allowed()
    verbose = any(name == "verbose" for name, _ in request.query)
    if not verbose:
        return Response(200, b"ok", "text/plain; charset=utf-8", _UNSNIFFED)
    checks = ["ping", "log"]
    checks += ["informer-sync"] if kind == "readyz" else ["loopback-serving-certificate", "etcd"]
    checks += [f"poststarthook/{hook}" for hook in _HOOKS]
    checks.append("autoregister-completion")
    checks += [f"poststarthook/{hook}" for hook in _OPENAPI_HOOKS]
    if kind == "readyz":
        checks.append("shutdown")
    text = "".join(f"[+]{check} ok\n" for check in checks) + f"{kind} check passed\n"
    return Response(200, text.encode(), "text/plain; charset=utf-8", _UNSNIFFED)
