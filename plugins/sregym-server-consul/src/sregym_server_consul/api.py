"""What Consul's HTTP API answers: members, catalog, health, the agent itself."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.servers import deregister, invalidate_traffic, registrations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_cluster_embedded.sdk.servers import Process, World

# Without another address an agent in development mode talks to itself.
ADDRESS, SERVER_PORT, SERF_PORT = "127.0.0.1", 8300, 8301
_JSON, _TEXT = "application/json", "text/plain; charset=utf-8"
_LEADER_INDEX = 7


class Instance(NamedTuple):
    """One process that is registered.

    Attributes:
        number: Its id there, as the service made it.
        name: Name of the service.
        address: Where it serves.
        port: Where it serves.
    """

    number: str
    name: str
    address: str
    port: int


def instances(world: World, server: Process) -> list[Instance]:
    """All that a registry knows, by name."""
    return [
        Instance(uuid(process.ref.pod_uid, name), name, process.config.pod_ip, port)
        for name, process, port in registrations(world, server.ref)
    ]


def forget(world: World, server: Process, number: str) -> str:
    """Take a service off the registry by its id; why not, empty when it is gone."""
    for name, process, _ in registrations(world, server.ref):
        if uuid(process.ref.pod_uid, name) == number:
            deregister(world, server.ref, name, process.ref)
            invalidate_traffic(world)
            return ""
    return f'Unknown service ID "{number}". Ensure that the service ID is passed, not the service name.'


def uuid(*about: object) -> str:
    """An id that stays the same for the same thing."""
    text = blake2b("\0".join(map(str, about)).encode(), digest_size=16).hexdigest()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def node_id(server: Process) -> str:
    """The id of the agent's node."""
    return uuid("node", server.ref.pod_uid, server.ref.attempt)


class Answer(NamedTuple):
    """Status, body and type of an answer."""

    status: int
    body: str
    content_type: str


def answer(world: World, server: Process, version: str, method: str, path: str) -> Answer:
    """The answer to a request."""
    bare, _, query = path.partition("?")
    words = [word for word in bare.split("/") if word]
    if words in ([], ["ui"]):
        moved = '<a href="/ui/">Moved Permanently</a>.\n\n'
        return Answer(301, "" if method == "HEAD" else moved, "text/html; charset=utf-8")
    if words[0] != "v1":
        return Answer(404, "", _TEXT)
    if words[1:4] == ["agent", "service", "deregister"] and len(words) == 5:
        if method != "PUT":
            return Answer(405, f"method {method} not allowed", _TEXT)
        why = forget(world, server, words[4])
        return Answer(404 if why else 200, why, _TEXT)
    if method not in ("GET", "HEAD"):
        text = f"method {method} not allowed"
        return Answer(405, text, _TEXT)
    if words[1:2] == ["kv"]:
        return Answer(404, "", _TEXT)
    asked = Asked(world, server, version)
    found = _ROUTES.get("/".join(words[1:]))
    if found is not None:
        return _said(found(asked), query)
    named = _NAMED.get("/".join(words[1:-1]))
    if named is None:
        return Answer(404, "Invalid URL path: not a recognized HTTP API endpoint", _TEXT)
    return _said(named(asked, words[-1]), query)


def _said(value: Any, query: str) -> Answer:
    pretty = "pretty" in query.split("&")
    if pretty:
        return Answer(200, json.dumps(value, indent=4) + "\n", _JSON)
    return Answer(200, json.dumps(value, separators=(",", ":")), _JSON)


class Asked(NamedTuple):
    """Who is asked."""

    world: World
    server: Process
    version: str

    @property
    def node(self) -> str:
        """The name of its node."""
        return self.server.config.hostname

    def about_node(self) -> dict[str, Any]:
        """Its node, as the catalog has it."""
        return {
            "ID": node_id(self.server),
            "Node": self.node,
            "Address": ADDRESS,
            "Datacenter": "dc1",
            "TaggedAddresses": dict.fromkeys(("lan", "lan_ipv4", "wan", "wan_ipv4"), ADDRESS),
            "Meta": {"consul-network-segment": "", "consul-version": self.version},
            "CreateIndex": _LEADER_INDEX,
            "ModifyIndex": _LEADER_INDEX + 1,
        }

    def serf_check(self) -> dict[str, Any]:
        """The one check that there is: that of the node."""
        return {
            "Node": self.node,
            "CheckID": "serfHealth",
            "Name": "Serf Health Status",
            "Status": "passing",
            "Notes": "",
            "Output": "Agent alive and reachable",
            "ServiceID": "",
            "ServiceName": "",
            "ServiceTags": [],
        }

    def known(self) -> Iterator[Instance]:
        """What is registered, and the server itself."""
        yield Instance("consul", "consul", ADDRESS, SERVER_PORT)
        yield from instances(self.world, self.server)


def _services(asked: Asked) -> dict[str, list[str]]:
    return {name: [] for name in sorted({one.name for one in asked.known()})}


def _agent_services(asked: Asked) -> dict[str, Any]:
    return {
        one.number: {
            "ID": one.number,
            "Service": one.name,
            "Tags": [],
            "Meta": {},
            "Port": one.port,
            "Address": one.address,
            "Weights": {"Passing": 1, "Warning": 1},
            "EnableTagOverride": False,
            "Datacenter": "dc1",
        }
        for one in instances(asked.world, asked.server)
    }


def _service(asked: Asked, name: str) -> list[dict[str, Any]]:
    return [
        {
            **asked.about_node(),
            "ServiceKind": "",
            "ServiceID": one.number,
            "ServiceName": one.name,
            "ServiceTags": [],
            "ServiceAddress": "" if one.name == "consul" else one.address,
            "ServiceWeights": {"Passing": 1, "Warning": 1},
            "ServiceMeta": {},
            "ServicePort": one.port,
            "ServiceEnableTagOverride": False,
        }
        for one in asked.known()
        if one.name == name
    ]


def _health(asked: Asked, name: str) -> list[dict[str, Any]]:
    return [
        {
            "Node": asked.about_node(),
            "Service": {
                "ID": one.number,
                "Service": one.name,
                "Tags": [],
                "Address": "" if one.name == "consul" else one.address,
                "Meta": {},
                "Port": one.port,
                "Weights": {"Passing": 1, "Warning": 1},
                "EnableTagOverride": False,
            },
            "Checks": [asked.serf_check()],
        }
        for one in asked.known()
        if one.name == name
    ]


def _state(asked: Asked, state: str) -> list[dict[str, Any]]:
    return [asked.serf_check()] if state in ("any", "passing") else []


def _members(asked: Asked) -> list[dict[str, Any]]:
    tags = {"build": f"{asked.version}:3ce6c1bb", "dc": "dc1", "id": node_id(asked.server), "port": "8300", "raft_vsn": "3", "role": "consul", "vsn": "2"}  # fmt: skip
    return [
        {
            "Name": asked.node,
            "Addr": ADDRESS,
            "Port": SERF_PORT,
            "Tags": tags,
            "Status": 1,
            "ProtocolMin": 1,
            "ProtocolMax": 5,
            "ProtocolCur": 2,
            "DelegateMin": 2,
            "DelegateMax": 5,
            "DelegateCur": 4,
        }
    ]


def _self(asked: Asked) -> dict[str, Any]:
    config = {
        "Datacenter": "dc1",
        "PrimaryDatacenter": "dc1",
        "NodeName": asked.node,
        "NodeID": node_id(asked.server),
        "Revision": "3ce6c1bb",
        "Server": True,
        "Version": asked.version,
    }
    return {"Config": config, "Member": _members(asked)[0], "Meta": {}}


_ROUTES: Mapping[str, Callable[[Asked], Any]] = {
    "status/leader": lambda _: f"{ADDRESS}:{SERVER_PORT}",
    "status/peers": lambda _: [f"{ADDRESS}:{SERVER_PORT}"],
    "agent/self": _self,
    "agent/members": _members,
    "agent/services": _agent_services,
    "agent/checks": lambda _: {},
    "catalog/datacenters": lambda _: ["dc1"],
    "catalog/nodes": lambda asked: [asked.about_node()],
    "catalog/services": _services,
}
_NAMED: Mapping[str, Callable[[Asked, str], Any]] = {
    "catalog/service": _service,
    "health/service": _health,
    "health/state": _state,
    "health/node": lambda asked, name: [asked.serf_check()] if name == asked.node else [],
    "health/checks": lambda _asked, _name: [],
}
