"""TLS of a mongod: what it reads when it starts, whom it lets in, and what its log says of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import (
    NO_CERTIFICATE,
    NOT_SECURED,
    Refusal,
    Secured,
    certificates,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import Files, Process

    from sregym_server_mongodb.configuration import Options

_MODE, _SHOWN, _AUTHORITIES, _ANONYMOUS = (
    f"mongod.tls.{name}" for name in ("mode", "shown", "authorities", "anonymous")
)
# What its log says of a connection that ends before a word was said, by what a client is told.
_PLAIN = "The server is configured to only allow SSL connections"
_ERRORS = {
    NO_CERTIFICATE: "no SSL certificate provided by peer; connection rejected",
    NOT_SECURED: "SSL handshake received but server is started without SSL support",
    _PLAIN: _PLAIN,
}
_ALERT = "error:14094412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate"
_MISSING = "error:02001002:system library:fopen:No such file or directory"
_NO_START = "error:0909006C:PEM routines:get_name:no start line"
# Exit code of mongod that cannot set up TLS.
UNSECURED = 1


def settings(options: Options, files: Files) -> dict[str, str]:
    """What a process remembers of it."""
    if options.mode == "disabled":
        return {}
    return {
        _MODE: options.mode,
        _SHOWN: files.read(options.key_file) or "",
        _AUTHORITIES: (files.read(options.authorities) or "") if options.authorities else "",
        _ANONYMOUS: "true" if options.anonymous else "false",
    }


def unreadable(options: Options, files: Files) -> tuple[int, str, Mapping[str, Any], str] | None:
    """The line about a file that cannot be used, and what becomes of the start; None for none."""
    if options.mode == "disabled":
        return None
    text = files.read(options.key_file)
    if text is None or certificates.read(text) is None or "PRIVATE KEY" not in text:
        why = _MISSING if text is None else _NO_START
        facts = {"keyFile": options.key_file, "error": why}
        return 23248, "Cannot read certificate file", facts, "Can not set up PEM key file."
    if options.authorities and certificates.read(files.read(options.authorities) or "") is None:
        facts = {"caFile": options.authorities, "error": "error:0B084088:x509 certificate routines"}
        return 23256, "Cannot read certificate authority file", facts, "Can not set up CA file."
    return None


def secured(process: Process) -> Secured | None:
    """How a server speaks TLS; None when it speaks none."""
    kept = process.settings
    shown = certificates.read(kept.get(_SHOWN, ""))
    if kept.get(_MODE, "disabled") == "disabled" or shown is None:
        return None
    plain = Refusal("protocol", _PLAIN) if kept[_MODE] == "requireTLS" else None
    return Secured(shown, plain, kept[_AUTHORITIES], kept[_ANONYMOUS] == "true")


def speaks(process: Process) -> str:
    """`on` or `off`, as its log has it."""
    return "off" if secured(process) is None else "on"


def handshake_error(refusal: Refusal) -> str:
    """What the server says of a handshake that failed; empty of other refusals."""
    if refusal.kind == "tls":
        return _ALERT
    return _ERRORS.get(refusal.text, refusal.text) if refusal.kind == "protocol" else ""
