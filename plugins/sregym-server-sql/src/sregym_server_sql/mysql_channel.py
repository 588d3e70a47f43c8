"""What people say to replicas of MySQL: whom to follow, start and stop, and how they are."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import process_of

from sregym_server_sql.engine import Result
from sregym_server_sql.mysql_errors import MysqlError, unparsed
from sregym_server_sql.mysql_replica import (
    LOG_FILE,
    applied,
    applying,
    begin,
    position,
    receiving,
    replicas_of,
    seconds_behind_source,
    stream_of,
)
from sregym_server_sql.mysql_variables import in_effect

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process

    from sregym_server_sql.mysql_server import MysqlConnection

_OPTION = re.compile(r"(\w+)\s*=\s*('(?:[^']|'')*'|\"[^\"]*\"|[^,\s]+)\s*(?:,|$)")
_NAMES = {
    "host": "host", "port": "port", "user": "user", "password": "password", "delay": "delay",
    "connect_retry": "connect_retry",
}  # fmt: skip
# What may be said besides, and changes nothing here.
_TAKEN = frozenset(
    {
        "auto_position",
        "log_file",
        "log_pos",
        "ssl",
        "heartbeat_period",
        "retry_count",
        "public_key_path",
    }
)
_FIRST = {"port": "3306", "user": "", "password": "", "delay": "0", "connect_retry": "60", "io": "No", "sql": "No"}  # fmt: skip
_COLUMNS = [
    "Replica_IO_State",
    "Source_Host",
    "Source_User",
    "Source_Port",
    "Connect_Retry",
    "Source_Log_File",
    "Read_Source_Log_Pos",
    "Relay_Log_File",
    "Relay_Log_Pos",
    "Relay_Source_Log_File",
    "Replica_IO_Running",
    "Replica_SQL_Running",
    "Replicate_Do_DB",
    "Replicate_Ignore_DB",
    "Replicate_Do_Table",
    "Replicate_Ignore_Table",
    "Replicate_Wild_Do_Table",
    "Replicate_Wild_Ignore_Table",
    "Last_Errno",
    "Last_Error",
    "Skip_Counter",
    "Exec_Source_Log_Pos",
    "Relay_Log_Space",
    "Until_Condition",
    "Until_Log_File",
    "Until_Log_Pos",
    "Source_SSL_Allowed",
    "Source_SSL_CA_File",
    "Source_SSL_CA_Path",
    "Source_SSL_Cert",
    "Source_SSL_Cipher",
    "Source_SSL_Key",
    "Seconds_Behind_Source",
    "Source_SSL_Verify_Server_Cert",
    "Last_IO_Errno",
    "Last_IO_Error",
    "Last_SQL_Errno",
    "Last_SQL_Error",
    "Replicate_Ignore_Server_Ids",
    "Source_Server_Id",
    "Source_UUID",
    "Source_Info_File",
    "SQL_Delay",
    "SQL_Remaining_Delay",
    "Replica_SQL_Running_State",
    "Source_Retry_Count",
    "Source_Bind",
    "Last_IO_Error_Timestamp",
    "Last_SQL_Error_Timestamp",
    "Source_SSL_Crl",
    "Source_SSL_Crlpath",
    "Retrieved_Gtid_Set",
    "Executed_Gtid_Set",
    "Auto_Position",
    "Replicate_Rewrite_DB",
    "Channel_Name",
    "Source_TLS_Version",
    "Source_public_key_path",
    "Get_Source_public_key",
    "Network_Namespace",
]
_NOT_REPLICA = "The server is not configured as replica; fix in config file or with CHANGE REPLICATION SOURCE TO"  # fmt: skip


def _done(verb: str) -> Result:
    return Result((), (), 0, verb)


def uuid_of(process: Process) -> str:
    """`server_uuid`, as it stands in auto.cnf."""
    text = sha1(
        f"mysql {process.settings['sql.storage']}".encode(), usedforsecurity=False
    ).hexdigest()
    return f"{text[:8]}-{text[8:12]}-11f0-{text[12:16]}-{text[16:28]}"


def change_source(client: MysqlConnection, statement: str, _words: list[str]) -> Result:
    """CHANGE REPLICATION SOURCE TO, or CHANGE MASTER TO as it was called before."""
    found = re.match(r"change\s+(?:replication\s+source|master)\s+to\s+(.*)$", statement.rstrip("; \n"), re.I | re.S)  # fmt: skip
    if found is None:
        raise unparsed(statement, len("change "))
    client.demand("SUPER or REPLICATION_SLAVE_ADMIN")
    data = client.data
    if receiving(data) or applying(data):
        thread = "io" if receiving(data) else "sql"
        text = f"This operation cannot be performed with a running replica {thread} thread; run STOP REPLICA {thread.upper()}_THREAD FOR CHANNEL '' first."
        raise MysqlError(3021 if thread == "io" else 3085, "HY000", text)
    given = {**_FIRST, **data.follows}
    for name, value in _OPTION.findall(found[1]):
        short = re.sub(r"^(?:get_)?(?:source|master)_", "", name.lower())
        if short in _NAMES:
            given[short] = value.strip("'\"")
        elif short not in _TAKEN and short != "public_key" and not short.startswith(("ssl", "tls")):
            raise unparsed(statement, statement.find(name))
    given.setdefault("host", "")
    client.keep(replace(data, follows=given))
    begin(client.world, client.server)
    return _done("change")


def start_replica(client: MysqlConnection, statement: str, words: list[str]) -> Result | None:
    """START REPLICA, or one of its threads; None for any other START."""
    return _threads(client, statement, words, "Yes")


def stop_replica(client: MysqlConnection, statement: str, words: list[str]) -> Result | None:
    """STOP REPLICA, or one of its threads."""
    found = _threads(client, statement, words, "No")
    if found is None:
        raise unparsed(statement, statement.find(words[1]) if len(words) > 1 else -1)
    return found


def _threads(
    client: MysqlConnection, statement: str, words: list[str], wanted: str
) -> Result | None:
    if len(words) < 2 or words[1].lower().strip(";") not in ("replica", "slave"):
        return None
    client.demand("SUPER or REPLICATION_SLAVE_ADMIN")
    data = client.data
    if not data.follows:
        if wanted == "No":
            # It has been stopped already.
            return _done("stop")
        raise MysqlError(1200, "HY000", _NOT_REPLICA)
    named = [word.strip(";,").lower() for word in words[2:]]
    both = {"io_thread": "io", "sql_thread": "sql"}
    chosen = [both[word] for word in named if word in both] or ["io", "sql"]
    client.keep(replace(data, follows={**data.follows, **dict.fromkeys(chosen, wanted)}))
    begin(client.world, client.server)
    return _done(statement.split()[0].lower())


def reset_replica(client: MysqlConnection, statement: str, words: list[str]) -> Result:
    """RESET REPLICA forgets where it was, RESET REPLICA ALL whom it followed as well."""
    what = words[1].lower().strip(";") if len(words) > 1 else ""
    if what not in ("replica", "slave", "master", "binary"):
        raise unparsed(statement, statement.find(words[1]) if len(words) > 1 else -1)
    client.demand("SUPER or RELOAD")
    data = client.data
    if what in ("replica", "slave"):
        if receiving(data) or applying(data):
            text = (
                "This operation cannot be performed with a running replica; run STOP REPLICA first"
            )
            raise MysqlError(3081, "HY000", f"{text} FOR CHANNEL ''.")
        if words[-1].lower().strip(";") == "all" and data.follows:
            client.keep(replace(data, follows={}))
            begin(client.world, client.server)
    return _done("reset")


def source_status() -> Result:
    """SHOW BINARY LOG STATUS, SHOW MASTER STATUS."""
    columns = ("File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB", "Executed_Gtid_Set")
    return Result(columns, (), 0, "show")


def source_position(client: MysqlConnection) -> Result:
    """The place in its own log, to which it writes what it applies, too."""
    reached = applied(client.world, client.server)
    row = (LOG_FILE, position(reached), "", "", "")
    return replace(source_status(), rows=(row,))


def show_replicas(client: MysqlConnection) -> Result:
    """SHOW REPLICAS: those that are connected."""
    number = in_effect(client.server.settings, client.data.settings, "server_id")
    rows = []
    for one in replicas_of(client.world, client.server.ref):
        theirs = in_effect(one.settings, {}, "server_id")
        rows.append((theirs, "", 3306, number, uuid_of(one)))
    columns = ("Server_Id", "Host", "Port", "Source_Id", "Replica_UUID")
    return Result(columns, tuple(rows), 0, "show")


def show_replica_status(client: MysqlConnection, *, old: bool) -> Result:
    """SHOW REPLICA STATUS; `old` for SHOW SLAVE STATUS and its names."""
    names = tuple(_older(name) for name in _COLUMNS) if old else tuple(_COLUMNS)
    world, server, data = client.world, client.server, client.data
    stream = stream_of(world, server.ref)
    if stream is None or not data.follows:
        return Result(names, (), 0, "show")
    source = None if stream.source is None else process_of(world, stream.source)
    reached = applied(world, server)
    received = world.now if source is not None else reached
    io = ("Connecting" if source is None else "Yes") if receiving(data) else "No"
    if stream.number == 13117:
        io = "No"
    late = seconds_behind_source(world, server)
    own = {
        "Replica_IO_State": "Waiting for source to send event" if source is not None else "Connecting to source" if io == "Connecting" else "",
        "Source_Host": data.follows["host"], "Source_User": data.follows["user"],
        "Source_Port": int(data.follows["port"]), "Connect_Retry": int(data.follows["connect_retry"]),
        "Source_Log_File": LOG_FILE, "Read_Source_Log_Pos": position(received),
        "Relay_Log_File": f"{server.config.hostname}-relay-bin.000002", "Relay_Log_Pos": position(reached) + 216,
        "Relay_Source_Log_File": LOG_FILE, "Replica_IO_Running": io,
        "Replica_SQL_Running": "Yes" if applying(data) else "No", "Last_Errno": 0, "Skip_Counter": 0,
        "Exec_Source_Log_Pos": position(reached), "Relay_Log_Space": position(received) - position(reached) + 583,
        "Until_Condition": "None", "Until_Log_Pos": 0, "Source_SSL_Allowed": "No",
        "Seconds_Behind_Source": None if late is None else int(late), "Source_SSL_Verify_Server_Cert": "No",
        "Last_IO_Errno": stream.number, "Last_IO_Error": stream.why, "Last_SQL_Errno": 0,
        "Source_Server_Id": 0 if source is None else in_effect(source.settings, {}, "server_id"),
        "Source_UUID": "" if source is None else uuid_of(source), "Source_Info_File": "mysql.slave_master_info",
        "SQL_Delay": int(data.follows["delay"]), "SQL_Remaining_Delay": None,
        "Replica_SQL_Running_State": "Replica has read all relay log; waiting for more updates" if applying(data) else "",
        "Source_Retry_Count": 86_400, "Auto_Position": 1, "Get_Source_public_key": 0,
    }  # fmt: skip
    row: tuple[Any, ...] = tuple(own.get(name, "") for name in _COLUMNS)
    return Result(names, (row,), 0, "show")


def _older(name: str) -> str:
    if name == "Get_Source_public_key":
        return "Get_master_public_key"
    return (
        name.replace("Replica_", "Slave_")
        .replace("Source_", "Master_")
        .replace("_Source", "_Master")
    )
