"""Error texts of the shells when a server refuses a command."""

from __future__ import annotations

from sregym_server_mongodb.printing import tojson
from sregym_server_mongodb.script import NOT_IN_FUNCTION, ScriptError
from sregym_server_mongodb.shell_methods import INVALID_INPUT

CODE_NAMES = {
    11: "UserNotFound", 13: "Unauthorized", 26: "NamespaceNotFound", 31: "RoleNotFound",
    64: "WriteConcernFailed", 72: "InvalidOptions", 74: "NodeNotFound", 76: "NoReplicationEnabled",
    93: "InvalidReplicaSetConfig", 94: "NotYetInitialized", 103: "NewReplicaSetConfigurationIncompatible",
    23: "AlreadyInitialized", 10107: "NotWritablePrimary", 13435: "NotPrimaryNoSecondaryOk",
    189: "PrimarySteppedDown", 50: "MaxTimeMSExpired",
}  # fmt: skip


def command_error(error: ScriptError, head: str) -> ScriptError:
    """A command that is refused, as the old shell throws it."""
    if error.code is None:
        return error
    document = {
        "ok": 0,
        "errmsg": error.message,
        "code": error.code,
        "codeName": CODE_NAMES.get(error.code, "Error"),
    }
    return ScriptError(f"{head}: {tojson(document)} :", error.code, plain=error.message)


def write_error(error: ScriptError, frames: str) -> ScriptError:
    """A write that is refused, as the old shell throws it."""
    if error.code is None:
        return error
    text = write_refused(error)
    return ScriptError(text, error.code, "", plain=error.plain, frames=f"{text}\n{frames}")


def write_refused(error: ScriptError) -> str:
    """A write that is refused, as the old shell shows it."""
    document = {
        "ok": 0,
        "errmsg": error.plain,
        "code": error.code,
        "codeName": CODE_NAMES.get(error.code or 0, "Error"),
    }
    return f"WriteCommandError({tojson(document)})"


BULK = (
    "WriteCommandError@src/mongo/shell/bulk_api.js:417:48\n"
    "executeBatch@src/mongo/shell/bulk_api.js:915:23\n"
    "Bulk/this.execute@src/mongo/shell/bulk_api.js:1163:21\n"
    "DBCollection.prototype.{name}@src/mongo/shell/crud_api.js:{place}\n"
)
PLACES = {
    "insertOne": "264:9", "insertMany": "326:5", "updateOne": "600:17", "updateMany": "690:17",
    "deleteOne": "363:17", "deleteMany": "420:17",
}  # fmt: skip


def modern(error: ScriptError, text: str) -> str:
    """An error as mongosh tells it.

    Args:
        error: What went wrong.
        text: The statement.
    """
    if error.code is not None:
        return f"MongoServerError: {error.plain}"
    if error.name == "SyntaxError":
        line = text.split("\n", 1)[0]
        mark = " " * (error.column + 1) + "^"
        why = "Unexpected token"
        if error.message == NOT_IN_FUNCTION:
            why = "'return' outside of function."
        return f"SyntaxError: {why} (1:{error.column})\n\n> 1 | {line}\n    |{mark}"
    code = "[COMMON-10001] " if error.name == INVALID_INPUT else ""
    return f"{error.name}: {code}{error.message}"


def connect_error(kind: str, host: str, port: int) -> str:
    """What mongosh says when it does not reach a server."""
    if kind == "dns":
        return f"MongoNetworkError: getaddrinfo ENOTFOUND {host}\n"
    if kind == "refused":
        ip = "127.0.0.1" if host == "localhost" else host
        return f"MongoNetworkError: connect ECONNREFUSED {ip}:{port}\n"
    return "MongoServerSelectionError: Server selection timed out after 30000 ms\n"


def not_known(name: str, option: str) -> str:
    """What the shells say of an option that they do not have."""
    if name == "mongosh":
        text = f"Error parsing command line: unrecognized option: --{option}"
        return f"MongoshUnimplementedError: [COMMON-10001]   {text}\n"
    return (
        f"Error parsing command line: unrecognised option '--{option}'\n"
        "try 'mongo --help' for more information\n"
    )
