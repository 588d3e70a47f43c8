"""Commands about replica sets: status, configuration, initiation, stepping down, default concerns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import parse_address, process_of, reach
from sregym_cluster_embedded.sdk.replication import (
    Member,
    MemberSet,
    Role,
    applied,
    freeze,
    last_heartbeat,
    majority,
    stand,
    standing_of,
    step_down,
)

from sregym_server_mongodb.data import load
from sregym_server_mongodb.members import (
    NOT_PRIMARY,
    SET,
    STATES,
    heartbeat_error,
    is_writable,
    not_primary,
    replica_set_config,
)
from sregym_server_mongodb.printing import Raw
from sregym_server_mongodb.script import ScriptError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.sdk.replication import MemberView, Standing
    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_mongodb.connection import Connection

_DISABLED, _UNINITIALIZED, _ALREADY, _INVALID, _MISSING = 76, 94, 23, 93, 74
_OLD_DELAY = "slaveDelay"


def status(connection: Connection) -> dict[str, Any]:
    """`replSetGetStatus`: the set as this member sees it."""
    connection.demand("cluster", "admin", "replSetGetStatus", 1.0)
    given, own = _member_of(connection)
    world = connection.world
    reached = applied(world, connection.server.ref, own)
    members = [_shown(connection, given, own, member) for member in given.members]
    leader = next((one["name"] for one in members if one["state"] == 1), "")
    leader_id = next((one["_id"] for one in members if one["state"] == 1), -1)
    follows = own.role is Role.SECONDARY and leader
    return {
        "set": given.name,
        "date": _date(world),
        "myState": STATES[own.role][0],
        "term": _long(own.term),
        "syncSourceHost": leader if follows else "",
        "syncSourceId": leader_id if follows else -1,
        "heartbeatIntervalMillis": _long(given.heartbeat_s * 1000),
        "majorityVoteCount": majority(given),
        "writeMajorityCount": majority(given),
        "votingMembersCount": sum(member.votes for member in given.members),
        "writableVotingMembersCount": sum(m.votes for m in given.members if not m.arbiter),
        "optimes": {
            "lastCommittedOpTime": _optime(world, reached, own.data_term),
            "lastCommittedWallTime": _date(world, reached),
            "appliedOpTime": _optime(world, reached, own.data_term),
            "lastAppliedWallTime": _date(world, reached),
        },
        "members": members,
        "ok": 1,
    }


def _shown(
    connection: Connection, given: MemberSet, own: Standing, member: Member
) -> dict[str, Any]:
    world, server = connection.world, connection.server
    if member.number == own.number:
        elected = own.role is Role.PRIMARY
        reached = applied(world, server.ref, own)
        state, name = STATES[own.role]
        return {
            "_id": member.number,
            "name": member.host,
            "health": 1,
            "state": state,
            "stateStr": name,
            "uptime": int(world.now - server.started_at),
            "optime": _optime(world, reached, own.data_term),
            "optimeDate": _date(world, reached),
            "syncSourceHost": "",
            "syncSourceId": -1,
            "infoMessage": "",
            **({"electionTime": _stamp(world, own.elected)} if elected else {}),
            **({"electionDate": _date(world, own.elected)} if elected else {}),
            "configVersion": given.version,
            "configTerm": own.term,
            "self": True,
            "lastHeartbeatMessage": "",
        }
    sight = next((one for one in own.sights if one.number == member.number), None)
    return _other(connection, given, member, sight)


def _other(
    connection: Connection, given: MemberSet, member: Member, sight: MemberView | None
) -> dict[str, Any]:
    world = connection.world
    theirs = None if sight is None or sight.ref is None else standing_of(world, sight.ref)
    process = None if sight is None or sight.ref is None else process_of(world, sight.ref)
    at = -1.0 if sight is None else last_heartbeat(world, connection.server.ref, sight)
    common = {"_id": member.number, "name": member.host}
    if theirs is None or process is None:
        why = heartbeat_error(sight.kind if sight else "refused", member.host)["errmsg"]
        return {
            **common,
            "health": 0,
            "state": 8,
            "stateStr": "(not reachable/healthy)",
            "uptime": 0,
            "optime": {"ts": Raw("Timestamp(0, 0)"), "t": _long(-1)},
            "optimeDate": Raw('ISODate("1970-01-01T00:00:00Z")'),
            "lastHeartbeat": _date(world),
            "lastHeartbeatRecv": _date(world, at if at >= 0 else None),
            "pingMs": _long(0),
            "lastHeartbeatMessage": why,
            "syncSourceHost": "",
            "syncSourceId": -1,
            "infoMessage": "",
            "configVersion": given.version,
            "configTerm": -1,
        }
    state, name = STATES[theirs.role]
    leads_ = theirs.role is Role.PRIMARY
    reached = applied(world, process.ref, theirs)
    return {
        **common,
        "health": 1,
        "state": state,
        "stateStr": name,
        "uptime": int(world.now - process.started_at),
        "optime": _optime(world, reached, theirs.data_term),
        "optimeDate": _date(world, reached),
        "lastHeartbeat": _date(world, at),
        "lastHeartbeatRecv": _date(world, at),
        "pingMs": _long(0 if sight is None or sight.path is None else sight.path.latency_ms),
        "lastHeartbeatMessage": "",
        "syncSourceHost": "",
        "syncSourceId": -1,
        "infoMessage": "",
        **({"electionTime": _stamp(world, theirs.elected)} if leads_ else {}),
        **({"electionDate": _date(world, theirs.elected)} if leads_ else {}),
        "configVersion": given.version,
        "configTerm": theirs.term,
    }


def configuration(connection: Connection) -> dict[str, Any]:
    """`replSetGetConfig`."""
    connection.demand("cluster", "admin", "replSetGetConfig", 1.0)
    given, own = _member_of(connection)
    shown = replica_set_config(given)
    if connection.version.partition(".")[0] in ("3", "4"):
        for member in shown["members"]:
            member[_OLD_DELAY] = _long(member.pop("secondaryDelaySecs"))
    settings = {**shown["settings"], "replicaSetId": Raw(f'ObjectId("{given.uid}")')}
    whole = {**shown, "term": own.term, "settings": settings}
    return {"config": whole, "ok": 1}


def initiate(connection: Connection, command: Mapping[str, Any]) -> dict[str, Any]:
    """`replSetInitiate`: the first configuration, for all members that answer."""
    connection.demand("cluster", "admin", "replSetInitiate", 1.0)
    server, world = connection.server, connection.world
    name = SET.set_name(server)
    if not name:
        raise ScriptError("This node was not started with replication enabled.", _DISABLED)
    if SET.member_set(world, server) is not None:
        raise ScriptError("already initialized", _ALREADY)
    own = f"{server.config.hostname}:{server.settings['mongod.port']}"
    wanted = command.get("replSetInitiate")
    if not isinstance(wanted, dict) or not wanted.get("members"):
        wanted = {"_id": name, "members": [{"_id": 0, "host": own}]}
    given = _read(wanted, MemberSet(name, (), uid=world.seed.hexadecimal(24)), 1)
    if given.name != name:
        text = f"Attempting to initiate a replica set with name {given.name}, but command line reports {name}; rejecting"
        raise ScriptError(text, _INVALID)
    silent = []
    here = False
    for member in given.members:
        where = parse_address(member.host)
        end = reach(world, server, where.host, where.port, "mongodb", member.host)[0]
        here = here or end.ref == server.ref
        process = None if end.kind or end.ref is None else process_of(world, end.ref)
        if process is None or process.served_at is None:
            why = heartbeat_error(end.kind or "refused", member.host)["errmsg"]
            silent.append(f"{member.host} failed with {why}")
    if not here:
        text = f"No host described in new configuration with {{version: 1, term: 0}} for replica set {name} maps to this node"
        raise ScriptError(text, _MISSING)
    if silent:
        text = "replSetInitiate quorum check failed because not all proposed set members responded affirmatively: "
        raise ScriptError(text + ", ".join(silent), _MISSING)
    SET.adopt(world, server, given)
    stand(world, server, SET)
    return {"ok": 1}


def reconfigure(connection: Connection, command: Mapping[str, Any]) -> dict[str, Any]:
    """`replSetReconfig`: another configuration, from the primary, or from anybody by `force`."""
    connection.demand("cluster", "admin", "replSetReconfig", 1.0)
    given, _ = _member_of(connection)
    if not is_writable(connection.world, connection.server) and not command.get("force"):
        text = (
            "Safe reconfig is only allowed on a writable PRIMARY. Current state "
            f"{STATES[_member_of(connection)[1].role][1]};"
        )
        raise ScriptError(text, NOT_PRIMARY)
    wanted = command.get("replSetReconfig")
    if not isinstance(wanted, dict):
        raise ScriptError("no configuration specified", _INVALID)
    version = int(wanted.get("version", given.version))
    if version <= given.version and not command.get("force"):
        text = f"New and old configurations must have increasing version: {version} is not greater than {given.version}"
        raise ScriptError(text, 103)
    SET.adopt(
        connection.world, connection.server, _read(wanted, given, max(version, given.version + 1))
    )
    return {"ok": 1}


def _read(wanted: Mapping[str, Any], before: MemberSet, version: int) -> MemberSet:
    members: list[Member] = []
    for entry in wanted.get("members", ()):
        arbiter = bool(entry.get("arbiterOnly", False))
        delay = entry.get("secondaryDelaySecs", entry.get(_OLD_DELAY, 0))
        host = str(entry.get("host", ""))
        member = Member(
            int(entry.get("_id", len(members))),
            host if ":" in host else f"{host}:27017",
            float(entry.get("priority", 0 if arbiter else 1)),
            int(entry.get("votes", 1)),
            float(_number(delay)),
            bool(entry.get("hidden", False)),
            arbiter,
        )
        if member.delay_s and member.priority:
            text = "Priority must be 0 when secondaryDelaySecs is used"
            raise ScriptError(text, _INVALID)
        members.append(member)
    if len({member.host for member in members}) < len(members):
        raise ScriptError("Found two member configurations with same host field", _INVALID)
    if not any(member.priority for member in members):
        text = "Replica set configuration must contain at least one non-arbiter member with priority > 0"
        raise ScriptError(text, _INVALID)
    settings = wanted.get("settings") or {}
    patience = _number(settings.get("electionTimeoutMillis", before.patience_s * 1000))
    heartbeat = _number(settings.get("heartbeatIntervalMillis", before.heartbeat_s * 1000))
    return before._replace(
        name=str(wanted.get("_id", before.name)), members=tuple(members), version=version,
        patience_s=patience / 1000, heartbeat_s=heartbeat / 1000,
    )  # fmt: skip


def stepped_down(connection: Connection, command: Mapping[str, Any]) -> dict[str, Any]:
    """`replSetStepDown`: a primary gives up to a secondary that is not far behind."""
    connection.demand("cluster", "admin", "replSetStepDown", 1.0)
    _, own = _member_of(connection)
    world, server = connection.world, connection.server
    if own.role is not Role.PRIMARY:
        raise ScriptError(f"{not_primary(connection.version)} so can't step down", NOT_PRIMARY)
    seconds = _number(command.get("replSetStepDown", 60))
    others = [standing_of(world, sight.ref) for sight in own.sights if sight.ref is not None]
    fit = any(one is not None and one.role is Role.SECONDARY and not one.late for one in others)
    if not fit and not command.get("force"):
        text = "No electable secondaries caught up as of " + str(_date(world))[9:-2]
        text += ". Please use the replSetStepDown command with the argument {force: true} to force node to step down."
        raise ScriptError(text, 50)
    step_down(world, server, SET, seconds)
    return {"ok": 1}


def frozen(connection: Connection, command: Mapping[str, Any]) -> dict[str, Any]:
    """`replSetFreeze`: no election of this member for some time."""
    connection.demand("cluster", "admin", "replSetFreeze", 1.0)
    _, own = _member_of(connection)
    if own.role is Role.PRIMARY:
        raise ScriptError(
            "cannot freeze node when primary or running for election. state: Primary", 95
        )
    freeze(connection.world, connection.server, _number(command.get("replSetFreeze", 0)))
    return {"ok": 1}


def default_concerns(connection: Connection, command: Mapping[str, Any]) -> dict[str, Any]:
    """`setDefaultRWConcern` and `getDefaultRWConcern`: how many have to have a write."""
    name = next(iter(command), "")
    connection.demand("cluster", "admin", name, 1.0)
    _member_of(connection)
    if name == "setDefaultRWConcern":
        if not is_writable(connection.world, connection.server):
            raise ScriptError(not_primary(connection.version), NOT_PRIMARY)
        said = command.get("defaultWriteConcern") or {}
        kept = load(connection.world, connection.storage)
        wanted = (str(said.get("w", "")), int(_number(said.get("wtimeout", 0))))
        connection.save(replace(kept, write_concern=wanted))
    w, limit_ms = load(connection.world, connection.storage).write_concern
    shown = int(w) if w.isdecimal() else w
    concern = {"defaultWriteConcern": {"w": shown, "wtimeout": limit_ms}} if w else {}
    return {"defaultReadConcern": {"level": "local"}, **concern, "ok": 1}


def hello_fields(connection: Connection) -> dict[str, Any]:
    """What `hello` says besides at a member of a set."""
    server, world = connection.server, connection.world
    if not SET.set_name(server):
        return {}
    given, own = SET.member_set(world, server), standing_of(world, server.ref)
    if given is None or own is None:
        return {
            "secondary": False,
            "info": "Does not have a valid replica set config",
            "isreplicaset": True,
        }
    hosts = [m.host for m in given.members if not m.hidden and not m.arbiter]
    leader = next(
        (m.host for m in given.members if _role(world, own, m.number) is Role.PRIMARY), ""
    )
    me = next((m.host for m in given.members if m.number == own.number), "")
    arbiters = [m.host for m in given.members if m.arbiter]
    return {
        "hosts": hosts,
        **({"arbiters": arbiters} if arbiters else {}),
        "setName": given.name,
        "setVersion": given.version,
        "secondary": own.role is Role.SECONDARY,
        **({"primary": leader} if leader else {}),
        "me": me,
    }


def _role(world: World, own: Standing, number: int) -> Role | None:
    if own.number == number:
        return own.role
    sight = next((one for one in own.sights if one.number == number), None)
    theirs = None if sight is None or sight.ref is None else standing_of(world, sight.ref)
    return None if theirs is None else theirs.role


def _member_of(connection: Connection) -> tuple[MemberSet, Standing]:
    if not SET.set_name(connection.server):
        raise ScriptError("not running with --replSet", _DISABLED)
    given = SET.member_set(connection.world, connection.server)
    own = standing_of(connection.world, connection.server.ref)
    if given is None or own is None:
        raise ScriptError("no replset config has been received", _UNINITIALIZED)
    return given, own


def _number(value: Any) -> float:
    digits = "".join(char for char in str(value) if char.isdigit() or char == ".")
    return float(digits or 0)


def _long(number: float) -> Raw:
    return Raw(f"NumberLong({int(number)})")


def _date(world: World, at: float | None = None) -> Raw:
    return Raw(f'ISODate("{world.timestamp(at)}")')


def _stamp(world: World, at: float) -> Raw:
    return Raw(f"Timestamp({int(world.epoch + at)}, 1)")


def _optime(world: World, at: float, term: int) -> dict[str, Any]:
    return {"ts": _stamp(world, at), "t": _long(term)}


SET_COMMANDS: Mapping[str, Callable[[Connection, Mapping[str, Any]], dict[str, Any]]] = {
    "replSetGetStatus": lambda connection, _: status(connection),
    "replSetGetConfig": lambda connection, _: configuration(connection),
    "replSetInitiate": initiate,
    "replSetReconfig": reconfigure,
    "replSetStepDown": stepped_down,
    "replSetFreeze": frozen,
    "setDefaultRWConcern": default_concerns,
    "getDefaultRWConcern": default_concerns,
}
