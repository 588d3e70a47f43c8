"""Commands of which only usage errors are worded in process; the binary runs the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.builder import NOTHING_NAMED, targets
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag
from sregym_cluster_embedded.kubectl.usage import usage_error

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

NO_FLAGS: tuple[Flag, ...] = ()
PROXY_FLAGS = (Flag("port", "p"),)

_PORTS = 65536


def edit(session: Session) -> None:
    """Run `kubectl edit` of what is not there."""
    words = session.arguments.words
    if not words:
        raise CommandError(NOTHING_NAMED)
    for target in targets(session.client, words):
        if not target.name:
            raise NotCovered("edit all")
        session.client.get(target.kind, session.namespace, target.name)
    raise NotCovered("edit")


def forward(session: Session) -> None:
    """Run `kubectl port-forward` without a port."""
    if len(session.arguments.words) < 2:
        text = "TYPE/NAME and list of ports are required for port-forward"
        raise usage_error("port-forward", text)
    raise NotCovered("port-forward")


def proxy(session: Session) -> None:
    """Run `kubectl proxy` at a port that there is not."""
    port = session.arguments.number("port", 0)
    if port >= _PORTS:
        raise CommandError(f"error: listen tcp: address {port}: invalid port")
    raise NotCovered("proxy")
