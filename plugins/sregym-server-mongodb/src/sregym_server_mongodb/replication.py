"""`rs`: what the shell shows of the replica set that a server is no member of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_server_mongodb.javascript import Host
from sregym_server_mongodb.script import ScriptError

if TYPE_CHECKING:
    from sregym_server_mongodb.database import Database


class Replication(Host):
    """`rs`: of a server that is no member of a replica set."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def js_status(self, *_: Any) -> dict[str, Any]:
        """That there is no replica set."""
        return self.database.js_adminCommand("replSetGetStatus")

    def js_conf(self, *_: Any) -> Any:
        """That there is no configuration of one."""
        self.database.connection.demand("cluster", "admin", "replSetGetConfig", 1.0)
        raise ScriptError("Could not retrieve replica set config: not running with --replSet", 76)

    js_config = js_conf

    def js_isMaster(self, *_: Any) -> dict[str, Any]:
        """Whether the server takes writes."""
        return self.database.js_isMaster()

    js_hello = js_isMaster
