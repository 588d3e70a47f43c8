"""Replica sets: how members of MongoDB vote, what they copy, and what their logs say of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.replication import (
    Electing,
    Place,
    Role,
    applied,
    as_of,
    caught_up_votes,
    join,
    majority,
    options_of,
    record,
    standing_of,
)
from sregym_cluster_embedded.sdk.servers import LogLine, Refusal, append, locks

from sregym_server_mongodb.data import load, store
from sregym_server_mongodb.lines import mongod_line

if TYPE_CHECKING:
    from sregym_apps.model import Client
    from sregym_cluster_embedded.sdk.replication import MemberSet, Standing
    from sregym_cluster_embedded.sdk.servers import Process, World

# Number and name of the states of members.
STATES = {
    Role.STARTUP: (0, "STARTUP"), Role.PRIMARY: (1, "PRIMARY"), Role.SECONDARY: (2, "SECONDARY"),
    Role.SYNCING: (5, "STARTUP2"), Role.ARBITER: (7, "ARBITER"), Role.REMOVED: (10, "REMOVED"),
}  # fmt: skip
NOT_PRIMARY, NO_SECONDARY_READS, TIMED_OUT = 10107, 13435, 64
_MODERN = 5
_WHY = {
    "dns": (6, "HostUnreachable", "Error connecting to {host} :: caused by :: Could not find address for {host}: SocketException: Host not found (authoritative)"),
    "refused": (6, "HostUnreachable", "Error connecting to {host} :: caused by :: Connection refused"),
    "no_route": (6, "HostUnreachable", "Error connecting to {host} :: caused by :: No route to host"),
    "unreachable": (6, "HostUnreachable", "Error connecting to {host} :: caused by :: Network is unreachable"),
    "protocol": (74, "NodeNotFound", "replica set names do not match for {host}"),
}  # fmt: skip
_SILENT = (
    202,
    "NetworkInterfaceExceededTimeLimit",
    "Couldn't get a connection within the time limit",
)
WAITED = "waiting for replication timed out"


class MongodbSet(Electing):
    """Members of a replica set of MongoDB."""

    protocol = "mongodb"

    def member_set(self, world: World, process: Process) -> MemberSet | None:
        """That in its own data, as `local.system.replset`."""
        return load(world, self.storage(process)).member_set

    def set_name(self, process: Process) -> str:
        """That of `--replSet`."""
        return process.settings.get("mongod.set", "")

    def storage(self, process: Process) -> str:
        """Its data directory."""
        return process.settings["mongod.storage"]

    def adopt(self, world: World, process: Process, given: MemberSet) -> None:
        """Store it, as heartbeats bring it."""
        kept = load(world, self.storage(process))
        store(world, self.storage(process), replace(kept, member_set=given))
        self._log(
            world,
            process,
            "REPL",
            21392,
            "ReplCoord-0",
            "New replica set config in use",
            config=replica_set_config(given),
        )
        if standing_of(world, process.ref) is None:
            join(world, process, self)

    def copy(self, world: World, process: Process, source: Process, until: float) -> None:
        """The databases, accounts and defaults of the source as they were."""
        theirs = as_of(world, self.storage(source), until) or load(world, self.storage(source))
        own = load(world, self.storage(process))
        same = own.databases is theirs.databases and own.accounts is theirs.accounts
        if same and own.write_concern == theirs.write_concern:
            return
        taken = replace(
            own, databases=theirs.databases, accounts=theirs.accounts,
            write_concern=theirs.write_concern,
        )  # fmt: skip
        store(world, self.storage(process), taken, at=until)

    def stopped(self, world: World, process: Process) -> bool:
        """Whether it is locked against writes, those of the primary among them."""
        return bool(locks(world, process.ref))

    def tell(self, world: World, process: Process, what: str, facts: dict[str, Any]) -> None:
        """As mongod writes it."""
        if what == "role":
            old, new = STATES[facts["old"]][1], STATES[facts["new"]][1]
            self._log(
                world,
                process,
                "REPL",
                21358,
                "ReplCoord-0",
                "Replica set state transition",
                newState=new,
                oldState=old,
            )
            if facts["new"] is Role.PRIMARY:
                text = "Transition to primary complete; database writes are now permitted"
                self._log(world, process, "REPL", 21331, "OplogApplier-0", text)
        elif what == "standing":
            text = "Starting an election, since we've seen no PRIMARY in election timeout period"
            self._log(
                world,
                process,
                "ELECTION",
                4615652,
                "ReplCoord-0",
                text,
                electionTimeoutPeriodMillis=10_000,
            )
        elif what == "elected":
            text = "Election succeeded, assuming primary role"
            self._log(world, process, "ELECTION", 21450, "ReplCoord-0", text, term=facts["term"])
        elif what == "unelected":
            text = "Not running for primary, we received insufficient votes"
            self._log(world, process, "ELECTION", 21442, "ReplCoord-0", text)
        elif what == "alone":
            text = "Can't see a majority of the set, relinquishing primary"
            self._log(world, process, "REPL", 21809, "ReplCoord-0", text)
        elif what == "deposed":
            text = "Stepping down from primary, because a new term has begun"
            self._log(world, process, "REPL", 21402, "ReplCoord-0", text, term=facts["term"])
        elif what == "found":
            state = STATES[facts["role"]][1]
            self._log(
                world,
                process,
                "REPL",
                21215,
                "ReplCoord-0",
                "Member is in new state",
                hostAndPort=facts["host"],
                newState=state,
            )
        elif what == "rolled-back":
            text = "Starting rollback due to fetcher error"
            self._log(
                world, process, "ROLLBACK", 21585, "BackgroundSync", text, syncSource=facts["host"]
            )
        elif what == "lost":
            error = heartbeat_error(facts["kind"], facts["host"])
            self._log(
                world, process, "REPL_HB", 23974, "ReplCoord-0", "Heartbeat failed after max retries",
                target=facts["host"], maxHeartbeatRetries=2, error=error,
            )  # fmt: skip

    def _log(
        self, world: World, process: Process, component: str, number: int, context: str, text: str,
        **attributes: object,
    ) -> None:  # fmt: skip
        line = mongod_line(world, world.now, "I", component, number, context, text, attributes)
        append(world, process.ref, [LogLine(world.now, "stdout", line)])


SET = MongodbSet()


def heartbeat_error(kind: str, host: str) -> dict[str, object]:
    """What a member says of a heartbeat that failed."""
    number, name, text = _WHY.get(kind, _SILENT)
    return {"code": number, "codeName": name, "errmsg": text.format(host=host)}


def replica_set_config(given: MemberSet) -> dict[str, Any]:
    """A configuration as `rs.conf()` shows it, but for what no member differs in."""
    return {
        "_id": given.name,
        "version": given.version,
        "protocolVersion": 1,
        "members": [
            {
                "_id": member.number,
                "host": member.host,
                "arbiterOnly": member.arbiter,
                "hidden": member.hidden,
                "priority": _whole(member.priority),
                "secondaryDelaySecs": _whole(member.delay_s),
                "votes": member.votes,
            }
            for member in given.members
        ],
        "settings": {
            "heartbeatIntervalMillis": int(given.heartbeat_s * 1000),
            "electionTimeoutMillis": int(given.patience_s * 1000),
        },
    }


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def is_writable(world: World, process: Process) -> bool:
    """Whether a server takes writes: it stands alone, or is the primary of its set."""
    if not SET.set_name(process):
        return True
    own = standing_of(world, process.ref)
    return own is not None and own.role is Role.PRIMARY


def place(world: World, process: Process) -> Place | None:
    """What a member tells drivers; None for a server that stands alone."""
    if not SET.set_name(process):
        return None
    own, given = standing_of(world, process.ref), SET.member_set(world, process)
    if own is None or given is None:
        return Place("startup")
    hosts = tuple(m.host for m in given.members if not m.hidden and not m.arbiter)
    return Place(own.role.value, hosts)


def lag_s(world: World, process: Process) -> float:
    """How far a secondary is behind."""
    own: Standing | None = standing_of(world, process.ref)
    if own is None or own.role is not Role.SECONDARY:
        return 0.0
    return max(0.0, world.now - applied(world, process.ref, own))


def not_primary(version: str) -> str:
    """The words of a release for a write that comes to a secondary."""
    return "not primary" if _major(version) >= _MODERN else "not master"


def no_reads(version: str) -> str:
    """The words of a release for a read that comes to a secondary unasked."""
    if _major(version) >= _MODERN:
        return "not primary and secondaryOk=false"
    return "not master and slaveOk=false"


def unacknowledged(
    world: World, process: Process, version: str, client: Client | None
) -> Refusal | None:
    """Why a write that a primary has carried out is not acknowledged by as many as it should be.

    Args:
        world: The cluster.
        process: The primary.
        version: Its release.
        client: Whose address may say how many, as `w` and `wtimeoutMS`; None for nobody's.
    """
    if not SET.set_name(process):
        return None
    said = {} if client is None else options_of(client.address)
    kept = load(world, SET.storage(process)).write_concern
    usual = "majority" if _major(version) >= _MODERN else "1"
    wanted = said.get("w") or kept[0] or usual
    limit_ms = int(said.get("wtimeoutMS") or said.get("wtimeout") or (kept[1] if kept[0] else 0))
    given = SET.member_set(world, process)
    if wanted in ("0", "1") or given is None:
        return None
    needed = majority(given) if wanted == "majority" else int(wanted) if wanted.isdecimal() else 1
    if caught_up_votes(world, process, SET) >= needed:
        return None
    return Refusal("server", WAITED) if limit_ms else Refusal("timeout", "")


def _major(version: str) -> int:
    head = version.partition(".")[0]
    return int(head) if head.isdecimal() else 0


__all__ = ["SET", "STATES", "is_writable", "lag_s", "place", "record", "unacknowledged"]
