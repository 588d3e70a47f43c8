"""How registries answer a pull: what they have, whom they let in, whether they can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network.resolver import NODE_DNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubelet.runtime import Login
    from sregym_cluster_embedded.world import World

REGISTRIES: TableKey[str, Registry] = TableKey("userland.registries")
_HUB = "docker.io"
# So long containerd tries to connect.
_DIAL_S = 30.0


class Registry(NamedTuple):
    """One registry.

    Attributes:
        unreachable: What a client that tries to connect is told, as Go words it:
            `dial tcp 10.0.0.9:443: i/o timeout`, `tls: failed to verify certificate: x509: ...`.
            Empty while the registry answers.
        private: Beginnings of the paths behind the host that only those who log in may read.
        accounts: (user, password) of those who may.
        foreign: Paths with tag, `team/web:1.0`, that exist for other platforms only.
        address: Where the runtime connects to, when that is not the host in the reference.
        empty: Whether it has no image at all: what nodes have cannot be pulled again.
    """

    unreachable: str = ""
    private: tuple[str, ...] = ()
    accounts: tuple[tuple[str, str], ...] = ()
    foreign: tuple[str, ...] = ()
    address: str = ""
    empty: bool = False


_OPEN = Registry()


def registry_of(world: World, host: str) -> Registry:
    """A registry as it is now."""
    kept: Registry | None = world.table(REGISTRIES).get(host)
    if kept is not None:
        return kept
    return _OPEN


def registries(world: World) -> dict[str, Registry]:
    """Those that were set, by host."""
    return dict(world.table(REGISTRIES))


def forget_registry(world: World, host: str) -> None:
    """Let a registry answer as it did from the beginning."""
    world.table(REGISTRIES).pop(host, None)


def set_registry(world: World, host: str, registry: Registry) -> None:
    """Let a registry answer otherwise from now on."""
    world.table(REGISTRIES)[host] = registry


def refusal(
    registry: Registry, repository: str, tag: str, logins: Sequence[Login], known: bool
) -> str:
    """What containerd says when this registry does not give out an image; empty when it does.

    Args:
        registry: The registry; it can be found by its name.
        repository: With host: `ghcr.io/acme/web`.
        tag: Tag or digest.
        logins: With what the pod's pull secrets log in.
        known: Whether the registry has the image.
    """
    host, _, path = repository.partition("/")
    full, head = _heads(repository, tag)
    if registry.unreachable:
        return f"{head}: failed to do request: {_request(host, path, tag)}: {registry.unreachable}"
    may_read = any(
        login.host == host and (login.user, login.password) in registry.accounts for login in logins
    )
    if any(path.startswith(begin) for begin in registry.private) and not may_read:
        where = registry.address or host
        return (
            f"{head}: pulling from host {where} failed with status code [manifests {tag}]: "
            "401 Unauthorized"
        )
    if f"{path}:{tag}" in registry.foreign:
        text = f'failed to pull and unpack image "{full}": no match for platform in manifest'
        return f"rpc error: code = NotFound desc = {text}: not found"
    if known and not registry.empty:
        return ""
    if host == _HUB:
        return (
            f"{head}: pull access denied, repository does not exist or may require "
            "authorization: server message: insufficient_scope: authorization failed"
        )
    return f"rpc error: code = NotFound desc = {head}: {full}: not found"


def connect_timeout_s(registry: Registry) -> float:
    """Seconds for which a client waits before it is told that the registry cannot be reached."""
    return _DIAL_S if registry.unreachable.endswith("i/o timeout") else 0.0


def missing_tag(repository: str, tag: str) -> str:
    """What containerd says about a tag that a repository does not have."""
    full, head = _heads(repository, tag)
    return f"rpc error: code = NotFound desc = {head}: {full}: not found"


def unknown_host(repository: str, tag: str) -> str:
    """What containerd says about a registry whose name does not resolve."""
    host, _, path = repository.partition("/")
    _, head = _heads(repository, tag)
    name = "registry-1.docker.io" if host == _HUB else host
    request = _request(host, path, tag)
    lookup = f"lookup {name.partition(':')[0]} on {NODE_DNS}:53: no such host"
    return f"{head}: failed to do request: {request}: dial tcp: {lookup}"


def _heads(repository: str, tag: str) -> tuple[str, str]:
    full = f"{repository}{'@' if ':' in tag else ':'}{tag}"
    head = f'failed to pull and unpack image "{full}": failed to resolve reference "{full}"'
    return full, head


def _request(host: str, path: str, tag: str) -> str:
    name = "registry-1.docker.io" if host == _HUB else host
    return f'Head "https://{name}/v2/{path}/manifests/{tag}"'
