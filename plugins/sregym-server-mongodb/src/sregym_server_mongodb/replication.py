"""`rs`: what the shell shows of the replica set that a server is a member of, and changes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_server_mongodb.javascript import Host
from sregym_server_mongodb.script import UNDEFINED, ScriptError

if TYPE_CHECKING:
    from sregym_server_mongodb.database import Database
    from sregym_server_mongodb.printing import Raw

_NO_REPLICATION = 76


class Replication(Host):
    """`rs`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def js_status(self, *_: Any) -> dict[str, Any]:
        """The members as this one sees them."""
        return self.database.js_adminCommand("replSetGetStatus")

    def js_conf(self, *_: Any) -> Any:
        """The configuration."""
        try:
            found = self.database.js_adminCommand("replSetGetConfig")
        except ScriptError as error:
            raise _no_configuration(error.plain, error.code) from error
        if not found["ok"]:
            raise _no_configuration(found["errmsg"], found["code"])
        return found["config"]

    js_config = js_conf

    def js_initiate(self, given: Any = None, *_: Any) -> dict[str, Any]:
        """Make a set of the members in a configuration; of this server alone without one."""
        wanted = given if isinstance(given, dict) else {}
        return self.database.js_adminCommand({"replSetInitiate": wanted})

    def js_reconfig(self, given: dict[str, Any], options: Any = None, *_: Any) -> dict[str, Any]:
        """Replace the configuration; its version grows."""
        present = self.js_conf()
        wanted = {**given, "version": int(present["version"]) + 1}
        force = bool(options.get("force")) if isinstance(options, dict) else False
        return self.database.js_adminCommand({"replSetReconfig": wanted, "force": force})

    def js_add(self, host: Any, arbiter: bool = False, *_: Any) -> dict[str, Any]:
        """Add a member: its `host:port`, or a document."""
        present = self.js_conf()
        number = max(member["_id"] for member in present["members"]) + 1
        member = host if isinstance(host, dict) else {"host": host}
        member = {"_id": number, **member, **({"arbiterOnly": True} if arbiter is True else {})}
        return self.js_reconfig({**present, "members": [*present["members"], member]})

    def js_addArb(self, host: str, *_: Any) -> dict[str, Any]:
        """Add a member that only votes."""
        return self.js_add(host, True)

    def js_remove(self, host: str, *_: Any) -> dict[str, Any]:
        """Take a member out."""
        present = self.js_conf()
        kept = [member for member in present["members"] if member["host"] != host]
        if len(kept) == len(present["members"]):
            hosts = ",".join(member["host"] for member in kept)
            text = f"Couldn't find {host} in [{hosts}]. Is {host} a member of this replset?"
            raise ScriptError(text)
        return self.js_reconfig({**present, "members": kept})

    def js_stepDown(self, seconds: Any = 60, *_: Any) -> dict[str, Any]:
        """Let the primary give up."""
        return self.database.js_adminCommand({"replSetStepDown": seconds})

    def js_freeze(self, seconds: Any = 0, *_: Any) -> dict[str, Any]:
        """Keep this member from elections for some seconds."""
        return self.database.js_adminCommand({"replSetFreeze": seconds})

    def js_isMaster(self, *_: Any) -> dict[str, Any]:
        """Whether the server takes writes."""
        return self.database.js_isMaster()

    js_hello = js_isMaster

    def js_secondaryOk(self, *_: Any) -> Any:
        """Mean reads from secondaries."""
        self.database.connection.secondary_ok = True
        return UNDEFINED

    js_slaveOk = js_secondaryOk

    def js_printSecondaryReplicationInfo(self, *_: Any) -> Any:
        """How far each secondary is behind the primary."""
        found = self.js_status()
        members = found.get("members", ())
        newest = max((_seconds(one["optime"]["ts"]) for one in members), default=0)
        lines = []
        for one in members:
            if one["state"] not in (2, 5):
                continue
            behind = newest - _seconds(one["optime"]["ts"])
            lines += [
                f"source: {one['name']}",
                f"\tsyncedTo: {str(one['optimeDate'])[9:-2]}",
                f"\t{behind} secs ({behind / 3600:.2g} hrs) behind the primary ",
            ]
        if lines:
            self.database.connection.say("\n".join(lines))
        return UNDEFINED

    js_printSlaveReplicationInfo = js_printSecondaryReplicationInfo


def _seconds(stamp: Raw) -> int:
    """The seconds of `Timestamp(seconds, number)`."""
    return int(str(stamp).partition("(")[2].partition(",")[0])


def _no_configuration(why: str, code: int | None) -> ScriptError:
    return ScriptError(f"Could not retrieve replica set config: {why}", code or _NO_REPLICATION)
