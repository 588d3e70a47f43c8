"""Validation of what keeps pods running."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import selectors
from sregym_cluster_embedded.api.identity_cache import Same
from sregym_cluster_embedded.api.validation import causes, label_selectors, pods

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

MISMATCH = "`selector` does not match template `labels`"
_ONLY_ALWAYS = ("Always",)


def deployment(obj: Object) -> list[Cause]:
    """Deployment."""
    return [*_of_deployment(Same(obj["spec"]))]


@lru_cache(maxsize=256)
def _of_deployment(given: Same[Object]) -> list[Cause]:
    spec = given.value
    found = causes.not_negative("spec.replicas", spec.get("replicas"))
    found += _selector(spec, "deployment")
    found += _template(spec, "ReplicaSet")
    found += _deployment_strategy(spec.get("strategy", {}))
    for field in ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        found += causes.not_negative(f"spec.{field}", spec.get(field))
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and 0 <= deadline <= spec.get("minReadySeconds", 0):
        text = "must be greater than minReadySeconds"
        found.append(causes.invalid("spec.progressDeadlineSeconds", deadline, text))
    return found


def replica_set(obj: Object) -> list[Cause]:
    """ReplicaSet."""
    spec = obj["spec"]
    found = causes.not_negative("spec.replicas", spec.get("replicas"))
    found += causes.not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    return found + _selector(spec, "replicaset") + _template(spec, "ReplicaSet")


def replication_controller(obj: Object) -> list[Cause]:
    """ReplicationController."""
    spec = obj["spec"]
    found = causes.not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    selector = spec.get("selector")
    if not selector:
        found.append(causes.required("spec.selector"))
    found += causes.not_negative("spec.replicas", spec.get("replicas"))
    whole = {**spec, "selector": {"matchLabels": selector or {}}}
    return found + _template(whole, "ReplicationController")


def stateful_set(obj: Object) -> list[Cause]:
    """StatefulSet."""
    spec = obj["spec"]
    found: list[Cause] = []
    policy = spec.get("podManagementPolicy")
    if policy not in ("OrderedReady", "Parallel"):
        text = "must be 'OrderedReady' or 'Parallel'"
        found.append(causes.invalid("spec.podManagementPolicy", policy, text))
    found += _stateful_strategy(spec.get("updateStrategy") or {})
    kept = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for field in ("whenDeleted", "whenScaled"):
        place = f"spec.persistentVolumeClaimRetentionPolicy.{field}"
        found += causes.one_of(place, kept.get(field), ("Retain", "Delete"))
    found += causes.not_negative("spec.replicas", spec.get("replicas"))
    found += causes.not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    ordinals = spec.get("ordinals") or {}
    found += causes.not_negative("spec.ordinals.start", ordinals.get("start"))
    found += _selector(spec, "statefulset")
    return found + _template(_with_claims(spec), "StatefulSet")


def _stateful_strategy(strategy: Object) -> list[Cause]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind not in ("RollingUpdate", "OnDelete"):
        value = {"Type": kind, "RollingUpdate": _internal(rolling, ("partition", "maxUnavailable"))}
        text = "must be 'RollingUpdate' or 'OnDelete'"
        return [causes.invalid("spec.updateStrategy", value, text)]
    if rolling is None:
        return []
    place = "spec.updateStrategy.rollingUpdate"
    if kind == "OnDelete":
        shown = _internal(rolling, ("partition", "maxUnavailable"))
        text = "only allowed for updateStrategy 'RollingUpdate'"
        return [causes.invalid(place, shown, text)]
    return causes.not_negative(f"{place}.partition", rolling.get("partition"))


def _internal(value: Object | None, fields: tuple[str, ...]) -> Object | None:
    """A value as the server's own type has it: each field, called as in Go."""
    if value is None:
        return None
    return {f"{field[:1].upper()}{field[1:]}": value.get(field) for field in fields}


def daemon_set(obj: Object) -> list[Cause]:
    """DaemonSet."""
    spec = obj["spec"]
    found = _template(spec, "DaemonSet")
    if spec.get("selector") is not None:
        found = _selector(spec, "daemonset") + found
    found += causes.not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    strategy = spec.get("updateStrategy") or {}
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate") or {}
    fields = ("maxUnavailable", "maxSurge")
    if kind == "RollingUpdate":
        found += _daemon_rolling(rolling)
    elif kind != "OnDelete":
        shown = _internal(strategy.get("rollingUpdate"), fields)
        supported = ("RollingUpdate", "OnDelete")
        value = {"Type": kind, "RollingUpdate": shown}
        found.append(causes.unsupported("spec.updateStrategy", value, supported))
    limit = spec.get("revisionHistoryLimit")
    return found + causes.not_negative("spec.revisionHistoryLimit", limit)


def _daemon_rolling(rolling: Object) -> list[Cause]:
    place = "spec.updateStrategy.rollingUpdate"
    surge, unavailable = rolling.get("maxSurge"), rolling.get("maxUnavailable")
    found = [
        *label_selectors.share(f"{place}.maxUnavailable", unavailable),
        *label_selectors.share(f"{place}.maxSurge", surge),
        *label_selectors.at_most_all(f"{place}.maxUnavailable", unavailable),
        *label_selectors.at_most_all(f"{place}.maxSurge", surge),
    ]
    if not _is_zero(surge) and not _is_zero(unavailable):
        text = "may not be set when maxUnavailable is non-zero"
        found.append(causes.invalid(f"{place}.maxSurge", surge, text))
    if _is_zero(surge) and _is_zero(unavailable):
        text = "cannot be 0 when maxSurge is 0"
        found.append(causes.required(f"{place}.maxUnavailable", text))
    return found


def _selector(spec: Object, kind: str) -> list[Cause]:
    selector = spec.get("selector")
    if selector is None:
        return [causes.required("spec.selector")]
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        kind = "deployment" if kind == "replicaset" else kind
        text = f"empty selector is invalid for {kind}"
        return [causes.invalid("spec.selector", selector, text)]
    return []


def _with_claims(spec: Object) -> Object:
    """A StatefulSet's spec as its pods have it: each claim template is one of their volumes."""
    template, claims = spec.get("template"), spec.get("volumeClaimTemplates")
    if not template or not claims:
        return spec
    pod = template.get("spec", {})
    names = [claim.get("metadata", {}).get("name", "") for claim in claims]
    volumes = [entry for entry in pod.get("volumes") or () if entry.get("name") not in names]
    for name in names:
        volumes.append({"name": name, "persistentVolumeClaim": {"claimName": name}})
    return {**spec, "template": {**template, "spec": {**pod, "volumes": volumes}}}


def _template(spec: Object, kind: str) -> list[Cause]:
    template = spec.get("template")
    if template is None:
        return [causes.required("spec.template")]
    found: list[Cause] = []
    selector = spec.get("selector")
    labels = (template.get("metadata") or {}).get("labels") or {}
    wanted = selectors.of_object(selector)
    empty = selector is not None and not (
        selector.get("matchLabels") or selector.get("matchExpressions")
    )
    if wanted is None and selector is not None and not empty and kind != "DaemonSet":
        text = "" if kind == "StatefulSet" else "invalid label selector"
        return [causes.invalid("spec.selector", selector, text)]
    if not empty and (wanted is None or not selectors.labels_match(wanted, labels)):
        shown = dict(sorted(labels.items())) or None
        found.append(causes.invalid("spec.template.metadata.labels", shown, MISMATCH))
    found += pods.template(template, "spec.template")
    given = template.get("spec") or {}
    policy = given.get("restartPolicy", "Always")
    if policy != "Always":
        place = "spec.template.spec.restartPolicy"
        found.append(causes.unsupported(place, policy, _ONLY_ALWAYS))
    if given.get("activeDeadlineSeconds") is not None:
        text = f"activeDeadlineSeconds in {kind} is not Supported"
        found.append(causes.forbidden("spec.template.spec.activeDeadlineSeconds", text))
    return found


def _deployment_strategy(strategy: Object) -> list[Cause]:
    kind = strategy.get("type")
    rolling = strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is None:
            return []
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [causes.forbidden("spec.strategy.rollingUpdate", text)]
    if kind != "RollingUpdate":
        supported = ("Recreate", "RollingUpdate")
        shown = _internal(rolling, ("maxUnavailable", "maxSurge"))
        value = {"Type": str(kind), "RollingUpdate": shown}
        return [causes.unsupported("spec.strategy", value, supported)]
    surge, unavailable = (rolling or {}).get("maxSurge"), (rolling or {}).get("maxUnavailable")
    place = "spec.strategy.rollingUpdate"
    found = [
        *label_selectors.share(f"{place}.maxUnavailable", unavailable),
        *label_selectors.share(f"{place}.maxSurge", surge),
    ]
    if _is_zero(surge) and _is_zero(unavailable):
        text = "may not be 0 when `maxSurge` is 0"
        found.append(causes.invalid(f"{place}.maxUnavailable", unavailable, text))
    return found + label_selectors.at_most_all(f"{place}.maxUnavailable", unavailable)


def _is_zero(value: Any) -> bool:
    """Whether a count or share counts as none, as which the server takes what is neither."""
    if not isinstance(value, str):
        return not value
    return not value.removesuffix("%").isdecimal() or int(value.removesuffix("%")) == 0
