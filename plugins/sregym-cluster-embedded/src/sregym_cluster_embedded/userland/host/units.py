"""The services of a node: which there are, how they are, starting and stopping them.

How the kubelet, the container runtime and kube-proxy are is known to those who are concerned
(`kubelet.unresponsive`, `network.proxies`); kept here is what no other layer needs: since when, with
what result, and whether a service is enabled.
"""

from __future__ import annotations

import posixpath
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.keys import CacheKey, TableKey
from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.node import heartbeats
from sregym_cluster_embedded.userland.host.unit_files import LOCAL, SHIPPED

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[tuple[str, str], ServiceState] = TableKey("host.units")
ACTIVE, INACTIVE, FAILED, RESTARTING = "active", "inactive", "failed", "activating"
_FOLDERS = (LOCAL, "/run/systemd/system", SHIPPED)
_FIRST_PID, _PIDS = 400, 60_000
_READ: CacheKey[dict[object, list[Unit]]] = CacheKey("host.units")
KUBELET, CONTAINERD, PROXY = "kubelet.service", "containerd.service", "kube-proxy.service"
CHRONY, SSH = "chrony.service", "ssh.service"


class ServiceState(NamedTuple):
    """What is remembered of a service that was started or stopped.

    Attributes:
        state: `active`, `inactive`, `failed` or `activating` (it waits for its next start).
        since: Virtual second of its last change; None: since the machine was booted.
        enabled: Whether it is started when the machine boots; None as it was installed.
        masked: Whether it cannot be started.
        runs: How often it was started.
        result: Why it ended: `success`, `exit-code`, `signal`.
        code: Exit code, or number of the signal.
        restarts: How often it was started again by itself.
    """

    state: str = ACTIVE
    since: float | None = None
    enabled: bool | None = None
    masked: bool = False
    runs: int = 0
    result: str = "success"
    code: int = 0
    restarts: int = 0


class Unit(NamedTuple):
    """A service as its file describes it.

    Attributes:
        name: With `.service`.
        path: Of the file.
        settings: (section, key, value) in order; drop-ins come last.
        drop_ins: Paths of files that change it.
    """

    name: str
    path: str
    settings: tuple[tuple[str, str, str], ...]
    drop_ins: tuple[str, ...] = ()

    def get(self, key: str, otherwise: str = "") -> str:
        """The last value of a setting."""
        values = [value for _, name, value in self.settings if name == key]
        return values[-1] if values else otherwise

    @property
    def description(self) -> str:
        """What it is."""
        return self.get("Description", self.name)

    @property
    def command(self) -> tuple[str, ...]:
        """The command line of its main process."""
        return tuple(self.get("ExecStart").lstrip("-@+!:").split())

    @property
    def stays(self) -> bool:
        """Whether a process of it runs while it is active."""
        return self.get("Type") != "oneshot"

    @property
    def wanted(self) -> bool:
        """Whether it can be enabled."""
        return bool(self.get("WantedBy"))


def unit_of(files: Files, name: str) -> Unit | None:
    """A service by its name, with `.service`; None when there is no such file."""
    for folder in _FOLDERS:
        text = files.read(f"{folder}/{name}")
        if text is not None:
            break
    else:
        return None
    settings, drop_ins = list(_settings(text)), []
    for place in reversed(_FOLDERS):
        for file in files.listing(f"{place}/{name}.d") or ():
            path = f"{place}/{name}.d/{file}"
            if file.endswith(".conf"):
                settings += _settings(files.read(path) or "")
                drop_ins.append(path)
    return Unit(name, f"{folder}/{name}", tuple(settings), tuple(drop_ins))


def units(files: Files) -> list[Unit]:
    """All services of a node, by name."""
    world = files.container.world
    layer = files.stored(None)
    written = tuple((path, layer[path]) for path in sorted(layer) if path.startswith(_FOLDERS))
    key = (files.container.config.node, written)
    known = world.cache.kept(_READ)
    if known is None:
        known = world.cache.keep(_READ, {})
    if key not in known:
        known.clear()
        known[key] = _read(files)
    return known[key]


def _read(files: Files) -> list[Unit]:
    names = {
        name
        for folder in _FOLDERS
        for name in files.listing(folder) or ()
        if name.endswith(".service")
    }
    found = (unit_of(files, name) for name in sorted(names))
    return [unit for unit in found if unit is not None]


def _settings(text: str) -> list[tuple[str, str, str]]:
    section, found = "", []
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif line and line[0] not in "#;" and "=" in line:
            key, _, value = line.partition("=")
            found.append((section, key.strip(), value.strip()))
    return found


def service_state(world: World, node: str, name: str) -> ServiceState:
    """What is remembered of a service."""
    found: ServiceState | None = world.table(_TABLE).get((node, name))
    return found or as_installed(name)


def as_installed(name: str) -> ServiceState:
    """The state of an unchanged service."""
    return ServiceState(state=INACTIVE if name not in _RUNNING else ACTIVE)


def keep(world: World, node: str, name: str, **fields: Any) -> ServiceState:
    """Remember something else of a service."""
    present = service_state(world, node, name)._replace(**fields)
    world.table(_TABLE)[(node, name)] = present
    return present


def changed_units(world: World) -> dict[tuple[str, str], ServiceState]:
    """All services that were changed, by node and name."""
    return world.table(_TABLE)


def status(world: World, node: str, name: str) -> ServiceState:
    """The current state of a service, whatever its cause."""
    known = service_state(world, node, name)
    runs = known.state == ACTIVE
    if name == KUBELET:
        stopped = unresponsive.absent(world, node) == unresponsive.STOPPED
        if stopped and runs:
            return known._replace(state=INACTIVE, since=heartbeats.silent_since(world, node))
        if not stopped and not runs:
            return known._replace(state=ACTIVE)
    if name == CONTAINERD and runs and unresponsive.absent(world, node) == unresponsive.NO_RUNTIME:
        return known._replace(state=INACTIVE, since=known.since)
    if name == PROXY and runs and not proxies.works(world, node):
        return known._replace(state=INACTIVE, since=known.since)
    return known


def is_active(world: World, node: str, name: str) -> bool:
    """Whether a service runs."""
    return status(world, node, name).state == ACTIVE


def main_pid(world: World, node: str, name: str) -> int:
    """The number of the main process of a service, for its present run."""
    if name in _EARLY:
        return 210 + 31 * _EARLY.index(name)
    digest = blake2b(
        f"{node} {name} {service_state(world, node, name).runs}".encode(), digest_size=4
    )
    return _FIRST_PID + int.from_bytes(digest.digest(), "big") % _PIDS


_EARLY = (
    "systemd-journald.service",
    "systemd-udevd.service",
    "dbus.service",
    "systemd-logind.service",
)
# What runs when a node has been set up; others are installed and not started.
_RUNNING = frozenset(
    {
        *_EARLY, KUBELET, CONTAINERD, PROXY, CHRONY, SSH, "cron.service", "smartmontools.service",
        "networking.service", "systemd-sysctl.service",
    }
)  # fmt: skip


def installed_enabled(name: str) -> bool:
    """Whether a service is started at boot as the node was installed."""
    return name in _RUNNING


def full_name(name: str) -> str:
    """A name as given on a command line, with its type."""
    known = (".service", ".target", ".socket", ".timer", ".mount", ".slice", ".scope", ".path")
    return name if name.endswith(known) else f"{posixpath.basename(name)}.service"
