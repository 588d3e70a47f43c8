"""What a mongod is told when it starts: its command line, and its configuration file in YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.servers import DocumentError, parse_words, read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import Files

# How a server speaks with its clients, and the older names of that.
MODES = ("disabled", "allowTLS", "preferTLS", "requireTLS")
_OLD_MODES = {"allowSSL": "allowTLS", "preferSSL": "preferTLS", "requireSSL": "requireTLS"}
# Exit code of a server that does not understand what it is told, and what it writes then.
BAD_OPTIONS = 2
_HELP = "\ntry 'mongod --help' for more information"
_SECTIONS = (
    *("systemLog", "processManagement", "cloud", "net", "security", "setParameter", "storage"),
    *("operationProfiling", "replication", "sharding", "auditLog", "snmp"),
)
_NET = (
    *("port", "bindIp", "bindIpAll", "maxIncomingConnections", "wireObjectCheck", "ipv6", "tls"),
    *("unixDomainSocket", "ssl", "compression", "serviceExecutor", "listenBacklog"),
)
_TLS = (
    *("mode", "certificateKeyFile", "certificateKeyFilePassword", "clusterFile", "clusterCAFile"),
    *("clusterPassword", "CAFile", "CRLFile", "allowConnectionsWithoutCertificates", "logVersions"),
    *("allowInvalidCertificates", "allowInvalidHostnames", "disabledProtocols", "FIPSMode"),
    *("certificateSelector", "clusterCertificateSelector", "clusterAuthX509"),
    *("PEMKeyFile", "PEMKeyPassword"),
)
_FLAGS = {
    "mode": ("tlsMode", "sslMode"),
    "certificateKeyFile": ("tlsCertificateKeyFile", "sslPEMKeyFile"),
    "CAFile": ("tlsCAFile", "sslCAFile"),
    "allowConnectionsWithoutCertificates": (
        *("tlsAllowConnectionsWithoutCertificates", "sslAllowConnectionsWithoutCertificates"),
    ),
}


class BadOptionsError(Exception):
    """What a server writes that does not understand what it is told."""


class Options(NamedTuple):
    """What it is told, as far as anything follows from it.

    Attributes:
        file: Its configuration file; empty without one.
        folder: Its data directory; empty where it is not set.
        port: Where it listens; empty where it is not set.
        authorization: Whether only accounts may do anything.
        connections: How many it takes; empty where it is not set.
        mode: One of `MODES`.
        key_file: PEM file with its certificate and key.
        authorities: PEM file with those who must have signed its clients' certificates.
        anonymous: Whether clients without a certificate are let in all the same.
        told: All of it, as its log has it.
        replica_set: The name of the set that it is a member of; empty without one.
    """

    file: str
    folder: str
    port: str
    authorization: bool
    connections: str
    mode: str
    key_file: str
    authorities: str
    anonymous: bool
    told: Mapping[str, Any]
    replica_set: str = ""


def options(files: Files, words: Sequence[str]) -> Options:
    """What a server is told; its command line wins over its file.

    Raises:
        BadOptionsError: It does not understand that.
    """
    flags, _ = parse_words(tuple(words), {})
    path = flags.get("config", flags.get("f", ""))
    said = _file(files, path) if path else {}
    net = _section(said, "net")
    tls = {**_section(net, "ssl"), **_section(net, "tls")}
    tls.update(
        (name, flags[flag]) for name, known in _FLAGS.items() for flag in known if flag in flags
    )
    given = str(tls.get("mode", "disabled"))
    mode = _OLD_MODES.get(given, given)
    if mode not in MODES:
        raise BadOptionsError(f"unsupported value for tlsMode {given}{_HELP}")
    key_file = str(tls.get("certificateKeyFile", tls.get("PEMKeyFile", "")))
    if mode != "disabled" and not key_file:
        text = "need tlsCertificateKeyFile or certificateSelector when TLS is enabled"
        raise BadOptionsError(f"{text}{_HELP}")
    shown: dict[str, Any] = {**({"config": path} if path else {}), **said}
    shown["net"] = {"bindIp": "*", **net, **({"tls": tls} if tls else {})}
    security, replication = _section(said, "security"), _section(said, "replication")
    # Members that know each other by a key let no client in without an account.
    by_key = "keyFile" in flags or "keyFile" in security
    authorization = "auth" in flags or by_key or security.get("authorization") == "enabled"
    replica_set = flags.get("replSet", str(replication.get("replSetName", "")))
    if replica_set:
        shown["replication"] = {**replication, "replSet": replica_set}
    if authorization:
        shown["security"] = {**_section(said, "security"), "authorization": "enabled"}
    return Options(
        file=path,
        folder=flags.get("dbpath", str(_section(said, "storage").get("dbPath", ""))),
        port=flags.get("port", str(net.get("port", ""))),
        authorization=authorization,
        connections=flags.get("maxConns", str(net.get("maxIncomingConnections", ""))),
        mode=mode,
        key_file=key_file,
        authorities=str(tls.get("CAFile", "")),
        anonymous=str(tls.get("allowConnectionsWithoutCertificates", "")).lower() == "true",
        told=shown,
        replica_set=replica_set,
    )


def _file(files: Files, path: str) -> dict[str, Any]:
    text = files.read(path)
    if text is None:
        raise BadOptionsError(f"Error opening config file: No such file or directory{_HELP}")
    try:
        found = read_yaml(text)
    except DocumentError as error:
        place = f" at line {error.line}, column {error.column}" if error.line else ""
        words = f"yaml-cpp: error{place}: {error}"
        raise BadOptionsError(f"Error parsing YAML config file: {words}{_HELP}") from None
    if not isinstance(found, dict):
        return {}
    net = _section(found, "net")
    for names, known, place in (
        (found, _SECTIONS, ""),
        (net, _NET, "net."),
        *((_section(net, kind), _TLS, f"net.{kind}.") for kind in ("ssl", "tls")),
    ):
        strange = [f"{place}{name}" for name in names if name not in known]
        if strange:
            raise BadOptionsError(f"Unrecognized option: {strange[0]}{_HELP}")
    return found


def _section(said: Any, name: str) -> dict[str, Any]:
    found = said.get(name) if isinstance(said, dict) else None
    return dict(found) if isinstance(found, dict) else {}
