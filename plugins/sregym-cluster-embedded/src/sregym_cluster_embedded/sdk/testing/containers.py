"""Containers without a cluster around them: for tests of servers and of commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from sregym_apps.model import parse_service_model
from sregym_apps.simulation import installed

from sregym_cluster_embedded import telemetry, traffic, userland
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.keys import KUBELET
from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRef, ExitState
from sregym_cluster_embedded.kubelet.subsystem import Kubelet
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.records import Record, Reply
from sregym_cluster_embedded.network.subsystem import Network, Routes
from sregym_cluster_embedded.subsystem import Subsystem, build_spec
from sregym_cluster_embedded.userland.builtin import builtin_models, public_models
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.world import World

if TYPE_CHECKING:
    from sregym_apps.model import ServiceModel
    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.userland import Runtime

# Address and pods of a name; how containers ended.
_NAMES: TableKey[str, tuple[str, tuple[str, ...]]] = TableKey("test.names")
_EXITS: TableKey[ContainerRef, ExitState] = TableKey("test.exits")


class TableNetwork(Network):
    """A network of names and pods written down in a table of the world."""

    def routes(
        self, world: World, pod_uid: str, host: str, port: int, protocol: str = "TCP"
    ) -> Routes:
        """Where TCP from a pod to an address goes."""
        if host.startswith("10.244.0."):
            return Routes("", host, "", ((1.0, host.rpartition(".")[2], host, port),))
        entry = world.table(_NAMES).get(host)
        if entry is None:
            return Routes("dns", "", "10.96.0.10", ())
        ip, pods = entry
        if not pods:
            return Routes("refused", ip, "10.96.0.10", ())
        backends = tuple((1.0, uid, f"10.244.0.{uid}", port) for uid in pods)
        return Routes("", ip, "10.96.0.10", backends)

    def query(
        self, world: World, pod: Object | None, server: str, name: str, kind: str = "A"
    ) -> Reply:
        """The answer to a question for a name."""
        entry = world.table(_NAMES).get(name)
        if entry is None:
            return Reply("nxdomain", server=server)
        records = (Record(name, "A", entry[0]),) if kind == "A" else ()
        return Reply("ok" if records else "nodata", records, server=server)


class RecordedExits(Kubelet):
    """Writes down how containers ended."""

    def container_exited(self, world: World, ref: ContainerRef, ended: ExitState) -> None:
        """Note the end of a container."""
        world.table(_EXITS)[ref] = ended

    def touch(self, world: World, ref: ContainerRef) -> None:
        """There are no probes here."""


@dataclass
class ContainerTestbed:
    """A world of containers alone: no API server, no kubelet, a network written down by hand.

    Attributes:
        world: The world.
        runtime: Its container runtime.
        started: The containers that were started, in order.
    """

    world: World
    runtime: Runtime
    started: list[ContainerRef] = field(default_factory=list)

    def name(self, host: str, *pods: str) -> None:
        """Let a name of the DNS lead to pods, by their uid."""
        self.world.table(_NAMES)[host] = (f"10.96.1.{len(host)}", pods)
        self.world.service(REQUEST_FLOW).changed(self.world)

    def start(
        self, pod: str, image: str, uid: str, attempt: int = 0, **fields: Any
    ) -> ExitState | None:
        """Start a container of an image in a pod; why it could not be created, or None. A pod's address is `10.244.0.UID`."""
        ref = ContainerRef("shop", pod, uid, "main", attempt)
        given: dict[str, Any] = {
            "command": None, "args": None, "env": {}, "working_dir": None, "mounts": {},
            "memory_limit_bytes": None, "cpu_limit_cores": 1.0,
        }  # fmt: skip
        config = ContainerConfig(
            ref=ref, image=image, node="node1", pod_ip=f"10.244.0.{uid}", hostname=pod,
            **{**given, **fields},
        )  # fmt: skip
        self.started.append(ref)
        return self.runtime.start(self.world, config)

    def run(self, seconds: float) -> None:
        """Let so many virtual seconds pass."""
        self.world.run_until(self.world.now + seconds)

    def texts(self, pod: str) -> list[str]:
        """The lines that the newest container of a pod has written."""
        return [line.text for line in self.runtime.logs(self.world, self.ref(pod))]

    def ended(self, pod: str) -> ExitState | None:
        """How it has ended; None while it runs."""
        return self.world.table(_EXITS).get(self.ref(pod))

    def rounds(self, count: int = 1) -> list[str]:
        """The last lines of the load generator, without their times."""
        return [text.partition(" ")[2] for text in self.texts("load")[-count:]]

    def send(self, pod: str, text: str) -> str:
        """What the server in a pod answers to a text over a bare connection."""
        process = process_of(self.world, self.ref(pod))
        assert process is not None, f"nothing runs in {pod}"
        program = self.runtime.program_of(process)
        assert program is not None, f"{pod} runs {process.argv[0]!r}, which is no server"
        answer: str = self.runtime.kind_of(process).talk(self.world, process, program, text)
        return answer

    def kept(self) -> dict[str, str]:
        """What servers keep beyond their containers: name and identity -> canonical text."""
        return self.runtime.durable_state(self.world)

    def stop(self, pod: str) -> float | None:
        """Send SIGTERM, and let the container end; how long that takes, None when it is ignored.

        One that ignores it is killed, as the kubelet does.
        """
        ref = self.ref(pod)
        seconds = self.runtime.terminate(self.world, ref)
        self.run(seconds or 0.0)
        self.runtime.kill(self.world, ref)
        return seconds

    def fork(self) -> ContainerTestbed:
        """A copy that goes its own way."""
        return type(self)(self.world.fork(), self.runtime, list(self.started))

    def ref(self, pod: str) -> ContainerRef:
        """The newest container of a pod."""
        return max(ref for ref in self.started if ref.pod == pod)

    def shell(self, pod: str, script: str, shell: str = "sh") -> tuple[int, str, str]:
        """Exit code, output and errors of a script in a pod."""
        result = self.runtime.exec(self.world, self.ref(pod), (shell, "-c", script), "")
        return result.exit_code, result.stdout, result.stderr

    def exec(self, pod: str, *words: str, stdin: str = "") -> tuple[int, str, str]:
        """Exit code, output and errors of a command in a pod."""
        result = self.runtime.exec(self.world, self.ref(pod), words, stdin)
        return result.exit_code, result.stdout, result.stderr

    @classmethod
    def of(cls, *texts: str, known: Installed | None = None, public: bool = False) -> Self:
        """A bench that knows the images and programs of service models.

        Args:
            texts: The service models; of an image in several the first counts.
            known: Extensions that take part; those that are installed unless given.
            public: Whether it knows public images too, those of the extensions included.
        """
        extensions = installed() if known is None else known
        models = [_model(text, extensions) for text in texts]
        models += public_models(extensions) if public else ()
        surroundings = Subsystem(
            name="surroundings",
            services={**NETWORK.offer(TableNetwork()), **KUBELET.offer(RecordedExits())},
        )
        parts = [
            surroundings,
            userland.subsystem([*models, *builtin_models()], extensions),
            traffic.subsystem(),
            telemetry.subsystem(extensions),
        ]
        world = World(build_spec(parts), seed=7, epoch=1_763_760_000)
        return cls(world, world.service(RUNTIME))


@lru_cache(maxsize=64)
def _model(text: str, known: Installed) -> ServiceModel:
    return parse_service_model(text, "application.yaml", known)
