"""The one member of an etcd server: its name, its addresses, its ids, its lines."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha1
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.servers import moment, parse_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_etcd.data import EtcdData
    from sregym_server_etcd.program import EtcdProgram

_TOKEN = "etcd-cluster"
_QUOTA_BYTES = 2_147_483_648
# Between two lines of a start.
_LINE_S = 0.0007
_RAFT = ("etcdserver/zap_raft.go:77", {"logger": "raft"})


class Member(NamedTuple):
    """What a server is configured with.

    Attributes:
        name: Its name.
        data_dir: Its data directory.
        peers: URL for other members.
        clients: URLs that it tells clients.
        listens: URLs on which it listens for clients.
        token: Name of its cluster.
    """

    name: str
    data_dir: str
    peers: str
    clients: str
    listens: str
    token: str

    @property
    def number(self) -> int:
        """Its id: a digest of its addresses and the cluster's name."""
        return _number("".join(sorted(self.peers.split(","))).encode() + self.token.encode())

    @property
    def cluster(self) -> int:
        """The cluster's id: a digest of its members' ids."""
        return _number(self.number.to_bytes(8, "big"))

    @property
    def port(self) -> int:
        """On which it listens for clients."""
        text = self.listens.partition(",")[0].rpartition(":")[2].partition("/")[0]
        return int(text) if text.isdecimal() else 2379


def _number(text: bytes) -> int:
    return int.from_bytes(sha1(text, usedforsecurity=False).digest()[:8], "big")


def member_of(process: Process, program: EtcdProgram) -> Member:
    """What a process is configured with: flags before variables before defaults."""
    flags, _ = parse_words(process.argv[1:], {})

    def setting(name: str, default: str) -> str:
        variable = f"ETCD_{name.upper().replace('-', '_')}"
        return flags.get(name) or process.environment.get(variable) or default

    name = setting("name", "default")
    default_dir = program.data_dir if name == "default" else f"/{name}.etcd"
    return Member(
        name,
        setting("data-dir", default_dir),
        setting("initial-advertise-peer-urls", "http://localhost:2380"),
        setting("advertise-client-urls", "http://localhost:2379"),
        setting("listen-client-urls", f"http://localhost:{program.port}"),
        setting("initial-cluster-token", _TOKEN),
    )


class Said(NamedTuple):
    """A line: level, where in the code, message, fields."""

    level: str
    caller: str
    message: str
    fields: Mapping[str, Any]


def written(world: World, lines: Sequence[Said]) -> list[str]:
    """Lines of now as they stand in the log, each a moment after the one before."""
    now = moment(world, world.now)
    texts = []
    for place, line in enumerate(lines):
        at = now - timedelta(seconds=_LINE_S * (len(lines) - 1 - place))
        fields = dict(line.fields)
        head: dict[str, Any] = {"level": line.level, "ts": f"{at:%Y-%m-%dT%H:%M:%S.%f}Z"}
        if "logger" in fields:
            head["logger"] = fields.pop("logger")
        record = {**head, "caller": line.caller, "msg": line.message, **fields}
        texts.append(json.dumps(record, separators=(",", ":"), ensure_ascii=False))
    return texts


def greeting(
    process: Process, program: EtcdProgram, member: Member, cores: int, *, known: bool
) -> list[Said]:
    """What it writes before it looks at its data; `cores` are those of the node."""
    listens, peers = member.listens.split(","), member.peers.split(",")
    lines = [
        Said("info", "etcdmain/etcd.go:73", "Running: ", {"args": [*process.argv]}),
    ]
    if known:
        fields = {"data-dir": member.data_dir, "dir-type": "member"}
        lines.append(
            Said("info", "etcdmain/etcd.go:116", "server has been already initialized", fields)
        )
    lines += [
        Said("info", "embed/etcd.go:128", "configuring peer listeners", {"listen-peer-urls": peers}),
        Said("info", "embed/etcd.go:136", "configuring client listeners", {"listen-client-urls": listens}),
        Said(
            "info",
            "embed/etcd.go:311",
            "starting an etcd server",
            {
                "etcd-version": program.version, "git-sha": "f20bbadd4", "go-version": "go1.22.7",
                "go-os": "linux", "go-arch": "amd64", "max-cpu-set": cores, "max-cpu-available": cores,
                "member-initialized": known, "name": member.name, "data-dir": member.data_dir,
                "wal-dir": "", "wal-dir-dedicated": "", "member-dir": f"{member.data_dir}/member",
                "force-new-cluster": False, "heartbeat-interval": "100ms", "election-timeout": "1s",
                "initial-election-tick-advance": True, "snapshot-count": 100000, "max-wals": 5,
                "max-snapshots": 5, "snapshot-catchup-entries": 5000,
                "initial-advertise-peer-urls": peers, "listen-peer-urls": peers,
                "advertise-client-urls": member.clients.split(","), "listen-client-urls": listens,
                "listen-metrics-urls": [], "cors": ["*"], "host-whitelist": ["*"],
                "initial-cluster": "" if known else f"{member.name}={member.peers}",
                "initial-cluster-state": "new",
                "initial-cluster-token": "" if known else member.token,
                "quota-backend-bytes": _QUOTA_BYTES, "max-request-bytes": 1572864,
                "max-concurrent-streams": 4294967295, "pre-vote": True,
                "initial-corrupt-check": False, "corrupt-check-time-interval": "0s",
                "compact-check-time-enabled": False, "compact-check-time-interval": "1m0s",
                "auto-compaction-mode": "periodic", "auto-compaction-retention": "0s",
                "auto-compaction-interval": "0s", "discovery-url": "", "discovery-proxy": "",
                "downgrade-check-interval": "5s",
            },
        ),
        Said("info", "etcdserver/backend.go:81", "opened backend db", {"path": f"{member.data_dir}/member/snap/db", "took": "3.412965ms"}),
    ]  # fmt: skip
    return lines


def election(program: EtcdProgram, member: Member, data: EtcdData) -> list[Said]:
    """What it writes until it serves; `data` as they are after this start."""
    own, cluster = f"{member.number:x}", f"{member.cluster:x}"
    before = data.term - 1
    ids = {"cluster-id": cluster, "local-member-id": own}
    minor = ".".join(program.version.split(".")[:2])

    def raft(text: str) -> Said:
        return Said("info", _RAFT[0], f"{own} {text}", _RAFT[1])

    begun: Iterable[Said] = (
        Said("info", "etcdserver/raft.go:505" if data.starts > 1 else "etcdserver/raft.go:495", "restarting local member" if data.starts > 1 else "starting local member", {"local-member-id": own, "cluster-id": cluster} if data.starts == 1 else {**ids, "commit-index": data.index - 3}),
        raft("switched to configuration voters=()"),
        raft(f"became follower at term {before}"),
        Said("warn", "auth/store.go:1241", "simple token is not cryptographically signed", {}),
        Said("info", "mvcc/kvstore.go:423", "kvstore restored", {"current-rev": data.revision}),
        Said("info", "etcdserver/quota.go:94", "enabled backend quota with default value", {"quota-name": "v3-applier", "quota-size-bytes": _QUOTA_BYTES, "quota-size": "2.1 GB"}),
        Said("info", "etcdserver/server.go:873", "starting etcd server", {"local-member-id": own, "local-server-version": program.version, "cluster-version": "to_be_decided"}),
        raft(f"switched to configuration voters=({member.number})"),
        Said("info", "membership/cluster.go:421", "added member", {**ids, "added-peer-id": own, "added-peer-peer-urls": member.peers.split(",")}),
        Said("info", "embed/etcd.go:600", "serving peer traffic", {"address": member.peers.partition("://")[2].partition(",")[0]}),
        Said("info", "embed/etcd.go:280", "now serving peer/client/metrics", {"local-member-id": own, "initial-advertise-peer-urls": member.peers.split(","), "listen-peer-urls": member.peers.split(","), "advertise-client-urls": member.clients.split(","), "listen-client-urls": member.listens.split(","), "listen-metrics-urls": []}),
        raft(f"is starting a new election at term {before}"),
        raft(f"became pre-candidate at term {before}"),
        raft(f"received MsgPreVoteResp from {own} at term {before}"),
        raft(f"became candidate at term {data.term}"),
        raft(f"received MsgVoteResp from {own} at term {data.term}"),
        raft(f"became leader at term {data.term}"),
        Said("info", _RAFT[0], f"raft.node: {own} elected leader {own} at term {data.term}", _RAFT[1]),
        Said("info", "etcdserver/server.go:2140", "published local member to cluster through raft", {"local-member-id": own, "local-member-attributes": f"{{Name:{member.name} ClientURLs:[{' '.join(member.clients.split(','))}]}}", "request-path": f"/0/members/{own}/attributes", "cluster-id": cluster, "publish-timeout": "7s"}),
        Said("info", "embed/serve.go:103", "ready to serve client requests", {}),
        Said("info", "etcdmain/main.go:44", "notifying init daemon", {}),
        Said("info", "etcdmain/main.go:50", "successfully notified init daemon", {}),
    )  # fmt: skip
    served: list[Said] = [*begun]
    if data.starts == 1:
        served.append(Said("info", "membership/cluster.go:584", "set initial cluster version", {**ids, "cluster-version": minor}))  # fmt: skip
    for url in member.listens.split(","):
        address = url.partition("://")[2].replace("0.0.0.0", "[::]")  # noqa: S104 - text
        text = "serving client traffic insecurely; this is strongly discouraged!"
        fields = {"traffic": "grpc+http", "address": address}
        served.append(Said("info", "embed/serve.go:187", text, fields))
    return served


def leaving(member: Member) -> list[Said]:
    """What it writes when it is told to end."""
    own = f"{member.number:x}"
    about = {"name": member.name, "data-dir": member.data_dir, "advertise-peer-urls": member.peers.split(","), "advertise-client-urls": member.clients.split(",")}  # fmt: skip
    return [
        Said("info", "osutil/interrupt_unix.go:64", "received signal; shutting down", {"signal": "terminated"}),
        Said("info", "embed/etcd.go:378", "closing etcd server", about),
        Said("info", "etcdserver/server.go:1521", "skipped leadership transfer for single voting member cluster", {"local-member-id": own, "current-leader-member-id": own}),
        Said("info", "embed/etcd.go:380", "closed etcd server", about),
    ]  # fmt: skip
