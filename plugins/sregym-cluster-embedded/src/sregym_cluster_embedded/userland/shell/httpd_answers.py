"""What BusyBox's httpd writes: headers, and pages of its own for what it does not serve."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.httpd import root_of
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.shell.session import Session

_WORDS = {
    400: ("Bad Request", "Unsupported method"),
    404: ("Not Found", "The requested URL was not found"),
    501: ("Not Implemented", "The requested method is not recognized"),
}
# Files of other kinds are sent without a type.
_TYPES = {"html": "text/html", "htm": "text/html", "txt": "text/plain", "css": "text/css"}
Headers = tuple[tuple[str, str], ...]


def http_date(session: Session, at: float | None = None) -> str:
    """A moment, now unless given, as HTTP has it."""
    when = datetime.fromtimestamp(session.files.now if at is None else at, UTC)
    return when.strftime("%a, %d %b %Y %H:%M:%S GMT")


def page(status: int) -> WebAnswer:
    """What httpd says itself of a request that it does not serve."""
    title, text = _WORDS.get(status, _WORDS[404])
    head = f"{status} {title}"
    body = (
        f"<HTML><HEAD><TITLE>{head}</TITLE></HEAD>\n<BODY><H1>{head}</H1>\n{text}\n</BODY></HTML>\n"
    )
    return WebAnswer(status, body, "text/html")


def headed(
    session: Session, server: Process, answer: WebAnswer, path: str
) -> tuple[WebAnswer, Headers]:
    """An answer with what stands above it."""
    head = (("Date", http_date(session)), ("Connection", "close"))
    if answer.status == 404:
        answer = page(404)
    if path.startswith("/cgi-bin/") and answer.status == 200:
        return answer, (*head, ("Content-type", "text/plain"))
    if answer.status != 200:
        return answer, (*head, ("Content-type", "text/html"))
    bare = path.partition("?")[0]
    bare = bare if bare != "/" else "/index.html"
    inode = session.runtime.files(session.world, server).stat(f"{root_of(server)}{bare}")
    mtime = int(inode.mtime) if inode is not None else 0
    size = len(answer.body.encode(errors="surrogateescape"))
    known = _TYPES.get(bare.rpartition("/")[2].rpartition(".")[2])
    return answer, (
        *head,
        *((("Content-type", known),) if known else ()),
        ("Accept-Ranges", "bytes"),
        ("Last-Modified", http_date(session, mtime)),
        ("ETag", f'"{mtime:x}-{size:x}"'),
        ("Content-Length", str(size)),
    )


def response_bytes(session: Session, server: Process, text: str) -> str:
    """The bytes that come back for the bytes of a request."""
    words = text.partition("\n")[0].split()
    if len(words) < 3:
        answer, path = page(400), "/"
    elif words[0] not in ("GET", "HEAD"):
        answer, path = page(501), words[1]
    else:
        path = words[1]
        program = session.runtime.program_of(server)
        kind: Any = session.runtime.kind_of(server)
        answer = kind.web(session.world, server, program, "GET", path) or page(404)
    answer, headers = headed(session, server, answer, path)
    title = "OK" if answer.status == 200 else _WORDS[answer.status][0]
    lines = [f"HTTP/1.1 {answer.status} {title}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]) + answer.body
