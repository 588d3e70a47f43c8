"""What clients and servers of a service model speak, and the error of a client when a call fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

# What Go's net package says; `${lookup}` says why a name was not found.
TCP_ERRORS: Mapping[str, str] = MappingProxyType(
    {
        "dns": "dial tcp: ${lookup}",
        "refused": "dial tcp ${ip}:${port}: connect: connection refused",
        "reset": "read tcp ${pod_ip}:43210->${ip}:${port}: read: connection reset by peer",
        "timeout": "dial tcp ${ip}:${port}: i/o timeout",
        "unreachable": "dial tcp ${ip}:${port}: connect: network is unreachable",
        "no_route": "dial tcp ${ip}:${port}: connect: no route to host",
        "no_port": "dial tcp ${ip}:${port}: connect: cannot assign requested address",
        "no_file": "dial tcp ${ip}:${port}: socket: too many open files",
        "unavailable": "no healthy instance of ${name}",
        "protocol": "EOF",
        "tls": "tls: failed to verify certificate: ${error}",
        "auth": "${error}",
        "unauthorized": "${error}",
        "overloaded": "read tcp ${pod_ip}:43210->${ip}:${port}: read: connection reset by peer",
        "open": "circuit breaker open",
        "server": "${error}",
    }
)


@dataclass(frozen=True)
class WireProtocol:
    """A protocol as the usual client library of the trade speaks it.

    Attributes:
        name: The word in a service model: `protocol: grpc`.
        port: The port where an address names none; 0 when there is no usual one.
        errors: Kind of failure -> what the client's caller receives, where that differs from
            `TCP_ERRORS`. `${host}`, `${port}`, `${ip}`, `${dns}`, `${url}`, `${name}`,
            `${pod_ip}`, `${lookup}` and the server's own `${error}` are filled in; for `tls` what Go's
            client reports of a certificate as `${error}`, what OpenSSL reports as `${reason}`, what
            a JDK reports as `${java}`.
        transparent: How an error of another service begins that the client hands on as it is;
            empty where it adds its own words to all.
        awaits_server: Whether the driver looks for a server until the deadline rather than report
            the first failure.
        one_connection_a_call: Whether each call holds a connection for as long as it takes; the
            drivers of the others share one or a pool.
        call_spans: Whether instrumentation leaves a span for each call by default; otherwise only
            calls that a service model names have one.
        db_system: What spans call the server (`db.system`); the protocol's name when empty.
        messaging: Whether what is sent waits at a broker for those who take it.
        messaging_system: What spans call the broker (`messaging.system`); the protocol's name when
            empty.
        http: Whether requests on it are HTTP: probes and the API server's proxy take its answers.
        never_http: Whether HTTP is not understood on it, even by a server that speaks it elsewhere.
        answer_to_http: What a server writes back to a stray HTTP request; empty for nothing.
        closes_on_http: Whether a server that meets a stray HTTP request closes the connection in
            silence; otherwise the client reads what is no HTTP.
        commands: What its clients can request, as calls in service models name it; empty where
            that is up to the server.
        discovery: Whether it is service discovery: no call of its own in figures of calls.
        led: How drivers reach one of several servers, of which one leads: `discovered` where they query
            those in the address for all, and who leads; `listed` where they try those in the address in
            order until one is what the address requires; `watched` where an address may name others that
            watch them and name the leader. Empty where an address names one server.
            `unavailable` is the error where none is.
        libraries: `package:file.yaml` with the error texts of client libraries of other languages: library ->
            kind of failure -> the error of its caller.
    """

    name: str
    port: int = 0
    errors: Mapping[str, str] = field(default_factory=dict, hash=False)
    transparent: str = ""
    awaits_server: bool = False
    one_connection_a_call: bool = False
    call_spans: bool = True
    db_system: str = ""
    messaging: bool = False
    messaging_system: str = ""
    http: bool = False
    never_http: bool = False
    answer_to_http: str = ""
    closes_on_http: bool = False
    discovery: bool = False
    led: Literal["", "discovered", "listed", "watched"] = ""
    commands: tuple[str, ...] = ()
    libraries: str = ""

    def error(self, kind: str) -> str:
        """The words for a kind of failure, with its placeholders."""
        return self.errors.get(kind) or TCP_ERRORS.get(kind, "${error}")


_TRANSPORT = 'rpc error: code = Unavailable desc = connection error: desc = "transport: '
_HTTP = WireProtocol(
    "http",
    80,
    {
        "dns": 'Get "${url}": dial tcp: ${lookup}',
        "refused": 'Get "${url}": dial tcp ${ip}:${port}: connect: connection refused',
        "unreachable": 'Get "${url}": dial tcp ${ip}:${port}: connect: network is unreachable',
        "no_route": 'Get "${url}": dial tcp ${ip}:${port}: connect: no route to host',
        "no_port": 'Get "${url}": dial tcp ${ip}:${port}: connect: cannot assign requested address',
        "no_file": 'Get "${url}": dial tcp ${ip}:${port}: socket: too many open files',
        "timeout": 'Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        "overloaded": "503 Service Unavailable",
        "protocol": 'Get "${url}": net/http: HTTP/1.x transport connection broken: malformed HTTP response',
    },
    one_connection_a_call=True,
    http=True,
    libraries="sregym_apps.simulation:http_libraries.yaml",
)
_GRPC = WireProtocol(
    "grpc",
    0,
    {
        "dns": f'{_TRANSPORT}Error while dialing: dial tcp: ${{lookup}}"',
        "refused": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: connection refused"',
        "unreachable": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: network is unreachable"',
        "no_route": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: no route to host"',
        "no_port": f'{_TRANSPORT}Error while dialing: dial tcp ${{ip}}:${{port}}: connect: cannot assign requested address"',
        "reset": f'{_TRANSPORT}read tcp ${{pod_ip}}:43210->${{ip}}:${{port}}: read: connection reset by peer"',
        "timeout": "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        "tls": f'{_TRANSPORT}authentication handshake failed: tls: failed to verify certificate: ${{error}}"',
        "unavailable": "rpc error: code = Unavailable desc = name resolver error: produced zero addresses",
        "protocol": f'{_TRANSPORT}error reading server preface: http2: frame too large"',
        "auth": "rpc error: code = Unauthenticated desc = ${error}",
        "unauthorized": "rpc error: code = PermissionDenied desc = ${error}",
        "overloaded": "rpc error: code = ResourceExhausted desc = server is at its limit",
        "server": "rpc error: code = Unknown desc = ${error}",
    },
    transparent="rpc error: code = ",
    never_http=True,
    libraries="sregym_apps.simulation:grpc_libraries.yaml",
)
# Words of TSocket and its kin in Apache Thrift's C++ library.
_THRIFT = WireProtocol(
    "thrift",
    9090,
    {
        "dns": "Could not resolve host for client socket.",
        "refused": "connect() failed: Connection refused",
        "unreachable": "connect() failed: Network is unreachable",
        "no_route": "connect() failed: No route to host",
        "no_port": "connect() failed: Cannot assign requested address",
        "no_file": "socket() failed: Too many open files",
        "reset": "No more data to read.",
        "timeout": "THRIFT_EAGAIN (timed out)",
        "overloaded": "THRIFT_EAGAIN (timed out)",
        "protocol": "Received an oversized frame",
    },
    one_connection_a_call=True,
    never_http=True,
    closes_on_http=True,
)
_TCP = WireProtocol("tcp", one_connection_a_call=True, call_spans=False, closes_on_http=True)

# What needs no kind of server of its own.
GENERIC_PROTOCOLS: tuple[WireProtocol, ...] = (_HTTP, _GRPC, _THRIFT, _TCP)
