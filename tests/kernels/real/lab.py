"""A cluster with two real nodes: its control plane is in memory, its nodes machines with containerd."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec

from .front import Api, Front
from .kubelet import Kubelet
from .worker import Worker

# By the zone that pods choose: where the store's disk is, and where its users are.
_ZONES = {"metal-1": "disks", "metal-2": "users"}


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
                # For pods that tolerate that, too.
                full = {"status": {"allocatable": {"pods": "0"}}}
                api.ask("PATCH", f"/api/v1/nodes/{name}/status", full)
            workers = []
            self.kubelets: dict[str, Kubelet] = {}
            for number, (name, zone) in enumerate(_ZONES.items()):
                place = folder / name
                place.mkdir()
                worker = opened.enter_context(Worker(place, name, number))
                kubelet = opened.enter_context(Kubelet(api, worker, name, zone))
                workers.append(worker)
                self.kubelets[name] = kubelet
            self.kubelet = self.kubelets["metal-1"]

            self.ssh = _ssh(folder, workers)
            self._api = api
            front = opened.enter_context(Front(api, self._log, self._enter))
            self.kubeconfig = front.kubeconfig(folder / "lab")
            way = {"nodes": "ssh", "ssh-config": str(self.ssh), "enter-nodes": "true"}
            self.options = {"kubeconfig": str(self.kubeconfig), **way}
            self.choice = "kubeconfig:" + ",".join(
                f"{name}={value}" for name, value in self.options.items()
            )
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def _log(self, namespace: str, pod: str, container: str, previous: bool) -> str | None:
        own = self.kubelets.get(self._pod(namespace, pod)["spec"].get("nodeName", ""))
        return own.log(namespace, pod, container, previous) if own else None

    def _enter(
        self, namespace: str, pod: str, container: str, argv: Sequence[str]
    ) -> Sequence[str] | None:
        found = self._pod(namespace, pod)
        own = self.kubelets.get(found["spec"].get("nodeName", ""))
        if own is None:
            return None
        told = found["status"].get("containerStatuses") or [{"containerID": "", "name": ""}]
        one = next((one for one in told if one["name"] == container), told[0])
        return own.enter(self.ssh, one["containerID"].rpartition("/")[2], argv)

    def _pod(self, namespace: str, pod: str) -> dict[str, Any]:
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}"
        return self._api.get(path) or {"spec": {}, "status": {}}


def _ssh(folder: Path, workers: list[Worker]) -> Path:
    """What somebody who logs in to nodes has in `~/.ssh/config`."""
    lines = (
        # Of the others nothing is a machine.
        *(" ".join(("Host *", *(f"!{one.address}" for one in workers))), "ProxyCommand false"),
        *(
            line
            for one in workers
            for line in (f"Host {one.address}", f"IdentityFile {one.folder / 'user'}")
        ),
        *("Host *", "StrictHostKeyChecking accept-new", f"UserKnownHostsFile {folder / 'known'}"),
        *(
            "ControlMaster auto",
            f"ControlPath {folder / 'way-%h'}",
            "ControlPersist 60",
            "LogLevel ERROR",
        ),
    )
    path = folder / "ssh"
    path.write_text("\n".join(lines) + "\n")
    return path
