"""`kubectl cp`: tar at the far end, files of the caller at this one."""

from __future__ import annotations

import io
import os
import posixpath
import re
import tarfile
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.streams import exec_container, exec_in, refuse_failed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (Flag("container", "c"), switch("no-preserve"))

_PATTERN = re.compile(r"[*?\[\\]")


class _Place(NamedTuple):
    """A file of the caller, or of a container when a pod is named."""

    namespace: str
    pod: str
    path: str


def copy(session: Session) -> None:
    """Run `kubectl cp`."""
    words = session.arguments.words
    if len(words) != 2:
        raise CommandError("error: source and destination are required")
    source, target = (_place(word) for word in words)
    if source.pod and target.pod:
        raise CommandError("error: one of src or dest must be a local file specification")
    if not source.path or not target.path:
        raise CommandError("error: filepath can not be empty")
    if source.pod:
        _from_pod(session, source, target.path)
    elif target.pod:
        _to_pod(session, source.path, target)
    else:
        raise CommandError("error: one of src or dest must be a remote file specification")


def _place(word: str) -> _Place:
    pod, colon, path = word.partition(":")
    if not colon:
        return _Place("", "", _bare(word))
    namespace, slash, name = pod.rpartition("/")
    if not pod or "/" in namespace:
        form = "filespec must match the canonical format: [[namespace/]pod:]file/path"
        raise CommandError(f"error: {form}")
    if slash and not name:
        raise NotCovered("a pod without a name")
    return _Place(namespace, name, _bare(path.replace("\\", "/")))


def _bare(path: str) -> str:
    return path.removesuffix("/") if path != "/" else path


def _to_pod(session: Session, source: str, target: _Place) -> None:
    if _PATTERN.search(source):
        raise NotCovered("a pattern of files")
    local = session.files / source
    if not os.path.lexists(local):
        raise CommandError(f"error: {source} doesn't exist in local filesystem")
    base = posixpath.basename(posixpath.normpath(source))
    if base in (".", ".."):
        raise NotCovered("the present folder")
    pod = _pod(session, target)
    container = _quietly_chosen(session, pod)
    path = target.path
    if exec_in(session, pod, container, ["test", "-d", path], "").exit_code == 0:
        path = posixpath.join(path, base)
    plain = ["--no-same-permissions", "--no-same-owner"]
    extra = plain if session.arguments.on("no-preserve") else []
    folder = posixpath.normpath(posixpath.dirname(path) or ".")
    command = ["tar", *extra, "-xmf", "-", "-C", folder]
    archive = _packed(local, posixpath.basename(posixpath.normpath(path)))
    chosen = exec_container(session, pod)
    result = exec_in(session, pod, chosen, command, archive.decode(errors="surrogateescape"))
    session.out.append(result.stdout)
    session.err.append(result.stderr)
    refuse_failed(result)


def _packed(local: Path, name: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, inner in _walk(local, name):
            member = archive.gettarinfo(path, inner)
            member.name = inner
            if member.isreg():
                with path.open("rb") as file:
                    archive.addfile(member, file)
            else:
                archive.addfile(member)
    return packed.getvalue()


def _walk(local: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Files and empty folders; other folders come about by what is in them."""
    if local.is_symlink() or not local.is_dir():
        yield local, name
        return
    entries = sorted(local.iterdir())
    if not entries:
        yield local, name
    for entry in entries:
        yield from _walk(entry, f"{name}/{entry.name}")


def _from_pod(session: Session, source: _Place, target: str) -> None:
    pod = _pod(session, source)
    # What the far end complains of is told on standard output.
    before = len(session.err)
    try:
        container = exec_container(session, pod)
    finally:
        session.out += session.err[before:]
        del session.err[before:]
    result = exec_in(session, pod, container, ["tar", "cf", "-", source.path], "")
    session.out.append(result.stderr)
    content = result.stdout.encode(errors="surrogateescape")
    if not content:
        refuse_failed(result)
        raise NotCovered("nothing from tar")
    prefix = _without_shortcuts(posixpath.normpath(source.path.lstrip("/\\")))
    where = f'"{source.namespace}" "{source.pod}"'
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            _Unpacking(session, target, prefix, f'{where} -- tar cf - "{source.path}"').all(archive)
    except OSError as error:
        raise NotCovered("files that cannot be written") from error


def _without_shortcuts(path: str) -> str:
    while path.startswith("../"):
        path = path.removeprefix("../")
    return "" if path in (".", "..") else path.removeprefix("/")


class _Unpacking:
    """Writes what is in an archive below a path of the caller."""

    def __init__(self, session: Session, target: str, prefix: str, command: str) -> None:
        self._session = session
        self._target = target
        self._prefix = prefix
        self._command = command
        self._warned = False

    def all(self, archive: tarfile.TarFile) -> None:
        for member in archive:
            if not member.name.startswith(self._prefix):
                raise CommandError("error: tar contents corrupted")
            rest = member.name[len(self._prefix) :].replace("\\", "/")
            name = posixpath.normpath(f"{self._target}/{rest}" if rest else self._target)
            relative = posixpath.relpath(name, self._target)
            if relative.startswith("../") or relative == "..":
                outside = f'file "{name}" is outside target destination, skipping'
                self._session.complain(f"warning: {outside}")
                continue
            self._one(archive, member, name)

    def _one(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> None:
        path = self._session.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
        elif member.issym():
            skipped = f'warning: skipping symlink: "{name}" -> "{member.linkname}"'
            hint = f' (consider using "kubectl exec -n {self._command} | tar xf -")'
            self._session.complain(skipped + ("" if self._warned else hint))
            self._warned = True
        elif path.is_dir():
            raise CommandError(f"error: open {name}: is a directory")
        else:
            content = archive.extractfile(member)
            path.write_bytes(content.read() if content is not None else b"")


def _pod(session: Session, place: _Place) -> Object:
    kind = session.client.resource_type("pods")
    namespace = place.namespace or session.namespace
    path = kind.path(namespace, place.pod)
    found: Object = session.client.send("GET", path)
    return found


def _quietly_chosen(session: Session, pod: Object) -> str:
    """The container, without what is said about its choice."""
    before = len(session.err)
    container = exec_container(session, pod)
    del session.err[before:]
    return container
