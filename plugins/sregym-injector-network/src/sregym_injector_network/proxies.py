"""kube-proxy on all nodes goes by a file with which it does not keep up, or spreads unevenly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import yaml
from pydantic import Field
from sregym_core.model import (
    Change,
    Check,
    Component,
    ComponentPart,
    GroundTruth,
    ObjectRef,
    TargetKind,
)
from sregym_injectors.component_fault import (
    ComponentFault,
    by_service,
    not_custom,
    not_load,
    not_rolling,
)
from sregym_injectors.defects import defect_check
from sregym_injectors.documents import read_yaml
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.pods import not_terminating, pods_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import SCALABLE_KINDS, restart_rollout, rolled_out
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cluster, Command, FaultContext

_SYSTEM = "kube-system"
CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace=_SYSTEM, name="kube-proxy")
DAEMONS = ObjectRef(api_version="apps/v1", kind="DaemonSet", namespace=_SYSTEM, name="kube-proxy")
LABELS = "k8s-app=kube-proxy"
KEY = "config.conf"
_ROLLED_OUT_S = 300.0
# Schedulers of IPVS that keep clients to one endpoint.
_KEEPING = ("sh", "dh")
_LATE = "1h0m0s"
_LONGEST_S = 60.0
_MODES = ("", "iptables", "ipvs", "nftables")
_WRONG: Mapping[str, Mapping[str, Any]] = {
    "stopped": {"mode": "iptable"},
    "late": {"mode": "iptables", "iptables": {"minSyncPeriod": _LATE}},
    "skew": {"mode": "ipvs", "ipvs": {"scheduler": "dh"}},
}
_PHRASES: Mapping[str, tuple[str, ...]] = {
    "stopped": (
        "kube-proxy does not run",
        "kube-proxy is in CrashLoopBackOff",
        "kube-proxy crash loops",
        "invalid mode in the kube-proxy configuration",
        "unknown proxy mode",
        "stale rules of the Service on the nodes",
    ),
    "late": (
        "minSyncPeriod of kube-proxy is too long",
        "kube-proxy syncs too seldom",
        "stale iptables rules",
        "kube-proxy does not update endpoints",
    ),
    "skew": (
        "kube-proxy balances badly",
        "kube-proxy spreads connections unevenly",
        "IPVS scheduler of kube-proxy is wrong",
        "destination hashing",
        "one pod gets all of the traffic",
        "workload imbalance between replicas",
        "load is not balanced across the pods",
    ),
}
_SYMPTOMS: Mapping[str, tuple[str, ...]] = {
    "stopped": ("connections to the service time out", "no route to host"),
    "late": ("connections to the service time out", "no route to host"),
    "skew": ("one pod is busy and the others are idle",),
}


class ProxyStale(ComponentFault):
    """Gives kube-proxy a configuration by which Services lead elsewhere than they should."""

    name: ClassVar[str] = "proxy-stale"
    title: ClassVar[str] = "kube-proxy goes by a wrong configuration"
    layer: ClassVar[str] = "network"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.SERVICE,)
    breaks: ClassVar[TargetKind | None] = TargetKind.CLUSTER  # one kube-proxy for all Services

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            mode: `stopped`: a mode that it does not know, so that it does not start, and what it
                wrote before stays. `late`: it writes what changes once an hour. `skew`: it spreads
                by a hash of the address that is dialled, so that one pod gets all.
            replicas: For `skew`: to how many pods the component is scaled out.
        """

        mode: Literal["stopped", "late", "skew"] = "stopped"
        replicas: int = Field(default=5, ge=2)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := (
            not_load(component)
            or not_custom(component)
            or not_rolling(component)
            or by_service(component)
        ):
            return reason
        return "" if component.callers else "nobody calls it"

    @override
    def inject(self, context: FaultContext) -> None:
        edits, given, own = Edits(context), context.parameters, context.component.workload
        edits.save(DAEMONS)  # so that recovery restarts them after it has restored what they read
        if given.mode == "skew" and own.kind in SCALABLE_KINDS:
            edits.patch(own, {"spec": {"replicas": given.replicas}}, "merge")
        edits.patch(
            CONFIG, {"data": {KEY: _changed(edits.read(CONFIG), _WRONG[given.mode])}}, "merge"
        )
        restart_rollout(edits, (DAEMONS,))
        if given.mode == "skew":
            return
        # What is programmed once more before all have read the file would be right.
        edits.cluster.clock.wait_until(
            lambda: not _older(edits.cluster) and bool(_proxies(edits.cluster)), _ROLLED_OUT_S, 1.0
        )
        restart_rollout(edits, (own, *clients_of(context, otherwise=True)))

    @override
    def outstanding(self, context: FaultContext) -> str:
        if context.parameters.mode == "stopped":
            return ""
        daemons = context.cluster.get(DAEMONS)
        done = daemons is None or (rolled_out(daemons) and not _older(context.cluster))
        return "" if done else f"{DAEMONS} still has pods that read the configuration before"

    @override
    def present(self, context: FaultContext) -> Check:
        cluster = context.cluster
        config = cluster.get(CONFIG)
        found = [f"{CONFIG} does not exist"] if config is None else defects_of(_read(config))
        daemons = cluster.get(DAEMONS)
        if daemons is None:
            found.append(f"{DAEMONS} does not exist")
        elif not found and rolled_out(daemons):  # pods that are being replaced do not count
            found = [f"Pod {name} read {CONFIG} before it was changed" for name in _older(cluster)]
        return defect_check("kube-proxy keeps up with Services and spreads evenly", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        mode = context.parameters.mode
        change = Change(what=f"data.{KEY}", before="mode: iptables", after=_shown(_WRONG[mode]))
        common = (
            "kube-proxy is misconfigured",
            "kube-proxy ConfigMap is wrong",
            "kube-proxy configuration is wrong",
            "wrong KubeProxyConfiguration",
        )
        mechanism = {"stopped": "kube-proxy-stopped", "late": "kube-proxy-late"}.get(
            mode, "kube-proxy-unbalanced"
        )
        return truth_of(
            context, CONFIG, mechanism, (*_PHRASES[mode], *common), change, *_SYMPTOMS[mode]
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        config = context.cluster.get(CONFIG)
        text = "" if config is None else _changed(config, _RIGHT)
        clients = clients_of(context, otherwise=context.parameters.mode != "skew")
        return (
            commands.patch(CONFIG, {"data": {KEY: text}}, "merge"),
            commands.delete_pods(_SYSTEM, LABELS),
            commands.rollout_status(DAEMONS),
            *commands.restart_and_wait(clients),
        )


# What of a configuration the modes change, as kubeadm installs it.
_RIGHT: Mapping[str, Any] = {
    "mode": "iptables",
    "iptables": {"minSyncPeriod": None},
    "ipvs": {"scheduler": None},
}


def defects_of(config: Mapping[str, Any]) -> list[str]:
    """What of a KubeProxyConfiguration keeps Services from leading to all of their pods evenly."""
    mode = str(config.get("mode") or "")
    if mode not in _MODES:
        return [f"kube-proxy knows no mode {mode}"]
    own = config.get(mode or "iptables") or {}
    found = []
    period = str(own.get("minSyncPeriod") or "")
    if _hours_or_minutes(period) > _LONGEST_S:
        found.append(f"kube-proxy writes what changes once in {period}")
    if mode == "ipvs" and own.get("scheduler") in _KEEPING:
        found.append(f"the scheduler {own['scheduler']} keeps clients to one endpoint")
    return found


def _hours_or_minutes(duration: str) -> float:
    total, count = 0.0, ""
    for sign in duration.replace("ms", ""):
        if sign in "hms":
            total += float(count or 0) * {"h": 3600.0, "m": 60.0, "s": 1.0}[sign]
            count = ""
        elif sign.isdecimal() or sign == ".":
            count += sign
    return total


def _read(config: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found = read_yaml((config.get("data") or {}).get(KEY, ""))
    except yaml.YAMLError:
        return {"mode": "unreadable"}
    return found if isinstance(found, dict) else {"mode": "unreadable"}


def _changed(config: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """The text of a configuration with other fields; one that is None is left out."""
    found = {
        name: value for name, value in _read(config).items() if name not in ("iptables", "ipvs")
    }
    parts = {name: dict(_read(config).get(name) or {}) for name in ("iptables", "ipvs")}
    for name, value in fields.items():
        if not isinstance(value, dict):
            found[name] = value
            continue
        for key, one in value.items():
            parts[name].pop(key, None)
            if one is not None:
                parts[name][key] = one
    found.update({name: part for name, part in parts.items() if part})
    return yaml.safe_dump(found, sort_keys=True)


def _shown(fields: Mapping[str, Any]) -> str:
    return (
        yaml.safe_dump(dict(fields), default_flow_style=True, sort_keys=False).strip().strip("{}")
    )


def _proxies(cluster: Cluster) -> list[dict[str, Any]]:
    daemons = cluster.get(DAEMONS)
    return [] if daemons is None else not_terminating(pods_of(cluster, daemons))


def _older(cluster: Cluster) -> list[str]:
    """Names of the pods of kube-proxy that began before the last change of what they read."""
    config = cluster.get(CONFIG)
    managers = () if config is None else config["metadata"].get("managedFields") or ()
    changed = max((entry.get("time", "") for entry in managers), default="")
    return [
        pod["metadata"]["name"]
        for pod in _proxies(cluster)
        if (pod["metadata"].get("creationTimestamp") or changed) < changed
    ]
