"""Opening a session to processes outside: kubeconfig, gateway, and where `sregym submit` looks."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import yaml

from sregym_agents.gateway import Gateway
from sregym_agents.guard.upstream import read_upstream
from sregym_agents.session_folder import SessionAddress, write_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sregym_core.interfaces import Session


@contextmanager
def opened(session: Session) -> Iterator[Gateway]:
    """Serve the session's gateway and announce everything; closed at the end of the block.

    The kubeconfig leads through the guard from now on: the credentials that were in it stay with
    the harness.
    """
    access = session.access()
    upstream = read_upstream(access.kubeconfig)
    with Gateway(session, upstream=upstream) as gateway:
        write_kubeconfig(access.kubeconfig, gateway.endpoints["kubernetes"], upstream.namespace)
        write_address(access.folder, SessionAddress(gateway.url, gateway.token))
        endpoints = {**access.endpoints, **gateway.endpoints}
        session.announce(replace(access, endpoints=endpoints, token=gateway.token))
        yield gateway


def write_kubeconfig(path: Path, server: str, namespace: str) -> None:
    """Write a kubeconfig that leads to a guard; the address holds the token."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubernetes", "cluster": {"server": server}}],
        "users": [{"name": "operator", "user": {}}],
        "contexts": [
            {
                "name": "operator@kubernetes",
                "context": {"cluster": "kubernetes", "user": "operator", "namespace": namespace},
            }
        ],
        "current-context": "operator@kubernetes",
    }
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
