"""Where the input of a command comes from and where its output goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.computing import STREAMS
from sregym_cluster_embedded.userland.shell.errno_messages import (
    not_created,
    not_opened,
    shell_name,
)
from sregym_cluster_embedded.userland.shell.session import Descriptor, Output, Session
from sregym_cluster_embedded.userland.shell.sockets import read_connection, socket_error

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.expansion import Expansion
    from sregym_cluster_embedded.userland.shell.lexing import Redirection

_OUT, _ERR, _NOWHERE = "/dev/stdout", "/dev/stderr", "/dev/null"
# Nothing is opened there: what is written to the main process's descriptors is its log.
_UNOPENED = (_NOWHERE, "/proc/1/fd/1", "/proc/1/fd/2")
_WRITES = (">", ">>", ">|", "&>", "&>>")


class Redirector:
    """Carries out redirections in a session.

    Args:
        session: The session whose files are read and written.
        expansion: Expands the targets.
    """

    def __init__(self, session: Session, expansion: Expansion) -> None:
        self._session = session
        self._expansion = expansion

    def input(
        self, redirections: tuple[Redirection, ...], stdin: str, *, line: bool = False
    ) -> tuple[str, str]:
        """What the command reads (one `line` of a connection), and the error if it cannot be opened."""
        self._session.drains = False
        for redirection in redirections:
            operator = redirection.operator
            if operator not in ("<<", "<<<", "<", "<>", "<&"):
                continue
            target = self._expanded(redirection)
            self._session.drains = operator == "<" and target in STREAMS
            if operator == "<&":
                if target.isdecimal() and int(target) in self._session.sockets:
                    stdin = read_connection(self._session, int(target), line=line)
                elif target.isdecimal() and int(target) in self._session.descriptors:
                    stdin = self._taken(self._session.descriptors[int(target)], line)
            elif operator == "<<":
                stdin = target
            elif operator == "<<<":
                stdin = target + "\n"
            elif target.startswith("/dev/tcp/"):
                kept = redirection.descriptor if operator == "<>" else None
                error = socket_error(self._session, target, kept)
                if error:
                    return "", error
            elif target == _NOWHERE:
                stdin = ""
            else:
                try:
                    stdin = self._session.files.open(self._session.path(target)).text
                except FileError as refusal:
                    return "", not_opened(self._session, target, refusal)
        return stdin, ""

    def _taken(self, opened: Descriptor, line: bool) -> str:
        """The next line of an open file, or all that is left of it."""
        text = opened.unread or ""
        end = text.find("\n") + 1 if line and "\n" in text else len(text)
        opened.unread = text[end:]
        return text[:end]

    def keep(self, redirections: tuple[Redirection, ...]) -> None:
        """Let redirections of `exec` hold from now on; `prepare` has opened what is written to."""
        opened = self._session.descriptors
        for redirection in redirections:
            target, operator = self._expanded(redirection), redirection.operator
            if target.startswith("/dev/tcp/"):
                continue
            if operator in (">&", "<&"):
                if target == "-":
                    opened.pop(redirection.descriptor, None)
                elif target.isdecimal() and int(target) in opened:
                    opened[redirection.descriptor] = opened[int(target)]
                elif target in "12":
                    opened[redirection.descriptor] = Descriptor((_OUT, _ERR)[int(target) - 1])
            elif operator in _WRITES:
                both = (1, 2) if operator.startswith("&") else (redirection.descriptor,)
                for descriptor in both:
                    opened[descriptor] = Descriptor(target)
            elif operator == "<" and target != _NOWHERE:
                text = self._session.files.read(self._session.path(target))
                opened[redirection.descriptor] = Descriptor(target, text or "")

    def prepare(self, redirections: tuple[Redirection, ...]) -> str:
        """Open (and empty) what is written to, before the command runs; the error if it fails."""
        session = self._session
        for redirection in redirections:
            if redirection.operator not in _WRITES:
                before = [each.descriptor for each in redirections]
                if (error := self._unopened(redirection, before)) != "":
                    return error
                continue
            target = self._expanded(redirection)
            if target.startswith("/dev/tcp/"):
                error = socket_error(session, target)
                if error:
                    return error
            if target.startswith(("/dev/std", "/dev/tcp/", "/dev/fd/")) or target in _UNOPENED:
                continue
            path = session.path(target)
            try:
                present = session.files.stat(path)
                kept = present is not None and redirection.operator.endswith(">>")
                if kept and present is not None:
                    session.files.write(path, present.content, zeros=present.zeros)
                else:
                    session.files.write(path, "")
            except FileError as refusal:
                return not_created(session, target, refusal)
        return ""

    def _unopened(self, redirection: Redirection, own: list[int]) -> str:
        """What the shell says of a descriptor that is not open."""
        if redirection.operator != ">&":
            return ""
        target, session = self._expanded(redirection), self._session
        if not target.isdecimal() or int(target) < 3:
            return ""
        if int(target) in (*session.sockets, *session.descriptors, *own):
            return ""
        return f"{shell_name(session)}: {target}: Bad file descriptor\n"

    def output(self, redirections: tuple[Redirection, ...], result: Output) -> Output:
        """What is left of the output after the redirections took their part."""
        places = {1: _OUT, 2: _ERR}
        for descriptor, opened in self._session.descriptors.items():
            places[descriptor] = opened.path
        for redirection in redirections:
            operator = redirection.operator
            if operator == ">&":
                target = self._expanded(redirection)
                if target.isdecimal() and int(target) in self._session.sockets:
                    places[redirection.descriptor] = f"&{target}"
                elif target.isdecimal():
                    places[redirection.descriptor] = places.get(int(target), _NOWHERE)
                elif target == "-":
                    places[redirection.descriptor] = _NOWHERE
            elif operator in _WRITES:
                target = self._expanded(redirection)
                places[redirection.descriptor] = target
                if operator.startswith("&"):
                    places[1] = places[2] = target
        out = err = ""
        texts: dict[str, str] = {}
        for descriptor, text in ((1, result.out), (2, result.err)):
            place = places.get(descriptor, _NOWHERE)
            if place in (_OUT, "/dev/fd/1"):
                out += text
            elif place in (_ERR, "/dev/fd/2"):
                err += text
            else:
                texts[place] = texts.get(place, "") + text
        code = result.code
        for place, text in texts.items():
            error = self._append(place, text)
            if error:
                code, err = 1, err + error
        return Output(code, out, err)

    def _expanded(self, redirection: Redirection) -> str:
        return self._expansion.joined(redirection.target)

    def _append(self, target: str, text: str) -> str:
        """Write to a file that `prepare` has opened."""
        session, path = self._session, self._session.path(target)
        if target.startswith("&"):
            session.sockets[int(target[1:])].sent += text
            return ""
        if not text or target == _NOWHERE or target.startswith("/dev/tcp/"):
            return ""
        if path in ("/proc/1/fd/1", "/proc/1/fd/2"):
            session.say("stdout" if path.endswith("1") else "stderr", text)
            return ""
        try:
            present = session.files.stat(path)
            before = present.content if present is not None else ""
            session.files.write(path, before + text, zeros=present.zeros if present else 0)
        except FileError as refusal:
            return f"sh: write error: {refusal.words}\n"
        return ""
