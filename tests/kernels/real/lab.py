"""A cluster with one real node: its control plane is in memory, its node a machine with containerd."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec

from .front import Api, Front
from .kubelet import Kubelet
from .worker import Worker


class Lab:
    """A running one; leaving the context ends all of it.

    Args:
        folder: For its files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Lab:
        folder = self._folder
        with ExitStack() as opened:
            cluster = Embedded().provision(ClusterSpec(seed=1, folder=folder))
            opened.callback(cluster.close)
            access = cluster.open_access()
            api = Api(access.kubeconfig)
            nodes = [node["metadata"]["name"] for node in api.get("/api/v1/nodes")["items"]]
            for name in nodes:
                api.ask("PATCH", f"/api/v1/nodes/{name}", {"spec": {"unschedulable": True}})
            own = "metal-1"
            self.worker = opened.enter_context(Worker(folder, own))
            self.kubelet = opened.enter_context(Kubelet(api, self.worker, own))

            def log(namespace: str, pod: str, container: str, previous: bool) -> str | None:
                where = api.get(f"/api/v1/namespaces/{namespace}/pods/{pod}")
                mine = where is not None and where["spec"].get("nodeName") == own
                return self.kubelet.log(namespace, pod, container, previous) if mine else None

            front = opened.enter_context(Front(api, log))
            self.kubeconfig = front.kubeconfig(folder / "lab")
            self.ssh = _ssh(folder, self.worker.address)
            way = {"nodes": "ssh", "ssh-config": str(self.ssh), "enter-nodes": "true"}
            self.options = {"kubeconfig": str(self.kubeconfig), **way}
            self.choice = "kubeconfig:" + ",".join(
                f"{name}={value}" for name, value in self.options.items()
            )
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()


def _ssh(folder: Path, address: str) -> Path:
    """What somebody who logs in to nodes has in `~/.ssh/config`."""
    lines = (
        # Of the others nothing is a machine.
        *(f"Host * !{address}", "ProxyCommand false"),
        *("Host *", f"IdentityFile {folder / 'user'}"),
        *("StrictHostKeyChecking accept-new", f"UserKnownHostsFile {folder / 'known'}"),
        *(
            "ControlMaster auto",
            f"ControlPath {folder / 'way'}",
            "ControlPersist 60",
            "LogLevel ERROR",
        ),
    )
    path = folder / "ssh"
    path.write_text("\n".join(lines) + "\n")
    return path
