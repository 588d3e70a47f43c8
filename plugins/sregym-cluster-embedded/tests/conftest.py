"""A small cluster for tests: the images of the recordings on a real world.

`ShopRuntime` implements `ContainerRuntime` for six images whose processes are simple enough to
describe in a table: what they log, when they listen, how they end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from sregym_apps.model import ServiceModel, parse_service_model
from sregym_cluster_embedded import controllers, kubelet, network, node, scheduler
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.kubelet.keys import KUBELET, RUNTIME
from sregym_cluster_embedded.kubelet.runtime import (
    ContainerConfig,
    ContainerRef,
    ExecResult,
    ExitState,
    ImagePull,
    Login,
    LogLine,
    ProbeResult,
)
from sregym_cluster_embedded.node.bootstrap import NodeSpec, bootstrap
from sregym_cluster_embedded.store import Object
from sregym_cluster_embedded.subsystem import Subsystem, build_spec
from sregym_cluster_embedded.world import World

EPOCH = 1_795_000_000
CONFORMANCE = Path(__file__).resolve().parents[3] / "tests" / "conformance"
REGISTRY = "registry.example"
IMAGES = {
    f"{REGISTRY}/library/busybox:1.36": "busybox",
    f"{REGISTRY}/shop/web:1.0": "web",
    f"{REGISTRY}/shop/web:1.1": "web",
    f"{REGISTRY}/shop/web:2.0": "web",
    f"{REGISTRY}/shop/worker:1.0": "worker",
    f"{REGISTRY}/shop/worker:1.1": "worker",
    f"{REGISTRY}/shop/mem:1.0": "mem",
    f"{REGISTRY}/shop/slow:1.0": "slow",
    f"{REGISTRY}/shop/flaky:1.0": "flaky",
    "registry.k8s.io/coredns/coredns:v1.12.1": "coredns",
}
PAGES = ("/", "/index.html", "/healthz")
SIZE_BYTES = 3_165_025


class Running(NamedTuple):
    """A process: its configuration, whether it still runs, from when and where it listens."""

    config: ContainerConfig
    program: str
    alive: bool
    listens_at: float
    ports: tuple[int, ...]
    lines: tuple[LogLine, ...]


class ShopRuntime:
    """Runs the images of the recordings."""

    def pull(
        self, world: World, node: str, image: str, logins: tuple[Login, ...] = ()
    ) -> ImagePull:
        if image in IMAGES:
            return ImagePull(True, SIZE_BYTES, f"sha256:{IMAGES[image]:0<64}")
        reference = f'failed to resolve reference "{image}": {image}: not found'
        return ImagePull(
            False,
            error=f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": '
            + reference,
        )

    def start(self, world: World, config: ContainerConfig) -> ExitState | None:
        program = IMAGES[config.image]
        first = (config.command or ("sh",))[0]
        if first.startswith("/bin/") and first != f"/bin/{program}":
            return ExitState(
                128,
                "StartError",
                "failed to create containerd task: failed to create shim task: OCI runtime create "
                f'failed: runc create failed: unable to start container process: exec: "{first}": '
                f"stat {first}: no such file or directory: unknown",
            )
        env = config.env
        ports: tuple[int, ...] = ()
        lines: list[str] = []
        wait = 0.0
        if program in ("web", "slow"):
            ports = (int(env.get("PORT", "8080")),)
            wait = float(env.get("START_AFTER", "10")) if program == "slow" else 0.0
            lines.append(f"{program}: started")
        elif program == "coredns":
            ports = (53, 8080, 8181, 9153)
            lines.append(".:53")
        elif program == "flaky":
            lines.append("flaky: started")
            code = int(env.get("CODE", "1"))
            reason = "Error" if code else "Completed"
            self._end_later(world, config, float(env.get("AFTER", "1")), ExitState(code, reason))
        elif program == "mem":
            needed = int(env.get("MIB", "64")) * 2**20
            lines.append(f"mem: allocating {env.get('MIB', '64')} MiB")
            if config.memory_limit_bytes is not None and needed > config.memory_limit_bytes:
                self._end_later(world, config, 0.5, ExitState(137, "OOMKilled"))
        elif program == "worker":
            lines.append("worker: started, interval 5s")
        elif program == "busybox":
            self._busybox(world, config)
        logged = tuple(LogLine(world.now, "stdout", line) for line in lines)
        self._table(world)[config.ref] = Running(
            config, program, True, world.now + wait + 0.01, ports, logged
        )
        return None

    def terminate(self, world: World, ref: ContainerRef) -> float | None:
        program = self._table(world)[ref].program
        return None if program in ("mem", "busybox") else 0.05

    def kill(self, world: World, ref: ContainerRef) -> ExitState | None:
        table = self._table(world)
        if ref in table:
            table[ref] = table[ref]._replace(alive=False)
        return None

    def probe(self, world: World, ref: ContainerRef, handler: dict[str, Any]) -> ProbeResult:
        process = self._table(world)[ref]
        if "exec" in handler:
            return ProbeResult(True)
        action = handler.get("httpGet") or handler.get("tcpSocket") or handler["grpc"]
        port, ip = action["port"], process.config.pod_ip
        path = action.get("path", "/")
        if port not in process.ports or world.now < process.listens_at or not process.alive:
            refused = f"dial tcp {ip}:{port}: connect: connection refused"
            if "httpGet" in handler:
                return ProbeResult(False, f'Get "http://{ip}:{port}{path}": {refused}')
            return ProbeResult(False, refused)
        if "httpGet" in handler and process.program != "coredns" and path not in PAGES:
            return ProbeResult(False, "HTTP probe failed with statuscode: 404")
        return ProbeResult(True)

    def exec(
        self, world: World, ref: ContainerRef, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        match command:
            case ("sleep", seconds):
                return ExecResult(0, duration_s=float(seconds))
            case ("echo", *words):
                return ExecResult(0, stdout=" ".join(words) + "\n")
            case ("cat",):
                return ExecResult(0, stdout=stdin)
            case ("cat", file):
                missing = f"cat: can't open '{file}': No such file or directory\n"
                return ExecResult(1, stderr=missing)
            case ("sh", "-c", script) if script.startswith("exit "):
                return ExecResult(int(script.removeprefix("exit ")))
            case ("nosuchcommand",):
                return ExecResult(1, error="OCI runtime exec failed: not found: unknown")
        return ExecResult(0)

    def logs(
        self,
        world: World,
        ref: ContainerRef,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        process = self._table(world).get(ref)
        return list(process.lines) if process is not None else []

    def user_of(self, world: World, image: str) -> str:
        return ""

    def read_file(self, world: World, ref: ContainerRef, path: str) -> str | None:
        return None

    def forget(self, world: World, ref: ContainerRef) -> None:
        self._table(world).pop(ref, None)

    def files_changed(
        self, world: World, ref: ContainerRef, path: str, files: dict[str, str]
    ) -> None:
        world.table("shop.files")[(ref, path)] = dict(files)

    def listening(self, world: World, pod_uid: str, port: int) -> bool:
        return any(
            ref.pod_uid == pod_uid
            and process.alive
            and port in process.ports
            and world.now >= process.listens_at
            for ref, process in self._table(world).items()
        )

    def configuration(self, world: World, pod: Object, container: str) -> ContainerConfig:
        """What the latest life of a container was started with."""
        uid = pod["metadata"]["uid"]
        lives = [ref for ref in self._table(world) if (ref.pod_uid, ref.name) == (uid, container)]
        config: ContainerConfig = self._table(world)[max(lives)].config
        return config

    def stop_listening(self, world: World, pod: Object) -> None:
        """Let the processes of a pod close their ports, and say so to the kubelet."""
        for ref, process in list(self._table(world).items()):
            if ref.pod_uid == pod["metadata"]["uid"]:
                self._table(world)[ref] = process._replace(ports=())
                world.service(KUBELET).touch(world, ref)

    def end(self, world: World, ref: ContainerRef, ended: ExitState) -> None:
        process = self._table(world).get(ref)
        if process is not None and process.alive:
            self._table(world)[ref] = process._replace(alive=False)
            world.service(KUBELET).container_exited(world, ref, ended)

    def _busybox(self, world: World, config: ContainerConfig) -> None:
        command = config.command or ("sh",)
        if command[0] == "sleep":
            self._end_later(world, config, float(command[1]), ExitState(0, "Completed"))
        elif command[0] == "sh" and "exit" in command[-1]:
            code = int(command[-1].rpartition("exit ")[2])
            reason = "Error" if code else "Completed"
            self._end_later(world, config, 0.02, ExitState(code, reason))
        else:
            self._end_later(world, config, 0.02, ExitState(0, "Completed"))

    def _end_later(
        self, world: World, config: ContainerConfig, delay_s: float, ended: ExitState
    ) -> None:
        world.after(delay_s, "shop.end", config.ref, ended)

    def _table(self, world: World) -> dict[Any, Any]:
        return world.table("shop.processes")


class Shop:
    """A cluster of two nodes with the images of the recordings, and short ways to use it."""

    def __init__(self, world: World, runtime: ShopRuntime) -> None:
        self.world = world
        self.runtime = runtime

    def run(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.world.run_until(self.world.now + seconds)

    def namespace(self, name: str) -> None:
        """Make a namespace and let it be furnished."""
        internal_client.create(self.world, "namespaces", {"metadata": {"name": name}})
        self.run(0.1)

    def apply(self, text: str, namespace: str = "shop") -> list[Object]:
        """Create the objects of a YAML text."""
        made = []
        for obj in yaml.safe_load_all(text):
            resource = RESOURCES[obj["kind"]]
            metadata = dict(obj["metadata"])
            if resource not in CLUSTER_SCOPED:
                metadata.setdefault("namespace", namespace)
            made.append(internal_client.create(self.world, resource, {**obj, "metadata": metadata}))
        return made

    def pods(self, namespace: str = "shop") -> list[Object]:
        """The pods of a namespace, by name."""
        return self.world.store.list("pods", namespace)

    def events(self, reason: str | None = None, namespace: str = "shop") -> list[tuple[str, int]]:
        """(message, count) of the events of a namespace in order of their first time."""
        listed = sorted(
            self.world.store.list("events", namespace),
            key=lambda event: int(event["metadata"]["resourceVersion"]),
        )
        return [
            (event["message"], event["count"])
            for event in listed
            if reason is None or event["reason"] == reason
        ]


RESOURCES = {
    "Namespace": "namespaces",
    "Pod": "pods",
    "Service": "services",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "Node": "nodes",
    "Deployment": "deployments.apps",
    "ReplicaSet": "replicasets.apps",
    "Job": "jobs.batch",
    "CronJob": "cronjobs.batch",
    "StatefulSet": "statefulsets.apps",
    "DaemonSet": "daemonsets.apps",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "StorageClass": "storageclasses.storage.k8s.io",
    "Ingress": "ingresses.networking.k8s.io",
    "NetworkPolicy": "networkpolicies.networking.k8s.io",
    "EndpointSlice": "endpointslices.discovery.k8s.io",
}
CLUSTER_SCOPED = ("namespaces", "nodes", "persistentvolumes", "storageclasses.storage.k8s.io")


def shop_contributions(runtime: ShopRuntime) -> Iterable[Subsystem]:
    """The parts of a cluster whose containers the shop's runtime runs."""
    return (
        controllers.subsystem(),
        scheduler.subsystem(),
        network.subsystem(),
        node.subsystem(),
        kubelet.subsystem(),
        Subsystem(
            "shop",
            handlers={"shop.end": runtime.end},
            listeners=(note_moment,),
            services=RUNTIME.offer(runtime),
        ),
    )


def new_shop(
    seed: int = 1,
    nodes: int = 2,
    settle_s: float = 20.0,
    epoch: int = EPOCH,
    salt: str = "",
    **spec: Any,
) -> Shop:
    """A fresh cluster, with its DNS running and the namespace `shop`."""
    runtime = ShopRuntime()
    world = World(build_spec(shop_contributions(runtime)), seed, epoch, salt)
    cores = {"cpu": 2, "memory_kib": 24_684_096, "images": tuple(IMAGES), **spec}
    bootstrap(world, [NodeSpec(**cores) for _ in range(nodes)])
    shop = Shop(world, runtime)
    shop.run(settle_s)
    shop.namespace("shop")
    return shop


@pytest.fixture(scope="session")
def recorded_images() -> tuple[ServiceModel, ...]:
    """How the images of the recordings behave, for a cluster with containers that do something."""
    path = CONFORMANCE / "images.yaml"
    return (parse_service_model(path.read_text(encoding="utf-8"), path.name),)


@pytest.fixture(scope="session")
def booted_shop() -> Shop:
    """A cluster that has just booted, which no test changes."""
    return new_shop()


@pytest.fixture
def shop(booted_shop: Shop) -> Shop:
    """A fork of it: a thousandth of the time of another boot."""
    return Shop(booted_shop.world.fork(), booted_shop.runtime)


@pytest.fixture(scope="session")
def make_shop() -> Callable[..., Shop]:
    return new_shop


@pytest.fixture
def world_digest() -> Callable[[World], str]:
    return World.digest


def note_moment(world: World, change: Any) -> None:
    """Keep when each write happened, for tests that look at durations."""
    world.table("watch.moments")[change.revision] = world.now
