"""The variables of nginx: which there are, and what text they give for a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_server_nginx.tokens import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_server_nginx.configuration import Directive

_NAME = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_OPEN = ("http_", "arg_", "cookie_", "sent_http_", "upstream_http_", "upstream_cookie_")
_KNOWN = frozenset(
    {"uri", "document_uri", "request_uri", "args", "query_string", "is_args", "host", "hostname"}
    | {"scheme", "https", "request_method", "request", "server_name", "server_port", "server_addr"}
    | {"server_protocol", "remote_addr", "remote_port", "remote_user", "status", "body_bytes_sent"}
    | {"bytes_sent", "request_time", "request_length", "request_id", "request_body", "msec", "pid"}
    | {"time_local", "time_iso8601", "nginx_version", "document_root", "realpath_root", "connection"}
    | {"request_filename", "content_type", "content_length", "connection_requests", "pipe", "proxy_host"}
    | {"proxy_port", "proxy_add_x_forwarded_for", "upstream_addr", "upstream_status", "limit_rate"}
    | {"upstream_response_time", "upstream_connect_time", "upstream_header_time", "upstream_cache_status"}
    | {"upstream_response_length", "upstream_bytes_received", "upstream_bytes_sent", "binary_remote_addr"}
    | {"ssl_protocol", "ssl_cipher", "ssl_server_name", "ssl_session_id", "ssl_client_verify"}
    | {"connections_active", "connections_reading", "connections_writing", "connections_waiting"}
    | {"fastcgi_script_name", "fastcgi_path_info", "request_completion", "gzip_ratio", "realip_remote_addr"}
)  # fmt: skip
# Whose words are texts with variables.
_TEXTS = frozenset(
    {"return", "rewrite", "set", "add_header", "proxy_set_header", "proxy_pass", "root", "alias"}
    | {"try_files", "log_format", "if", "access_log", "error_page", "auth_request_set"}
)
_MAKERS = ("set", "auth_request_set")


def expanded(text: str, known: Mapping[str, str]) -> str:
    """A text with its variables filled in; one without a value is empty."""
    if "$" not in text:
        return text
    return _NAME.sub(lambda match: known.get(match[1] or match[2], ""), text)


def logged(text: str, known: Mapping[str, str], escape: str) -> str:
    """A line of the log: a value that is not there is a dash."""

    def value(match: re.Match[str]) -> str:
        found = known.get(match[1] or match[2], "")
        if not found:
            return "" if escape in ("json", "none") else "-"
        if escape == "json":
            return found.replace("\\", "\\\\").replace('"', '\\"')
        return found if escape == "none" else found.replace("\\", "\\x5C").replace('"', "\\x22")

    return _NAME.sub(value, text)


def check_variables(http: Directive) -> None:
    """Refuse variables that are never set.

    Raises:
        ConfigurationError: With nginx's words, which name no place.
    """
    made = set(_KNOWN)
    used: dict[str, None] = {}

    def walk(block: Directive) -> None:
        for entry in block.block:
            if entry.name in _MAKERS:
                made.add(entry.words[0].lstrip("$"))
            elif entry.name in ("map", "geo", "split_clients"):
                made.add(entry.words[-1].lstrip("$"))
            if entry.name in ("location", "server_name", "rewrite", "if"):
                made.update(
                    name for word in entry.words for name in re.findall(r"\(\?P?<(\w+)>", word)
                )
            words = entry.words[1:] if entry.name in _MAKERS else entry.words
            if entry.name in _TEXTS:
                used.update(dict.fromkeys(a or b for word in words for a, b in _NAME.findall(word)))
            walk(entry)

    walk(http)
    for name in used:
        if name not in made and not name.isdecimal() and not name.startswith(_OPEN):
            raise ConfigurationError(f'unknown "{name}" variable')
