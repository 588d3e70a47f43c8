"""Access to nodes: recipes against a model of a host, and the ways to hosts against fake programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
import yaml
from sregym_cluster_kubernetes.nodes.access import HostNodes
from sregym_cluster_kubernetes.nodes.asks import CAPABILITIES
from sregym_cluster_kubernetes.nodes.load_recipes import CPU_UNIT, MEMORY_UNIT
from sregym_cluster_kubernetes.nodes.recipes import FILL_FILE, KUBELET_FILE
from sregym_cluster_kubernetes.nodes.transports import (
    DockerExec,
    PrivilegedPod,
    Transport,
)
from sregym_core.errors import NodeError
from sregym_core.interfaces import CommandResult
from sregym_core.model import Capability, NodeSetting
from sregym_kubernetes.node_settings import (
    CpuUse,
    Daemon,
    DiskFill,
    DiskReadOnly,
    KubeletField,
    LinkState,
    MemoryUse,
    Peer,
    Power,
    Sysctl,
)
from sregym_testing import MemoryCluster, worker_nodes

N = "worker-1"
PORTS = "net.ipv4.ip_local_port_range"


class Host:
    """A model of a host: what its commands would find and change."""

    def __init__(self) -> None:
        self.sysctls = {"kernel.pid_max": "4194304", PORTS: "32768\t60999"}
        self.active = {"kubelet": True, "containerd": True}
        self.frozen: set[str] = set()
        self.files = {KUBELET_FILE: "kind: KubeletConfiguration\nmaxPods: 110\n"}
        self.sizes: dict[str, int] = {}
        self.transient: dict[str, str] = {}
        self.ran: list[Sequence[str]] = []
        self.root = ["rw", "relatime"]
        self.netem: dict[str, dict[str, float]] = {}

    def run(self, argv: Sequence[str], stdin: str = "") -> CommandResult:
        name, *words = argv
        act = getattr(self, f"_{name.replace('-', '_')}", None)
        if act is None:
            return CommandResult(127, stderr=f"{name}: command not found")
        said = act(words, stdin)
        return said if isinstance(said, CommandResult) else CommandResult(0, said)

    def _true(self, words, stdin) -> str:
        return ""

    def _sysctl(self, words, stdin):
        if words[0] not in ("-n", "-w"):
            have = [name for name in words if name in self.sysctls]
            shown = "".join(f"{name} = {self.sysctls[name]}\n" for name in have)
            return CommandResult(0 if have == list(words) else 255, shown)
        flag, rest = words
        name, _, value = rest.partition("=")
        if name not in self.sysctls:
            return CommandResult(255, stderr=f'sysctl: cannot stat "{name}": No such file')
        if flag == "-w":
            self.sysctls[name] = value.replace(" ", "\t")
        return f"{self.sysctls[name]}\n"

    def _systemctl(self, words, stdin):
        verb, unit = words[0], words[-1] if words[0] != "show" else words[1]
        if unit in self.transient:
            if verb == "stop":
                del self.transient[unit]
                return ""
            return f"Description={self.transient[unit]}\nActiveState=active\n"
        if unit in (CPU_UNIT, MEMORY_UNIT):  # as systemctl shows what it does not know
            return f"Description={unit}\nActiveState=inactive\n"
        if unit not in self.active:
            return CommandResult(5, stderr=f"Unit {unit}.service not loaded.")
        if verb == "show":
            number = list(self.active).index(unit) + 100
            state = "active" if self.active[unit] else "inactive"
            return f"MainPID={number if self.active[unit] else 0}\nActiveState={state}\n"
        if verb == "kill":
            {"SIGSTOP": self.frozen.add, "SIGCONT": self.frozen.discard}[words[1][9:]](unit)
            return ""
        self.active[unit] = verb in ("start", "restart")
        if verb != "start":
            self.frozen.discard(unit)
        return ""

    def _systemd_run(self, words, stdin) -> str:
        options = dict(word.removeprefix("--").split("=", 1) for word in words if "=" in word)
        if "unit" in options:
            self.ran.append(words)
            self.transient[options["unit"]] = options["description"]
        return ""

    def _ps(self, words, stdin) -> str:
        unit = list(self.active)[int(words[-1]) - 100]
        return "Tsl\n" if unit in self.frozen else "Ssl\n"

    def _sh(self, words, stdin) -> str:
        assert words[0] == "-c"
        return f"{self.sizes.get(FILL_FILE, 0)}\n"

    def _stat(self, words, stdin) -> str:
        return "4096\n"

    def _rm(self, words, stdin) -> str:
        self.sizes.pop(words[-1], None)
        return ""

    def _fallocate(self, words, stdin) -> str:
        if words[0] == "-l":
            self.sizes[words[2]] = int(words[1])
        return ""

    def _findmnt(self, words, stdin) -> str:
        return ",".join(self.root) + "\n"

    def _mount(self, words, stdin) -> str:
        self.root[0] = words[1].removeprefix("remount,")
        return ""

    def _cat(self, words, stdin) -> str:
        return self.files[words[0]]

    def _tee(self, words, stdin) -> str:
        self.files[words[0]] = stdin
        return stdin

    def _ip(self, words, stdin) -> str:
        return '[{"dst": "default", "dev": "ens4"}]'

    def _tc(self, words, stdin) -> str:
        if words[0] == "-j":
            options = self.netem.get("ens4")
            shown = [{"kind": "netem", "options": options}] if options else [{"kind": "fq_codel"}]
            return json.dumps(shown)
        if words[1] == "del":
            del self.netem["ens4"]
            return ""
        rest = words[words.index("netem") + 1 :]
        options: dict = {}
        while rest:
            match rest:
                case ["delay", delay, jitter, *rest]:
                    times = [float(text.removesuffix("ms")) / 1000 for text in (delay, jitter)]
                    options["delay"] = {"delay": times[0], "jitter": times[1]}
                case ["loss", share, *rest]:
                    options["loss-random"] = {"loss": float(share.removesuffix("%")) / 100}
                case ["rate", rate, *rest]:
                    options["rate"] = {"rate": float(rate.removesuffix("mbit")) * 125_000}
        self.netem["ens4"] = options
        return ""


class Fake(Transport):
    def __init__(self) -> None:
        self.hosts = {node.name: Host() for node in worker_nodes(2)}

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        return self.hosts[node].run(argv, stdin)


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
def access(fake: Fake) -> HostNodes:
    return HostNodes(MemoryCluster(nodes=worker_nodes(2)), fake)


@pytest.mark.parametrize(
    "setting",
    [
        Sysctl(node=N, name=PORTS, value="32768 32800"),
        Daemon(node=N, daemon="kubelet", state="stopped"),
        Daemon(node=N, daemon="kubelet", state="frozen"),
        Daemon(node=N, daemon="container-runtime", state="stopped"),
        DiskFill(node=N, taken_bytes=10**9),
        DiskReadOnly(node=N, read_only=True),
        KubeletField(node=N, field="maxPods", value=3),
        KubeletField(node=N, field="evictionHard/memory.available", value="20%"),
        LinkState(source=Peer(node=N), delay_ms=80, jitter_ms=10, loss=0.3, rate_mbit=5),
        LinkState(source=Peer(node=N), loss=0.01),
        CpuUse(node=N, cores=2.5),
        MemoryUse(node=N, taken_bytes=3 * 2**30),
    ],
    ids=lambda setting: f"{setting.key} {setting.model_dump_json()[-30:]}",
)
def test_a_recipe_reads_writes_and_undoes(
    access: HostNodes, fake: Fake, setting: NodeSetting
) -> None:
    before, other = access.read(setting), dict(vars(fake.hosts["worker-2"]))
    baseline = access.settings()
    for _ in range(2):
        access.apply(setting)
    assert access.read(setting) == setting
    for _ in range(2):
        access.apply(before)
    assert access.read(setting) == before
    assert access.settings() == baseline
    assert vars(fake.hosts["worker-2"]) == other


def test_a_neighbour_is_a_unit_of_systemd(access: HostNodes, fake: Fake) -> None:
    access.apply(CpuUse(node=N, cores=2.5))
    access.apply(MemoryUse(node=N, taken_bytes=1000))
    assert fake.hosts[N].ran == [
        [
            *("--quiet", "--unit=archive-rotate.service", "--description=batch 2.5"),
            *("--property=CPUQuota=250%", "--property=CPUWeight=10000", "--", "sh", "-c"),
            "for i in $(seq 3); do while :; do :; done & done; wait",
        ],
        [
            *("--quiet", "--unit=search-index.service", "--description=batch 1000"),
            *("--property=OOMScoreAdjust=-900", "--", "sh", "-c"),
            "{ head -c 1000 /dev/zero; sleep infinity; } | tail",
        ],
    ]
    access.apply(CpuUse(node=N, cores=1))
    assert fake.hosts[N].transient[CPU_UNIT] == "batch 1.0"


def test_a_pod_does_not_stop_what_it_runs_under() -> None:
    cluster = MemoryCluster(nodes=worker_nodes(1))
    host = Host()

    class Under(Transport):
        under_kubelet = True

        def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
            return host.run(argv, stdin)

    access = HostNodes(cluster, Under())
    message = (
        "node 'worker-1': kubelet and container runtime cannot be changed by a pod that runs under "
        "them; give another way to nodes (option nodes=ssh or nodes=docker)"
    )
    assert access.examine(N, Capability.DAEMONS) == message
    assert access.examine(N, Capability.KUBELET_CONFIGURATION) == message
    assert access.examine(N, Capability.SYSCTLS) == ""
    refused = (
        Daemon(node=N, daemon="kubelet", state="stopped"),
        Daemon(node=N, daemon="container-runtime", state="stopped"),
        KubeletField(node=N, field="maxPods", value=3),
    )
    for setting in refused:
        with pytest.raises(NodeError) as caught:
            access.apply(setting)
        assert str(caught.value) == message
    assert PrivilegedPod(cluster).under_kubelet
    assert not DockerExec().under_kubelet


def test_the_file_of_a_kubelet_stays_as_it_was(access: HostNodes, fake: Fake) -> None:
    before = yaml.safe_load(fake.hosts[N].files[KUBELET_FILE])
    field = KubeletField(node=N, field="maxPods", value=3)
    kept = access.read(field)
    access.apply(field)
    access.apply(kept)
    assert yaml.safe_load(fake.hosts[N].files[KUBELET_FILE]) == before


def test_the_baseline_leaves_out_what_a_node_lacks(access: HostNodes) -> None:
    assert [setting.key for setting in access.settings()] == [
        f"sysctl worker-{number} {name}" for number in (1, 2) for name in ("kernel.pid_max", PORTS)
    ]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (Power(node=N), "there is no recipe for node-power on this cluster ('power worker-1')"),
        (
            Sysctl(node="moon", name="a"),
            "the cluster has no node 'moon'; it has: worker-1, worker-2",
        ),
        (
            Sysctl(node=N, name="a.b", value="1"),
            "on node 'worker-1' 'sysctl -n a.b' ended with 255: sysctl: cannot stat \"a.b\": No such "
            "file",
        ),
        (
            Sysctl(node=N, name="kernel.pid_max"),
            "nobody knows what kernel.pid_max of node 'worker-1' was set up with; give a value",
        ),
        (
            Daemon(node=N, daemon="network-plugin"),
            "the network-plugin of node 'worker-1' is no service of systemd",
        ),
        (
            Daemon(node=N, daemon="kubelet", delay_s=3),
            "the kubelet of node 'worker-1' cannot be made late on this cluster",
        ),
        (DiskFill(node=N, disk="b"), "disk 'b' of node 'worker-1' cannot be set; there is: root"),
        (
            LinkState(source=Peer(namespace="shop"), loss=0.5),
            "only packets from a node to everybody can be set on this cluster, not "
            "'link namespace=shop *'",
        ),
        (
            LinkState(source=Peer(node=N), blocked="drop"),
            "packets cannot be blocked on this cluster ('link node=worker-1 *'); loss=1 loses all",
        ),
    ],
    ids=lambda value: value.key if isinstance(value, NodeSetting) else "",
)
def test_what_cannot_be(access: HostNodes, setting: NodeSetting, message: str) -> None:
    with pytest.raises(NodeError) as caught:
        access.apply(setting)
    assert str(caught.value) == message


def test_a_node_without_a_default_route(access: HostNodes, fake: Fake) -> None:
    fake.hosts[N]._ip = lambda words, stdin: "[]"
    with pytest.raises(NodeError) as caught:
        access.read(LinkState(source=Peer(node=N)))
    assert str(caught.value) == (
        "node 'worker-1' has no default route, so the card to its network is not known"
    )


def test_a_host_that_says_otherwise(access: HostNodes, fake: Fake) -> None:
    fake.hosts[N]._mount = lambda words, stdin: ""
    wanted = DiskReadOnly(node=N, read_only=True)
    with pytest.raises(NodeError) as caught:
        access.apply(wanted)
    assert str(caught.value) == (
        "'disk-read-only worker-1 root' was set, but the host says otherwise: "
        "{'node': 'worker-1', 'disk': 'root', 'what': 'disk-read-only', 'read_only': False}"
    )


def test_preflight_is_a_trial(access: HostNodes, fake: Fake) -> None:
    by_agent = CAPABILITIES - {Capability.CPU, Capability.MEMORY, Capability.LINKS}
    for capability in access.capabilities - by_agent:
        assert access.examine(N, capability) == ""
    for capability in by_agent:
        assert access.examine(N, capability) == (
            "node 'worker-1' has no python3 of version 3.9 or newer (python3: command not found); "
            "install it there, or take a node that has one"
        )
    fake.hosts[N]._tc = lambda words, stdin: CommandResult(127, stderr="tc: not found")
    assert access.examine(N, Capability.LINKS) == (
        "node 'worker-1': 'tc -j qdisc show' ended with 127: tc: not found"
    )
    assert access.examine("moon", Capability.LINKS) == (
        "the cluster has no node 'moon'; it has: worker-1, worker-2"
    )
