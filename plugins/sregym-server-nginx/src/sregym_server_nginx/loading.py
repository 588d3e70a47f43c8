"""A configuration as nginx holds it once it runs: servers by port, upstreams with their addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import is_address, perl, resolve

from sregym_server_nginx.configuration import MAIN_FILE, Directive, read
from sregym_server_nginx.tokens import ConfigurationError
from sregym_server_nginx.variables import check_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.sdk.servers import FileView, Object, World

_URL = re.compile(r"https?://([^/:$]+|\[[0-9a-f:]+\])(?::(\d+))?(/.*)?", re.IGNORECASE)


class Listen(NamedTuple):
    """One socket on which a server listens."""

    port: int
    default: bool = False
    secure: bool = False


class Server(NamedTuple):
    """One server block.

    Attributes:
        block: Its directives.
        listens: Where it listens.
        names: Of its `server_name`; an empty one when it has none.
    """

    block: Directive
    listens: tuple[Listen, ...]
    names: tuple[str, ...]


class Loaded(NamedTuple):
    """What a running nginx knows.

    Attributes:
        tree: All that was read.
        http: Its block `http`; an empty one when there is none.
        servers: In the order of the configuration.
        upstreams: Name -> (address, port, whether it only helps out) of each of its servers.
        addresses: Names of hosts -> addresses, as they were when the configuration was read.
        requests: How many requests it has answered since it started.
        worker: Number of its first worker.
    """

    tree: Directive
    http: Directive
    servers: tuple[Server, ...]
    upstreams: Mapping[str, tuple[tuple[str, int, bool], ...]]
    addresses: Mapping[str, tuple[str, ...]]
    requests: int = 0
    worker: int = 29

    @property
    def ports(self) -> tuple[tuple[int, bool], ...]:
        """All ports, and whether TLS is spoken there."""
        found = {listen.port: listen.secure for server in self.servers for listen in server.listens}
        return tuple(found.items())


def load(world: World, pod: Object, files: FileView, path: str = MAIN_FILE) -> Loaded:
    """Read a configuration, look up what it names.

    Raises:
        ConfigurationError: With nginx's words.
    """
    tree = read(files, path)
    http = tree.first("http") or Directive("http", (), (), path, 0)
    servers = tuple(_server(entry) for entry in http.all("server"))
    _check_defaults(servers)
    addresses: dict[str, tuple[str, ...]] = {}
    upstreams = {
        entry.words[0]: tuple(_members(world, pod, entry, addresses))
        for entry in http.all("upstream")
    }
    check_variables(http)
    _check_resolvers(world, pod, http, addresses)
    for server in servers:
        _check_certificate(server, http, files)
        for passing in _passings(server.block):
            _check_passing(world, pod, passing, upstreams, addresses)
    if tree.first("events") is None:
        raise ConfigurationError('no "events" section in configuration')
    return Loaded(tree, http, servers, upstreams, addresses)


def place_of(url: str) -> tuple[str, int, str | None] | None:
    """Host, port and path of where requests are passed; None when it is no URL without variables."""
    match = _URL.fullmatch(url)
    if match is None:
        return None
    port = match[2] or ("443" if url.lower().startswith("https") else "80")
    return match[1], int(port), match[3]


def _server(block: Directive) -> Server:
    listens: list[Listen] = []
    for entry in block.all("listen"):
        found = _listen(entry)
        if any(found.port == other.port for other in listens) and not _v6(entry):
            text = f"a duplicate listen 0.0.0.0:{found.port} in {entry.place}"
            raise ConfigurationError(text)
        if not _v6(entry) or not any(found.port == other.port for other in listens):
            listens.append(found)
    _check_locations(block)
    names = tuple(name for entry in block.all("server_name") for name in entry.words)
    return Server(block, tuple(listens) or (Listen(80),), names or ("",))


def _v6(entry: Directive) -> bool:
    return entry.words[0].startswith("[")


def _listen(entry: Directive) -> Listen:
    place, options = entry.words[0], entry.words[1:]
    host, _, port = place.rpartition(":")
    if not host and not place.isdecimal():
        host, port = place, "80"
    if not port.isdecimal() or not 0 < int(port) < 65536:
        text = f'invalid port in "{place}" of the "listen" directive in {entry.place}'
        raise ConfigurationError(text)
    if host not in ("", "*", "localhost") and not host.startswith("[") and not is_address(host):
        text = f'host not found in "{place}" of the "listen" directive in {entry.place}'
        raise ConfigurationError(text)
    for option in options:
        if option.partition("=")[0] not in _LISTEN_OPTIONS:
            raise ConfigurationError(f'invalid parameter "{option}" in {entry.place}')
    default = "default_server" in options or "default" in options
    return Listen(int(port), default, "ssl" in options)


_LISTEN_OPTIONS = frozenset(
    {"default_server", "default", "ssl", "http2", "quic", "proxy_protocol", "reuseport", "deferred"}
    | {"backlog", "rcvbuf", "sndbuf", "bind", "ipv6only", "so_keepalive", "fastopen", "setfib"}
    | {"accept_filter"}
)


def _check_defaults(servers: tuple[Server, ...]) -> None:
    seen: set[int] = set()
    for server in servers:
        for listen, entry in zip(server.listens, server.block.all("listen"), strict=False):
            if listen.default and listen.port in seen:
                text = f"a duplicate default server for 0.0.0.0:{listen.port} in {entry.place}"
                raise ConfigurationError(text)
            if listen.default:
                seen.add(listen.port)


def _check_locations(block: Directive) -> None:
    seen: set[tuple[str, ...]] = set()
    for entry in block.all("location"):
        sign, text = entry.words if len(entry.words) == 2 else ("", entry.words[0])
        if len(entry.words) == 2 and sign not in ("=", "^~", "~", "~*"):
            raise ConfigurationError(f'invalid location modifier "{sign}" in {entry.place}')
        if sign in ("~", "~*"):
            compiled(text, entry.place)
        else:
            name = ("=" if sign == "=" else "", text)
            if name in seen:
                raise ConfigurationError(f'duplicate location "{text}" in {entry.place}')
            seen.add(name)
        _check_locations(entry)


def compiled(pattern: str, place: str = "", *, any_case: bool = False) -> perl.Searching:
    """A pattern of a configuration.

    Raises:
        ConfigurationError: It is none.
    """
    try:
        return perl.compiled(pattern.replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!"), ignore_case=any_case)  # fmt: skip
    except perl.PatternError as error:
        at = pattern[error.at :]
        words = f'pcre2_compile() failed: {error.bare} in "{pattern}" at "{at}"'
        raise ConfigurationError(f"{words} in {place}") from None


def _members(
    world: World, pod: Object, upstream: Directive, addresses: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, int, bool]]:
    entries = upstream.all("server")
    if not entries:
        raise ConfigurationError(f"no servers are inside upstream in {upstream.place}")
    for entry in entries:
        host, _, port = entry.words[0].rpartition(":")
        if not host:
            host, port = entry.words[0], "80"
        if not port.isdecimal() or not 0 < int(port) < 65536:
            text = f'invalid port in upstream "{entry.words[0]}" in {entry.place}'
            raise ConfigurationError(text)
        if "down" in entry.words:
            continue
        for ip in _looked_up(world, pod, host, entry.words[0], entry.place, addresses):
            yield ip, int(port), "backup" in entry.words


def _looked_up(
    world: World,
    pod: Object,
    host: str,
    named: str,
    place: str,
    addresses: dict[str, tuple[str, ...]],
) -> tuple[str, ...]:
    if is_address(host):
        return (host,)
    if host not in addresses:
        found = resolve(world, pod, host)
        if found.status != "ok":
            raise ConfigurationError(f'host not found in upstream "{named}" in {place}')
        addresses[host] = found.addresses
    return addresses[host]


def _passings(block: Directive, parent: Directive | None = None) -> Iterator[tuple[Directive, Directive | None]]:  # fmt: skip
    """Each `proxy_pass`, with the location in which it stands."""
    for entry in block.block:
        if entry.name == "proxy_pass":
            yield entry, parent
        elif entry.name in ("location", "if", "limit_except"):
            yield from _passings(entry, entry)


def _check_passing(
    world: World,
    pod: Object,
    passing: tuple[Directive, Directive | None],
    upstreams: Mapping[str, object],
    addresses: dict[str, tuple[str, ...]],
) -> None:
    entry, parent = passing
    url = entry.words[0]
    if "$" in url:
        return
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigurationError(f"invalid URL prefix in {entry.place}")
    place = place_of(url)
    if place is None:
        raise ConfigurationError(f"no host in upstream \"{url.partition('://')[2]}\" in {entry.place}")  # fmt: skip
    host, _, path = place
    special = parent is not None and (
        parent.name in ("if", "limit_except") or parent.words[0] in ("~", "~*") or parent.words[0].startswith("@")
    )  # fmt: skip
    if path is not None and special:
        text = (
            '"proxy_pass" cannot have URI part in location given by regular expression, or inside '
            'named location, or inside "if" statement, or inside "limit_except" block in '
        )
        raise ConfigurationError(text + entry.place)
    if host not in upstreams:
        _looked_up(world, pod, host, host, entry.place, addresses)


def _check_resolvers(
    world: World, pod: Object, block: Directive, addresses: dict[str, tuple[str, ...]]
) -> None:
    for entry in block.block:
        if entry.name == "resolver":
            host = entry.words[0].rpartition(":")[0] or entry.words[0]
            if not is_address(host) and host not in addresses:
                found = resolve(world, pod, host)
                if found.status != "ok":
                    text = f'host not found in resolver "{host}" in {entry.place}'
                    raise ConfigurationError(text)
                addresses[host] = found.addresses
        _check_resolvers(world, pod, entry, addresses)


def _check_certificate(server: Server, http: Directive, files: FileView) -> None:
    if not any(listen.secure for listen in server.listens):
        return
    given = server.block.first("ssl_certificate") or http.first("ssl_certificate")
    if given is None:
        place = server.block.place
        text = f'no "ssl_certificate" is defined for the "listen ... ssl" directive in {place}'
        raise ConfigurationError(text)
    key = server.block.first("ssl_certificate_key") or http.first("ssl_certificate_key")
    for entry, what in ((given, "certificate"), (key, "certificate key")):
        if entry is not None and files.read(entry.words[0]) is None:
            path = entry.words[0]
            reasons = (
                f"SSL: error:80000002:system library::No such file or directory:calling fopen({path}, r) "
                "error:10000080:BIO routines::no such file"
            )
            text = f'cannot load {what} "{path}": BIO_new_file() failed ({reasons})'
            raise ConfigurationError(text)
