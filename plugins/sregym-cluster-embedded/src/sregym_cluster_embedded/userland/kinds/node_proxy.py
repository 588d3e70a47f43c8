"""kube-proxy as a process: it reads its file, and what it writes stays when it ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_apps.model import Line, NodeProxyProgram, expand

from sregym_cluster_embedded.api.documents import DocumentError, read_yaml
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.service import ServiceKind
from sregym_cluster_embedded.userland.life import end, write_log
from sregym_cluster_embedded.userland.process import Process, change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import ServiceProgram

    from sregym_cluster_embedded.world import World

_MODES = ("iptables", "ipvs", "nftables")
_SCHEDULERS = ("rr", "wrr", "lc", "wlc", "lblc", "lblcr", "sh", "dh", "sed", "nq", "mh")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)")
# A proxy that is told no other period collects changes for so long, which is not noticeable.
_USUAL_S = 1.0


class ConfigurationError(ValueError):
    """A file cannot be read; as kube-proxy words it."""


class Configuration(NamedTuple):
    """What counts of a file.

    Attributes:
        spread: How connections are spread.
        delay_s: How late changes are written.
    """

    spread: proxies.Spread
    delay_s: float


class NodeProxyKind(ServiceKind):
    """A service of a node that lets its network layer know by which rules connections go."""

    def begin(self, world: World, process: Process, program: ServiceProgram) -> None:
        """Read the file and write the rules, or end with kube-proxy's own words."""
        assert isinstance(program, NodeProxyProgram)
        path = expand(program.configuration, process.facts())
        try:
            wanted = read(world.service(RUNTIME).files(world, process).read(path), path)
        except ConfigurationError as refusal:
            fields = {"err": str(refusal)}
            line = Line(text="command failed", level="error", caller="run.go:72", fields=fields)
            write_log(world, process.ref, program, (line,))
            end(world, process.ref, 1)
            return
        settings = {**process.settings, "mode": wanted.spread.mode}
        change(world, process.ref, settings=settings)
        node = process.config.node
        proxies.start(world, node, wanted.spread)
        if wanted.delay_s > _USUAL_S:
            proxies.delay(world, node, wanted.delay_s)
        super().begin(world, process, program)

    def ended(self, world: World, process: Process) -> None:
        """No rules are written any more."""
        if proxies.works(world, process.config.node):
            proxies.stop(world, process.config.node)


def read(text: str | None, path: str) -> Configuration:
    """What a file says.

    Raises:
        ConfigurationError: It cannot be read.
    """
    if text is None:
        msg = f"failed complete: open {path}: no such file or directory"
        raise ConfigurationError(msg)
    try:
        found = read_yaml(text)
    except DocumentError as error:
        at = f"line {error.line}: " if error.line else ""
        msg = f"failed complete: yaml: {at}{error}"
        raise ConfigurationError(msg) from error
    if not isinstance(found, dict) or found.get("kind") != "KubeProxyConfiguration":
        msg = "failed complete: Object 'Kind' is missing in the configuration"
        raise ConfigurationError(msg)
    mode = found.get("mode") or "iptables"
    if mode not in _MODES:
        msg = (
            f'failed validate: KubeProxyConfiguration.Mode: Invalid value: "{mode}": must be '
            "iptables,ipvs,nftables or blank (blank means the best-available proxy (currently iptables))"
        )
        raise ConfigurationError(msg)
    own: Mapping[str, Any] = found.get(mode) or {}
    scheduler = str((found.get("ipvs") or {}).get("scheduler") or "rr") if mode == "ipvs" else ""
    if scheduler and scheduler not in _SCHEDULERS:
        msg = (
            "failed run: can't use the IPVS proxier: IPVS proxier will not be used because the "
            f"following required kernel modules are not loaded: [ip_vs_{scheduler}]"
        )
        raise ConfigurationError(msg)
    return Configuration(
        proxies.Spread(mode, scheduler), _seconds(str(own.get("minSyncPeriod") or "1s"))
    )


def _seconds(text: str) -> float:
    parts = _DURATION.findall(text)
    if "".join(f"{count}{unit}" for count, unit in parts) != text and text != "0":
        msg = f'failed complete: time: invalid duration "{text}"'
        raise ConfigurationError(msg)
    return sum(float(count) * _UNITS[unit] for count, unit in parts)
