"""`zkCli.sh`, which reads and writes the tree of a server, and `zkServer.sh status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import Output, Session, ask, connect, wait_for
from sregym_cluster_embedded.sdk.servers import process_of

from sregym_server_zookeeper.data import Tree, Znode, load, store

if TYPE_CHECKING:
    from collections.abc import Callable

_USAGE = "ZooKeeper -server host:port cmd args\n\tcreate path data\n\tdelete path\n\tdeleteall path\n\tget path\n\tls path\n\tset path data\n\tstat path\n\tquit\n"
# How long the console tries to connect before a command is given up.
_PATIENCE_S = 30.0


class Ask(NamedTuple):
    """A command at a server.

    Attributes:
        tree: What the server keeps.
        words: Behind the name of the command.
    """

    tree: Tree
    words: list[str]

    @property
    def path(self) -> str:
        """What it is about."""
        return next((word for word in self.words if word.startswith("/")), "")

    @property
    def value(self) -> str:
        """What is written."""
        place = self.words.index(self.path)
        return self.words[place + 1] if len(self.words) > place + 1 else ""


def zk_cli(session: Session, words: list[str], stdin: str) -> Output:
    """The command `zkCli.sh`: what stands behind the options, or what is typed, line by line."""
    server, rest = "localhost:2181", words[1:]
    if rest[:1] == ["-server"] and len(rest) > 1:
        server, rest = rest[1], rest[2:]
    host, _, port = server.partition("/")[0].partition(",")[0].rpartition(":")
    host, number = (host, int(port)) if host and port.isdecimal() else (server, 2181)
    target = connect(session, host, number, "zookeeper")
    found = None if target.kind or target.ref is None else process_of(session.world, target.ref)
    if found is None or "zookeeper.storage" not in found.settings:
        wait_for(session, _PATIENCE_S)
        return Output(1, f"Connecting to {server}\n", "KeeperErrorCode = ConnectionLoss for /\n")
    kept = found.settings["zookeeper.storage"]
    lines = [rest] if rest else [line.split() for line in stdin.splitlines()]
    out, err = f"Connecting to {server}\n\nWATCHER::\n\nWatchedEvent state:SyncConnected type:None path:null\n", ""  # fmt: skip
    for line in lines:
        if not line or line[0] == "quit":
            break
        act = _COMMANDS.get(line[0])
        if act is None:
            err += f"Command not found: Command not found {line[0]}\n" + _USAGE
            continue
        tree = load(session.world, kept)
        asked = Ask(tree, line[1:])
        if not asked.path:
            err += f"{line[0]} needs a path\n"
            continue
        text, wrong, after = act(asked)
        out, err = out + text, err + wrong
        if after is not tree:
            store(session.world, kept, after)
    return Output(1 if err else 0, out, err)


def _missing(path: str) -> str:
    return f"Node does not exist: {path}\n"


def _ls(asked: Ask) -> tuple[str, str, Tree]:
    if asked.path not in asked.tree.nodes:
        return "", _missing(asked.path), asked.tree
    return f"[{', '.join(asked.tree.children(asked.path))}]\n", "", asked.tree


def _get(asked: Ask) -> tuple[str, str, Tree]:
    node = asked.tree.nodes.get(asked.path)
    if node is None:
        return "", _missing(asked.path), asked.tree
    return f"{node.value or 'null'}\n", "", asked.tree


def _stat(asked: Ask) -> tuple[str, str, Tree]:
    node: Znode | None = asked.tree.nodes.get(asked.path)
    if node is None:
        return "", _missing(asked.path), asked.tree
    text = (
        f"cZxid = {node.created:#x}\nmZxid = {node.changed:#x}\npZxid = {node.changed:#x}\n"
        f"cversion = 0\ndataVersion = {node.version}\naclVersion = 0\nephemeralOwner = 0x0\n"
        f"dataLength = {len(node.value)}\nnumChildren = {len(asked.tree.children(asked.path))}\n"
    )
    return text, "", asked.tree


def _create(asked: Ask) -> tuple[str, str, Tree]:
    path, tree = asked.path, asked.tree
    if path in tree.nodes:
        return "", f"Node already exists: {path}\n", tree
    if (path.rpartition("/")[0] or "/") not in tree.nodes:
        return "", _missing(path), tree
    return f"Created {path}\n", "", tree.with_value(path, asked.value)


def _set(asked: Ask) -> tuple[str, str, Tree]:
    if asked.path not in asked.tree.nodes:
        return "", _missing(asked.path), asked.tree
    return "", "", asked.tree.with_value(asked.path, asked.value)


def _delete(asked: Ask) -> tuple[str, str, Tree]:
    if asked.path not in asked.tree.nodes:
        return "", _missing(asked.path), asked.tree
    if asked.tree.children(asked.path):
        return "", f"Node not empty: {asked.path}\n", asked.tree
    return "", "", asked.tree.without(asked.path)


def _delete_all(asked: Ask) -> tuple[str, str, Tree]:
    if asked.path not in asked.tree.nodes:
        return "", _missing(asked.path), asked.tree
    return "", "", asked.tree.without(asked.path)


_COMMANDS: dict[str, Callable[[Ask], tuple[str, str, Tree]]] = {
    "create": _create,
    "delete": _delete,
    "deleteall": _delete_all,
    "get": _get,
    "ls": _ls,
    "rmr": _delete_all,
    "set": _set,
    "stat": _stat,
}


def zk_server(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `zkServer.sh`, which here says how the server is."""
    head = "ZooKeeper JMX enabled by default\nUsing config: /conf/zoo.cfg\n"
    if words[1:] != ["status"]:
        return Output(1, head, "Usage: zkServer.sh {start|start-foreground|stop|restart|status|upgrade|print-cmd}\n")  # fmt: skip
    target = connect(session, "localhost", 2181, "zookeeper")
    mode = "" if target.kind else ask(session, target, "srvr\n").partition("Mode: ")[2]
    if not mode:
        return Output(1, head, "Error contacting service. It is probably not running.\n")
    return Output(0, f"{head}Mode: {mode.partition(chr(10))[0]}\n")
