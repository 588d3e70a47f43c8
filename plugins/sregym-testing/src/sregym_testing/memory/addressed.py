"""A cluster in memory for adapters whose agents are processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Access

from sregym_testing.memory.cluster import MemoryCluster

if TYPE_CHECKING:
    from pathlib import Path

_KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: secret of the harness}}]
contexts: [{name: u@c, context: {cluster: c, user: u}}]
current-context: u@c
"""


class AddressedCluster(MemoryCluster):
    """Hands out a folder and a kubeconfig in it; nothing listens at the address that it names.

    Args:
        folder: Of the session.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def open_access(self) -> Access:
        """The folder, with a kubeconfig that holds the harness's secret."""
        kubeconfig = self._folder / "kubeconfig"
        kubeconfig.write_text(_KUBECONFIG)
        return Access(kubeconfig, {"kubernetes": "http://127.0.0.1:1"}, self._folder)
