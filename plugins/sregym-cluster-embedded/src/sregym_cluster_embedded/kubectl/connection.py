"""`--kubeconfig`, `--context`, `--server`, `--token` and the like: which server, and as whom."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sregym_cluster_embedded.api.access.authentication import NOBODY
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.kubeconfig import Kubeconfig, default_kubeconfig, read

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_cluster_embedded.kubectl.access import Access
    from sregym_cluster_embedded.kubectl.flags import Arguments
    from sregym_cluster_embedded.store import Object

# Without a server of its own, kubectl asks at this one.
_NO_SERVER = "http://localhost:8080"
_CREDENTIALS = ("client-certificate-data", "client-key-data")
# How often the binary asks for the types when it cannot have them.
_ASKED = 5
_LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Connection:
    """How requests get to the server.

    Attributes:
        access: The cluster, as the one who asks by these credentials.
        headers: Sent with every request.
        namespace: That of the context.
    """

    access: Access
    headers: dict[str, str]
    namespace: str


class PromptedError(Exception):
    """The binary asks for a name and a password, which it does not get."""


def connected(access: Access, arguments: Arguments, files: Path, stdin: str) -> Connection:
    """The connection that the flags mean.

    Raises:
        CommandError: There is none.
        PromptedError: No user is named, and the input is empty.
        NotCovered: It is none to this cluster, or not by its own credentials.
    """
    ours = read(default_kubeconfig(access))
    config = chosen(access, arguments, files)
    context = _named(arguments, "context", config.contexts, config.current, "context")
    cluster = _named(arguments, "cluster", config.clusters, context.get("cluster", ""), "cluster")
    user = _named(arguments, "user", config.users, context.get("user", ""), "auth info")
    server = arguments.text("server") or cluster.get("server", "") or _NO_SERVER
    if _place(server) != _place(_server_of(ours)):
        raise _elsewhere(access, arguments, server)
    namespace = str(context.get("namespace", "default"))
    if server.startswith("http:"):
        return Connection(access, {}, namespace)
    token = arguments.text("token")
    if not token and not user:
        if stdin:
            raise NotCovered("a name and a password")
        raise PromptedError
    insecure = arguments.on("insecure-skip-tls-verify")
    authority = "certificate-authority-data"
    if not insecure and cluster.get(authority) != _cluster_of(ours).get(authority):
        raise NotCovered("an authority that is not the cluster's")
    if user:
        if not set(user) <= set(_CREDENTIALS) or user != _user_of(ours):
            raise NotCovered("credentials of somebody else")
        return Connection(access, {}, namespace)
    if "discovery" not in access.memory:
        raise NotCovered("a token while the types are not known")
    header = {"authorization": f"Bearer {token}"}
    return Connection(access.seen_by(NOBODY), header, namespace)


def chosen(
    access: Access, arguments: Arguments, files: Path, must_exist: bool = True
) -> Kubeconfig:
    """The kubeconfig that `--kubeconfig` names, or the caller's own.

    Raises:
        CommandError: It is not there, and has to be.
    """
    if not arguments.has("kubeconfig"):
        return read(default_kubeconfig(access))
    name = arguments.text("kubeconfig")
    path = files / name
    if not path.exists() and must_exist:
        raise CommandError(f"error: stat {name}: no such file or directory")
    if path.is_dir():
        raise NotCovered("a folder as kubeconfig")
    return read(path)


def _named(
    arguments: Arguments, flag: str, entries: dict[str, Object], default: str, what: str
) -> Object:
    name = arguments.text(flag)
    if name and name not in entries:
        raise CommandError(f'error: {what} "{name}" does not exist')
    return entries.get(name or default, {})


def _cluster_of(config: Kubeconfig) -> Object:
    return config.clusters.get(config.context.get("cluster", ""), {})


def _user_of(config: Kubeconfig) -> Object:
    return config.users.get(config.context.get("user", ""), {})


def _server_of(config: Kubeconfig) -> str:
    return str(_cluster_of(config).get("server", ""))


def _place(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotCovered(f"--server={url}") from None
    if parts.path not in ("", "/") or parts.query:
        raise NotCovered(f"--server={url}")
    return parts.scheme, parts.hostname, port


def _elsewhere(access: Access, arguments: Arguments, url: str) -> CommandError:
    """The error of a server that is not there.

    Raises:
        NotCovered: It may be there, or the binary looks for it in another way.
    """
    scheme, host, port = _place(url)
    words = arguments.words
    plain = arguments.command == "get" and len(words) == 1 and "/" not in words[0]
    # Names of objects are looked for in another order than that of their types.
    if not plain or scheme not in ("http", "https") or host not in _LOOPBACK or port is None:
        raise NotCovered("a server elsewhere")
    with socket.socket() as probe:
        probe.settimeout(0.2)
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise NotCovered("a server elsewhere")
    # The binary writes the moment and its process before each line of its log.
    now = access.unix_now()
    moment = datetime.fromtimestamp(now, UTC).strftime("%m%d %H:%M:%S.%f")
    head = f"E{moment} {1000 + int(now) % 30000:7} memcache.go:381]"
    why = f"dial tcp 127.0.0.1:{port}: connect: connection refused"
    failed = (
        f'{head} "Couldn\'t get current server API group list" '
        f'err="Get \\"{url}/api?timeout=32s\\": {why}"\n'
    )
    place = f"{host}:{port}"
    text = f"The connection to the server {place} was refused - did you specify the right host or port?"
    return CommandError(failed * _ASKED + text)
