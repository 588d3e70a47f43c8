"""`--raw`: requests to a path of the API, and the answer as it came."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

# What answers with a stream.
_STREAMS = re.compile(r"/(exec|attach|portforward)(\?|$)|follow=|/watch/")
_ACCEPT = "application/json, */*"


def get_raw(session: Session) -> None:
    """Run `kubectl get --raw`."""
    _only_path(session)
    _send(session, "GET", None)


def delete_raw(session: Session) -> None:
    """Run `kubectl delete --raw`."""
    _only_path(session)
    _send(session, "DELETE", _body(session))


def create_raw(session: Session) -> None:
    """Run `kubectl create --raw`."""
    _send(session, "POST", _needed_body(session))


def replace_raw(session: Session) -> None:
    """Run `kubectl replace --raw`."""
    _send(session, "PUT", _needed_body(session))


def _only_path(session: Session) -> None:
    if session.arguments.words:
        raise CommandError("error: arguments may not be passed when --raw is specified")
    if session.arguments.text("output"):
        raise CommandError("error: --raw and --output are mutually exclusive")


def _needed_body(session: Session) -> bytes:
    if not session.arguments.of_files:
        raise CommandError("error: must specify one of -f and -k")
    if len(session.arguments.all("filename")) != 1:
        raise CommandError("error: --raw can only use a single local file or stdin")
    return _body(session) or b""


def _body(session: Session) -> bytes | None:
    names = session.arguments.all("filename")
    if not names:
        return None
    if names == ["-"]:
        return session.stdin.encode(errors="surrogateescape")
    path = session.files / names[0]
    if not path.exists():
        raise CommandError(f"error: open {names[0]}: no such file or directory")
    if path.is_dir():
        raise NotCovered("a body that is no file")
    return path.read_bytes()


def _send(session: Session, method: str, body: bytes | None) -> None:
    path, _, query = session.arguments.text("raw").partition("?")
    if re.fullmatch(r"[\w.-]+", path):
        text = f'error: --raw must be a valid URL path: parse "{path}": invalid URI for request'
        raise CommandError(text)
    if not path.startswith("/") or _STREAMS.search(session.arguments.text("raw")) or "%" in path:
        raise NotCovered("--raw of a stream, or of no path")
    pairs = parse_qsl(query, keep_blank_values=True)
    if "watch=" in query:
        _watch(session, path, pairs)
        return
    client = session.client
    client.plain = False
    answer = client.answer(method, path, pairs, body, _ACCEPT)
    session.out.append(answer.body.decode(errors="surrogateescape"))


def _watch(session: Session, path: str, pairs: list[tuple[str, str]]) -> None:
    """Print a watch that the server ends by itself.

    Raises:
        NotCovered: It does not, or not soon.
    """
    given = dict(pairs)
    limited = given.get("timeoutSeconds", "0").isdigit() and given.get("timeoutSeconds", "0") != "0"
    if not limited or given["watch"] not in ("1", "true") or "allowWatchBookmarks" in given:
        raise NotCovered("--raw of a watch without an end")
    access = session.access
    headers = {"accept": _ACCEPT, **session.headers}
    request = Request("GET", path, tuple(pairs), headers, user=access.user)
    for piece in access.stream(request):
        session.out.append(piece.decode(errors="surrogateescape"))
