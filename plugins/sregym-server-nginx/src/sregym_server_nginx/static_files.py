"""Static files of nginx: those of a path, and the responses for files that do not exist."""

from __future__ import annotations

import posixpath
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import FOLDER, number_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Files, Inode

    from sregym_server_nginx.configuration import Directive
    from sregym_server_nginx.scope import Scope

_OTHERS_READ, _OWNER_READ = 0o004, 0o400


class Result(NamedTuple):
    """What a request comes to, before headers are put above it.

    Attributes:
        status: The code.
        body: Its text; empty: the page of the code, if it has one.
        kind: Content type of the body.
        location: Where the client is sent.
        modified: Unix seconds at which the file was changed; None for what is no file.
        uri: Path to go on with instead; empty when there is an answer.
        named: Location to go on with instead.
        foreign: Whether it comes from a server behind.
        extra: Further headers.
        seconds: How long it took.
    """

    status: int
    body: str = ""
    kind: str = ""
    location: str = ""
    modified: float | None = None
    uri: str = ""
    named: str = ""
    foreign: bool = False
    extra: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


def serve(scope: Scope, files: Files, errors: list[tuple[str, str]]) -> Result:
    """The file of a path, or the code that stands for why there is none.

    Args:
        scope: The request.
        files: Of the container.
        errors: Level and text of what is to be written to the log of errors; added to.
    """
    tries = scope.blocks[-1].first("try_files") or _of_server(scope)
    if tries is not None:
        found = _tried(scope, files, tries)
        if found is not None:
            return found
    if scope.request.method not in ("GET", "HEAD"):
        return Result(405)
    path = scope.file_of(scope.uri)
    scope.variables["request_filename"] = path
    if scope.uri.endswith("/"):
        return _of_folder(scope, files, path, errors)
    inode = files.stat(path)
    if inode is None:
        if scope.on("log_not_found", otherwise=True):
            errors.append(("error", f'open() "{path}" failed (2: No such file or directory)'))
        return Result(404)
    if inode.kind == FOLDER:
        return Result(301, location=scope.uri + "/")
    if not _readable(files, inode, scope):
        errors.append(("error", f'open() "{path}" failed (13: Permission denied)'))
        return Result(403)
    return Result(200, files.read(path) or "", _type(scope, path), modified=inode.mtime)


def _of_server(scope: Scope) -> Directive | None:
    """`try_files` of a server counts where no location is."""
    return scope.blocks[-1].first("try_files") if scope.blocks[-1].name == "server" else None


def _tried(scope: Scope, files: Files, tries: Directive) -> Result | None:
    """What `try_files` finds; None: the file of the path as it is now."""
    *choices, last = tries.words
    for choice in choices:
        uri = scope.fill(choice)
        path = scope.file_of(uri.rstrip("/") if uri != "/" else uri)
        inode = files.stat(path)
        if inode is not None and (inode.kind == FOLDER) == uri.endswith("/"):
            scope.go_to(uri)
            return None
    if last.startswith("="):
        return Result(int(last[1:]))
    if last.startswith("@"):
        return Result(0, named=last)
    return Result(0, uri=scope.fill(last))


def _of_folder(scope: Scope, files: Files, path: str, errors: list[tuple[str, str]]) -> Result:
    names = [word for entry in scope.inherited("index") for word in entry.words] or ["index.html"]
    for name in names:
        place = name if name.startswith("/") else path + name
        inode = files.stat(place)
        if inode is not None and inode.kind != FOLDER:
            return Result(0, uri=scope.uri + name if not name.startswith("/") else name)
    if not files.is_folder(path):
        text = f'"{path}{names[-1]}" is not found (2: No such file or directory)'
        errors.append(("error", text))
        return Result(404)
    if scope.on("autoindex"):
        return Result(200, _listed(scope, files, path), "text/html")
    errors.append(("error", f'directory index of "{path}" is forbidden'))
    return Result(403)


def _readable(files: Files, inode: Inode, scope: Scope) -> bool:
    """Whether a worker may read a file: it runs as `user`, which only root can make it."""
    rights = files.container.credentials
    if rights.uid != 0:
        return rights.may(inode, 4)
    user = scope.blocks[0].first("user")
    name = user.words[0] if user is not None else "nginx"
    number = number_of(name, files.read("/etc/passwd") or "")
    if number == 0 or inode.uid == number:
        return number == 0 or bool(inode.mode & _OWNER_READ)
    return bool(inode.mode & _OTHERS_READ)


def _type(scope: Scope, path: str) -> str:
    suffix = posixpath.splitext(path)[1].lstrip(".").lower()
    for block in scope.inherited("types"):
        for entry in block.block:
            if suffix in entry.words:
                return _with_charset(scope, entry.name)
    return _with_charset(scope, scope.word("default_type", "text/plain"))


def _with_charset(scope: Scope, kind: str) -> str:
    charset = scope.word("charset", "off")
    return (
        kind if charset == "off" or not kind.startswith("text/") else f"{kind}; charset={charset}"
    )


def _listed(scope: Scope, files: Files, path: str) -> str:
    """The page of `autoindex`."""
    title = f"Index of {scope.uri}"
    lines = [f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<h1>{title}</h1><hr><pre><a href=\"../\">../</a>\r\n"]  # fmt: skip
    entries = [(name, files.stat(path + name)) for name in files.listing(path) or ()]
    for name, inode in sorted(entries, key=lambda entry: (entry[1] is None or entry[1].kind != FOLDER, entry[0])):  # fmt: skip
        if inode is None or name.startswith("."):
            continue
        is_folder = inode.kind == FOLDER
        shown = name + "/" if is_folder else name
        when = datetime.fromtimestamp(inode.mtime, UTC).strftime("%d-%b-%Y %H:%M")
        size = "-" if is_folder else str(inode.size)
        lines.append(
            f'<a href="{shown}">{shown}</a>{" " * (50 - len(shown))} {when} {size:>19}\r\n'
        )
    return "".join(lines) + "</pre><hr></body>\r\n</html>\r\n"
