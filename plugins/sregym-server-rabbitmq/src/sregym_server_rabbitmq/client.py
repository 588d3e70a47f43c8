"""`rabbitmqctl` and `rabbitmq-diagnostics`: a node, its accounts and its queues."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.commands import Output, Session
from sregym_cluster_embedded.sdk.servers import invalidate_traffic

from sregym_server_rabbitmq.boot import CLUSTERING, plugins_of
from sregym_server_rabbitmq.data import Account, RabbitmqData, store
from sregym_server_rabbitmq.node import (
    Node,
    is_starting,
    loads,
    node_at,
    unreachable,
)
from sregym_server_rabbitmq.program import RabbitmqProgram
from sregym_server_rabbitmq.status import alarms, cluster_status, status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_UNAVAILABLE, _USAGE, _DATA, _NO_USER, _TEMPORARY = 69, 64, 65, 67, 75
_VALUED = {"n": "node", "p": "vhost", "t": "timeout"}
_WITH_VALUE = frozenset({"node", "vhost", "timeout", "formatter"})
_TIMEOUT = "Timeout: 60.0 seconds ...\n"


class Ask(NamedTuple):
    """A command.

    Attributes:
        session: Where it was typed.
        node: The node that it is about.
        flags: By name.
        operands: What stands behind the command.
    """

    session: Session
    node: Node
    flags: Mapping[str, str]
    operands: Sequence[str]

    @property
    def vhost(self) -> str:
        """The virtual host that it is about."""
        return self.flags.get("vhost", "/")

    def keep(self, **changes: Any) -> None:
        """Let the node keep other data."""
        store(self.session.world, self.node.storage, replace(self.node.data, **changes))
        invalidate_traffic(self.session.world)


def _parsed(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    flags: dict[str, str] = {}
    operands: list[str] = []
    waiting = [*words]
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-"):
            operands.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = _VALUED.get(name, name)
        if not equals and name in _WITH_VALUE:
            value = waiting.pop(0) if waiting else ""
        flags[name] = value
    return flags, operands


def rabbitmqctl(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `rabbitmqctl`, and the others that do parts of it."""
    flags, operands = _parsed(words[1:])
    command = operands[0] if operands else ""
    name = flags.get("node") or session.environment.get("RABBITMQ_NODENAME", "")
    act = _COMMANDS.get(command)
    if command == "version":
        return Output(0, f"{_version(session)}\n")
    if act is None:
        tool = words[0].rpartition("/")[2]
        text = f"\nCommand '{command}' not found. \n\n" if command else ""
        usage = f"Usage\n\n{tool} [--node <node>] [--timeout <timeout>] [--longnames] [--quiet] <command> [<command options>]\n"
        return Output(_USAGE if command else 0, "" if command else usage, f"{text}{usage}" if command else "")  # fmt: skip
    shown = name if "@" in name else f"rabbit@{session.process.config.hostname}"
    node = node_at(session, name)
    if node is None:
        if is_starting(session) and command == "ping":
            return _ping(shown, flags)
        return Output(_UNAVAILABLE, "", unreachable(session, name))
    if command == "ping":
        return _ping(shown, flags)
    return act(Ask(session, node, flags, operands[1:]))


def _version(session: Session) -> str:
    for program in session.runtime.known(session.process).programs.values():
        if isinstance(program, RabbitmqProgram):
            return program.version
    return "3.13.7"


def _quiet(flags: Mapping[str, str]) -> bool:
    return "q" in flags or "quiet" in flags or "s" in flags or "silent" in flags


def _ping(node: str, flags: Mapping[str, str]) -> Output:
    head = f"Will ping {node}. This only checks if the OS process is running and registered with epmd. Timeout: 60000 ms.\n"
    return Output(0, f"{'' if _quiet(flags) else head}Ping succeeded\n")


def _listed(ask: Ask, title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Output:
    """Rows between tabs, below what is listed and the names of the columns."""
    if ask.flags.get("formatter") == "json":
        found = [dict(zip(names, map(_typed, row), strict=True)) for row in rows]
        return Output(0, json.dumps(found, separators=(",", ":")) + "\n")
    head = "" if _quiet(ask.flags) else title
    columns = "" if {"s", "silent", "no-table-headers"} & ask.flags.keys() else "\t".join(names) + "\n"  # fmt: skip
    body = "".join("\t".join(row) + "\n" for row in rows)
    return Output(0, f"{head}{columns if rows or not head else ''}{body}")


def _typed(cell: str) -> Any:
    if cell.isdecimal():
        return int(cell)
    return {"true": True, "false": False}.get(cell, cell)


_QUEUE_COLUMNS = (
    *("name", "messages", "messages_ready", "messages_unacknowledged", "consumers", "state"),
    *("durable", "auto_delete", "type", "memory", "vhost", "policy", "arguments", "exclusive"),
)


def _queues(ask: Ask) -> Output:
    wanted = [*ask.operands] or ["name", "messages"]
    unknown = [name for name in wanted if name not in _QUEUE_COLUMNS]
    if unknown:
        text = f"Error:\nThe following arguments have invalid values: [:{', :'.join(unknown)}]\n"
        return Output(_USAGE, "", text)
    rows = []
    for name, load in loads(ask.session, ask.node).items():
        vhost, durable = ask.node.data.queues[name]
        if vhost != ask.vhost:
            continue
        cells = {
            "name": name, "messages": load.messages, "messages_ready": load.ready,
            "messages_unacknowledged": load.unacked, "consumers": len(load.consumers),
            "state": "running", "durable": str(durable).lower(), "auto_delete": "false",
            "type": "classic", "memory": 15_000 + load.messages * 1_100, "vhost": vhost,
            "policy": "", "arguments": "[]", "exclusive": "false",
        }  # fmt: skip
        rows.append([str(cells[column]) for column in wanted])
    return _listed(ask, f"{_TIMEOUT}Listing queues for vhost {ask.vhost} ...\n", wanted, rows)


def _consumers(ask: Ask) -> Output:
    names = ("queue_name", "channel_pid", "consumer_tag", "ack_required", "prefetch_count", "active", "arguments")  # fmt: skip
    rows = [
        (name, f"<{ask.node.name}.1.{900 + place}.0>", f"ctag-{who[0]}", "true", "1", "true", "[]")
        for name, load in loads(ask.session, ask.node).items()
        for place, who in enumerate(load.consumers)
    ]
    return _listed(ask, f"Listing consumers in vhost {ask.vhost} ...\n", names, rows)


def _connections(ask: Ask) -> Output:
    seen = {
        who: name for name, load in loads(ask.session, ask.node).items() for who in load.consumers
    }
    user = next(iter(ask.node.data.accounts), "")
    rows = [(user, host.strip("/"), "43210", "running") for _, host, _ in sorted(seen)]
    names = ("user", "peer_host", "peer_port", "state")
    return _listed(ask, "Listing connections ...\n", names, rows)


def _users(ask: Ask) -> Output:
    rows = [
        (name, f"[{', '.join(account.tags)}]")
        for name, account in sorted(ask.node.data.accounts.items())
    ]
    return _listed(ask, "Listing users ...\n", ("user", "tags"), rows)


def _vhosts(ask: Ask) -> Output:
    rows = [(name,) for name in ask.node.data.vhosts]
    return _listed(ask, "Listing vhosts ...\n", ("name",), rows)


def _permissions(ask: Ask) -> Output:
    rows = [
        (name, *may)
        for name, account in sorted(ask.node.data.accounts.items())
        if (may := account.may(ask.vhost)) is not None
    ]
    title = f'Listing permissions for vhost "{ask.vhost}" ...\n'
    return _listed(ask, title, ("user", "configure", "write", "read"), rows)


def _exchanges(ask: Ask) -> Output:
    kinds = {"": "direct", "amq.direct": "direct", "amq.fanout": "fanout", "amq.headers": "headers", "amq.match": "headers", "amq.rabbitmq.trace": "topic", "amq.topic": "topic"}  # fmt: skip
    title = f"Listing exchanges for vhost {ask.vhost} ...\n"
    return _listed(ask, title, ("name", "type"), [*kinds.items()])


def _bindings(ask: Ask) -> Output:
    names = ("source_name", "source_kind", "destination_name", "destination_kind", "routing_key", "arguments")  # fmt: skip
    rows = [
        ("", "exchange", name, "queue", name, "[]")
        for name, (vhost, _) in sorted(ask.node.data.queues.items())
        if vhost == ask.vhost
    ]
    return _listed(ask, f"Listing bindings for vhost {ask.vhost} ...\n", names, rows)


def _no_user(name: str) -> Output:
    return Output(_NO_USER, "", f"Error:\nUser {name} not found\n")


def _with_account(
    change: Callable[[Ask, Account], tuple[str, Account | None]],
) -> Callable[[Ask], Output]:
    """A command on an account that there must be; it is gone behind it when there is none."""

    def run(ask: Ask) -> Output:
        data: RabbitmqData = ask.node.data
        name = ask.operands[0] if ask.operands else ""
        if name not in data.accounts:
            return _no_user(name)
        text, account = change(ask, data.accounts[name])
        accounts = {one: kept for one, kept in data.accounts.items() if one != name}
        ask.keep(accounts=accounts if account is None else {**accounts, name: account})
        return Output(0, "" if _quiet(ask.flags) else text)

    return run


def _add_user(ask: Ask) -> Output:
    name, password = (*ask.operands, "", "")[:2]
    if name in ask.node.data.accounts:
        return Output(70, "", f'Error:\nUser "{name}" already exists\n')
    ask.keep(accounts={**ask.node.data.accounts, name: Account(password)})
    text = f"Adding user \"{name}\" ...\nDone. Don't forget to grant the user permissions to some virtual hosts! See 'rabbitmqctl help set_permissions' to learn more.\n"
    return Output(0, "" if _quiet(ask.flags) else text)


def _delete_user(ask: Ask, _: Account) -> tuple[str, Account | None]:
    return f'Deleting user "{ask.operands[0]}" ...\n', None


def _change_password(ask: Ask, account: Account) -> tuple[str, Account | None]:
    name, password = (*ask.operands, "")[:2]
    return f'Changing password for user "{name}" ...\n', account._replace(password=password)


def _set_tags(ask: Ask, account: Account) -> tuple[str, Account | None]:
    name, *tags = ask.operands
    text = f'Setting tags for user "{name}" to [{", ".join(tags)}] ...\n'
    return text, account._replace(tags=tuple(tags))


def _set_permissions(ask: Ask, account: Account) -> tuple[str, Account | None]:
    name, configure, write, read = (*ask.operands, "", "", "")[:4]
    kept = tuple(pair for pair in account.permissions if pair[0] != ask.vhost)
    text = f'Setting permissions for user "{name}" in vhost "{ask.vhost}" ...\n'
    return text, account._replace(permissions=(*kept, (ask.vhost, (configure, write, read))))


def _clear_permissions(ask: Ask, account: Account) -> tuple[str, Account | None]:
    kept = tuple(pair for pair in account.permissions if pair[0] != ask.vhost)
    text = f'Clearing permissions for user "{ask.operands[0]}" in vhost "{ask.vhost}" ...\n'
    return text, account._replace(permissions=kept)


def _authenticate(ask: Ask) -> Output:
    name, password = (*ask.operands, "", "")[:2]
    account = ask.node.data.accounts.get(name)
    head = "" if _quiet(ask.flags) else f'Authenticating user "{name}" ...\n'
    if account is None or account.password != password:
        return Output(_DATA, head, f'Error: failed to authenticate user "{name}"\nuser \'{name}\' - invalid credentials\n')  # fmt: skip
    return Output(0, f"{head}Success\n")


def _add_vhost(ask: Ask) -> Output:
    name = ask.operands[0] if ask.operands else ""
    ask.keep(vhosts=tuple(dict.fromkeys((*ask.node.data.vhosts, name))))
    return Output(0, f'Adding vhost "{name}" ...\n')


def _delete_vhost(ask: Ask) -> Output:
    name = ask.operands[0] if ask.operands else ""
    if name not in ask.node.data.vhosts:
        return Output(_DATA, "", f"Error:\nVirtual host '{name}' does not exist\n")
    queues = {key: kept for key, kept in ask.node.data.queues.items() if kept[0] != name}
    ask.keep(vhosts=tuple(one for one in ask.node.data.vhosts if one != name), queues=queues)
    return Output(0, f'Deleting vhost "{name}" ...\n')


def _purge(ask: Ask) -> Output:
    name = ask.operands[0] if ask.operands else ""
    head = f"Purging queue '{name}' in vhost '{ask.vhost}' ...\n"
    if ask.node.data.queues.get(name, ("", False))[0] != ask.vhost:
        return Output(_DATA, head, f"Error:\nQueue '{name}' in vhost '{ask.vhost}' not found\n")
    ask.keep(purged=(*ask.node.data.purged, name))
    return Output(0, head)


def _delete_queue(ask: Ask) -> Output:
    name = ask.operands[0] if ask.operands else ""
    head = f"Deleting queue '{name}' on vhost '{ask.vhost}' ...\n"
    if ask.node.data.queues.get(name, ("", False))[0] != ask.vhost:
        return Output(_DATA, head, "Error:\nQueue not found\n")
    count = loads(ask.session, ask.node)[name].messages
    ask.keep(queues={key: kept for key, kept in ask.node.data.queues.items() if key != name})
    return Output(0, f"{head}Queue was successfully deleted with {count} ready messages\n")


def _running(ask: Ask) -> Output:
    name = ask.node.name
    return Output(0, f"Checking if RabbitMQ is running on node {name} ...\nRabbitMQ on node {name} is fully booted and running\n")  # fmt: skip


def _local_alarms(ask: Ask) -> Output:
    return Output(0, f"Node {ask.node.name} reported no local alarms\n")


def _port_connectivity(ask: Ask) -> Output:
    ports = sorted(port for port, name in ask.node.process.ports if name != "nodes")
    listed = ", ".join(str(port) for port in sorted((*ports, CLUSTERING)))
    head = f"Testing TCP connections to all active listeners on node {ask.node.name} using hostname resolution ...\n"
    return Output(0, f"{head}Successfully connected to ports {listed} on node {ask.node.name}.\n")


def _virtual_hosts(ask: Ask) -> Output:
    head = f"Checking if all vhosts are running on node {ask.node.name} ...\n"
    return Output(0, f"{head}Node {ask.node.name} reported all vhosts as running\n")


def _plugins(ask: Ask) -> Output:
    rows = "".join(f"[E*] {name} {ask.node.program.version}\n" for name in sorted(plugins_of(ask.node.program)))  # fmt: skip
    head = 'Listing plugins with pattern ".*" ...\n Configured: E = explicitly enabled; e = implicitly enabled\n | Status: * = running on {node}\n |/\n'
    return Output(0, head.format(node=ask.node.name) + rows)


def _await(_: Ask) -> Output:
    return Output(0)


_COMMANDS: Mapping[str, Callable[[Ask], Output]] = {
    "add_user": _add_user,
    "add_vhost": _add_vhost,
    "alarms": lambda ask: Output(0, alarms(ask.node)),
    "authenticate_user": _authenticate,
    "await_startup": _await,
    "change_password": _with_account(_change_password),
    "check_alarms": _local_alarms,
    "check_local_alarms": _local_alarms,
    "check_port_connectivity": _port_connectivity,
    "check_running": _running,
    "check_virtual_hosts": _virtual_hosts,
    "clear_permissions": _with_account(_clear_permissions),
    "cluster_status": lambda ask: Output(0, cluster_status(ask.session, ask.node)),
    "delete_queue": _delete_queue,
    "delete_user": _with_account(_delete_user),
    "delete_vhost": _delete_vhost,
    "is_running": _running,
    "list": _plugins,
    "list_bindings": _bindings,
    "list_connections": _connections,
    "list_consumers": _consumers,
    "list_exchanges": _exchanges,
    "list_permissions": _permissions,
    "list_queues": _queues,
    "list_users": _users,
    "list_vhosts": _vhosts,
    "ping": _await,
    "purge_queue": _purge,
    "set_permissions": _with_account(_set_permissions),
    "set_user_tags": _with_account(_set_tags),
    "status": lambda ask: Output(0, status(ask.session, ask.node)),
}
