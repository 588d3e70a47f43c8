"""PD: members, stores, time stamps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    DataFile,
    StoreKind,
    WebAnswer,
    change,
    end,
    process_of,
    to_json,
)

from sregym_server_tidb.flags import flag, port_of
from sregym_server_tidb.server_log import tell
from sregym_server_tidb.topology import (
    PD_STORAGE,
    PdData,
    has_quorum,
    keep_pd,
    leading_pd,
    load_pd,
    up_stores,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_tidb.program import PdProgram

_FIRST_CLUSTER, _CLUSTERS = 7_300_000_000_000_000_000, 99_999_999_999_999_999
_DATABASE = "member/snap/db"


class PdKind(StoreKind):
    """pd-server."""

    taken = ("[FATAL] listen tcp 0.0.0.0:{port}: bind: address already in use", 1)

    def protocol_of(self, program: PdProgram, listener: str) -> str:
        """GRPC and HTTP on one port."""
        return "http"

    def ports(self, process: Process, program: PdProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """The port for clients."""
        return (port_of(process, flag(process, "client-urls"), program.port),)

    def version(self, program: PdProgram, words: list[str]) -> str:
        """What `-V` prints."""
        return f"Release Version: {program.version}\nEdition: Community\n"

    def begin(self, world: World, process: Process, program: PdProgram) -> None:
        """Find the data, and greet."""
        folder = flag(process, "data-dir", program.data_dir)
        name = flag(process, "name", process.config.hostname)
        storage = world.service(RUNTIME).files(world, process).storage(folder)
        settings = {**process.settings, PD_STORAGE: storage, "pd.dir": folder, "pd.name": name}
        process = change(world, process.ref, settings=settings)
        tell(
            world,
            process,
            [
                ("info", "versioninfo.go:89", "Welcome to Placement Driver (PD)", {}),
                ("info", "versioninfo.go:90", "PD", {"release-version": program.version}),
                ("info", "versioninfo.go:91", "PD", {"edition": "Community"}),
            ],
        )
        super().begin(world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Make or join a cluster, and serve."""
        storage, name = process.settings[PD_STORAGE], process.settings["pd.name"]
        data = load_pd(world, storage)
        url = flag(process, "advertise-client-urls", f"http://{process.config.hostname}:2379")
        joins = flag(process, "join")
        if not data.cluster and joins:
            member = leading_pd(world, process, joins)
            if member is None:
                error = {
                    "error": "[PD:etcd:ErrEtcdMemberList]etcd member list failed: context deadline exceeded"
                }
                tell(world, process, [("fatal", "main.go:225", "join meet error", error)])
                end(world, process.ref, 1)
                return
            data = load_pd(world, member.settings[PD_STORAGE])
        if not data.cluster:
            number = int(world.seed.fraction("tidb cluster", storage) * _CLUSTERS)
            data = PdData(str(_FIRST_CLUSTER + number))
            tell(
                world,
                process,
                [("info", "server.go:1180", "init cluster id", {"cluster-id": data.cluster})],
            )
        keep_pd(world, storage, replace(data, members={**data.members, name: url}))
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.served_at is not None:
            leader = {"pd-leader-name": name}
            tell(world, still, [("info", "server.go:1788", "PD leader is ready to serve", leader)])

    def data_file(self, process: Process, program: PdProgram) -> DataFile | None:
        """The database of the embedded etcd."""
        kept = process.settings.get(PD_STORAGE)
        return None if kept is None else DataFile(kept, process.settings["pd.dir"], _DATABASE)

    def web(
        self, world: World, process: Process, program: PdProgram, method: str, path: str
    ) -> WebAnswer | None:
        """Its API: health, members, stores."""
        data = load_pd(world, process.settings[PD_STORAGE])
        place = path.partition("?")[0].removeprefix("/pd/api/v1").rstrip("/")
        if not has_quorum(world, process):
            return WebAnswer(503, "no leader\n", "text/plain; charset=utf-8")
        if place in ("/health", "/ping", ""):
            found: Any = [
                {"name": name, "client_urls": [url], "health": True}
                for name, url in data.members.items()
            ]
        elif place == "/members":
            found = {
                "header": {"cluster_id": int(data.cluster)},
                "members": [
                    {"name": name, "client_urls": [url]} for name, url in data.members.items()
                ],
            }
        elif place == "/stores":
            up = {store.number for store in up_stores(world, process, data)}
            states = [
                {
                    "store": {
                        "id": store.number,
                        "address": store.address,
                        "state_name": "Up" if store.number in up else "Disconnected",
                    }
                }
                for store in data.stores
            ]
            found = {"count": len(states), "stores": states}
        elif place in ("/version", "/status"):
            found = {"version": program.version}
        else:
            return WebAnswer(404, "404 page not found\n", "text/plain; charset=utf-8")
        return WebAnswer(200, to_json(found), "application/json; charset=UTF-8")
