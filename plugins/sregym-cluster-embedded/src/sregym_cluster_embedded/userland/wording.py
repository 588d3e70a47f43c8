"""What a failed call is called by the caller, where the service model has no words of its own.

The words are those of Go's net and gRPC packages, of mgo and of gomemcache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import Client, expand

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOOKUP = "${lookup}"

# A name that was not found, by what the name server did; Go's resolver tells them apart.
_LOOKUPS = {
    "nxdomain": "lookup ${host} on ${dns}:53: no such host",
    "timeout": "lookup ${host} on ${dns}:53: read udp ${pod_ip}:43210->${dns}:53: i/o timeout",
    "refused": "lookup ${host} on ${dns}:53: read udp ${pod_ip}:43210->${dns}:53: read: connection refused",
    "servfail": "lookup ${host} on ${dns}:53: server misbehaving",
}
_TCP = {
    "dns": f"dial tcp: {_LOOKUP}",
    "refused": "dial tcp ${ip}:${port}: connect: connection refused",
    "reset": "read tcp ${pod_ip}:43210->${ip}:${port}: read: connection reset by peer",
    "timeout": "dial tcp ${ip}:${port}: i/o timeout",
    "unreachable": "dial tcp ${ip}:${port}: connect: network is unreachable",
    "no_route": "dial tcp ${ip}:${port}: connect: no route to host",
    "no_port": "dial tcp ${ip}:${port}: connect: cannot assign requested address",
    "unavailable": "no healthy instance of ${name}",
    "protocol": "EOF",
    "auth": "${error}",
    "unauthorized": "${error}",
    "overloaded": "read tcp ${pod_ip}:43210->${ip}:${port}: read: connection reset by peer",
    "server": "${error}",
}
_TRANSPORT = 'rpc error: code = Unavailable desc = connection error: desc = "transport: '
_DEFAULTS: dict[str, dict[str, str]] = {
    "http": {
        **_TCP,
        "dns": f'Get "${{url}}": dial tcp: {_LOOKUP}',
        "refused": 'Get "${url}": dial tcp ${ip}:${port}: connect: connection refused',
        "unreachable": 'Get "${url}": dial tcp ${ip}:${port}: connect: network is unreachable',
        "no_route": 'Get "${url}": dial tcp ${ip}:${port}: connect: no route to host',
        "no_port": 'Get "${url}": dial tcp ${ip}:${port}: connect: cannot assign requested address',
        "timeout": 'Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        "overloaded": "503 Service Unavailable",
        "protocol": 'Get "${url}": net/http: HTTP/1.x transport connection broken: malformed HTTP response',
    },
    "grpc": {
        "dns": f'{_TRANSPORT}Error while dialing: dial tcp: {_LOOKUP}"',
        "refused": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: connection refused"',
        "unreachable": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: network is unreachable"',
        "no_route": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: no route to host"',
        "no_port": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: cannot assign requested address"',
        "reset": f'{_TRANSPORT}read tcp ${{pod_ip}}:43210->${{ip}}:${{port}}: read: connection reset by peer"',
        "timeout": "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        "unavailable": "rpc error: code = Unavailable desc = name resolver error: produced zero addresses",
        "protocol": f'{_TRANSPORT}error reading server preface: http2: frame too large"',
        "auth": "rpc error: code = Unauthenticated desc = ${error}",
        "unauthorized": "rpc error: code = PermissionDenied desc = ${error}",
        "overloaded": "rpc error: code = ResourceExhausted desc = server is at its limit",
        "server": "rpc error: code = Unknown desc = ${error}",
    },
    "mongodb": {
        **_TCP,
        "dns": "no reachable servers",
        "refused": "no reachable servers",
        "timeout": "no reachable servers",
        "unreachable": "no reachable servers",
        "no_route": "no reachable servers",
        "no_port": "no reachable servers",
        "protocol": "no reachable servers",
        "auth": "server returned error on SASL authentication step: ${error}",
    },
    "keyvalue": {**_TCP, "overloaded": "ERR max number of clients reached"},
    "mysql": {**_TCP, "overloaded": "Error 1040: Too many connections"},
    "postgres": {**_TCP, "overloaded": "pq: sorry, too many clients already"},
    "kafka": {
        **_TCP,
        "overloaded": "[7] Request Timed Out: the request exceeded the user-specified time limit",
    },
    "amqp": {
        **_TCP,
        "auth": 'Exception (403) Reason: "username or password not allowed"',
        "unauthorized": 'Exception (403) Reason: "${error}"',
        "server": 'Exception (404) Reason: "${error}"',
    },
    "etcd": {
        **_TCP,
        **dict.fromkeys(
            ("dns", "refused", "timeout", "unreachable", "no_route", "protocol"),
            "context deadline exceeded",
        ),
        "server": "etcdserver: ${error}",
    },
    "memcached": {**_TCP, "timeout": "memcache: connect timeout to ${ip}:${port}"},
}

# A gRPC error that passes through a service that returns it as it is keeps its code.
_STATUS = "rpc error: code = "


def lookup_text(status: str, facts: Mapping[str, str]) -> str:
    """Why a name was not found; `status` as the network has it."""
    return expand(_LOOKUPS.get(status, _LOOKUPS["nxdomain"]), facts)


def error_text(client: Client, kind: str, facts: Mapping[str, str], inner: str = "") -> str:
    """The error as the client's caller gets it."""
    given: Mapping[str, str] = {str(name): text for name, text in client.errors.items()}
    template = given.get(kind) or _DEFAULTS.get(client.protocol, _TCP).get(kind, "${error}")
    if client.protocol == "grpc" and kind == "server" and inner.startswith(_STATUS):
        template = given.get(kind) or "${error}"
    return expand(template, {**facts, "error": inner})
