"""ResourceQuotas: how much of a namespace is used, and what no longer fits."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import custom, errors, quota_scopes
from sregym_cluster_embedded.api.quantity import canonical, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

Usage = dict[str, Decimal]
_QUOTAS = "resourcequotas"
_COMPUTE = ("cpu", "memory", "ephemeral-storage")
# Of these, every container must say how much it wants where they are limited.
_EXPLICIT = ("cpu", "memory")
_COUNTED = (
    "configmaps",
    "persistentvolumeclaims",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
)


def of_object(kind: Resource, obj: Object) -> Usage:
    """What one object uses, by the names that quotas have for it."""
    usage: Usage = {f"count/{kind.group_resource}": Decimal(1)}
    if kind.name == "pods":
        return usage | _pod(obj)
    if kind.name in _COUNTED:
        usage[kind.name] = Decimal(1)
    if kind.name == "persistentvolumeclaims":
        storage = obj["spec"].get("resources", {}).get("requests", {}).get("storage", "0")
        usage["requests.storage"] = parse(storage)
        class_ = obj["spec"].get("storageClassName")
        if class_:
            head = f"{class_}.storageclass.storage.k8s.io"
            usage[f"{head}/requests.storage"] = parse(storage)
            usage[f"{head}/persistentvolumeclaims"] = Decimal(1)
    elif kind.name == "services":
        type_ = obj["spec"].get("type")
        usage["services.loadbalancers"] = Decimal(type_ == "LoadBalancer")
        ports = obj["spec"].get("ports", ())
        usage["services.nodeports"] = Decimal(sum(1 for port in ports if port.get("nodePort")))
    return usage


def _pod(obj: Object) -> Usage:
    if obj.get("status", {}).get("phase") in ("Succeeded", "Failed"):
        return {}
    usage: Usage = {"pods": Decimal(1)}
    for field in ("requests", "limits"):
        for name in _COMPUTE:
            total = _effective(obj["spec"], field, name)
            if total is not None:
                usage[f"{field}.{name}"] = total
                if field == "requests":
                    usage[name] = total
    return usage


def _effective(spec: Object, field: str, name: str) -> Decimal | None:
    """The sum over containers, or what the largest init container wants; None: not given."""
    values = [
        parse(container["resources"][field][name])
        for container in spec.get("containers", ())
        if name in container.get("resources", {}).get(field, {})
    ]
    initial = [
        parse(container["resources"][field][name])
        for container in spec.get("initContainers", ())
        if name in container.get("resources", {}).get(field, {})
    ]
    if not values and not initial:
        return None
    return max([sum(values, Decimal(0)), *initial])


# Types whose changes can need more than before.
GROWING = frozenset({"persistentvolumeclaims", "services"})


def admit(world: World, kind: Resource, obj: Object, old: Object | None = None) -> None:
    """Refuse a new object, or what a change adds, that does not fit into a quota.

    Raises:
        errors.ApiError: Forbidden.
    """
    namespace = obj["metadata"].get("namespace", "")
    quotas = world.store.list(_QUOTAS, namespace) if namespace else []
    if not quotas:
        return
    wanted = of_object(kind, obj)
    if old is not None:
        before = of_object(kind, old)
        wanted = {name: value - before.get(name, Decimal(0)) for name, value in wanted.items()}
    for quota in quotas:
        if not quota_scopes.counts(quota, kind, obj):
            continue
        hard = quota["spec"].get("hard", {})
        if kind.name == "pods":
            _check_said(kind, quota, obj, hard)
        names = sorted(hard.keys() & {name for name, value in wanted.items() if value > 0})
        used = usage(world, namespace, {name: hard[name] for name in names}, quota)
        over = [name for name in names if used[name] + wanted[name] > parse(hard[name])]
        if over:
            text = (
                f"exceeded quota: {quota['metadata']['name']}, "
                f"requested: {_listed(wanted, over)}, used: {_listed(used, over)}, "
                f"limited: {','.join(f'{name}={hard[name]}' for name in over)}"
            )
            raise errors.forbidden(kind, obj["metadata"]["name"], text)


def _check_said(kind: Resource, quota: Object, obj: Object, hard: Mapping[str, str]) -> None:
    """Where computing resources are limited, every container must say what it wants."""
    missing: dict[str, list[str]] = {}
    for name in sorted(hard):
        field, _, resource = name.rpartition(".")
        field = field or "requests"
        if resource not in _EXPLICIT or field not in ("requests", "limits"):
            continue
        spec = obj["spec"]
        for container in [*spec.get("containers", ()), *spec.get("initContainers", ())]:
            if resource not in container.get("resources", {}).get(field, {}):
                missing.setdefault(name, []).append(container["name"])
    if missing:
        listed = "; ".join(f"{name} for: {','.join(missing[name])}" for name in missing)
        text = f"failed quota: {quota['metadata']['name']}: must specify {listed}"
        raise errors.forbidden(kind, obj["metadata"]["name"], text)


def usage(
    world: World, namespace: str, hard: Mapping[str, str], quota: Object | None = None
) -> Usage:
    """How much of each of `hard`'s names a namespace uses now, as far as `quota` counts it."""
    total = {name: Decimal(0) for name in hard}
    for resource in world.store.resources():
        kind = custom.named(world, resource)
        if kind is None or not kind.namespaced or not _concerns(kind, hard):
            continue
        for obj in world.store.list(resource, namespace):
            if quota is not None and not quota_scopes.counts(quota, kind, obj):
                continue
            for name, value in of_object(kind, obj).items():
                if name in total:
                    total[name] += value
    return total


def _concerns(kind: Resource, hard: Mapping[str, str]) -> bool:
    if f"count/{kind.group_resource}" in hard or kind.name in hard:
        return True
    if kind.name == "pods":
        return any(name.rpartition(".")[2] in _COMPUTE for name in hard)
    if kind.name == "persistentvolumeclaims" and any(".storageclass." in name for name in hard):
        return True
    prefixes = {"persistentvolumeclaims": "requests.storage", "services": "services."}
    prefix = prefixes.get(kind.name)
    return prefix is not None and any(name.startswith(prefix) for name in hard)


def recount(world: World, namespace: str) -> None:
    """Write what is used into the status of all quotas of a namespace, where it changed."""
    for quota in world.store.list(_QUOTAS, namespace):
        hard = quota["spec"].get("hard", {})
        used = usage(world, namespace, hard, quota)
        texts = {name: _text(used[name], hard[name]) for name in hard}
        status = {"hard": dict(hard), "used": texts} if hard else {}
        if quota.get("status") != status:
            world.store.put(_QUOTAS, {**quota, "status": status})


def _listed(usages: Usage, names: list[str]) -> str:
    return ",".join(f"{name}={_text(usages[name], '')}" for name in names)


def _text(value: Decimal, like: str) -> str:
    """A sum as a quantity; in binary units when it is a whole number of them."""
    whole = value == value.to_integral_value()
    if whole and value and value % 1024 == 0 and (like.endswith("i") or value >= 1024 * 1024):
        return canonical(f"{int(value) // 1024}Ki")
    return canonical(format(value, "f"))
