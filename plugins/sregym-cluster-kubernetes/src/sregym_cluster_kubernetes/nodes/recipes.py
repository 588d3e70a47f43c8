"""How settings are read and written with ordinary commands of a host.

Each recipe reads what is there, and its undo is writing that again; nothing is kept on the host
beside the thing itself. What has no recipe is no capability of this access.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from sregym_core.errors import NodeError
from sregym_kubernetes.node_settings import (
    CpuUse,
    Daemon,
    DiskFill,
    DiskReadOnly,
    KubeletField,
    LinkState,
    MemoryUse,
    Sysctl,
)

from sregym_cluster_kubernetes.nodes import load_recipes as loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.model import NodeSetting

# Runs a command on a host: (node, argv, stdin) -> standard output; raises `NodeError` when it fails.
Run = "Callable[..., str]"

KUBELET_FILE = "/var/lib/kubelet/config.yaml"
FILL_FILE = "/var/log/kern.log.2"
# What each setting needs on the host; tried before a fault is injected.
TRIALS: Mapping[type[NodeSetting], tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        Sysctl: (("sysctl", "-n", "kernel.pid_max"),),
        Daemon: (("systemctl", "show", "kubelet", "--property=ActiveState"),),
        DiskFill: (("fallocate", "--version"), ("stat", "-c", "%s", "/")),
        DiskReadOnly: (("findmnt", "-no", "OPTIONS", "/"),),
        KubeletField: (("cat", KUBELET_FILE),),
        CpuUse: (("systemd-run", "--version"),),
        MemoryUse: (("systemd-run", "--version"),),
        LinkState: (("ip", "-j", "route", "show", "default"), ("tc", "-j", "qdisc", "show")),
    }
)
_UNITS = {"kubelet": "kubelet", "container-runtime": "containerd", "kube-proxy": "kube-proxy"}
_US = 1_000_000


class Recipe(NamedTuple):
    """How a kind of setting is read and written."""

    read: Callable[[Any, Any], Any]
    write: Callable[[Any, Any], None]


def _read_sysctl(run: Any, setting: Sysctl) -> Sysctl:
    value = " ".join(run(setting.node, ("sysctl", "-n", setting.name)).split())
    return setting.model_copy(update={"value": value})


def parameters_in(node: str, shown: str, names: Sequence[str]) -> Iterator[Sysctl]:
    """Those of some kernel parameters that `sysctl NAME ...` shows: a node need not have them all.

    Args:
        node: The node that is meant.
        shown: Lines `NAME = VALUE`.
        names: What was asked for.
    """
    for line in shown.splitlines():
        name, told, value = line.partition("=")
        if told and name.strip() in names and value.strip():
            yield Sysctl(node=node, name=name.strip(), value=" ".join(value.split()))


def _write_sysctl(run: Any, setting: Sysctl) -> None:
    if not setting.value:
        msg = f"nobody knows what {setting.name} of node {setting.node!r} was set up with; give a value"
        raise NodeError(msg)
    run(setting.node, ("sysctl", "-w", f"{setting.name}={setting.value}"))


def _unit(setting: Daemon) -> str:
    unit = _UNITS.get(setting.daemon)
    if unit is None:
        msg = f"the {setting.daemon} of node {setting.node!r} is no service of systemd"
        raise NodeError(msg)
    return unit


def _read_daemon(run: Any, setting: Daemon) -> Daemon:
    show = ("systemctl", "show", _unit(setting), "--property=ActiveState,MainPID")
    shown = dict(line.split("=", 1) for line in run(setting.node, show).splitlines() if line)
    state = "running" if shown.get("ActiveState") in ("active", "activating") else "stopped"
    pid = shown.get("MainPID", "0")
    if state == "running" and pid != "0":
        letter = run(setting.node, ("ps", "-o", "stat=", "-p", pid)).strip()[:1]
        state = "frozen" if letter == "T" else state
    return setting.model_copy(update={"state": state, "delay_s": 0.0})


def _write_daemon(run: Any, setting: Daemon) -> None:
    unit = _unit(setting)
    if setting.delay_s:
        msg = f"the {setting.daemon} of node {setting.node!r} cannot be made late on this cluster"
        raise NodeError(msg)
    if setting.state == "stopped":
        run(setting.node, ("systemctl", "stop", unit))
        return
    run(setting.node, ("systemctl", "start", unit))
    signal = "STOP" if setting.state == "frozen" else "CONT"
    run(setting.node, ("systemctl", "kill", f"--signal=SIG{signal}", unit))


def _only_root(setting: DiskFill | DiskReadOnly) -> None:
    if setting.disk != "root":
        msg = f"disk {setting.disk!r} of node {setting.node!r} cannot be set; there is: root"
        raise NodeError(msg)


def _read_fill(run: Any, setting: DiskFill) -> DiskFill:
    _only_root(setting)
    look = ("sh", "-c", f"stat -c %s {FILL_FILE} 2>/dev/null || echo 0")
    return setting.model_copy(update={"taken_bytes": int(run(setting.node, look))})


def _write_fill(run: Any, setting: DiskFill) -> None:
    _only_root(setting)
    run(setting.node, ("rm", "-f", FILL_FILE))
    if setting.taken_bytes:
        run(setting.node, ("fallocate", "-l", str(setting.taken_bytes), FILL_FILE))


def _read_read_only(run: Any, setting: DiskReadOnly) -> DiskReadOnly:
    _only_root(setting)
    options = run(setting.node, ("findmnt", "-no", "OPTIONS", "/")).strip().split(",")
    return setting.model_copy(update={"read_only": "ro" in options})


def _write_read_only(run: Any, setting: DiskReadOnly) -> None:
    _only_root(setting)
    mode = "ro" if setting.read_only else "rw"
    run(setting.node, ("mount", "-o", f"remount,{mode}", "/"))


def _read_field(run: Any, setting: KubeletField) -> KubeletField:
    content: Any = yaml.safe_load(run(setting.node, ("cat", KUBELET_FILE))) or {}
    for step in setting.field.split("/"):
        content = content.get(step) if isinstance(content, dict) else None
    return setting.model_copy(update={"value": content})


def _write_field(run: Any, setting: KubeletField) -> None:
    content: Any = yaml.safe_load(run(setting.node, ("cat", KUBELET_FILE))) or {}
    *folders, last = setting.field.split("/")
    place = content
    for step in folders:
        place = place.setdefault(step, {})
    if setting.value is None:
        place.pop(last, None)
    else:
        place[last] = setting.value
    text = yaml.safe_dump(content, sort_keys=False)
    run(setting.node, ("tee", KUBELET_FILE), text)
    run(setting.node, ("systemctl", "restart", "kubelet"))


def _device(run: Any, setting: LinkState) -> tuple[str, str]:
    """The node at which packets begin, and the card through which they leave it."""
    if not setting.source.node or setting.target != type(setting.target)():
        msg = (
            f"only packets from a node to everybody can be set on this cluster, not {setting.key!r}"
        )
        raise NodeError(msg)
    if setting.blocked:
        msg = f"packets cannot be blocked on this cluster ({setting.key!r}); loss=1 loses all"
        raise NodeError(msg)
    node = setting.source.node
    routes = json.loads(run(node, ("ip", "-j", "route", "show", "default")) or "[]")
    if not routes:
        msg = f"node {node!r} has no default route, so the card to its network is not known"
        raise NodeError(msg)
    return node, str(routes[0]["dev"])


def _read_link(run: Any, setting: LinkState) -> LinkState:
    node, device = _device(run, setting)
    shown = json.loads(run(node, ("tc", "-j", "qdisc", "show", "dev", device)) or "[]")
    found: Any = next((entry for entry in shown if entry.get("kind") == "netem"), {})
    options = found.get("options") or {}
    names = ("delay", "loss-random", "duplicate", "rate")
    delay, loss, twice, rate = (options.get(name) or {} for name in names)
    return setting.model_copy(
        update={
            "delay_ms": round(float(delay.get("delay", 0)) * 1000, 6),
            "jitter_ms": round(float(delay.get("jitter", 0)) * 1000, 6),
            "loss": round(float(loss.get("loss", 0)), 6),
            "duplicated": round(float(twice.get("duplicate", 0)), 6),
            "rate_mbit": float(rate.get("rate", 0)) * 8 / _US,
        }
    )


def _write_link(run: Any, setting: LinkState) -> None:
    node, device = _device(run, setting)
    if setting.is_neutral:
        if not _read_link(run, setting).is_neutral:
            run(node, ("tc", "qdisc", "del", "dev", device, "root"))
        return
    words: list[str] = []
    if setting.delay_ms or setting.jitter_ms:
        words += ["delay", f"{setting.delay_ms:g}ms", f"{setting.jitter_ms:g}ms"]
    words += ["loss", f"{setting.loss * 100:g}%"] if setting.loss else []
    words += ["duplicate", f"{setting.duplicated * 100:g}%"] if setting.duplicated else []
    words += ["rate", f"{setting.rate_mbit:g}mbit"] if setting.rate_mbit else []
    run(node, ("tc", "qdisc", "replace", "dev", device, "root", "netem", *words))


RECIPES: Mapping[type[NodeSetting], Recipe] = MappingProxyType(
    {
        Sysctl: Recipe(_read_sysctl, _write_sysctl),
        Daemon: Recipe(_read_daemon, _write_daemon),
        DiskFill: Recipe(_read_fill, _write_fill),
        DiskReadOnly: Recipe(_read_read_only, _write_read_only),
        KubeletField: Recipe(_read_field, _write_field),
        CpuUse: Recipe(loads.read_cpu, loads.write_cpu),
        MemoryUse: Recipe(loads.read_memory, loads.write_memory),
        LinkState: Recipe(_read_link, _write_link),
    }
)
