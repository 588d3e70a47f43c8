"""What the server of a kubelet answers behind `nodes/NAME/proxy`.

Figures come from where the metrics, `kubectl top` and the control groups have theirs.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import resource_metrics
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.api.proxying import Passed
from sregym_cluster_embedded.kubelet import log_files, thresholds, usage
from sregym_cluster_embedded.kubelet.state import RUNNING
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import QUERYING, RUNTIME
from sregym_cluster_embedded.userland.kubelet_configuration import configuration

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.proxying import Passing
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_JSON = "application/json"
_EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
_HTML = "text/html; charset=utf-8"
_SAMPLE = re.compile(r"(container_[a-z_]+)\{([^}]*)\} (\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')
# Of the bytes of a disk, one in so many stands for an inode of ext4.
_BYTES_PER_INODE = 16_384
_INODES_OF_A_CONTAINER, _INODES_OF_A_LOG = 15, 1
_LOG_FOLDERS = ("containers/", "journal/", "pods/")


def answer(world: World, request: Passing) -> Passed:
    """What the server of a kubelet answers to a request for a path."""
    path = request.path.partition("?")[0]
    bare = path.rstrip("/")
    if bare in ("/healthz", "/healthz/ping", "/healthz/log", "/healthz/syncloop"):
        return Passed(body="ok")
    if bare == "/pods":
        return _listed([*world.store.indexed("pods", "node", request.node)])
    if bare == "/runningpods":
        return _listed([_bare_pod(world, state) for state in _running(world, request.node)])
    if bare == "/stats/summary":
        summary = json.dumps(_Summary(world, request).value(), indent=1)
        return Passed(body=summary, content_type=_JSON)
    if bare == "/configz":
        node = world.store.get(Key("nodes", "", request.node))
        if node is not None:
            machine = machines.machine(world, request.node)
            changed = {} if machine is None else thresholds.configured(machine)
            shown = {"kubeletconfig": configuration(node, changed)}
            return Passed(body=json.dumps(shown, separators=(",", ":")), content_type=_JSON)
    if path.startswith("/logs/"):
        return _logs(world, request.node, path)
    querying = world.service_or_none(QUERYING)
    if bare.startswith("/metrics") and querying is not None:
        text = querying.metrics(world, f"https://{request.address}:{request.port}{bare}")
        if text is not None:
            return Passed(body=text, content_type=_EXPOSITION)
    return Passed("", 404, "404 page not found\n")


def _listed(pods: list[Object]) -> Passed:
    listed = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": pods}
    return Passed(body=json.dumps(listed, separators=(",", ":")) + "\n", content_type=_JSON)


def _running(world: World, node: str) -> list[PodState]:
    """The pods of a node that have a container that runs."""
    return [
        state
        for state in usage.pods_on(world, node)
        if any(entry.phase == RUNNING for entry in state.containers.values())
    ]


def _bare_pod(world: World, state: PodState) -> Object:
    """A pod as the runtime knows it: its name and its containers with their images."""
    pod = world.store.get(state.key) or {"spec": {"containers": []}}
    containers = [
        {"name": entry["name"], "image": entry["image"], "resources": {}}
        for entry in pod["spec"]["containers"]
        if entry["name"] in state.containers
    ]
    metadata = {"name": state.key.name, "namespace": state.key.namespace, "uid": state.uid}
    return {
        "metadata": {**metadata, "creationTimestamp": None},
        "spec": {"containers": containers},
        "status": {},
    }


class _Network(NamedTuple):
    """Bytes that a pod has received and sent."""

    received: int = 0
    sent: int = 0


class _Summary:
    """`/stats/summary`: what a node and its pods use, as the kubelet sums it up."""

    def __init__(self, world: World, request: Passing) -> None:
        self._world = world
        self._node = request.node
        self._at = world.timestamp(world.now)
        self._usage: resource_metrics.Usage = world.service(USAGE)
        machine = machines.machine(world, request.node)
        assert machine is not None  # a node without a machine has no kubelet
        self._machine = machine
        self._samples: dict[tuple[str, str, str], float] = {}
        self._network: dict[str, _Network] = {}
        querying = world.service_or_none(QUERYING)
        if querying is not None:
            url = f"https://{request.address}:{request.port}/metrics/cadvisor"
            self._read(querying.metrics(world, url) or "")

    def value(self) -> dict[str, Any]:
        """The summary, as it is written."""
        pods = [self._pod(state) for state in _running(self._world, self._node)]
        return {"node": self._whole(pods), "pods": [pod for pod in pods if pod]}

    def _read(self, text: str) -> None:
        """Take what is needed from the metrics of the containers."""
        for name, labels, value in _SAMPLE.findall(text):
            known = dict(_LABEL.findall(labels))
            pod = f"{known.get('namespace', '')}/{known.get('pod', '')}"
            if name == "container_network_receive_bytes_total":
                self._network[pod] = self._network.get(pod, _Network())._replace(
                    received=int(float(value))
                )
            elif name == "container_network_transmit_bytes_total":
                self._network[pod] = self._network.get(pod, _Network())._replace(
                    sent=int(float(value))
                )
            else:
                self._samples[(name, pod, known.get("container", ""))] = float(value)

    def _whole(self, pods: list[dict[str, Any]]) -> dict[str, Any]:
        world, machine = self._world, self._machine
        nanocores, working = resource_metrics.node_use(world, self._node)
        received = sum(pod["network"]["rxBytes"] for pod in pods if "network" in pod)
        sent = sum(pod["network"]["txBytes"] for pod in pods if "network" in pod)
        seconds = sum(pod["cpu"]["usageCoreNanoSeconds"] for pod in pods if "cpu" in pod)
        total = machine.memory_kib * 1024
        disk = self._disk()
        images = usage.images_bytes(world, self._node)
        return {
            "nodeName": self._node,
            "startTime": self._since(),
            "cpu": {
                "time": self._at,
                "usageNanoCores": nanocores,
                "usageCoreNanoSeconds": seconds + int(nanocores * max(world.now, 0.0)),
            },
            "memory": {
                "time": self._at,
                "availableBytes": max(total - working, 0),
                "usageBytes": working + working // 8,
                "workingSetBytes": working,
                "rssBytes": working * 4 // 5,
                "pageFaults": working // 4096,
                "majorPageFaults": 0,
            },
            "network": self._interfaces(received, sent),
            "fs": disk,
            "runtime": {
                "imageFs": {**disk, "usedBytes": images},
                "containerFs": {**disk, "usedBytes": images},
            },
            "rlimit": {
                "time": self._at,
                "maxpid": int(machine.sysctl("kernel.pid_max") or 0),
                "curproc": machine.other_processes + 2 * len(pods),
            },
        }

    def _since(self) -> str:
        node = self._world.store.get(Key("nodes", "", self._node))
        return "" if node is None else str(node["metadata"]["creationTimestamp"])

    def _disk(self) -> dict[str, Any]:
        root = self._machine.root
        pods = [
            (pod, state)
            for state in usage.pods_on(self._world, self._node)
            if (pod := self._world.store.get(state.key)) is not None
        ]
        free = usage.available_disk(self._world, self._machine, pods)
        return self._space(root.size_bytes - free, 0)

    def _space(self, used: int, inodes: int) -> dict[str, Any]:
        """What something takes of the root disk; without `inodes` of its own it is the disk."""
        root = self._machine.root
        all_inodes = root.size_bytes // _BYTES_PER_INODE
        free = max(root.size_bytes - root.other_bytes, 0)
        taken = inodes or used // _BYTES_PER_INODE
        return {
            "time": self._at,
            "availableBytes": free if inodes else root.size_bytes - used,
            "capacityBytes": root.size_bytes,
            "usedBytes": used,
            "inodesFree": all_inodes - taken,
            "inodes": all_inodes,
            "inodesUsed": taken,
        }

    def _interfaces(self, received: int, sent: int) -> dict[str, Any]:
        one = {
            "name": "eth0", "rxBytes": received, "rxErrors": 0, "txBytes": sent, "txErrors": 0,
        }  # fmt: skip
        return {"time": self._at, **one, "interfaces": [one]}

    def _pod(self, state: PodState) -> dict[str, Any]:
        world = self._world
        pod = world.store.get(state.key)
        if pod is None:
            return {}
        name = f"{state.key.namespace}/{state.key.name}"
        used = self._usage.containers(world, state.uid)
        containers = [self._container(state, name, entry) for entry in used]
        network = self._network.get(name, _Network())
        volumes = [
            {**self._space(usage.empty_dir_bytes(world, state, volume), 1), "name": volume["name"]}
            for volume in usage.empty_dirs(pod)
        ]
        logs = sum(log_files.log_bytes(world, state, entry) for entry in state.containers)
        return {
            "podRef": {"name": state.key.name, "namespace": state.key.namespace, "uid": state.uid},
            "startTime": pod["status"].get("startTime"),
            "containers": containers,
            "cpu": self._summed(containers, "cpu", ("usageNanoCores", "usageCoreNanoSeconds")),
            "memory": self._summed(
                containers,
                "memory",
                ("usageBytes", "workingSetBytes", "rssBytes", "pageFaults", "majorPageFaults"),
            ),
            "network": self._interfaces(network.received, network.sent),
            "volume": volumes,
            "ephemeral-storage": self._space(
                usage.disk_bytes(world, pod, state) + logs,
                len(containers) * (_INODES_OF_A_CONTAINER + _INODES_OF_A_LOG),
            ),
            "process_stats": {"process_count": len(containers)},
        }

    def _container(
        self, state: PodState, pod: str, entry: resource_metrics.ContainerUse
    ) -> dict[str, Any]:
        def sample(name: str, otherwise: float) -> int:
            return int(self._samples.get((name, pod, entry.name), otherwise))

        world, memory = self._world, entry.memory_bytes
        seconds = self._samples.get(("container_cpu_usage_seconds_total", pod, entry.name), 0.0)
        limit = sample("container_spec_memory_limit_bytes", 0)
        available = {"availableBytes": max(limit - memory, 0)} if limit else {}
        return {
            "name": entry.name,
            "startTime": world.timestamp(entry.since),
            "cpu": {
                "time": self._at,
                "usageNanoCores": entry.cpu_nanocores,
                "usageCoreNanoSeconds": int(seconds * 1e9),
            },
            "memory": {
                "time": self._at,
                **available,
                "usageBytes": sample("container_memory_usage_bytes", memory),
                "workingSetBytes": memory,
                "rssBytes": sample("container_memory_rss", memory),
                "pageFaults": memory // 4096,
                "majorPageFaults": 0,
            },
            "rootfs": self._space(
                usage.container_bytes(world, state, entry.name), _INODES_OF_A_CONTAINER
            ),
            "logs": self._space(log_files.log_bytes(world, state, entry.name), _INODES_OF_A_LOG),
        }

    def _summed(
        self, containers: list[dict[str, Any]], part: str, fields: tuple[str, ...]
    ) -> dict[str, Any]:
        sums = {field: sum(entry[part][field] for entry in containers) for field in fields}
        return {"time": self._at, **sums}


def _logs(world: World, node: str, path: str) -> Passed:
    """The folder /var/log of a node: those of its containers can be read."""
    files = {
        f"{state.key.name}_{state.key.namespace}_{name}-{entry.container_id}.log": state.ref(name)
        for state in usage.pods_on(world, node)
        for name, entry in state.containers.items()
        if entry.attempt >= 0
    }
    if path == "/logs/":
        return _folder(list(_LOG_FOLDERS))
    if path == "/logs/containers/":
        return _folder(sorted(files))
    ref = files.get(path.removeprefix("/logs/containers/"))
    if ref is None:
        return Passed("", 404, "404 page not found\n")
    text = ""
    for line in world.service(RUNTIME).logs(world, ref):
        nanoseconds = round((line.at % 1.0) * 1e9) % 1_000_000_000
        stamp = f"{world.timestamp(line.at)[:-1]}.{nanoseconds:09d}Z"
        text += f"{stamp} {line.stream} F {line.text}\n"
    return Passed(body=text)


def _folder(names: list[str]) -> Passed:
    head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n'
    rows = "".join(f'<a href="{name}">{name}</a>\n' for name in names)
    return Passed(body=f"{head}{rows}</pre>\n", content_type=_HTML)
