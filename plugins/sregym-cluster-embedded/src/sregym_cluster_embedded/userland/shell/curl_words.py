"""What curl prints while it works, as its version words it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.http import REASONS, Fetched
from sregym_cluster_embedded.userland.shell.sockets import CONNECT_S, WORDS

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.certificates import Certificate
    from sregym_cluster_embedded.userland.shell.curl_line import Call
    from sregym_cluster_embedded.userland.shell.curl_sending import Sent
    from sregym_cluster_embedded.userland.shell.session import Session

# Of Debian 12 and its relatives; others bring one of their own.
_DEBIAN, _LATEST, _NETSHOOT = "7.88.1", "8.15.0", "8.14.1"
# How long the kernel looks for the owner of an address without a host.
_NO_ROUTE_S = 3.057
METER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
)
NOTHING = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
_WIDTH = 70


def version_of(session: Session) -> str:
    """The version that an image brings."""
    repository, _, tag = str(session.process.config.image).rpartition("/")[2].partition(":")
    if repository == "curl":
        return tag if re.fullmatch(r"\d+\.\d+\.\d+", tag) else _LATEST
    return _NETSHOOT if repository == "netshoot" else _DEBIAN


def number_of(version: str) -> tuple[int, ...]:
    """A version to compare."""
    return tuple(int(part) for part in version.split("."))


def about(version: str) -> str:
    """`curl -V`."""
    if version == _DEBIAN:
        return (
            "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13 "
            "brotli/1.0.9 zstd/1.5.4 libidn2/2.3.3 libpsl/0.21.2 (+libidn2/2.3.3) libssh2/1.10.0 "
            "nghttp2/1.52.0 librtmp/2.3 OpenLDAP/2.5.13\n"
            "Release-Date: 2023-02-20, security patched: 7.88.1-10+deb12u8\n"
            "Protocols: dict file ftp ftps gopher gophers http https imap imaps ldap ldaps mqtt "
            "pop3 pop3s rtmp rtsp scp sftp smb smbs smtp smtps telnet tftp\n"
            "Features: alt-svc AsynchDNS brotli GSS-API HSTS HTTP2 HTTPS-proxy IDN IPv6 Kerberos "
            "Largefile libz NTLM NTLM_WB PSL SPNEGO SSL threadsafe TLS-SRP UnixSockets zstd\n"
        )
    return (
        f"curl {version} (x86_64-pc-linux-musl) libcurl/{version} OpenSSL/3.5.1 zlib/1.3.1 "
        "brotli/1.1.0 zstd/1.5.7 libidn2/2.3.7 libpsl/0.21.5 nghttp2/1.65.0\n"
        "Protocols: dict file ftp ftps gopher gophers http https imap imaps ipfs ipns mqtt pop3 "
        "pop3s rtsp smb smbs smtp smtps telnet tftp ws wss\n"
        "Features: alt-svc AsynchDNS brotli HSTS HTTP2 HTTPS-proxy IDN IPv6 Largefile libz NTLM "
        "PSL SSL threadsafe TLS-SRP UnixSockets zstd\n"
    )


def bad_url(version: str, why: str) -> str:
    """What is said of an address that is none."""
    if number_of(version) < (8, 1):
        return "URL using bad/illegal format or missing URL"
    return f"URL rejected: {why}"


def warned(text: str) -> str:
    """A warning, broken into lines as curl breaks it."""
    out = ""
    while len(text) > _WIDTH:
        cut = text.rfind(" ", 0, _WIDTH) + 1 or _WIDTH
        out += f"Warning: {text[:cut]}\n"
        text = text[cut:]
    return f"{out}Warning: {text}\n"


def more(version: str) -> str:
    """What follows an error about a certificate."""
    page = (
        "the web page mentioned above."
        if number_of(version) < (8, 10)
        else "the webpage mentioned above."
    )
    return (
        "More details here: https://curl.se/docs/sslcerts.html\n\n"
        "curl failed to verify the legitimacy of the server and therefore could not\n"
        "establish a secure connection to it. To learn more about this situation and\n"
        f"how to fix it, please visit {page}"
    )


def failure(call: Call, result: Fetched, version: str) -> tuple[int, str, float]:
    """Exit code, text and the seconds until it is known."""
    facts = result.target.facts
    host, port = facts["host"], facts["port"]
    not_connected = "Couldn't" if number_of(version) < (8, 10) else "Could not"
    if result.kind == "dns":
        return 6, f"Could not resolve host: {host}", 0.0
    slow = result.kind == "no_route" and (call.limit_s("m") or _NO_ROUTE_S) < _NO_ROUTE_S
    if result.kind == "timeout" or slow:
        most, connecting = call.limit_s("m"), call.limit_s("connect-timeout")
        if connecting is not None and (most is None or connecting < most):
            text = f"Connection timeout after {int(connecting * 1000) + 1} ms"
            if number_of(version) >= (8, 7):
                text = f"Failed to connect to {host} port {port} after {int(connecting * 1000) + 1} ms: Timeout was reached"
            return 28, text, connecting
        if most is not None:
            return 28, f"Connection timed out after {int(most * 1000) + 1} milliseconds", most
        tail = f"after {int(CONNECT_S * 1000)} ms: {not_connected} connect to server"
        return 28, f"Failed to connect to {host} port {port} {tail}", CONNECT_S
    if result.kind in ("refused", "no_route", "unreachable"):
        after = int(_NO_ROUTE_S * 1000) if result.kind == "no_route" else 1
        tail = f"after {after} ms: {not_connected} connect to server"
        return 7, f"Failed to connect to {host} port {port} {tail}", after / 1000
    if result.kind == "empty":
        return 52, "Empty reply from server", 0.0
    if result.kind == "garbage":
        return 1, "Received HTTP/0.9 when not allowed", 0.0
    if result.kind == "tls-mismatch":
        return 35, f"{_library(version)}error:0A00010B:SSL routines::wrong version number", 0.0
    if result.kind == "untrusted":
        words = result.untrusted or "unable to get local issuer certificate"
        if words.startswith("no name matches "):
            name = words.removeprefix("no name matches ")
            text = "SSL: no alternative certificate subject name matches target host name"
            return 60, f"{text} '{name}'\n{more(version)}", 0.0
        return 60, f"SSL certificate problem: {words}\n{more(version)}", 0.0
    return 56, "Recv failure: Connection reset by peer", 0.0


def _library(version: str) -> str:
    return "TLS connect error: " if number_of(version) >= (8, 9) else ""


def connecting(call: Call, result: Fetched, version: str) -> str:
    """`-v`, up to where the connection stands or fails."""
    facts = result.target.facts
    new = number_of(version)
    text = ""
    for name, place in call.places:
        if name == "resolve":
            text += f"* Added {place} to DNS cache\n"
            text += f"* Hostname {facts['host']} was found in DNS cache\n"
    if not text and new >= (8, 6) and facts["host"] != facts["ip"]:
        text += f"* Host {facts['host']}:{facts['port']} was resolved.\n* IPv6: (none)\n"
        text += f"* IPv4: {facts['ip']}\n"
    text += f"*   Trying {facts['ip']}:{facts['port']}...\n"
    if result.kind in ("refused", "no_route"):
        where = f"{facts['ip']} port {facts['port']}"
        return f"{text}* connect to {where} failed: {WORDS[result.kind]}\n"
    if result.kind == "unreachable":
        return f"{text}* Immediate connect fail for {facts['ip']}: {WORDS['unreachable']}\n"
    if result.kind == "timeout":
        return text
    tail = " (#0)" if new < (8, 2) else ""
    return f"{text}* Connected to {facts['host']} ({facts['ip']}) port {facts['port']}{tail}\n"


def closing(version: str) -> str:
    """`-v`, when a connection is closed."""
    new = number_of(version)
    return (
        "* Closing connection 0\n"
        if new < (8, 2)
        else "* Closing connection\n"
        if (new < (8, 10))
        else "* closing connection #0\n"
    )


def handshake(
    shown: Certificate | None, said: str, *, insecure: bool, offered: str, h2: bool, local: str
) -> str:
    """`-v`, while TLS begins.

    Args:
        shown: The server's certificate; None when it speaks no TLS.
        said: What is wrong with it, or nothing.
        insecure: Whether the client goes on all the same.
        offered: The protocols that the client offers.
        h2: Whether both agree on HTTP/2.
        local: The file with the certificates that the client trusts.
    """
    text = f"* ALPN: offers {offered}\n}} [5 bytes data]\n"
    text += "* TLSv1.3 (OUT), TLS handshake, Client hello (1):\n} [512 bytes data]\n"
    if not insecure:
        text += f"*  CAfile: {local}\n*  CApath: /etc/ssl/certs\n"
    if shown is None:
        return text
    steps = (
        ("Server hello (2)", 122),
        ("Encrypted Extensions (8)", 19),
        ("Certificate (11)", 1052),
    )
    rest = (("CERT verify (15)", 264), ("Finished (20)", 52))
    text += "{ [5 bytes data]\n"
    stops = bool(said) and not insecure and not said.startswith("no name")
    for name, size in steps if stops else (*steps, *rest):
        text += f"* TLSv1.3 (IN), TLS handshake, {name}:\n{{ [{size} bytes data]\n"
    if stops:
        kind = "unknown CA (560)"
        if said.startswith("certificate has expired"):
            kind = "certificate expired (557)"
        return f"{text}* TLSv1.3 (OUT), TLS alert, {kind}:\n}} [2 bytes data]\n"
    text += "* TLSv1.3 (OUT), TLS change cipher, Change cipher spec (1):\n} [1 bytes data]\n"
    text += "* TLSv1.3 (OUT), TLS handshake, Finished (20):\n} [52 bytes data]\n"
    text += "* SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384\n"
    text += f"* ALPN: server accepted {'h2' if h2 else 'http/1.1'}\n* Server certificate:\n"
    text += f"*  subject: CN={shown.subject}\n*  start date: {_moment(shown.not_before)}\n"
    text += f"*  expire date: {_moment(shown.not_after)}\n"
    if said.startswith("no name"):
        return text
    if not insecure and shown.names:
        text += f'*  subjectAltName: host "{shown.names[0]}" matched cert\'s "{shown.names[0]}"\n'
    text += f"*  issuer: CN={shown.issuer}\n"
    if said and insecure:
        number = {"certificate has expired": 10, "self-signed certificate": 18}.get(said, 20)
        verified = f"SSL certificate verify result: {said} ({number}), continuing anyway."
        return f"{text}*  {verified}\n"
    return f"{text}*  SSL certificate verify ok.\n"


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%b %e %H:%M:%S %Y GMT")


def is_http2(call: Call, made: Sent, result: Fetched) -> bool:
    """Whether client and server agree on HTTP/2: over TLS alone, and where neither refuses it."""
    secure = made.url.lower().startswith("https:")
    return secure and result.target.listener == "https" and "http1.1" not in call.flags


def head(result: Fetched, *, h2: bool) -> list[str]:
    """The lines above the body of an answer, over HTTP/2 or 1.1."""
    assert result.answer is not None
    status = result.answer.status
    version = "HTTP/2" if h2 else "HTTP/1.1"
    reason = "" if version == "HTTP/2" else REASONS.get(status, "")
    return [f"{version} {status} {reason}", *(f"{n}: {v}" for n, v in result.headers)]


def _streamed(made: Sent, path: str, version: str) -> str:
    """What is said of a stream of HTTP/2."""
    fields = {
        ":method": made.method,
        ":scheme": "https",
        ":authority": made.lowered().get("host", ""),
        ":path": path,
        **{name: value for name, value in made.lowered().items() if name != "host"},
    }
    if number_of(version) < (8, 1):
        rows = "".join(f"* h2h3 [{name}: {value}]\n" for name, value in fields.items())
        return f"* using HTTP/2\n{rows}* Using Stream ID: 1\n}} [5 bytes data]\n"
    rows = "".join(f"* [HTTP/2] [1] [{name}: {value}]\n" for name, value in fields.items())
    return f"* using HTTP/2\n* [HTTP/2] [1] OPENED stream for {made.url}\n{rows}}} [5 bytes data]\n"


def request(call: Call, made: Sent, version: str, *, h2: bool) -> str:
    """`-v`, what is sent, over HTTP/2 or 1.1."""
    text = ""
    user = call.flags.get("u", "").partition(":")[0]
    if user:
        text += f"* Server auth using Basic with user '{user}'\n"
    path = "/" + made.url.partition("://")[2].partition("/")[2].partition("#")[0]
    text += _streamed(made, path, version) if h2 else ""
    text += f"> {made.method} {path} HTTP/{'2' if h2 else '1.1'}\n"
    text += "".join(f"> {name}: {value}\n" for name, value in made.headers) + "> \n"
    if made.body:
        text += f"}} [{len(made.body.encode(errors='surrogateescape'))} bytes data]\n"
    return text + ("* Request completely sent off\n" if number_of(version) >= (8, 7) else "")


def meter(size: int, seconds: float) -> str:
    """The table of progress."""
    speed = int(size / seconds)
    row = f"100 {size:>5}  100 {size:>5}    0     0 {speed:>6}      0 --:--:-- --:--:-- --:--:-- {speed:>5}"
    return f"{METER}\r{NOTHING}\r{row}\n"
